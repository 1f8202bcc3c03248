package workload

import (
	"slices"

	"racecard/datasets/trace"
)

// AfterBarriers returns a run whose attempts last as long as they did after all tasks of the stages before theirs had
// ended. Reducers of MapReduce start while maps run, to fetch their output, and wait for the last map. In a simulation
// in which a stage begins after another one, that time would count twice. The run is not modified; it is returned
// itself where no stages overlap. Time O(attempts + edges).
func AfterBarriers(run *trace.Run) *trace.Run {
	ended := make([]trace.Instant, len(run.Stages)) // the last attempt that counts
	ready := make([]trace.Instant, len(run.Stages)) // the last parent
	for v := range ended {
		ended[v], ready[v] = trace.None, trace.None
	}
	for i := 0; i < len(run.Attempts); {
		to := i + 1
		for to < len(run.Attempts) && run.Attempts[to].Stage == run.Attempts[i].Stage &&
			run.Attempts[to].Task == run.Attempts[i].Task {
			to++
		}
		if k := counting(run.Attempts[i:to]); k >= 0 {
			a := &run.Attempts[i+k]
			ended[a.Stage] = max(ended[a.Stage], a.End)
		}
		i = to
	}
	for _, e := range run.Edges {
		if e.Kind == trace.AllToAll {
			ready[e.Child] = max(ready[e.Child], ended[e.Parent])
		}
	}
	out := run
	for i := range run.Attempts {
		a := &run.Attempts[i]
		at := ready[a.Stage]
		if !at.Known() || !a.Start.Known() || !a.Duration.Known() || a.Start >= at {
			continue
		}
		if out == run {
			clone := *run
			clone.Attempts = slices.Clone(run.Attempts)
			out = &clone
		}
		out.Attempts[i].Duration = max(0, a.Duration-at.Since(a.Start))
	}
	return out
}
