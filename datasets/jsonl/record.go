package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"racecard/datasets/internal/decimal"
)

// record is a line.
type record struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	User         string        `json:"user"`
	Group        string        `json:"group"`
	SubmitS      *float64      `json:"submit_s"`
	StartS       *float64      `json:"start_s"`
	EndS         *float64      `json:"end_s"`
	Status       string        `json:"status"`
	Guaranteed   *whole        `json:"guaranteed"`
	InputBytes   *whole        `json:"input_bytes"`
	ShuffleBytes *whole        `json:"shuffle_bytes"`
	OutputBytes  *whole        `json:"output_bytes"`
	Reads        []string      `json:"reads"`
	Writes       []string      `json:"writes"`
	Stages       []stageRecord `json:"stages"`
	Tasks        []taskRecord  `json:"tasks"`
}

// demandRecord holds the resources of a stage or a task.
type demandRecord struct {
	CPU       *float64 `json:"cpu"`
	Mem       *float64 `json:"mem"`
	DiskRead  *float64 `json:"disk_read"`
	DiskWrite *float64 `json:"disk_write"`
	NetIn     *float64 `json:"net_in"`
	NetOut    *float64 `json:"net_out"`
	GPU       *float64 `json:"gpu"`
}

type stageRecord struct {
	Name       string     `json:"name"`
	Tasks      maybeWhole `json:"tasks"`
	DurationS  *float64   `json:"duration_s"`
	DurationsS []float64  `json:"durations_s"`
	EstimateS  *float64   `json:"estimate_s"`
	SubmitS    *float64   `json:"submit_s"`
	StartS     *float64   `json:"start_s"`
	EndS       *float64   `json:"end_s"`
	Parents    []int      `json:"parents"`
	Edge       string     `json:"edge"`
	After      []int      `json:"after"`
	demandRecord
}

type taskRecord struct {
	Stage       *int     `json:"stage"`
	Task        *int     `json:"task"`
	Attempt     int      `json:"attempt"`
	QueuedS     *float64 `json:"queued_s"`
	StartS      *float64 `json:"start_s"`
	EndS        *float64 `json:"end_s"`
	DurationS   *float64 `json:"duration_s"`
	Status      string   `json:"status"`
	Machine     string   `json:"machine"`
	Reason      string   `json:"reason"`
	Speculative *bool    `json:"speculative"`
	Spare       *bool    `json:"spare"`
	demandRecord
}

// fields lists the names that a record type gives to its fields. Fields of embedded records are not listed.
func fields(t reflect.Type) string {
	var names []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("json"); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// whole is an integer that may be written as 1e9.
type whole int64

// UnmarshalJSON takes any JSON number without a fractional part that an int64 holds.
func (w *whole) UnmarshalJSON(data []byte) error {
	if n, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		*w = whole(n)
		return nil
	}
	x, ok := decimal.Parse(data)
	if !ok || x != math.Trunc(x) || math.Abs(x) >= math.MaxInt64 {
		// The decoder adds the field to errors of this type alone.
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("value %.40s", data), Type: reflect.TypeFor[whole]()}
	}
	*w = whole(x)
	return nil
}

// maybeWhole tells a number that was left out from one that is null on purpose.
type maybeWhole struct {
	given bool
	value *whole
}

// UnmarshalJSON is called for null, too.
func (m *maybeWhole) UnmarshalJSON(data []byte) error {
	m.given = true
	return json.Unmarshal(data, &m.value)
}

// wanted names the JSON values that a Go type takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// decode parses one line and refuses unknown fields. The error names the field if it can.
func decode(line []byte) (*record, string, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		if rest, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return nil, strings.Trim(rest, `"`),
				fmt.Errorf("unknown field; see `racecard formats jsonl` for those there are")
		}
		if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) {
			return nil, t.Field, fmt.Errorf("found a JSON %s, want %s", t.Value, wanted(t.Type))
		}
		return nil, "", err
	}
	if d.More() {
		return nil, "", fmt.Errorf("more than one JSON value on the line")
	}
	return &r, "", nil
}
