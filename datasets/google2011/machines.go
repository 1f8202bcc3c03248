package google2011

import (
	"cmp"
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

// machineEvent parses a row of machine_events that [parser.start] was called with.
func (p *parser) machineEvent() machineEvent {
	if len(p.f[1]) == 0 {
		p.fault("machine ID", source.ReasonNoID, "the second field is empty")
	}
	e := machineEvent{time: p.time(0, "time"), cpu: p.share(4, "CPU capacity"), mem: p.share(5, "memory capacity")}
	if len(p.f[2]) != 1 || p.f[2][0] < '0' || p.f[2][0] > '0'+machineUpdate {
		p.fault("event type", source.ReasonBadEvent, "%.40q, want 0 to %d", p.f[2], machineUpdate)
	} else {
		e.event = p.f[2][0] - '0'
	}
	return e
}

// machineRow checks a row of machine_events.
func machineRow(line *source.Line) *source.Reject {
	var p parser
	row := groupby.RowOf(line)
	p.start(&row)
	if n := fields(row.Bytes, p.f[:]); n != fieldCounts[tableMachines][0] {
		return line.Reject("", source.ReasonFields, "%d fields, want 6 of machine_events", n)
	}
	p.machineEvent()
	return p.rej
}

// foldMachines makes machines of the rows of machine_events: some ten thousand machines, with few events each.
func foldMachines(rows []groupby.Row, tally *source.Tally) (rejects []*source.Reject) {
	all := map[string][]machineEvent{}
	var order []string
	var p parser
	for i := range rows {
		p.start(&rows[i])
		e := p.machineEvent()
		if p.rej != nil {
			rejects = append(rejects, p.rej)
			continue
		}
		name := string(p.f[1])
		if _, ok := all[name]; !ok {
			order = append(order, name)
		}
		all[name] = append(all[name], e)
	}
	for _, name := range order {
		events := all[name]
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
				tally.Repair(RepairAway)
				machine.To, away = trace.None, false
			}
			machine.CPU, machine.Mem = e.cpu, e.mem
		}
		tally.Machines = append(tally.Machines, machine)
	}
	return rejects
}
