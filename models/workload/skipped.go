package workload

import (
	"math"
	"slices"

	"racecard/datasets/trace"
)

// skipped reports whether a trace tells nothing of a stage, which has these attempts, but its place in the graph.
func skipped(s *trace.Stage, attempts []trace.Attempt) bool {
	return len(attempts) == 0 && s.Tasks == trace.None && math.IsNaN(s.EstimateS) && !s.Submit.Known() &&
		!s.Start.Known() && !s.End.Known()
}

// FillSkipped returns a run in which every skipped stage has one task of no time, so that the stages after it wait for
// the stages before it. A stage was skipped if the trace holds neither a number of its tasks, nor times or attempts,
// while other stages of the run have attempts with durations. The run is not modified; it is returned itself where no
// stage was skipped. stages are the skipped ones, ascending.
func FillSkipped(run *trace.Run) (filled *trace.Run, stages []int32) {
	if !slices.ContainsFunc(run.Attempts, func(a trace.Attempt) bool { return usable(&a) }) {
		return run, nil
	}
	of, began := ByStage(run), trace.Instant(trace.None) // the first stage
	for v := range run.Stages {
		s := &run.Stages[v]
		if skipped(s, of[v]) {
			stages = append(stages, int32(v))
		}
		if s.Start.Known() && (!began.Known() || s.Start < began) {
			began = s.Start
		}
	}
	if len(stages) == 0 {
		return run, nil
	}
	clone := *run
	clone.Stages, clone.Attempts = slices.Clone(run.Stages), make([]trace.Attempt, 0, len(run.Attempts)+len(stages))
	edges := run.Edges // ascending by child
	for v := range clone.Stages {
		clone.Attempts = append(clone.Attempts, of[v]...)
		ready := began
		for ; len(edges) > 0 && int(edges[0].Child) == v; edges = edges[1:] {
			ready = max(ready, clone.Stages[edges[0].Parent].End)
		}
		if s := &clone.Stages[v]; skipped(s, of[v]) {
			s.Tasks, s.Submit, s.Start, s.End = 1, ready, ready, ready
			done := trace.NewAttempt(int32(v), 0, 0) // without times: it uses no token
			done.Duration, done.Status = 0, trace.Succeeded
			clone.Attempts = append(clone.Attempts, done)
		}
	}
	return &clone, stages
}
