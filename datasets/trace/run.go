package trace

import (
	"math"
	"slices"
	"strings"

	"racecard/datasets/jobname"
)

// Run is one execution of a job, whole: its row of the jobs table and its rows of every table that belongs to it.
type Run struct {
	ID           string // unique in a trace
	Seq          int64  // order in the input, from 0; simulators break ties of Submit by it
	Name         string // as read
	Job          string // the recurring job of the run; "" if it is not named: see [Run.JobName]
	User         string
	Group        string
	Cluster      string  // that it ran on, as the trace names it
	Dynamic      Tri     // whether it was given cores as it needed them: dynamic allocation of Spark
	Submit       Instant // handed to the cluster
	Start        Instant // first work began
	End          Instant
	Status       Status
	InputBytes   int64
	ShuffleBytes int64
	OutputBytes  int64
	Guaranteed   int64 // tokens: tasks that may run at once by right

	ExecutorCores   int64 // cores of one executor, as configured
	ExecutorMem     int64 // bytes that one executor asks for: heap and overhead
	ExecutorPeakMem int64 // most bytes that any executor used

	Stages      []Stage      // in topological order of Edges: a parent's index is below its children's
	Edges       []Edge       // sorted by child, then parent, then kind; no duplicates
	Attempts    []Attempt    // sorted by stage, task, attempt; that triple is unique
	Allocations []Allocation // sorted by At
	IO          []Access     // in the order read
}

// Stage is a set of tasks that run the same code on parts of the same input.
type Stage struct {
	Name        string
	Description string  // of the query or job that it is part of, in the words of its author
	Plan        string  // nodes of the query's plan that it executes, the last first, separated by commas
	Tasks       int64   // number of tasks, at least 1; None when the trace does not say
	EstimateS   float64 // mean task duration in seconds, as stated before the run; NaN when it was not
	Submit      Instant
	Start       Instant
	End         Instant
	Demand      Demand // of one task
}

// Edge is a dependency: stage Child waits for stage Parent. Both index [Run.Stages].
type Edge struct {
	Parent, Child int32
	Kind          EdgeKind
}

// Attempt is one execution of a task with recorded times or a recorded duration.
type Attempt struct {
	Stage       int32 // index into Run.Stages
	Task        int32 // index of the task in its stage, from 0
	Attempt     int32 // number of the attempt of that task, from 0
	Status      Status
	Speculative Tri
	Spare       Tri     // ran on spare, not guaranteed, tokens
	Queued      Instant // could have started, had a token been free
	Start       Instant
	End         Instant
	Duration    Duration // End - Start if both are known; else the duration stated in the trace, or None
	Machine     string
	Reason      string   // why it did not succeed, in the trace's own words
	InputBytes  int64    // read from storage and from shuffles
	SpillBytes  int64    // written to disk for want of memory
	PeakMem     int64    // most bytes of execution memory that the task used
	GC          Duration // time that the executor collected garbage while the task ran
	Demand      Demand
}

// Allocation is a change of the tokens that a run holds.
type Allocation struct {
	At       Instant
	Tokens   int64
	Spare    int64 // tokens beyond the guarantee
	Machines int64
}

// Access is a read or a write of a dataset by a run.
type Access struct {
	Dataset string
	Write   bool
	At      Instant
	Bytes   int64
}

// Machine is one machine of the cluster, or one executor if the trace does not name machines.
type Machine struct {
	Name                string
	CPU, Mem, Disk, Net float64 // cores, bytes, bytes/s, bytes/s; NaN when unknown
	GPU                 float64 // GPUs; NaN when unknown
	From, To            Instant
}

// Same reports whether both say the same of a machine: unknown values are the same as each other.
func (m Machine) Same(o Machine) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	return m.Name == o.Name && same(m.CPU, o.CPU) && same(m.Mem, o.Mem) && same(m.Disk, o.Disk) && same(m.Net, o.Net) &&
		same(m.GPU, o.GPU) && m.From == o.From && m.To == o.To
}

// NewRun returns a run with only an id.
func NewRun(id string) *Run {
	return &Run{
		ID: id, Submit: None, Start: None, End: None,
		InputBytes: None, ShuffleBytes: None, OutputBytes: None, Guaranteed: None,
		ExecutorCores: None, ExecutorMem: None, ExecutorPeakMem: None,
	}
}

// NewStage returns a stage with only null fields.
func NewStage() Stage {
	return Stage{Tasks: None, EstimateS: math.NaN(), Submit: None, Start: None, End: None, Demand: NoDemand()}
}

// NewAttempt returns an attempt with only its place.
func NewAttempt(stage, task, attempt int32) Attempt {
	return Attempt{
		Stage: stage, Task: task, Attempt: attempt,
		Queued: None, Start: None, End: None, Duration: None,
		InputBytes: None, SpillBytes: None, PeakMem: None, GC: None, Demand: NoDemand(),
	}
}

// NewMachine returns a machine with only a name.
func NewMachine(name string) Machine {
	nan := math.NaN()
	return Machine{Name: name, CPU: nan, Mem: nan, Disk: nan, Net: nan, GPU: nan, From: None, To: None}
}

// Clone returns a copy that shares no memory with r, not even text, for a run that is only valid until the next one.
func (r *Run) Clone() *Run {
	c := *r
	c.Stages, c.Edges, c.Attempts = slices.Clone(r.Stages), slices.Clone(r.Edges), slices.Clone(r.Attempts)
	c.Allocations, c.IO = slices.Clone(r.Allocations), slices.Clone(r.IO)
	for _, s := range []*string{&c.ID, &c.Name, &c.Job, &c.User, &c.Group, &c.Cluster} {
		*s = strings.Clone(*s)
	}
	for i := range c.Stages {
		s := &c.Stages[i]
		s.Name, s.Description, s.Plan = strings.Clone(s.Name), strings.Clone(s.Description), strings.Clone(s.Plan)
	}
	for i := range c.Attempts {
		c.Attempts[i].Machine, c.Attempts[i].Reason = strings.Clone(c.Attempts[i].Machine),
			strings.Clone(c.Attempts[i].Reason)
	}
	for i := range c.IO {
		c.IO[i].Dataset = strings.Clone(c.IO[i].Dataset)
	}
	return &c
}

// JobName returns the recurring job that the run belongs to: Job, or the normalised name of the run where Job is not
// set. With raw it returns the name as read. It is "" for a run without a name.
func (r *Run) JobName(raw bool) string {
	switch {
	case raw:
		return r.Name
	case r.Job != "":
		return r.Job
	}
	return jobname.Normalize(r.Name)
}

// Submitted returns when the run was submitted, or when it started where that is not known; None where neither is.
func (r *Run) Submitted() Instant { return submitted(r.Submit, r.Start) }

func submitted(submit, start Instant) Instant {
	if submit.Known() {
		return submit
	}
	return start
}

// Completion returns the completion time of the run: End - Submit, End - Start where Submit is null, and None where the
// end or both of those are unknown.
func (r *Run) Completion() Duration { return r.End.Since(r.Submitted()) }
