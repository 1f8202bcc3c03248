package spark

import (
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/trace"
)

// build makes the run of the application, which base names when the log does not. The app must not be used after it. A
// log whose Parent IDs form a cycle is an error.
func (a *app) build(base string) (*trace.Run, error) {
	id, _ := a.runID(base)
	run := trace.NewRun(id)
	run.Name, run.User = a.name, a.user
	if run.Name == "" {
		run.Name = a.props[propAppName]
	}
	if run.Cluster = a.props[propCluster]; run.Cluster == "" {
		run.Cluster = a.props[propEMR]
	}
	run.Cluster = strings.ToValidUTF8(run.Cluster, "\ufffd")
	run.Dynamic = a.props.dynamic()
	run.Status = a.status()
	a.setTimes(run)
	run.Guaranteed = a.props.guaranteed(a.localCores())
	run.ExecutorCores, run.ExecutorMem = a.executorCores(), a.props.executorMem()
	if a.peakMem > 0 {
		run.ExecutorPeakMem = a.peakMem
	}
	if a.jobKey != "" {
		run.Job = strings.ToValidUTF8(a.props[a.jobKey], "\ufffd")
	}

	list := a.submittedStages()
	a.buildStages(run, list)
	a.buildAttempts(run)
	run.Allocations = a.props.allocations(a.resources())

	shuffles := a.shuffleEdges(list)
	run.Edges = slices.Concat(shuffles, a.driverEdges(len(list), shuffles))
	if _, ok := run.SortStages(); ok {
		return run, nil
	}
	run.Edges = shuffles // jobs contradict each other
	a.findings.repairs[RepairDriver]++
	if row, ok := run.SortStages(); !ok {
		return nil, fmt.Errorf("stage %d waits for itself through its Parent IDs", list[row].id)
	}
	return run, nil
}

func (a *app) setTimes(run *trace.Run) {
	run.Submit, run.Start, run.End = a.submit, a.first, a.end
	if run.Submit.Known() && run.Start.Known() && run.Start < run.Submit {
		run.Submit = trace.None
		a.findings.reverse(RepairRunSubmit)
	}
	if begin := run.Submit.Earlier(run.Start); begin.Known() && run.End.Known() && run.End < begin {
		run.End = trace.None
		a.findings.reverse(RepairRunEnd)
	}
}
