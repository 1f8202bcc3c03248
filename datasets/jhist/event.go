package jhist

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
)

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
func (e *envelope) body() (class string, body json.RawMessage, bad *source.Fault) {
	if len(e.Event) != 1 {
		return "", nil, source.NewFault("event", source.ReasonMissing, "%d classes, want what one class says",
			len(e.Event))
	}
	for class, body = range e.Event {
		class = class[strings.LastIndexByte(class, '.')+1:]
	}
	return class, body, nil
}

// event holds the fields of all classes of events that are used.
type event struct {
	JobID, JobName, User, Queue, JobStatus          string
	TaskID, AttemptID, TaskType, TaskStatus, Status string
	Host, Tracker, Avataar                          string
	Submit, Launch, Start, Finish                   *int64 // milliseconds
	Maps, Reduces                                   *int64
	Counters                                        counters
}

// readEvent reads the fields of an event. Their names are taken in any case.
func readEvent(body []byte) (*event, *source.Fault) {
	e := new(event)
	s := scanner{jsonscan.Scanner{Text: body}}
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(bytes.ToLower(s.Key())) {
		case "jobid":
			e.JobID = s.text()
		case "jobname":
			e.JobName = s.text()
		case "username":
			e.User = s.text()
		case "jobqueuename":
			e.Queue = s.text()
		case "jobstatus":
			e.JobStatus = s.text()
		case "submittime":
			e.Submit = s.whole()
		case "launchtime":
			e.Launch = s.whole()
		case "starttime":
			e.Start = s.whole()
		case "finishtime":
			e.Finish = s.whole()
		case "totalmaps":
			e.Maps = s.whole()
		case "totalreduces":
			e.Reduces = s.whole()
		case "taskid":
			e.TaskID = s.text()
		case "attemptid":
			e.AttemptID = s.text()
		case "tasktype":
			e.TaskType = s.text()
		case "taskstatus":
			e.TaskStatus = s.text()
		case "status":
			e.Status = s.text()
		case "hostname":
			e.Host = s.text()
		case "trackername":
			e.Tracker = s.text()
		case "avataar":
			e.Avataar = s.text()
		case "counters":
			s.counters(&e.Counters)
		default:
			s.Skip()
		}
	}
	if s.End(); s.Bad != nil {
		return nil, s.Bad
	}
	return e, nil
}

// scanner reads the values of an event.
type scanner struct{ jsonscan.Scanner }

// text reads a string, which Avro wraps in the name of its type where it may be null: {"string":"VIRGIN"}. Null is "".
func (s *scanner) text() (text string) {
	if s.Peek() != '{' {
		return string(s.BytesOrNull())
	}
	field := s.Field
	named := s.Open('{') && bytes.HasSuffix(append([]byte{'.'}, s.Key()...), []byte(".string"))
	if s.Field = field; named {
		text = string(s.BytesOrNull())
	}
	if !named || s.More('}') {
		s.Mistyped("a string")
	}
	return text
}

// whole reads a whole number, null as nil.
func (s *scanner) whole() *int64 {
	if s.Null() {
		return nil
	}
	if jsonscan.BeginsNumber(s.Peek()) {
		if n, err := strconv.ParseInt(string(s.Number()), 10, 64); err == nil {
			return &n
		}
	}
	s.Mistyped("a whole number of at most 64 bits")
	return nil
}
