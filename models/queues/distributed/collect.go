package distributed

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/workload"
)

// Collector makes a workload from the runs of a trace. A run becomes a bag of all its tasks, and edges between
// stages do not count. With Stages, it becomes one bag per stage, which begins when its parents have ended.
// Tasks, durations and edges come from package workload, at the seed of Seed.
type Collector struct {
	Stages bool
	// Gap is the mean time between submissions, drawn from Seed as a Poisson process in the order of the runs; 0 takes
	// them from the trace.
	Gap  int64
	Seed uint64
	// Count counts the work, and the assumptions about it.
	Count workload.Count

	reader   workload.Reader
	drawn    random
	last     int64 // submission drawn
	workload Workload
	room     []int64
}

// Bags returns how many bags of tasks the workload has so far.
func (k *Collector) Bags() int { return len(k.workload.Jobs) }

// Add adds a run, which is not kept.
func (k *Collector) Add(run *trace.Run) {
	defer func() { k.Count = k.reader.Count }()
	if k.Gap == 0 && !run.Submit.Known() && !run.Start.Known() {
		k.reader.Count.Leave(workload.NoSubmit, 1)
		return
	}
	k.reader.Draw = workload.DefaultDraw(k.Seed)
	w, leftOut := k.reader.Read(run)
	if leftOut != "" {
		return
	}
	at := w.Submit
	if k.Gap > 0 {
		at = k.submission()
	}
	if k.Stages {
		k.stages(run.ID, at, w)
		return
	}
	d, estimate := k.room[:0], int64(-1)
	for v := range w.Stages {
		d = ofAll(d, &w.Stages[v])
	}
	if len(w.Stages) == 1 {
		estimate = w.Stages[0].Stated
	}
	k.workload.Add(run.ID, at, estimate, d...)
	k.room = d
}

// ofAll appends the durations of all tasks of a stage.
func ofAll(to []int64, s *workload.Stage) []int64 {
	if len(s.Durations) > 1 {
		return append(to, s.Durations...)
	}
	for range s.Tasks {
		to = append(to, s.Durations[0])
	}
	return to
}

// submission draws when the next run is submitted.
func (k *Collector) submission() int64 {
	if len(k.workload.Jobs) == 0 {
		k.drawn = stream(k.Seed, drawSubmission, 0)
	} else {
		k.last += int64(math.Round(-math.Log1p(-k.drawn.Unit()) * float64(k.Gap)))
	}
	return k.last
}

// stages adds a bag per stage.
func (k *Collector) stages(id string, at int64, w *workload.Run) {
	first := len(k.workload.Jobs)
	for v := range w.Stages {
		s := &w.Stages[v]
		k.room = ofAll(k.room[:0], s)
		k.workload.Add(id, at, s.Stated, k.room...)
		j := &k.workload.Jobs[first+v]
		for _, p := range s.Parents {
			j.After = append(j.After, v-int(p.Stage))
		}
	}
}

// Workload returns the jobs, in the order of their submission. Jobs of one instant are in the order of their
// numbers if ids are numbers, as in .tr files. Stores have them in the order of text, with 10 before 9.
func (k *Collector) Workload() *Workload {
	slices.SortStableFunc(k.workload.Jobs, func(a, b Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return &k.workload
}
