package dag_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"

	"racecard/analyses/dag"
	"racecard/analyses/quantile"
	"racecard/datasets/formats"
	"racecard/datasets/generate"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
)

// generated writes a file of a kind.
func generated(t *testing.T, k generate.Kind, rows int64) *source.File {
	t.Helper()
	var data bytes.Buffer
	if _, err := k.Write(context.Background(), func(string) (io.WriteCloser, error) { return nopCloser{&data}, nil },
		rows, 1, nil); err != nil {
		t.Fatal(err)
	}
	return source.BytesFile(generate.Prefix+k.Name+k.Ending, data.Bytes())
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestDAGsMatchTheTable compares generated jobs with Table 1 of Carbyne: stages and barriers within one or a tenth, the
// share of input work within 4 points; and the median length of critical paths, over all four workloads, with five
// stages.
func TestDAGsMatchTheTable(t *testing.T) {
	format, err := formats.Named("jsonl", 0)
	if err != nil {
		t.Fatal(err)
	}
	var paths []float64
	for kind, want := range map[string]struct{ stages, barriers, input [2]float64 }{
		"dags-microsoft": {[2]float64{13, 121}, [2]float64{4, 13}, [2]float64{0.34, 0.85}},
		"dags-tpcds":     {[2]float64{8, 23}, [2]float64{1, 4}, [2]float64{0.11, 0.88}},
		"dags-tpch":      {[2]float64{8, 12}, [2]float64{2, 4}, [2]float64{0.46, 0.82}},
		"dags-bigbench":  {[2]float64{7, 19}, [2]float64{2, 6}, [2]float64{0.24, 0.70}},
	} {
		k, err := generate.Named(kind)
		if err != nil {
			t.Fatal(err)
		}
		runs := sourcetest.Read(t, format, generated(t, k, 2000)).Runs
		p := dag.New(dag.DefaultOptions())
		tasks := int64(0)
		for _, run := range runs {
			p.Add(run)
			for i := range run.Stages {
				tasks += run.Stages[i].Tasks
			}
		}
		got, err := p.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		compare := func(what string, s result.Summary, want [2]float64, tolerance func(x float64) float64) {
			for i, x := range []float64{s.P50, s.P95} {
				if math.Abs(x-want[i]) > tolerance(want[i]) {
					t.Errorf("%s: %s %v at %s, want %v", kind, what, x, []string{"p50", "p95"}[i], want[i])
				}
			}
		}
		count := func(x float64) float64 { return max(1, x/10) }
		compare("stages", got.Stages, want.stages, count)
		compare("barriers", got.Barriers, want.barriers, count)
		compare("input work", got.InputWork, want.input, func(float64) float64 { return 0.04 })
		t.Logf("%s: stages %.0f/%.0f, barriers %.0f/%.0f, input work %.2f/%.2f, critical path %.0f/%.0f, disjoint "+
			"paths %.0f/%.0f, width %.0f/%.0f; %.0f tasks a job",
			kind, got.Stages.P50, got.Stages.P95, got.Barriers.P50, got.Barriers.P95, got.InputWork.P50,
			got.InputWork.P95, got.CriticalPathStages.P50,
			got.CriticalPathStages.P95, got.DisjointPaths.P50, got.DisjointPaths.P95, got.Width.P50, got.Width.P95,
			float64(tasks)/float64(len(runs)))
		paths = append(paths, got.CriticalPathStages.P50)
	}
	if m := quantile.Summarize(quantile.Sort(paths)).P50; m != 5 {
		t.Errorf("critical paths of %v stages, median %v, want 5", paths, m)
	}
}
