package leftover

import (
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

// measureBytes is the memory, per run, for the correlation of a measure.
const measureBytes = 37

// atOnce returns how many measures are correlated at once: two where the memory for steps, which are gone by then, has
// room for the second.
func (p *Partial) atOnce() int {
	if 2*measureBytes*int64(p.rows.Len()) <= p.series.memory {
		return 2
	}
	return 1
}

// correlate fills in how leftover goes together with the measures, over runs and over time. It takes measureBytes per
// run and worker, and 13 bytes per run and resource, more than the partial result.
func (p *Partial) correlate(ctx context.Context, doc *result.Leftover, s *samples, workers int) error {
	all := measures()
	running, leftover := meansRunning(&p.rows, s.at, all), p.perRun()
	weights := make([]float64, len(s.weight))
	for i, w := range s.weight {
		weights[i] = float64(w)
	}
	out := make([]result.LeftoverCorrelation, len(all))
	err := parallel.Each(ctx, len(all), parallel.Options{Workers: workers}, func(_ context.Context, i int) error {
		values := make([]float64, p.rows.Len())
		for k, r := range p.rows.All() {
			values[k] = float64(all[i].of(r))
		}
		x := quantile.ObserveInPlace(values)
		out[i] = result.LeftoverCorrelation{
			Correlation: quantile.Correlate(x, leftover[trace.NumResources], nil),
			Resources:   correlateAll(x, leftover[:trace.NumResources], nil),
			OverTime:    correlateAll(quantile.ObserveInPlace(running[i]), s.observed[:], weights),
		}
		return nil
	})
	for i, m := range all {
		doc.Correlation[m.name] = out[i]
	}
	return err
}

// perRun returns the leftover of runs per resource, nil for resources unknown in all runs; the last is the mean over
// resources.
func (p *Partial) perRun() [trace.NumResources + 1]*quantile.Observations {
	var out [trace.NumResources + 1]*quantile.Observations
	for r := range trace.NumResources + 1 {
		if r < trace.NumResources && p.known[r].attempts == 0 {
			continue
		}
		values := make([]float64, p.rows.Len())
		for i, run := range p.rows.All() {
			values[i] = leftoverOf(run, r)
		}
		out[r] = quantile.ObserveInPlace(values)
	}
	return out
}

// leftoverOf returns the leftover of a run of a resource, of NumResources the mean over resources; NaN where it is not
// known.
func leftoverOf(run *result.LeftoverRun, r trace.Resource) float64 {
	if r == trace.NumResources {
		return run.Leftover
	}
	for k := range run.Of {
		if run.Of[k].Resource == r {
			return run.Of[k].Leftover
		}
	}
	return math.NaN()
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

// meansRunning returns the means of measures among the runs that are between their start and end at every instant, NaN
// where none is. Instants ascend.
func meansRunning(runs *result.LeftoverRuns, at []int64, of []measure) [][]float64 {
	n := make([]int64, len(at)+1) // changes at the instants
	sums := make([][]int64, len(of))
	for i := range sums {
		sums[i] = make([]int64, len(at)+1)
	}
	for _, r := range runs.All() {
		if r.Start >= r.End {
			continue
		}
		from, _ := slices.BinarySearch(at, int64(r.Start))
		to, _ := slices.BinarySearch(at, int64(r.End))
		n[from], n[to] = n[from]+1, n[to]-1
		for i := range of {
			m := int64(of[i].of(r))
			sums[i][from], sums[i][to] = sums[i][from]+m, sums[i][to]-m
		}
	}
	out := make([][]float64, len(of))
	for i := range out {
		out[i] = make([]float64, len(at))
		var sum, running int64
		for k := range at {
			sum, running = sum+sums[i][k], running+n[k]
			out[i][k] = float64(sum) / float64(running) // 0/0 is NaN
		}
		sums[i] = nil
	}
	return out
}
