package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// A store of 1,200,000 attempts with most columns known, in which runs have stages that depend on each other.
const (
	benchRuns     = 10_000
	benchStages   = 6
	benchAttempts = 20 // of a stage
)

func benchStore(b *testing.B) string {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	dir := filepath.Join(b.TempDir(), "store")
	w, err := store.Create(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range benchRuns {
		run := trace.NewRun(fmt.Sprintf("run-%07d", i))
		run.Name, run.User, run.Status = fmt.Sprint("job-", i%50), "ann", trace.Succeeded
		run.Submit = trace.Instant(i) * 1e6
		run.Start, run.End = run.Submit+5e5, run.Submit+9e8
		for s := range int32(benchStages) {
			stage := trace.NewStage()
			stage.Name, stage.Tasks = fmt.Sprint("stage ", s), benchAttempts
			run.Stages = append(run.Stages, stage)
			if s > 0 {
				run.Edges = append(run.Edges, trace.Edge{Parent: s - 1, Child: s, Kind: trace.AllToAll})
			}
			for k := range int32(benchAttempts) {
				a := trace.NewAttempt(s, k, 0)
				a.Start = run.Start + trace.Instant(s)*1e7 + trace.Instant(rng.IntN(1e6))
				a.Duration = trace.Duration(1e6 + rng.IntN(8e6))
				a.Queued, a.End = a.Start-1000, a.Start+trace.Instant(a.Duration)
				a.Status, a.Machine = trace.Succeeded, fmt.Sprint("m", rng.IntN(200))
				a.Demand[trace.CPU], a.Demand[trace.Mem] = 1, float64(rng.IntN(1<<30))
				run.Attempts = append(run.Attempts, a)
			}
		}
		if err := w.Append(run); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := w.Close(store.Manifest{Format: "jsonl"}, source.NewTally()); err != nil {
		b.Fatal(err)
	}
	return dir
}

// The rate at which a store is opened and read as runs, all columns and those of an analysis of times.
func BenchmarkRead(b *testing.B) {
	dir := benchStore(b)
	for _, test := range []struct {
		name    string
		columns store.Projection
	}{
		{"all", store.All()},
		{"times", store.Projection{"jobs.name", "jobs.submit", "jobs.end", "tasks.start", "tasks.end", "tasks.duration",
			"tasks.status"}},
		{"jobs", store.Projection{"jobs.*"}},
	} {
		b.Run(test.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				s, err := store.Open(os.DirFS(dir))
				if err != nil {
					b.Fatal(err)
				}
				n = 0
				for part := range s.Parts() {
					for run, err := range s.Runs(context.Background(), part, test.columns) {
						if err != nil {
							b.Fatal(err)
						}
						n += len(run.Attempts) + len(run.Stages) + len(run.Edges) + 1
					}
				}
			}
			b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
