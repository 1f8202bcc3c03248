package distributed

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/workload"
)

// Reasons for which a run of a trace cannot be simulated.
const (
	NoSubmit    = "no time of submission or start"
	NoDurations = "no task durations"
	TooMany     = "too many tasks"
)

// Collector makes a workload of the runs of a trace. Runs become bags of all their tasks, and edges between stages do not count, or,
// with Stages, one bag per stage, which begins when those that it depends on have ended. The tasks of a stage are those of package
// workload; where no attempt of a stage has a known duration, but it has a number of tasks and an estimate, they take that, and, with
// StageTimes, where it has no estimate either, as long as the stage did.
type Collector struct {
	Stages     bool
	StageTimes bool
	// Gap is the mean time between submissions, drawn from Seed as a Poisson process in the order of the runs; 0 takes them from the trace.
	Gap      int64
	Seed     uint64
	drawn    random
	last     int64 // submission drawn
	workload Workload
	ends     []int // of the tasks of each stage, in durations
	// LeftOut counts runs that cannot be simulated, per reason.
	LeftOut map[string]int64
	// Mean counts tasks that take the mean of their stage, as no attempt of theirs has a known duration.
	Mean int64
	// Dropped counts stages with a number of tasks, of which nothing tells how long they take: they are left out of their runs.
	Dropped int64
	// Estimated counts tasks that take what was estimated, as the trace has no durations.
	Estimated int64
	// AsStages counts tasks that take as long as their stage, from its start to its end.
	AsStages  int64
	durations []int64
}

// Add adds a run, which is not kept.
func (k *Collector) Add(run *trace.Run) {
	at := run.Submit
	if !at.Known() {
		at = run.Start
	}
	if tooMany(run) {
		k.leaveOut(TooMany)
		return
	}
	d := k.tasks(run)
	if k.Gap > 0 && len(d) > 0 {
		at = trace.Instant(k.submission())
	}
	switch {
	case !at.Known() && k.Gap == 0:
		k.leaveOut(NoSubmit)
	case len(d) == 0:
		k.leaveOut(NoDurations)
	case k.Stages:
		k.stages(run, int64(at), d)
		k.durations = d[:0]
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

// submission draws when the next run is submitted.
func (k *Collector) submission() int64 {
	if len(k.workload.Jobs) == 0 {
		k.drawn = random(mix(k.Seed ^ drawSubmission))
	} else {
		k.last += int64(math.Round(-math.Log1p(-k.drawn.unit()) * float64(k.Gap)))
	}
	return k.last
}

// stages adds a bag per stage. Stages without tasks are passed through.
func (k *Collector) stages(run *trace.Run, at int64, d []int64) {
	bag := make([]int, len(run.Stages)) // its place in the workload; -1 for none
	after := make([][]int, len(run.Stages))
	edges, from := run.Edges, 0
	for i := range run.Stages {
		for len(edges) > 0 && int(edges[0].Child) == i {
			if p := edges[0].Parent; bag[p] >= 0 {
				after[i] = append(after[i], bag[p])
			} else {
				after[i] = append(after[i], after[p]...)
			}
			edges = edges[1:]
		}
		slices.Sort(after[i])
		after[i] = slices.Compact(after[i])
		bag[i] = -1
		if k.ends[i] == from {
			continue
		}
		estimate := int64(-1)
		if s, err := trace.DurationFromSeconds(run.Stages[i].EstimateS); err == nil {
			estimate = int64(s)
		}
		bag[i] = len(k.workload.Jobs)
		k.workload.Add(run.ID, at, estimate, d[from:k.ends[i]]...)
		for _, b := range after[i] {
			j := &k.workload.Jobs[bag[i]]
			j.After = append(j.After, bag[i]-b)
		}
		from = k.ends[i]
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
	k.ends = k.ends[:0]
	attempts := run.Attempts
	for i := range run.Stages {
		s := &run.Stages[i]
		n := 0
		for n < len(attempts) && int(attempts[n].Stage) == i {
			n++
		}
		of := workload.Of(s, attempts[:n], math.MaxInt64, d)
		attempts, d = attempts[n:], of.Durations
		k.Mean += of.Filled
		if of.Known == 0 && s.Tasks != trace.None {
			if each, err := trace.DurationFromSeconds(s.EstimateS); err == nil {
				for range s.Tasks {
					d = append(d, int64(each))
				}
				k.Estimated += s.Tasks
			} else if k.StageTimes && s.Start.Known() && s.End.Known() {
				for range s.Tasks {
					d = append(d, int64(s.End-s.Start))
				}
				k.AsStages += s.Tasks
			} else {
				k.Dropped++
			}
		}
		k.ends = append(k.ends, len(d))
	}
	return d
}

// tooMany reports whether a run states more tasks than a simulation takes.
func tooMany(run *trace.Run) bool {
	var sum int64
	for i := range run.Stages {
		if sum += max(0, run.Stages[i].Tasks); sum > workload.MaxTasks {
			return true
		}
	}
	return false
}

// Workload returns the jobs, in the order of their submission; those of one instant in the order of their numbers, where ids are
// numbers, as those of .tr files. Stores have them in the order of text, in which 10 comes before 9.
func (k *Collector) Workload() *Workload {
	slices.SortStableFunc(k.workload.Jobs, func(a, b Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return &k.workload
}
