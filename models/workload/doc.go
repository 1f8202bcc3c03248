// Package workload defines the tasks of a recorded run, their durations and dependencies. Every simulator, replay and
// what-if, and the profile of past runs use it, so that all see the same work. The rules:
//
// Tasks. A stage has as many tasks as the trace states. If it states no number, the stage has the tasks with an
// attempt of known duration, and the others are dropped ([Stage].Dropped). If there is none either, nor a time, and
// other stages of the run have attempts, the stage was skipped: it has one task of no time ([FillSkipped]). Otherwise
// the number is unknown, and simulators leave the run out ([UnknownTasks]).
//
// Durations. A task takes as long as its attempt that succeeded, the first of several; if none succeeded, as long as
// its longest attempt. A task without an attempt of known duration takes the mean of the tasks of its stage that have
// one ([Stage].Filled). Durations above [MaxDuration] are unknown. If a stage has no known duration ([Basis]), every
// task takes
//
//   - the estimate that the trace states ([Estimated]), else
//   - the time of the stage, from its start to its end ([StageTime]). If the run held fewer tokens than it had
//     tasks at once, tasks took turns: they share that time in as few waves as the tokens allow ([TakeTurns]). Where
//     the tokens are not known, all tasks ran at once; else
//   - a time that is drawn once per stage, from the seed and the number of the run ([Drawn]; see [Draw]).
//
// [Count] counts each. A what-if of one run never draws. It takes a stage with no other time than its start and end as
// one task, with a warning, since the scaling with tokens is unknown.
//
// Attempts. Copies of slow tasks are neither tasks nor work: if a copy ended first, it is the attempt that counts, and
// the attempts that it overtook are dropped. Other attempts of a task are its [Retry] values, which are no part of the
// durations. A replay on the tokens of the run repeats all of them. A simulation of another cluster with failures
// repeats those that failed; kills and losses were due to the recorded cluster.
//
// Overlap. A trace may start tasks before the stages that theirs waits for have ended, as MapReduce does with reducers.
// What-ifs, plans and profiles take the part of an attempt after these have ended ([AfterBarriers]). Simulators of
// clusters take the whole duration, as published ones do.
//
// Graph. Edges of every kind count, including driver edges. Parallel edges are merged ([Edges]): the child waits for
// single tasks of the parent only if all of them are one-to-one, and the stages have the same number of tasks.
//
// A profile fits distributions to attempts, not to tasks; it takes the numbers of tasks and the edges from this
// package.
package workload

import "racecard/datasets/trace"

const (
	// MaxTasks bounds the tasks of one run in simulators.
	MaxTasks = 1 << 26
	// MaxDuration bounds one task, in microseconds: about 100 days.
	MaxDuration = 1 << 43
)

// Reasons why simulators leave a run out.
const (
	NoStages     = "no stages"
	UnknownTasks = "a stage with an unknown number of tasks"
	TooMany      = "too many tasks"
	NoSubmit     = "no submit or start time"
)

// Basis is the source of the durations of a stage.
type Basis uint8

// The bases, the most reliable first.
const (
	Recorded  Basis = iota // attempts
	Estimated              // the estimate that the trace states
	StageTime              // the stage's start and end
	Drawn                  // a draw
	Unknown                // nothing: only [Of] returns it
)

// Stage is the work of a recorded stage.
type Stage struct {
	Tasks     int64    // [trace.None] where the number is unknown
	Durations []int64  // microseconds, by task, or one of all tasks; none where Basis is Unknown
	Basis     Basis    // of Durations
	Filled    int64    // tasks that take the mean of the others
	Dropped   int64    // tasks with attempts, none of known duration, where the trace states no number of tasks
	Mean      int64    // of the tasks with an attempt of known duration, else of all; microseconds
	Stated    int64    // the estimate that the trace states, in microseconds; [trace.None] where it states none
	Retries   []Retry  // ascending by task
	Parents   []Parent // ascending; set by [Reader.Read]
}

// Retry is an attempt of a task other than the one that counts.
type Retry struct {
	Task   int32
	After  int64        // microseconds that it took
	Status trace.Status // how it ended
}

// Parent is a stage that another waits for.
type Parent struct {
	Stage int32
	// OneToOne: task i waits only for task i of the parent. Otherwise every task waits for all of the parent's.
	OneToOne bool
}

// Run is the work of a recorded run.
type Run struct {
	Submit int64 // microseconds: its submission, else its start; [trace.None] where neither is known
	Number int64 // of the run among those read: unique
	Stages []Stage
	drawn  []Draws
	draw   Draw
}

// Draws returns the draws of the run, by stage, needed or not.
func (r *Run) Draws() []Draws {
	if len(r.drawn) != len(r.Stages) {
		r.drawn = r.draw.Stages(r.Number, len(r.Stages))
	}
	return r.drawn
}

// Tasks returns the number of tasks of all stages.
func (r *Run) Tasks() int64 {
	n := int64(0)
	for i := range r.Stages {
		n += r.Stages[i].Tasks
	}
	return n
}

// Count counts the work of all runs read, and the assumptions about it.
type Count struct {
	Stages, Tasks int64
	LeftOut       map[string]int64 // runs, per reason
	MeanTasks     int64            // tasks that take the mean of their stage
	Dropped       int64            // tasks: see [Stage]
	Skipped       int64            // stages: see [FillSkipped]
	Estimated     [2]int64         // stages and tasks of basis [Estimated]
	StageTimes    [2]int64         // of basis [StageTime]
	Drawn         [2]int64         // of basis [Drawn]
}

// Leave counts n runs that are left out for a reason.
func (c *Count) Leave(reason string, n int64) {
	if c.LeftOut == nil {
		c.LeftOut = map[string]int64{}
	}
	c.LeftOut[reason] += n
}
