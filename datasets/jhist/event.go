package jhist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"racecard/datasets/source"
)

// defect says why a line cannot be used.
type defect struct {
	field, reason, detail string
}

// envelope is a line. An event keeps its fields under the name of its class; the schema has fields of the same
// level.
type envelope struct {
	Event  map[string]json.RawMessage `json:"event"`
	Fields json.RawMessage            `json:"fields"`
}

// plain parts a line that is written as Hadoop does, {"type":"T","event":{"package.Class":BODY}}, without reading BODY.
// Any other line, and one whose body proves to be no JSON value, is for an [envelope].
func plain(line []byte) (class string, body []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return "", nil, false
	}
	kind, rest, ok := bytes.Cut(rest, []byte(`","event":{"`))
	if !ok || bytes.ContainsAny(kind, `"\`) {
		return "", nil, false
	}
	name, rest, ok := bytes.Cut(rest, []byte(`":`))
	if !ok || bytes.ContainsAny(name, `"\`) {
		return "", nil, false
	}
	body, ok = bytes.CutSuffix(rest, []byte("}}"))
	return string(name[bytes.LastIndexByte(name, '.')+1:]), body, ok
}

// body returns the class of the event, without its package, and the event's fields.
func (e *envelope) body() (class string, body json.RawMessage, bad *defect) {
	if len(e.Event) != 1 {
		return "", nil, &defect{"event", source.ReasonMissing,
			fmt.Sprintf("%d classes, want what one class says", len(e.Event))}
	}
	for class, body = range e.Event {
		class = class[strings.LastIndexByte(class, '.')+1:]
	}
	return class, body, nil
}

// decode reads JSON and names the field that is of the wrong type.
func decode(text []byte, into any) *defect {
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return &defect{t.Field, source.ReasonBadField, fmt.Sprintf("found a JSON %s, want %s", t.Value, t.Type)}
	}
	return &defect{"", source.ReasonBadJSON, err.Error()}
}

// event holds the fields of all classes of events that are used.
type event struct {
	JobID     text   `json:"jobid"`
	JobName   text   `json:"jobName"`
	User      text   `json:"userName"`
	Queue     text   `json:"jobQueueName"`
	JobStatus text   `json:"jobStatus"`
	Submit    *int64 `json:"submitTime"`
	Launch    *int64 `json:"launchTime"`
	Start     *int64 `json:"startTime"`
	Finish    *int64 `json:"finishTime"`
	Maps      *int64 `json:"totalMaps"`
	Reduces   *int64 `json:"totalReduces"`

	TaskID     text     `json:"taskid"`
	AttemptID  text     `json:"attemptId"`
	TaskType   text     `json:"taskType"`
	TaskStatus text     `json:"taskStatus"`
	Status     text     `json:"status"`
	Host       text     `json:"hostname"`
	Tracker    text     `json:"trackerName"`
	Avataar    text     `json:"avataar"`
	Counters   counters `json:"counters"`
}

// text is a string, which Avro wraps in the name of its type where it may be null: {"string":"VIRGIN"}.
type text string

// UnmarshalJSON takes a string, a wrapped one, or null.
func (t *text) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(unwrap(data, "string"), (*string)(t))
}

// unwrap returns the value under the name of an Avro type if data holds nothing else, and data itself otherwise.
func unwrap(data []byte, name string) []byte {
	if len(data) == 0 || data[0] != '{' || !bytes.Contains(data[:min(len(data), 128)], []byte(name)) {
		return data
	}
	var wrapped map[string]json.RawMessage
	if json.Unmarshal(data, &wrapped) == nil && len(wrapped) == 1 {
		for key, inner := range wrapped {
			if key[strings.LastIndexByte(key, '.')+1:] == name {
				return inner
			}
		}
	}
	return data
}
