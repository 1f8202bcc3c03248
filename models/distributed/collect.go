package distributed

import (
	"racecard/datasets/trace"
)

// Reasons for which a run of a trace cannot be simulated.
const (
	NoSubmit    = "no time of submission or start"
	NoDurations = "no task durations"
)

// Collector makes a workload of the runs of a trace. Runs become bags of all their tasks; edges between stages do not count. A
// task takes as long as its attempt that succeeded, or as the first one of known duration; where a stage has no attempts but a
// number of tasks and an estimate, its tasks take that.
type Collector struct {
	workload Workload
	// LeftOut counts runs that cannot be simulated, per reason.
	LeftOut map[string]int64
	// Estimated counts tasks that take what was estimated, as the trace has no durations.
	Estimated int64
	durations []int64
}

// Add adds a run, which is not kept.
func (k *Collector) Add(run *trace.Run) {
	at := run.Submit
	if !at.Known() {
		at = run.Start
	}
	d := k.tasks(run)
	switch {
	case !at.Known():
		k.leaveOut(NoSubmit)
	case len(d) == 0:
		k.leaveOut(NoDurations)
	default:
		estimate := int64(-1)
		if len(run.Stages) == 1 {
			if s, err := trace.DurationFromSeconds(run.Stages[0].EstimateS); err == nil {
				estimate = int64(s)
			}
		}
		k.workload.Add(run.ID, int64(at), estimate, d...)
		k.durations = d[:0]
	}
}

func (k *Collector) leaveOut(why string) {
	if k.LeftOut == nil {
		k.LeftOut = map[string]int64{}
	}
	k.LeftOut[why]++
}

// tasks returns the durations of the tasks of a run, in the order of its stages and tasks.
func (k *Collector) tasks(run *trace.Run) []int64 {
	d := k.durations[:0]
	attempts := run.Attempts
	for i := range run.Stages {
		stage := int32(i)
		before := len(d)
		for len(attempts) > 0 && attempts[0].Stage == stage {
			task := attempts[0].Task
			took := int64(trace.None)
			succeeded := false
			for len(attempts) > 0 && attempts[0].Stage == stage && attempts[0].Task == task {
				a := &attempts[0]
				if a.Duration.Known() && !succeeded && (took == trace.None || a.Status == trace.Succeeded) {
					took, succeeded = int64(a.Duration), a.Status == trace.Succeeded
				}
				attempts = attempts[1:]
			}
			if took != trace.None {
				d = append(d, took)
			}
		}
		s := &run.Stages[i]
		if len(d) == before && s.Tasks != trace.None {
			if each, err := trace.DurationFromSeconds(s.EstimateS); err == nil {
				for range s.Tasks {
					d = append(d, int64(each))
				}
				k.Estimated += s.Tasks
			}
		}
	}
	return d
}

// Workload returns the jobs, in the order of their submission; those of one instant in the order in which they were added.
func (k *Collector) Workload() *Workload {
	k.workload.Sort()
	return &k.workload
}
