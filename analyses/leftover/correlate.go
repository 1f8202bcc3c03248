package leftover

import (
	"cmp"
	"context"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// measure is a number that describes the shape of a run's stage graph.
type measure struct {
	name string
	of   func(*result.LeftoverRun) int32
}

// measures returns the measures that are correlated with leftover.
func measures() []measure {
	return []measure{
		{"stages", func(r *result.LeftoverRun) int32 { return r.Stages }},
		{"barriers", func(r *result.LeftoverRun) int32 { return r.Barriers }},
		{"critical_path_stages", func(r *result.LeftoverRun) int32 { return r.PathStages }},
		{"disjoint_paths", func(r *result.LeftoverRun) int32 { return r.Disjoint }},
		{"width", func(r *result.LeftoverRun) int32 { return r.Width }},
	}
}

// correlate fills in the correlations of leftover with the measures, over runs and over time. The measures are computed
// in parallel.
func (p *Partial) correlate(doc *result.Leftover, s *samples) {
	all := measures()
	of := make([]result.LeftoverCorrelation, len(all))
	running, leftover := newRoster(p.runs), perRun(p.runs)
	weights := make([]float64, len(s.weight))
	for i, w := range s.weight {
		weights[i] = float64(w)
	}
	_ = parallel.Do(context.Background(), len(all), func(i int) { // never fails
		values := make([]float64, len(p.runs))
		for k := range p.runs {
			values[k] = float64(all[i].of(&p.runs[k]))
		}
		x := quantile.Observe(values)
		of[i].Correlation = quantile.Correlate(x, leftover[trace.NumResources], nil)
		of[i].Resources = correlateAll(x, leftover[:trace.NumResources], nil)
		of[i].OverTime = correlateAll(quantile.Observe(running.means(s.at, all[i])), s.observed[:], weights)
	})
	for i, m := range all {
		doc.Correlation[m.name] = of[i]
	}
}

// perRun returns the leftover of runs per resource, nil for resources unknown in all runs; the last is the mean over
// resources.
func perRun(runs []result.LeftoverRun) [trace.NumResources + 1]*quantile.Observations {
	var values [trace.NumResources + 1][]float64
	column := func(r trace.Resource) []float64 {
		if values[r] == nil {
			values[r] = make([]float64, len(runs))
			for i := range values[r] {
				values[r][i] = math.NaN()
			}
		}
		return values[r]
	}
	for i := range runs {
		column(trace.NumResources)[i] = runs[i].Leftover
		for k := range runs[i].Of {
			of := &runs[i].Of[k]
			column(of.Resource)[i] = of.Leftover
		}
	}
	var out [trace.NumResources + 1]*quantile.Observations
	for r := range values {
		if values[r] != nil {
			out[r] = quantile.Observe(values[r])
		}
	}
	return out
}

// correlateAll correlates x with the leftover of every resource that is known.
func correlateAll(x *quantile.Observations, leftover []*quantile.Observations,
	weights []float64) map[string]result.Correlation {
	of := map[string]result.Correlation{}
	for r, y := range leftover {
		if y != nil {
			of[trace.ResourceNames[r]] = quantile.Correlate(x, y, weights)
		}
	}
	return of
}

// roster lists the runs in progress.
type roster struct {
	runs           []result.LeftoverRun
	byStart, byEnd []int32
}

func newRoster(runs []result.LeftoverRun) *roster {
	r := &roster{runs: runs}
	for i := range runs {
		if runs[i].Start < runs[i].End {
			r.byStart = append(r.byStart, int32(i))
		}
	}
	r.byEnd = slices.Clone(r.byStart)
	slices.SortFunc(r.byStart, func(i, j int32) int { return cmp.Compare(runs[i].Start, runs[j].Start) })
	slices.SortFunc(r.byEnd, func(i, j int32) int { return cmp.Compare(runs[i].End, runs[j].End) })
	return r
}

// means returns the mean of a measure among the runs that run at every instant, NaN where none does. Instants ascend.
func (r *roster) means(at []int64, m measure) []float64 {
	out := make([]float64, len(at))
	var sum, n int64
	begun, ended := 0, 0
	for i, t := range at {
		for ; begun < len(r.byStart) && int64(r.runs[r.byStart[begun]].Start) <= t; begun++ {
			sum, n = sum+int64(m.of(&r.runs[r.byStart[begun]])), n+1
		}
		for ; ended < len(r.byEnd) && int64(r.runs[r.byEnd[ended]].End) <= t; ended++ {
			sum, n = sum-int64(m.of(&r.runs[r.byEnd[ended]])), n-1
		}
		out[i] = float64(sum) / float64(n) // 0/0 is NaN
	}
	return out
}
