package jobs

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/workload"
)

// Job is a job to be scheduled. It is never modified by a simulation, and may be shared by many.
type Job struct {
	ID, Name, Group string
	Seq             int64 // breaks ties of Arrival
	Arrival         int64 // microseconds
	Stages          []Stage
}

// Stage is a set of tasks that differ in their durations only.
type Stage struct {
	Tasks     int32
	Parents   []Parent
	Durations []int64      // microseconds, of each task, or one of all of them
	Retries   []Retry      // attempts that fail, ascending by task
	Demand    trace.Demand // of one task; NaN is none
	// Estimate, in microseconds, and Seen are a scheduler's estimates of duration and demand: the mean, and Demand,
	// unless it is misled.
	Estimate int64
	Seen     trace.Demand
}

// Parent is a stage that another waits for.
type Parent = workload.Parent

// Retry is an attempt that fails and holds its resources until then; its task is runnable again after it.
type Retry = workload.Retry

// Duration returns how long a task takes, in microseconds.
func (s *Stage) Duration(task int32) int64 {
	if len(s.Durations) == 1 {
		return s.Durations[0]
	}
	return s.Durations[task]
}

// Tasks returns the number of tasks of all stages.
func (j *Job) Tasks() int64 {
	n := int64(0)
	for i := range j.Stages {
		n += int64(j.Stages[i].Tasks)
	}
	return n
}

// Misestimated reports whether a scheduler's estimate of the demand of some stage is wrong.
func (j *Job) Misestimated() bool {
	return slices.ContainsFunc(j.Stages, func(s Stage) bool {
		for r, x := range s.Demand {
			if y := s.Seen[r]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				return true
			}
		}
		return false
	})
}

// MaxTasks bounds the tasks of one job.
const MaxTasks = workload.MaxTasks

// Validate checks the assumptions of simulators: at least one stage, tasks in each, a duration for all or each
// of at least 0, parents before their children, each once, as many tasks on both sides of one-to-one, retries in
// order.
func (j *Job) Validate() error {
	if len(j.Stages) == 0 || j.Tasks() > MaxTasks {
		return fmt.Errorf("job %q: %d stages, %d tasks; want at least one, and at most %d", j.ID, len(j.Stages),
			j.Tasks(), MaxTasks)
	}
	work := 0.0
	for i := range j.Stages {
		if err := j.validate(i); err != nil {
			return fmt.Errorf("job %q: stage %d: %w", j.ID, i, err)
		}
		work += float64(j.Stages[i].Estimate) * float64(j.Stages[i].Tasks)
	}
	if work > maxWork {
		return fmt.Errorf("job %q: %.3g µs of work; want at most %.3g", j.ID, work, float64(maxWork))
	}
	return nil
}

func (j *Job) validate(i int) error {
	s := &j.Stages[i]
	if s.Tasks < 1 || len(s.Durations) != 1 && len(s.Durations) != int(s.Tasks) {
		return fmt.Errorf("%d tasks, %d durations; want at least one, and one of each or of all", s.Tasks,
			len(s.Durations))
	}
	for _, d := range s.Durations {
		if d < 0 || d > maxDuration {
			return fmt.Errorf("a task takes %d µs; want 0 to %d", d, int64(maxDuration))
		}
	}
	if s.Estimate < 0 || s.Estimate > maxDuration {
		return fmt.Errorf("an estimate of %d µs; want 0 to %d", s.Estimate, int64(maxDuration))
	}
	seen := map[int32]bool{}
	for _, p := range s.Parents {
		if p.Stage < 0 || int(p.Stage) >= i || seen[p.Stage] {
			return fmt.Errorf("waits for stage %d; want each parent once, before its children", p.Stage)
		}
		seen[p.Stage] = true
		if p.OneToOne && j.Stages[p.Stage].Tasks != s.Tasks {
			return fmt.Errorf("one to one of %d and %d tasks", j.Stages[p.Stage].Tasks, s.Tasks)
		}
	}
	for k, r := range s.Retries {
		if r.Task < 0 || r.Task >= s.Tasks || r.After < 0 || r.After > maxDuration || k > 0 &&
			r.Task < s.Retries[k-1].Task {
			return fmt.Errorf("retry %d: task %d fails after %d µs; want ascending tasks", k, r.Task, r.After)
		}
	}
	return nil
}

const maxDuration = workload.MaxDuration

// maxWork bounds the time of all tasks of a job, in microseconds, so that sums of work stay exact: 18,000 years.
const maxWork = 1 << 59
