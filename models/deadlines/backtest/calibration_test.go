package backtest

import (
	"math"
	"slices"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/remaining"
	"racecard/datasets/sample/sampletest"
	"racecard/models/deadlines/cpa"
)

// The calibration that backtest reports is the one of tables: of every run of the sample that is predicted, C(0,a) of a
// table built from the same past runs has the quantiles that backtest has, and as many runs take at most p50 and p90 of
// it.
func TestTablesAreCalibratedAsReported(t *testing.T) {
	if testing.Short() {
		t.Skip("a table for each of twelve runs takes some seconds")
	}
	o := small()
	o.Workers, o.Last = 2, 3
	b, err := NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range sampletest.ByJob(t) {
		for _, r := range runs {
			b.Add(r)
		}
	}
	jobs := b.recurring()
	levels := []float64{0.1, 0.5, 0.9}
	below, reported := make([]int, len(levels)), make([]int, len(levels))
	off := make([][]float64, len(levels))
	for _, at := range b.tasks(jobs) {
		j := jobs[at.job]
		run := &j.runs[at.run]
		q := b.question(j, at.run)
		whole, err := model{}.predict(q)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := q.profile()
		if err != nil {
			t.Fatal(err)
		}
		of, about, err := cpa.Of(fitted, run.inputBytes)
		if err != nil {
			t.Fatal(err)
		}
		build := cpa.DefaultOptions()
		build.Allocations, build.Replicates = []int32{int32(run.tokens)}, 256
		table, err := cpa.Build(t.Context(), of, remaining.About{Job: about.Job, MostTokens: about.MostTokens}, build)
		if err != nil {
			t.Fatal(err)
		}
		for i, level := range levels {
			told, tabled := quantile.Quantile(whole, level), table.Remaining(0, run.tokens, level)
			off[i] = append(off[i], tabled/told-1)
			if run.completionS <= told {
				reported[i]++
			}
			if run.completionS <= tabled {
				below[i]++
			}
		}
	}
	n := len(off[0])
	if n < 12 {
		t.Fatalf("%d runs of the sample are predicted", n)
	}
	for i, level := range levels {
		sorted := quantile.Sort(slices.Clone(off[i]))
		middle, low, high := quantile.Quantile(sorted, 0.5), sorted.Min(), quantile.Quantile(sorted, 1)
		t.Logf("p%.0f: %d of %d runs take at most the one of backtest, %d the one of the table, which is %.1f%% more "+
			"in the median (%.1f to %.1f%%)",
			100*level, reported[i], n, below[i], 100*middle, 100*low, 100*high)
		if math.Abs(middle) > 0.03 {
			t.Errorf("p%.0f of tables is %.3f from the one that backtest reports, in the median", 100*level, middle)
		}
		if math.Abs(float64(below[i]-reported[i])) > 0.1*float64(n)+1 {
			t.Errorf("%d of %d runs take at most p%.0f of their table, %d the one that backtest reports", below[i], n,
				100*level, reported[i])
		}
	}
}
