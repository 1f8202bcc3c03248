package google2011

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/borg"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// The events of machines.
const (
	machineAdd = iota
	machineRemove
	machineUpdate
)

// machineEvent is a row of machine_events.
type machineEvent struct {
	time     int64
	event    uint8
	cpu, mem float64
}

// machines collects the rows of machine_events: some ten thousand machines, with few events each.
type machines struct {
	tally  *source.Tally
	events map[string][]machineEvent
	order  []string
	rows   int
}

// maxMachineRows bounds the rows of machine_events, which stay in memory. The trace has 37,780.
const maxMachineRows = 1 << 20

func newMachines(tally *source.Tally) *machines {
	return &machines{tally: tally, events: map[string][]machineEvent{}}
}

// read takes a file of machine_events and reports whether the caller wants more.
func (m *machines) read(ctx context.Context, f *source.File, yield func(error) bool) bool {
	in, err := f.Open(ctx)
	if err != nil {
		yield(err)
		return false
	}
	defer in.Close()
	reject := func(rej *source.Reject) bool {
		m.tally.Account(rej)
		return yield(rej)
	}
	lines := source.NewLines(in, 0)
	for lines.Next() && !lines.Cut() {
		if err := ctx.Err(); err != nil {
			yield(err)
			return false
		}
		if rej := m.line(f, lines); rej != nil && !reject(rej) {
			return false
		}
	}
	switch err := lines.Err(); {
	case err == nil:
		return true
	case source.IsTruncated(err) || errors.Is(err, io.ErrUnexpectedEOF):
		return reject(source.NewReject(f.Name, lines.Number(), "", source.ReasonTruncated, err.Error(), lines.Bytes()))
	default:
		yield(fmt.Errorf("%s: after line %d: %w", f.Name, lines.Number(), err))
		return false
	}
}

// line accounts for one line; rejects are left to the caller.
func (m *machines) line(f *source.File, lines *source.Lines) *source.Reject {
	p := &parser{}
	row := groupby.Row{File: f.Name, Line: lines.Number(), Bytes: lines.Bytes()}
	var n int
	if len(row.Bytes) > 0 {
		p.start(&row)
		n = fields(row.Bytes, p.f[:])
	}
	reason, detail := source.NotText(row.Bytes)
	switch {
	case source.Blank(row.Bytes):
		m.tally.Ignore("blank line")
		return nil
	case lines.TooLong():
		return row.Reject("", source.ReasonLineTooLong, "more than %d bytes", source.MaxLine)
	case reason != "":
		return row.Reject("", reason, "%s", detail)
	case row.Bytes[0] == '#' || lines.Number() == 1 && isHeader(p.f[:min(n, maxFields)]):
		m.tally.Ignore("header")
		return nil
	case n != fieldCounts[tableMachines][0]:
		p.fault("", source.ReasonFields, "%d fields, want 6 of machine_events", n)
	case len(p.f[1]) == 0:
		p.fault("machine ID", source.ReasonNoID, "the second field is empty")
	default:
		e := machineEvent{time: p.time(0, "time"), cpu: p.share(4, "CPU capacity"), mem: p.share(5, "memory capacity")}
		if len(p.f[2]) != 1 || p.f[2][0] < '0' || p.f[2][0] > '0'+machineUpdate {
			p.fault("event type", source.ReasonBadEvent, "%.40q, want 0 to %d", p.f[2], machineUpdate)
		} else {
			e.event = p.f[2][0] - '0'
		}
		if p.rej == nil && m.rows == maxMachineRows {
			p.fault("", source.ReasonTooMany, "more than %d rows of machine_events", maxMachineRows)
		}
		if p.rej == nil {
			m.rows++
			m.add(string(p.f[1]), e)
			m.tally.Use()
		}
	}
	if p.rej != nil && lines.Last() {
		p.rej.CutOff()
	}
	return p.rej
}

func (m *machines) add(name string, e machineEvent) {
	if _, ok := m.events[name]; !ok {
		m.order = append(m.order, name)
	}
	m.events[name] = append(m.events[name], e)
}

// close folds the events of every machine.
func (m *machines) close() {
	for _, name := range m.order {
		events := m.events[name]
		slices.SortStableFunc(events, func(x, y machineEvent) int { return cmp.Compare(x.time, y.time) })
		machine := trace.NewMachine(name)
		adds, away := 0, false
		for i, e := range events {
			at := trace.Instant(e.time)
			if e.time == borg.BeforeTrace || e.time == borg.AfterTrace {
				at = trace.None
			}
			switch e.event {
			case machineRemove:
				machine.To, away = at, true
				continue
			case machineAdd:
				if adds++; adds == 1 && i == 0 {
					machine.From = at
				}
			}
			if away {
				m.tally.Repair(RepairAway)
				machine.To, away = trace.None, false
			}
			machine.CPU, machine.Mem = e.cpu, e.mem
		}
		m.tally.Machines = append(m.tally.Machines, machine)
	}
}
