package pai

import (
	"math"

	"racecard/datasets/trace"
)

// The columns of pod lists.
const (
	podName = iota
	podCPU
	podMem
	podGPUs
	podGPUMilli
	_ // gpu_spec
	podQoS
	podPhase
	podCreation
	podDeletion
	podScheduled
)

// phases maps those in which pods were seen last. Pods that were deleted while they ran or waited were killed.
var phases = map[string]trace.Status{
	"Succeeded": trace.Succeeded, "Failed": trace.Failed, "Running": trace.Running, "Pending": trace.Running,
}

// pod takes a row of a pod list.
func (c *cells) pod() *trace.Run {
	run := c.single(podName, podCreation, podScheduled, podDeletion)
	phase := c.row.Text(podPhase)
	run.Group, run.Status = c.row.Text(podQoS), phases[phase]
	if run.Status == trace.Running && run.End.Known() {
		run.Status = trace.Killed
	}
	demand := c.demand(quantity{podCPU, 1, milli}, quantity{podMem, mib, 1}, quantity{podGPUMilli, 1, milli})
	gpus := c.row.Count(podGPUs, 0)
	switch share := demand[trace.GPU]; { // of each GPU
	case gpus == trace.None:
		demand[trace.GPU] = math.NaN()
	case math.IsNaN(share):
		demand[trace.GPU] = float64(gpus)
	default:
		demand[trace.GPU] = float64(gpus) * share
	}
	run.Stages[0].Demand = demand
	if run.Start.Known() {
		attempt(run)
	}
	return run
}

// ending is the last deletion of a pod list. Where several pods that were not done share it, the trace ends there.
type ending struct {
	At   trace.Instant
	Open int // pods that were Running or Pending until then
}

// see takes a pod.
func (e *ending) see(run *trace.Run) {
	if run.End > e.At {
		*e = ending{At: run.End}
	}
	if run.End == e.At && run.Status == trace.Killed {
		e.Open++
	}
}

// merge takes the pods of another process.
func (e *ending) merge(other ending) {
	switch {
	case other.At > e.At:
		*e = other
	case other.At == e.At:
		e.Open += other.Open
	}
}

// cut makes a pod that the end of the trace cut one that is running, and reports whether it is one.
func (e *ending) cut(run *trace.Run) bool {
	if run.Status != trace.Killed || run.End != e.At || e.Open < 2 {
		return false
	}
	run.Status, run.End, run.Stages[0].End = trace.Running, trace.None, trace.None
	if run.Start.Known() {
		attempt(run)
	}
	return true
}

// The columns of the DLRM trace.
const (
	dlrmName      = 0
	dlrmRole      = 1
	dlrmApp       = 2
	dlrmCPU       = 3
	dlrmGPU       = 5
	dlrmMem       = 9
	dlrmCreation  = 14
	dlrmScheduled = 15
	dlrmDeletion  = 16
)

// dlrm takes a row of the DLRM trace.
func (c *cells) dlrm() *trace.Run {
	run := c.single(dlrmName, dlrmCreation, dlrmScheduled, dlrmDeletion)
	stage := &run.Stages[0]
	run.Name, run.Group = c.row.Text(dlrmApp), c.row.Text(dlrmRole)
	stage.Name = run.Group
	if !run.End.Known() {
		run.Status = trace.Running
	}
	stage.Demand = c.demand(quantity{dlrmCPU, 1, 1}, quantity{dlrmMem, gib, 1}, quantity{dlrmGPU, 1, 1})
	if run.Start.Known() || run.End.Known() {
		attempt(run)
	}
	return run
}

// single returns a run with one stage and one task from the times in three columns. It mends the end.
func (c *cells) single(name, creation, scheduled, deletion int) *trace.Run {
	c.mended = false
	run := trace.NewRun(c.row.Text(name))
	if run.ID == "" {
		c.row.Fault(name, ReasonNoName, "the field is empty")
	}
	run.Submit, run.Start, run.End = c.row.Instant(creation), c.row.Instant(scheduled), c.row.Instant(deletion)
	if run.End.Known() && run.End < max(run.Submit, run.Start) { // null is the least
		c.mended = true
		run.End = trace.None
	}
	stage := trace.NewStage()
	stage.Tasks, stage.Submit, stage.Start, stage.End = 1, run.Submit, run.Start, run.End
	run.Stages = []trace.Stage{stage}
	return run
}

// attempt adds the one attempt of a run of one task.
func attempt(run *trace.Run) {
	a := trace.NewAttempt(0, 0, 0)
	a.Queued, a.Start, a.End, a.Status = run.Submit, run.Start, run.End, run.Status
	a.Duration = a.End.Since(a.Start)
	run.Attempts = []trace.Attempt{a}
}
