package compare

import (
	"slices"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
)

// Bound returns a lower bound on the makespan of any schedule of jobs on machines, in microseconds. No job ends sooner
// after its arrival than its longest path takes. And the work of all jobs from any arrival on takes at least as long as
// with a resource fully in use. Jobs are in the order of their arrival. Attempts that fail are not counted.
func Bound(all []*jobs.Job, machines *cluster.Machines) int64 {
	if len(all) == 0 {
		return 0
	}
	bound := int64(0)
	var work [trace.NumResources]float64 // of this job and those after it, in µs of the whole resource
	for _, j := range slices.Backward(all) {
		after := j.Arrival - all[0].Arrival
		bound = max(bound, after+longest(j))
		for i := range j.Stages {
			demand := machines.Space().Quanta(&j.Stages[i].Demand)
			machines.Clamp(&demand)
			took := j.Stages[i].Work()
			for r, x := range machines.Shares(&demand) {
				work[r] += x * took
			}
		}
		bound = max(bound, after+int64(slices.Max(work[:])*(1-1e-9))) // sums are rounded
	}
	return bound
}

// longest returns the longest path of a job, in microseconds. A stage weighs its longest task before a barrier, and its
// shortest task before one-to-one edges.
func longest(j *jobs.Job) int64 {
	begin, end := make([]int64, len(j.Stages)), make([]int64, len(j.Stages))
	for i := range j.Stages {
		s := &j.Stages[i]
		for _, p := range s.Parents {
			if p.OneToOne {
				begin[i] = max(begin[i], begin[p.Stage]+slices.Min(j.Stages[p.Stage].Durations))
			} else {
				begin[i] = max(begin[i], end[p.Stage])
			}
		}
		end[i] = begin[i] + slices.Max(s.Durations)
	}
	return slices.Max(end)
}
