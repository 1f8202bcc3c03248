package wfformat

import (
	"math"
	"slices"
	"strings"

	"racecard/datasets/trace"
)

const (
	kilobyte = 1000 // as WfCommons converts them
	percent  = 100
)

// measured adds the measurements of task i: its demand and, if its runtime is known, an attempt.
func (b *builder) measured(i int, t *task) {
	s := &b.run.Stages[i]
	set(&s.Demand[trace.CPU], b.positive(t.Cores.or(t.OldCores, 1)))
	memory := b.positive(t.Memory.or(t.OldMemory, kilobyte))
	set(&s.Demand[trace.Mem], memory)
	runtime := b.positive(t.Runtime.or(t.OldRuntime, 1))
	d, err := trace.DurationFromSeconds(runtime.value)
	if !runtime.known || err != nil {
		return
	}
	a := trace.NewAttempt(int32(i), 0, b.tries[i])
	b.tries[i]++
	a.Status, a.Duration = trace.Succeeded, d
	if a.Start = b.date(t.ExecutedAt); a.Start.Known() {
		a.End = a.Start + trace.Instant(d)
		s.Start = s.Start.Earlier(a.Start)
		s.End = max(s.End, a.End)
	}
	set(&a.Demand[trace.CPU], number{b.positive(t.AvgCPU).value / percent, t.AvgCPU.known && t.AvgCPU.value >= 0})
	set(&a.Demand[trace.Mem], memory)
	scale := b.oldByteScale()
	set(&a.Demand[trace.DiskRead], b.positive(t.Read.or(t.OldRead, scale)).per(d))
	set(&a.Demand[trace.DiskWrite], b.positive(t.Written.or(t.OldWritten, scale)).per(d))
	machines := slices.Concat(t.Machines, t.OldMachine)
	if len(machines) > 0 {
		a.Machine = machines[0]
	}
	if len(machines) > 1 {
		b.several++
	}
	b.run.Attempts = append(b.run.Attempts, a)
}

// oldByteScale returns the unit of bytesRead and bytesWritten: kilobytes, but bytes where Pegasus wrote them.
func (b *builder) oldByteScale() float64 {
	if strings.Contains(strings.ToLower(b.doc.System), "pegasus") {
		return 1
	}
	return kilobyte
}

// per returns a quantity per second of d, unknown when d is 0.
func (n number) per(d trace.Duration) number {
	if d == 0 {
		return number{}
	}
	return number{n.value / d.Seconds(), n.known}
}

// set stores a number that is known and finite.
func set(into *float64, n number) {
	if n.known && !math.IsInf(n.value, 0) {
		*into = n.value
	}
}
