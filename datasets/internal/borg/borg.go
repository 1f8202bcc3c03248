// Package borg makes runs of the event streams that Google publishes of its cluster manager Borg: what
// [racecard/datasets/google2011] and [racecard/datasets/google2019] read has the same life cycle in other clothes.
//
// C. Reiss, J. Wilkes and J. L. Hellerstein, "Google cluster-usage traces: format + schema", 2011, section "Job and
// task life cycles and event types"; J. Wilkes, "Google cluster-usage traces v3", 2020. A job, or a task, is submitted,
// waits, is scheduled, and ends by an eviction, a failure, its finish, or a kill; it may be submitted again. Any event
// may be missing, since parts of a trace may be, and since the traces have gaps of their own.
//
// # Times
//
// Times are microseconds; a trace begins at 600 s. Time 0 marks an event before the trace and becomes null. Time
// 2^63-1 marks an event after the end and is dropped, so that its job or task is still running. Both are counted
// repairs. The events of a job, and of a task, are taken in order of time. Exports hold events of one time in
// any order; they are taken in the order of the life cycle.
package borg

import (
	"math"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Kinds of repairs.
const (
	RepairBefore   = "time before the trace"
	RepairAfter    = "event after the trace"
	RepairCensored = "censored: no end in the trace"
	RepairLostEnd  = "attempt whose end was lost"
	RepairNoStart  = "attempt whose start was lost"
	RepairTwice    = "event that occurs twice"
	RepairWindow   = "usage window without length"
	RepairUsage    = "usage outside of any attempt"
)

// Kinds of warnings.
const (
	WarnAgain         = "job submitted again"
	WarnReconstructed = "event reconstructed by the trace's authors"
	WarnUsageOnly     = "usage of tasks without events"
)

// Event is something that happened to a job or a task. The numbers are the codes of the trace of 2019.
type Event uint8

// The events. Queue and Enable, new in 2019, come from the batch scheduler: not yet eligible to be scheduled,
// and now eligible.
const (
	Submit Event = iota
	Queue
	Enable
	Schedule
	Evict
	Fail
	Finish
	Kill
	Lost
	UpdatePending
	UpdateRunning
	NumEvents = iota
)

// status returns the final status that an event sets. ok is false for an event that ends nothing.
func (e Event) status() (status trace.Status, ok bool) {
	switch e {
	case Evict:
		return trace.Evicted, true
	case Fail:
		return trace.Failed, true
	case Finish:
		return trace.Succeeded, true
	case Kill:
		return trace.Killed, true
	case Lost:
		return trace.Lost, true
	default:
		return trace.StatusUnknown, false
	}
}

// The times that stand for something else.
const (
	BeforeTrace = 0
	AfterTrace  = math.MaxInt64
)

// ValidTime reports whether t, in microseconds, can be the time of an event.
func ValidTime(t int64) bool { return t >= 0 && t <= trace.MaxSeconds*1e6 || t == AfterTrace }

// Happening is an event of a job or a task.
type Happening struct {
	Time     int64 // as the trace has it
	Event    Event
	Task     int32 // index; not used of jobs
	Machine  string
	CPU, Mem float64 // requests; NaN when not stated
}

// Window is the usage of a task over an interval.
type Window struct {
	Task     int32
	From, To int64
	CPU, Mem float64 // means; NaN when not stated
}

// Job collects what a trace says of a job, in any order. The zero value is ready for [Job.Reset]; a Job can be used
// again, and the run it made stays valid.
type Job struct {
	Run      *trace.Run
	Events   []Happening // of the job itself
	Tasks    []Happening
	Windows  []Window
	Measured bool // demand of attempts is what they used, else what they asked for

	tally *source.Tally
	found []task
	used  []use
}

// Reset begins a job.
func (j *Job) Reset(id string, seq int64, tally *source.Tally) {
	j.Run, j.tally = trace.NewRun(id), tally
	j.Run.Seq = seq
	j.Events, j.Tasks, j.Windows, j.found = j.Events[:0], j.Tasks[:0], j.Windows[:0], j.found[:0]
}

// Fold fills stages, attempts, times and status of the run. Repairs are counted in the tally. Events are put into
// order.
//
// One stage holds all tasks, numbered from 0 in the order of their indices. Without events of the job itself, its times
// and status come from the tasks: end and status once all of them have ended, failed when one has failed, else killed,
// evicted or lost when one was.
func (j *Job) Fold() {
	j.stage()
	j.life()
}
