package leftover

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"racecard/datasets/trace"
)

// waves is a run of n attempts on a number of slots: stages of about n/8 tasks of different demands, each of which
// starts when a slot is free and its parents have ended. Of three stages the last waits for the other two.
func waves(n, slots int) *trace.Run {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	r := trace.NewRun("r")
	r.Submit, r.Status = 0, trace.Succeeded
	free := make([]trace.Instant, slots)
	const stages = 9
	var ends [stages]trace.Instant
	for s := range int32(stages) {
		stage := trace.NewStage()
		stage.Demand[trace.CPU], stage.Demand[trace.Mem] = 0.5+rng.Float64(), 1e9*rng.Float64()
		r.Stages = append(r.Stages, stage)
		var ready trace.Instant
		if s%3 == 2 {
			r.Edges = append(r.Edges, trace.Edge{Parent: s - 2, Child: s, Kind: trace.AllToAll},
				trace.Edge{Parent: s - 1, Child: s, Kind: trace.AllToAll})
			ready = max(ends[s-2], ends[s-1])
		} else if s >= 3 {
			r.Edges = append(r.Edges, trace.Edge{Parent: s - s%3 - 1, Child: s, Kind: trace.AllToAll})
			ready = ends[s-s%3-1]
		}
		for task := range int32(max(1, n/stages)) {
			slot := 0
			for i := range min(slots, 8) { // the first free of a few slots
				if k := (int(task)*8 + i) % slots; free[k] < free[slot] {
					slot = k
				}
			}
			a := trace.NewAttempt(s, task, 0)
			a.Start = max(ready, free[slot])
			a.End = a.Start + trace.Instant(1e6+rng.ExpFloat64()*9e6)
			a.Duration, a.Status = a.End.Since(a.Start), trace.Succeeded
			free[slot] = a.End
			ends[s] = max(ends[s], a.End)
			r.End = max(r.End, a.End)
			r.Attempts = append(r.Attempts, a)
		}
	}
	return r
}

func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{20, 1000, 100_000} {
		b.Run(fmt.Sprint(n, "-attempts"), func(b *testing.B) {
			r := waves(n, max(4, n/50))
			p := New(Options{Memory: 1 << 22})
			attempts := 0
			for b.Loop() {
				p.Add(r)
				p.runs = p.runs[:0]
				attempts += len(r.Attempts)
			}
			b.ReportMetric(float64(attempts)/b.Elapsed().Seconds(), "attempts/s")
		})
	}
}

func BenchmarkFinish(b *testing.B) {
	runs := crowd(1, 20_000, 30_000, 20_000_000)
	for b.Loop() {
		b.StopTimer()
		p := New(DefaultOptions())
		for _, r := range runs {
			p.Add(r)
		}
		b.StartTimer()
		if _, err := p.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(runs))*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
