package distributed

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Second is a second in the unit of all times of this package, microseconds.
const Second = 1_000_000

// Job is a bag of tasks that do not depend on each other.
type Job struct {
	ID     string
	Submit int64 // instant; the earliest one of a workload may be any
	// Estimate is the task duration given to schedulers: the mean stated in the trace, or the mean of the durations.
	Estimate int64
	First    int // index of its first duration in Workload.Durations
	Tasks    int // at least 1
	// After lists the jobs that must end before this one begins, as distances to earlier places in the workload. They
	// are stages of the same run: next to each other, with the same ID and submission.
	After []int
}

// Workload is the load of a cluster: jobs in the order of their submission, and the durations of all tasks,
// contiguous per job. It is read only, and shared by simulations.
type Workload struct {
	Jobs      []Job
	Durations []int64
}

// Add appends a job of tasks of the given durations. A negative estimate stands for the mean of the durations.
func (w *Workload) Add(id string, submit, estimate int64, durations ...int64) {
	if estimate < 0 {
		estimate = mean(durations)
	}
	w.Jobs = append(w.Jobs, Job{ID: id, Submit: submit, Estimate: estimate, First: len(w.Durations),
		Tasks: len(durations)})
	w.Durations = append(w.Durations, durations...)
}

// Of returns the durations of the tasks of job j.
func (w *Workload) Of(j int) []int64 {
	job := &w.Jobs[j]
	return w.Durations[job.First : job.First+job.Tasks]
}

// Find returns the place of the first job with an ID; -1 if there is none.
func (w *Workload) Find(id string) int {
	return slices.IndexFunc(w.Jobs, func(j Job) bool { return j.ID == id })
}

// Sort puts jobs into the order of their submission; jobs of one instant stay in order.
func (w *Workload) Sort() {
	slices.SortStableFunc(w.Jobs, func(a, b Job) int {
		switch {
		case a.Submit < b.Submit:
			return -1
		case a.Submit > b.Submit:
			return 1
		}
		return 0
	})
}

// Validate returns an error that describes the first fault of a workload, or nil.
func (w *Workload) Validate() error {
	if len(w.Jobs) == 0 {
		return errors.New("no jobs to simulate")
	}
	if len(w.Jobs) >= math.MaxInt32 {
		return fmt.Errorf("%d jobs: at most %d can be simulated", len(w.Jobs), math.MaxInt32-1)
	}
	last := w.Jobs[0].Submit
	for i := range w.Jobs {
		j := &w.Jobs[i]
		switch {
		case j.Submit < last:
			return fmt.Errorf("job %s is submitted before the one in front of it: sort the workload", j.ID)
		case j.Tasks < 1 || j.Tasks >= math.MaxInt32:
			return fmt.Errorf("job %s has %d tasks, want 1 to %d", j.ID, j.Tasks, math.MaxInt32-1)
		case j.First < 0 || j.First+j.Tasks > len(w.Durations):
			return fmt.Errorf("job %s has tasks that have no durations", j.ID)
		case j.Estimate < 0:
			return fmt.Errorf("job %s has an estimate below 0", j.ID)
		}
		for _, k := range j.After {
			if k < 1 || k > i || w.Jobs[i-k].ID != j.ID || w.Jobs[i-k].Submit != j.Submit {
				return fmt.Errorf("job %s waits for one that is not a stage of the same run before it", j.ID)
			}
		}
		for _, d := range w.Of(i) {
			if d < 0 {
				return fmt.Errorf("job %s has a task that takes less than 0", j.ID)
			}
		}
		last = j.Submit
	}
	return nil
}

// Span is the time from the first to the last submission.
func (w *Workload) Span() int64 { return w.Jobs[len(w.Jobs)-1].Submit - w.Jobs[0].Submit }

// Work is the sum of all durations in seconds, each cut to whole seconds where whole is set.
func (w *Workload) Work(whole bool) float64 {
	var seconds, rest int64
	for _, d := range w.Durations {
		seconds += d / Second
		rest += d % Second
	}
	if whole {
		return float64(seconds)
	}
	return float64(seconds) + float64(rest)/Second
}

// WorkersFor returns the number of workers on which the workload offers a load: work / span / load, rounded. It is at
// least 1, and 1 for jobs that are all submitted at once.
func (w *Workload) WorkersFor(load float64, whole bool) int {
	if w.Span() == 0 {
		return 1
	}
	return max(1, int(math.Round(w.Work(whole)/(float64(w.Span())/Second)/load)))
}

// EPFL returns the workload as the simulator that was published with Eagle reads it
// (https://github.com/epfl-labos/eagle): estimates and durations are cut to whole seconds, and the k-th later job of
// the same instant is submitted 10 ms x k later.
func (w *Workload) EPFL() *Workload {
	c := &Workload{Jobs: slices.Clone(w.Jobs), Durations: make([]int64, len(w.Durations))}
	for i, d := range w.Durations {
		c.Durations[i] = d - d%Second
	}
	same := int64(0) // jobs of this instant so far
	for i := range c.Jobs {
		if i > 0 && w.Jobs[i].Submit == w.Jobs[i-1].Submit {
			same++
		} else {
			same = 0
		}
		c.Jobs[i].Submit += same * Second / 100
		c.Jobs[i].Estimate -= c.Jobs[i].Estimate % Second
	}
	c.Sort()
	return c
}

// Staged reports whether jobs are stages of runs.
func (w *Workload) Staged() bool {
	return slices.ContainsFunc(w.Jobs, func(j Job) bool { return len(j.After) > 0 })
}

// Stages returns the places of the stages of a run, given the first.
func (w *Workload) Stages(first int) []int {
	all := []int{first}
	for i := first + 1; i < len(w.Jobs) && w.sameRun(i); i++ {
		all = append(all, i)
	}
	return all
}

// sameRun reports whether job i is a stage of the same run as the one in front of it.
func (w *Workload) sameRun(i int) bool {
	a, b := &w.Jobs[i-1], &w.Jobs[i]
	return a.ID == b.ID && a.Submit == b.Submit && b.First == a.First+a.Tasks
}

// Runs returns the workload with the stages of every run as one job, estimated by the mean of all its tasks.
func (w *Workload) Runs() *Workload {
	r := &Workload{Durations: w.Durations}
	for i := range w.Jobs {
		j := w.Jobs[i]
		if n := len(r.Jobs); i > 0 && w.sameRun(i) {
			r.Jobs[n-1].Tasks += j.Tasks
			r.Jobs[n-1].Estimate = mean(r.Of(n - 1))
			continue
		}
		j.After = nil
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// Means returns, per job, the mean by which it is long or short: its estimate, or, for stages, the mean of all tasks of
// their run, so that they have one class.
func (w *Workload) Means() []int64 {
	out := make([]int64, len(w.Jobs))
	for i := 0; i < len(w.Jobs); {
		to := i + 1
		for to < len(w.Jobs) && w.sameRun(to) {
			to++
		}
		of := w.Jobs[i].Estimate
		if to > i+1 {
			last := &w.Jobs[to-1]
			of = mean(w.Durations[w.Jobs[i].First : last.First+last.Tasks])
		}
		for ; i < to; i++ {
			out[i] = of
		}
	}
	return out
}

// mean returns the mean, rounded down; 0 of nothing.
func mean(durations []int64) int64 {
	if len(durations) == 0 {
		return 0
	}
	var whole, rest int64 // so that the sum does not overflow
	n := int64(len(durations))
	for _, d := range durations {
		whole += d / n
		rest += d % n
	}
	return whole + rest/n
}
