package cli

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// describeWorkload prints the workload as text: one table of measurements, and a line for each of the rest.
func (e *env) describeWorkload(w *result.Workload) {
	e.printf("workload: %s\n", words.Of(w.Runs, "run", "runs"))
	var all []metric
	row := func(h result.Header, name string, s result.Summary) {
		if h.Available && s.N > 0 {
			all = append(all, metric{name, s})
		}
	}
	row(w.Arrivals.Header, "interarrival (s)", w.Arrivals.Gap)
	row(w.Durations.Header, "completion (s)", w.Durations.Completion)
	row(w.Durations.Header, "wait (s)", w.Durations.Wait)
	row(w.TasksPerJob.Header, "tasks per run", w.TasksPerJob.Tasks)
	row(w.TaskDurations.Header, "task duration (s)", w.TaskDurations.Duration)
	if t := w.Concurrency.Tasks; t != nil {
		row(w.Concurrency.Header, "tasks at once", t.Weighted)
	}
	if len(all) > 0 {
		e.summaries(all...)
	}
	for _, f := range w.Fits {
		if len(f.Families) > 0 {
			best := &f.Families[0]
			p := "p " + words.Number(best.PKS)
			if f.Open > 0 {
				p = fmt.Sprintf("not tested: %s had not ended", words.Count(f.Open))
			}
			if f.Lost > 0 {
				p += fmt.Sprintf("; %s more had not, and are left out", words.Count(f.Lost))
			}
			e.printf("  %s: %s fits best (AIC), D %s, %s\n", f.What, best.Family, words.Number(best.KS), p)
		}
	}
	if s := w.Cutoff.Suggested; s != nil {
		e.printf("  long jobs: mean task above %s, %s of the jobs, %s of the task-seconds\n", words.Seconds(s.CutoffS),
			words.Percent(s.ShareOfJobs), words.Percent(s.ShareOfTime))
	}
	if f := &w.Failures; f.Available {
		e.printf("  %s of %s did not succeed, %s of the task-seconds\n", words.Count(f.Bad), words.Of(f.Ended,
			"attempt", "attempts"), words.Percent(f.WastedShare))
	}
}
