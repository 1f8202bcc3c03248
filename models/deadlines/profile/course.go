package profile

import (
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

// TaskEnds returns when the tasks of a stage were done, ascending: each at the end of the first of its attempts that
// succeeded. Attempts are sorted by task. The result is empty where that is not known of every task.
func TaskEnds(attempts []trace.Attempt) []trace.Instant {
	var ends []trace.Instant
	for i := 0; i < len(attempts); {
		task, end := attempts[i].Task, trace.Instant(trace.None)
		for ; i < len(attempts) && attempts[i].Task == task; i++ {
			if a := &attempts[i]; counts(a) && a.End.Known() && (end == trace.None || a.End < end) {
				end = a.End
			}
		}
		if end == trace.None {
			return nil
		}
		ends = append(ends, end)
	}
	slices.Sort(ends)
	return ends
}

// ends returns when equal parts of the tasks of a stage were done, as shares of the time of the run: at most
// [modelfile.MostEnds], or the end of the stage alone. It is empty where neither is known.
func ends(run *trace.Run, attempts []trace.Attempt, stageEnd float64) []float64 {
	all := TaskEnds(attempts)
	if len(all) == 0 {
		if math.IsNaN(stageEnd) {
			return nil
		}
		return []float64{rounded(stageEnd)}
	}
	n := min(len(all), modelfile.MostEnds)
	out := make([]float64, n)
	for i := range out {
		x := share(run, all[(i+1)*len(all)/n-1])
		if math.IsNaN(x) {
			return nil
		}
		out[i] = rounded(x)
	}
	return out
}

// rounded keeps a tenth of a thousandth, so that files are small.
func rounded(share float64) float64 { return math.Round(1e4*share) / 1e4 }

// courses returns, for each run factor, when parts of a stage were done in the run: nil where that is not known of any.
func courses(g *group, v int, factors []modelfile.RunFactor) [][]float64 {
	out, found := make([][]float64, len(factors)), false
	k := 0
	for _, r := range g.runs { // in the order of factors, some of which may be left out
		if k == len(factors) || factors[k].RunID != r.id {
			continue
		}
		if k >= len(factors)-modelfile.MostCourses {
			out[k] = r.stages[v].ends
			found = found || len(out[k]) > 0
		}
		k++
	}
	if !found {
		return nil
	}
	return out
}
