package spark

import (
	"slices"

	"racecard/datasets/trace"
)

// job is a Spark job: what one action of the driver program makes the cluster do.
type job struct {
	stages   []int32 // ids of all stages it may need, ascending
	start    trace.Instant
	end      trace.Instant
	startSeq int64 // number of the event, 0 when not logged
	endSeq   int64
	failed   bool
}

func (a *app) job(id int64) int {
	i, ok := a.jobByID[id]
	if !ok {
		i = len(a.jobs)
		a.jobByID[id] = i
		a.jobs = append(a.jobs, job{start: trace.None, end: trace.None})
	}
	return i
}

func (a *app) startJob(e *jobEvent) {
	j := &a.jobs[a.job(e.id)]
	if j.startSeq > 0 {
		a.findings.repeated++
		return
	}
	j.startSeq, j.start = a.events, e.at
	a.worked(e.at)
	slices.Sort(e.stages)
	j.stages = slices.Compact(e.stages)
	for i := range e.infos {
		a.stage(e.infos[i].id).learn(&e.infos[i])
	}
	for _, id := range j.stages {
		if st := a.stage(id); st.about == "" {
			st.about = e.about
		}
	}
}

func (a *app) endJob(e *jobEvent) {
	i := a.job(e.id)
	j := &a.jobs[i]
	if j.endSeq > 0 {
		a.findings.repeated++
		return
	}
	j.endSeq, j.end, j.failed = a.events, e.at, e.failed
	if j.startSeq == 0 {
		a.findings.jobEndsOnly++
	}
	if j.start.Known() && j.end.Known() && j.end < j.start {
		j.end = trace.None
		a.findings.reverse(RepairJobEnd)
	}
	if last := a.lastJob; last < 0 || !j.end.Known() || !a.jobs[last].end.Known() || j.end >= a.jobs[last].end {
		a.lastJob = i
	}
}
