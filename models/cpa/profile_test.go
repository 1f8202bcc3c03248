package cpa

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/datasets/sample/sampletest"
	"racecard/models/profile"
	"racecard/models/progress"
)

// TestSample: the tables of the embedded sample keep their laws under every indicator, and what they say of whole runs with 2
// tokens is near the runs.
func TestSample(t *testing.T) {
	for job, runs := range sampletest.ByJob(t) {
		p, err := profile.Fit(runs, profile.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		j, about, err := Of(p, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		if about.Runs != 18 || about.Resolution != modelfile.ByAttempt || about.OldestS == nil {
			t.Errorf("%s: %+v", job, about)
		}
		for k := range progress.Count {
			o := few(40, 1, 2, 3, 4)
			o.Indicator = k
			table, err := Build(context.Background(), j, about, o)
			if err != nil {
				t.Fatalf("%s by %v: %v", job, k, err)
			}
			var took []float64
			for _, r := range runs {
				if d := r.End.Since(r.Submit).Seconds(); !math.IsNaN(d) {
					took = append(took, d)
				}
			}
			low, high := table.Remaining(0, 4, .01), table.Remaining(0, 1, .99)
			if m := stat.Mean(took, nil); m < low || m > high {
				t.Errorf("%s: runs took %v s in the mean, the table says %v to %v", job, m, low, high)
			}
		}
	}
}

// Stages of 3 and 2 s, of which nobody knows the tasks: 5 s on any tokens, and a warning.
func TestByStage(t *testing.T) {
	dist := func(us int64) modelfile.Dist {
		mean := float64(us) / 1e6
		return modelfile.Dist{N: 1, Family: modelfile.Constant, MeanS: &mean, Values: []int64{us}}
	}
	p := &modelfile.Profile{Job: "j", Plans: []modelfile.Plan{{Resolution: modelfile.ByStage, Runs: 1,
		Stages: []modelfile.Stage{{Typical: modelfile.Typical{Elapsed: dist(3 * second)}}, {Typical: modelfile.Typical{Elapsed: dist(2 * second)}}},
		Edges:  []modelfile.Edge{{Parent: 0, Child: 1, Kind: "all_to_all"}}}}}
	j, about, err := Of(p, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	if about.InputBytes == nil || *about.InputBytes != 1e6 || len(about.Warnings) != 2 {
		t.Errorf("%+v: want two warnings, of inputs and tasks that are not known", about)
	}
	table, err := Build(context.Background(), j, about, few(400, 1, 10))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := table.Remaining(0, 1, .5), table.Remaining(0, 10, .5); a != b || math.Abs(a-5) > .5 {
		t.Errorf("%v and %v s on 1 and 10 tokens, want 5 both", a, b)
	}
	if table.Samples[remaining.Steps] != 400 {
		t.Errorf("%d samples", table.Samples[remaining.Steps])
	}
}
