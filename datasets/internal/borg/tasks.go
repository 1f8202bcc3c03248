package borg

import (
	"math"
	"slices"

	"racecard/datasets/trace"
)

// task is the state of a task after its last event.
type task struct {
	index    int32        // in the trace
	status   trace.Status // running also while it waits; unknown when only its usage is known
	cpu, mem float64      // latest request
}

// stage folds the events of tasks into attempts, and adds their usage.
func (j *Job) stage() {
	if len(j.Tasks) == 0 && len(j.Windows) == 0 {
		return
	}
	s := trace.NewStage()
	j.found = j.found[:0]
	events := j.arrange(j.Tasks)
	j.addIdle(events)
	complete := len(j.found) > 0 // whether all tasks have ended, at known times
	early := false               // whether something was submitted before the trace
	for i, at := 0, 0; i < len(j.found); i++ {
		from := at
		for at < len(events) && events[at].Task == j.found[i].index {
			at++
		}
		f := folding{Job: j, task: &j.found[i], number: int32(i), queued: trace.None, open: -1}
		f.fold(events[from:at])
		early = early || f.early
		s.Submit = s.Submit.Earlier(f.first)
		s.End = max(s.End, f.ended) // null is the least
		complete = complete && f.ended.Known()
	}
	if early {
		s.Submit = trace.None
	}
	if !complete {
		s.End = trace.None
	}
	s.Tasks = int64(len(j.found))
	s.Start = firstStart(j.Run.Attempts)
	if s.End.Known() && s.Start > s.End {
		s.Start = trace.None
	}
	s.Demand[trace.CPU] = mean(j.found, func(t *task) float64 { return t.cpu })
	s.Demand[trace.Mem] = mean(j.found, func(t *task) float64 { return t.mem })
	j.Run.Stages = []trace.Stage{s}
	j.usage()
}

// addIdle finds the distinct tasks, those known from usage alone included, in the order of their indices.
func (j *Job) addIdle(events []Happening) {
	for i := range events {
		if i == 0 || events[i].Task != events[i-1].Task {
			j.found = append(j.found, task{index: events[i].Task, cpu: math.NaN(), mem: math.NaN()})
		}
	}
	n := len(j.found)
	for i := range j.Windows {
		if _, ok := slices.BinarySearchFunc(j.found[:n], j.Windows[i].Task, byIndex); !ok {
			j.found = append(j.found, task{index: j.Windows[i].Task, cpu: math.NaN(), mem: math.NaN()})
		}
	}
	if len(j.found) > n {
		slices.SortFunc(j.found, func(x, y task) int { return byIndex(x, y.index) })
		j.found = slices.CompactFunc(j.found, func(x, y task) bool { return x.index == y.index })
	}
}

func byIndex(t task, index int32) int { return int(t.index) - int(index) }

// firstStart returns the first start, null when an attempt began at a time that is not known.
func firstStart(attempts []trace.Attempt) trace.Instant {
	first := trace.Instant(trace.None)
	for i := range attempts {
		switch start := attempts[i].Start; {
		case !start.Known():
			return trace.None
		case !first.Known() || start < first:
			first = start
		}
	}
	return first
}

// mean returns the mean of the known values, NaN if there are none.
func mean(tasks []task, of func(*task) float64) float64 {
	sum, n := 0.0, 0
	for i := range tasks {
		if x := of(&tasks[i]); !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return sum / float64(n)
}

// folding turns the events of one task into attempts.
type folding struct {
	*Job
	task    *task
	number  int32 // of the task in its stage
	attempt int32 // the next
	state   state
	open    int // the attempt that runs, -1 when none does
	pending bool
	queued  trace.Instant
	first   trace.Instant // first SUBMIT
	early   bool          // it was submitted before the trace
	ended   trace.Instant // null unless its last event is an end
}

func (f *folding) fold(events []Happening) {
	f.first, f.ended = trace.None, trace.None
	submits := 0
	for i := range events {
		h := &events[i]
		if h.Time == AfterTrace {
			f.tally.Repair(RepairAfter)
			continue
		}
		at := f.instant(h)
		if !math.IsNaN(h.CPU) {
			f.task.cpu = h.CPU
		}
		if !math.IsNaN(h.Mem) {
			f.task.mem = h.Mem
		}
		status, ends := h.Event.status()
		switch {
		case ends:
			f.end(h, at, status)
			f.state = dead
			continue
		case h.Event == Submit || h.Event == Queue || h.Event == Enable:
			f.lose()
			if h.Event == Submit {
				if submits++; submits == 1 {
					f.first, f.early = at, !at.Known()
				}
			}
			if !f.pending || h.Event == Enable {
				f.pending, f.queued = true, at
			}
		case h.Event == Schedule:
			f.lose()
			f.begin(at, h.Machine)
		case f.state == dead: // nothing to update
			continue
		case h.Event == UpdateRunning && f.open < 0:
			f.tally.Repair(RepairNoStart)
			f.begin(trace.None, h.Machine)
		}
		f.state = f.state.after(h.Event)
		f.task.status, f.ended = trace.Running, trace.None
	}
	if f.open >= 0 {
		f.tally.Repair(RepairCensored)
		f.Run.Attempts[f.open].Status = trace.Running
	}
}

// begin opens an attempt.
func (f *folding) begin(at trace.Instant, machine string) {
	a := trace.NewAttempt(0, f.number, f.attempt)
	f.attempt++
	a.Start, a.Machine, a.Queued = at, machine, f.queued
	if !f.Measured {
		a.Demand[trace.CPU], a.Demand[trace.Mem] = f.task.cpu, f.task.mem
	}
	f.open, f.pending, f.queued = len(f.Run.Attempts), false, trace.None
	f.Run.Attempts = append(f.Run.Attempts, a)
}

// end closes the attempt that runs. Without one, the task ended before it ran, or its start was lost.
func (f *folding) end(h *Happening, at trace.Instant, status trace.Status) {
	ran := h.Machine != "" || h.Event == Finish || f.state != dead && !f.pending
	if f.open < 0 && ran {
		f.tally.Repair(RepairNoStart)
		f.begin(trace.None, h.Machine)
	}
	if f.open >= 0 {
		a := &f.Run.Attempts[f.open]
		a.End, a.Status, a.Duration = at, status, at.Since(a.Start)
		if a.Machine == "" {
			a.Machine = h.Machine
		}
	}
	f.open, f.pending, f.queued = -1, false, trace.None
	f.task.status, f.ended = status, at
}

// lose gives up the attempt that runs: something happened that cannot, before it ended.
func (f *folding) lose() {
	if f.open >= 0 {
		f.tally.Repair(RepairLostEnd)
		f.open = -1
	}
}
