package google2011

import (
	"math"
	"strconv"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/borg"
	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
)

// maxEvent is the highest number of an event: UPDATE_RUNNING.
const maxEvent = 8

// eventOf returns the event of a number in the trace of 2011, which knows no QUEUE and no ENABLE.
func eventOf(n int64) borg.Event {
	if n == 0 {
		return borg.Submit
	}
	return borg.Schedule + borg.Event(n) - 1
}

// parser reads the fields of a row. Its first fault sticks.
type parser struct {
	row *groupby.Row
	f   [maxFields][]byte
	rej *source.Reject
}

func (p *parser) start(row *groupby.Row) {
	p.row, p.rej = row, nil
	fields(row.Bytes, p.f[:])
}

func (p *parser) fault(name, reason, format string, args ...any) {
	if p.rej == nil {
		p.rej = p.row.Reject(name, reason, format, args...)
	}
}

// time parses a time: microseconds, or one of the two that stand for something else.
func (p *parser) time(column int, name string) int64 {
	t, err := strconv.ParseInt(text(p.f[column]), 10, 64)
	if err != nil || !borg.ValidTime(t) {
		p.fault(name, source.ReasonBadNumber, "%.40q, want microseconds", p.f[column])
	}
	return t
}

// index parses a task index.
func (p *parser) index(column int) int32 {
	n, err := strconv.ParseInt(text(p.f[column]), 10, 32)
	if err != nil || n < 0 {
		p.fault("task index", source.ReasonBadNumber, "%.40q, want a whole number", p.f[column])
	}
	return int32(n)
}

func (p *parser) event(column int) borg.Event {
	n, err := strconv.ParseInt(text(p.f[column]), 10, 64)
	if err != nil || n < 0 || n > maxEvent {
		p.fault("event type", source.ReasonBadEvent, "%.40q, want 0 to %d", p.f[column], maxEvent)
	}
	return eventOf(n)
}

// maxShare bounds amounts, which are shares of a machine; sums of them stay finite.
const maxShare = 1e9

// share parses a normalised amount; empty is NaN.
func (p *parser) share(column int, name string) float64 {
	if len(p.f[column]) == 0 {
		return math.NaN()
	}
	x, ok := decimal.Parse(p.f[column])
	if !ok || x < 0 || x > maxShare {
		p.fault(name, source.ReasonBadNumber, "%.40q, want a share: a number of at least 0", p.f[column])
	}
	return x
}

// jobEvent parses a row of job_events.
func (p *parser) jobEvent() borg.Happening {
	return borg.Happening{Time: p.time(0, "time"), Event: p.event(3)}
}

// taskEvent parses a row of task_events.
func (p *parser) taskEvent() borg.Happening {
	return borg.Happening{
		Time: p.time(0, "time"), Event: p.event(5), Task: p.index(3), Machine: string(p.f[4]),
		CPU: p.share(9, "CPU request"), Mem: p.share(10, "memory request"),
	}
}

// usage parses a row of task_usage.
func (p *parser) usage() borg.Window {
	return borg.Window{
		From: p.time(0, "start time"), To: p.time(1, "end time"), Task: p.index(3),
		CPU: p.share(5, "mean CPU usage rate"), Mem: p.share(6, "canonical memory usage"),
	}
}
