package jsonl

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"reflect"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonBadDuration   = "bad duration"
	ReasonBadStatus     = "unknown status"
	ReasonBadEdge       = "unknown edge kind"
	ReasonBadDemand     = "bad resource"
	ReasonUnknownParent = "unknown parent"
	ReasonUnknownStage  = "unknown stage"
	ReasonDuplicate     = "duplicate attempt"
)

// RepairEndBeforeStart names the repair of an end that lies before its start: the end becomes null.
const RepairEndBeforeStart = "end before start"

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:    "jsonl",
		Summary: "racecard JSON Lines: one run per line, easy to write by hand, and the form to exchange traces in",
		Holds:   "everything but allocations over time and machines",
		Lacks:   "nothing that was written down",
		Spec:    "go doc racecard/datasets/jsonl",
		Fields: []string{
			"a run: " + fields(reflect.TypeFor[record]()),
			"a stage: " + fields(reflect.TypeFor[stageRecord]()),
			"a task: " + fields(reflect.TypeFor[taskRecord]()),
			"a stage or a task: " + fields(reflect.TypeFor[demandRecord]()),
		},
		Detect: detect,
		Apart:  true,
		Read:   Read,
	}
}

// detect looks for a first line that is a JSON object with a key "id".
func detect(_ string, head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	s := jsonscan.Scanner{Text: head}
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "id":
			return true
		case "Event": // a Spark event log, whose events may have ids
			return false
		}
		s.Skip()
	}
	return false
}

// Read yields one run per line. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.ReadLines(ctx, files, tally, func() source.LineParser { return &parser{newScanner()} })
}

// parser makes a new run of every line.
type parser struct{ scanner *scanner }

// Reset does nothing.
func (*parser) Reset() {}

// Parse makes a run of a line.
func (p *parser) Parse(line *source.Line, tally *source.Tally) (*trace.Run, *source.Reject) {
	if reason, detail := source.TooManyValues(line.Bytes); reason != "" {
		return nil, line.Reject("", reason, "%s", detail)
	}
	rec, ok := p.scanner.record(line.Bytes)
	if !ok {
		var field string
		var err error
		if rec, field, err = decode(line.Bytes); err != nil {
			return nil, line.Reject(field, source.ReasonBadJSON, "%v", err)
		}
	}
	return build(rec, line, tally)
}

// builder turns one record into a run. Its first fault sticks.
type builder struct {
	line    *source.Line
	repairs int
	fault   *source.Reject
}

// build makes a run of a record.
func build(rec *record, line *source.Line, tally *source.Tally) (*trace.Run, *source.Reject) {
	if rec.ID == "" {
		return nil, line.Reject("id", source.ReasonMissing, "every run needs an id")
	}
	b := &builder{line: line}
	run := b.run(rec)
	b.stages(run, rec)
	if b.fault == nil {
		b.attempts(run, rec)
	}
	if b.fault != nil {
		return nil, b.fault
	}
	if stage, ok := run.SortStages(); !ok {
		return nil, line.Reject(fmt.Sprintf("stages[%d].parents", stage), source.ReasonCycle,
			"the stage waits for itself, through its parents or the stages it comes after")
	}
	for i := 1; i < len(run.Attempts); i++ {
		if a, before := &run.Attempts[i], &run.Attempts[i-1]; a.Stage == before.Stage && a.Task == before.Task &&
			a.Attempt == before.Attempt {
			return nil, line.Reject("tasks", ReasonDuplicate, "stage %q task %d attempt %d occurs twice",
				run.Stages[a.Stage].Name, a.Task, a.Attempt)
		}
	}
	for range b.repairs {
		tally.Repair(RepairEndBeforeStart)
	}
	return run, nil
}

// place is where in a record a value stands: a field, also of an element of a list, and an element of that. It is put
// in words only for faults.
type place struct {
	list    string
	i       int
	field   string
	indexed bool
	k       int
}

// at is a field of a record.
func at(field string) place { return place{field: field} }

// of is a field of an element of a list.
func of(list string, i int, field string) place { return place{list: list, i: i, field: field} }

// element is element k of p.
func (p place) element(k int) place {
	p.indexed, p.k = true, k
	return p
}

// String puts p in words, such as stages[1].durations_s[0].
func (p place) String() string {
	s := p.field
	if p.list != "" {
		s = fmt.Sprintf("%s[%d].%s", p.list, p.i, p.field)
	}
	if p.indexed {
		s += fmt.Sprintf("[%d]", p.k)
	}
	return s
}

// fail keeps the first fault.
func (b *builder) fail(where place, reason, format string, args ...any) {
	if b.fault == nil {
		b.fault = b.line.Reject(where.String(), reason, format, args...)
	}
}

func (b *builder) run(rec *record) *trace.Run {
	run := trace.NewRun(rec.ID)
	run.Name, run.User, run.Group = rec.Name, rec.User, rec.Group
	run.Submit = b.instant(at("submit_s"), rec.SubmitS)
	run.Start = b.instant(at("start_s"), rec.StartS)
	run.End = b.end(at("end_s"), rec.EndS, run.Start, run.Submit)
	run.Status = b.status(at("status"), rec.Status, rec.EndS)
	run.Guaranteed = b.count(at("guaranteed"), rec.Guaranteed)
	run.InputBytes = b.count(at("input_bytes"), rec.InputBytes)
	run.ShuffleBytes = b.count(at("shuffle_bytes"), rec.ShuffleBytes)
	run.OutputBytes = b.count(at("output_bytes"), rec.OutputBytes)
	for _, list := range [...]struct {
		field string
		names []string
		write bool
	}{{"reads", rec.Reads, false}, {"writes", rec.Writes, true}} {
		for i, name := range list.names {
			if name == "" {
				b.fail(at(list.field).element(i), source.ReasonMissing, "a dataset needs a name")
			}
			run.IO = append(run.IO, trace.Access{Dataset: name, Write: list.write, At: trace.None, Bytes: trace.None})
		}
	}
	return run
}

// instant converts a time; nil is null.
func (b *builder) instant(where place, s *float64) trace.Instant {
	if s == nil {
		return trace.None
	}
	t, err := trace.InstantFromSeconds(*s)
	if err != nil {
		b.fail(where, source.ReasonBadTime, "%v", err)
	}
	return t
}

// end converts the end of something, which becomes null when it lies before any of the known starts.
func (b *builder) end(where place, s *float64, starts ...trace.Instant) trace.Instant {
	t := b.instant(where, s)
	for _, start := range starts {
		if t.Known() && start.Known() && t < start {
			b.repairs++
			return trace.None
		}
	}
	return t
}

func (b *builder) duration(where place, s float64) trace.Duration {
	d, err := trace.DurationFromSeconds(s)
	if err != nil {
		b.fail(where, ReasonBadDuration, "%v", err)
	}
	return d
}

func (b *builder) status(where place, name string, end *float64) trace.Status {
	switch {
	case name != "":
		s, ok := trace.ParseStatus(name)
		if !ok {
			b.fail(where, ReasonBadStatus, "%.40q, want succeeded, failed, killed, evicted, lost, running or unknown",
				name)
		}
		return s
	case end != nil:
		return trace.Succeeded
	default:
		return trace.StatusUnknown
	}
}

func (b *builder) count(where place, n *whole) int64 {
	if n == nil {
		return trace.None
	}
	if *n < 0 {
		b.fail(where, source.ReasonBadCount, "%d, want at least 0", *n)
	}
	return int64(*n)
}

func (b *builder) demand(where place, rec *demandRecord) trace.Demand {
	d := trace.NoDemand()
	for i, v := range [...]*float64{rec.CPU, rec.Mem, rec.DiskRead, rec.DiskWrite, rec.NetIn, rec.NetOut, rec.GPU} {
		if v == nil {
			continue
		}
		if *v < 0 {
			where.field = trace.ResourceNames[i]
			b.fail(where, ReasonBadDemand, "%v, want at least 0", *v)
		}
		d[i] = *v
	}
	return d
}
