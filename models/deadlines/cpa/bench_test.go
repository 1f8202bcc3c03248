package cpa

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"racecard/datasets/remaining"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
)

// wide is 20 stages of 500 tasks of 10 ms to 10 s, behind barriers; usual ones have latencies and failures too, and
// every other edge is one_to_one.
func wide(b testing.TB, usual bool) Job {
	ms := make([]int64, 1000)
	for i := range ms {
		ms[i] = int64(i+1) * 10_000
	}
	d := dist(b, ms...)
	var p sim.Plan
	for i := range int32(20) {
		s, kind := sim.Stage{Tasks: 500, Duration: d}, trace.AllToAll
		if usual {
			s.Latency, s.Failure = d, sim.Failure{Probability: .05, Share: []float64{.1, .5, .9}}
			if i%2 == 0 {
				kind = trace.OneToOne
			}
		}
		p.Stages = append(p.Stages, s)
		if i > 0 {
			p.Edges = append(p.Edges, sim.Edge{Parent: i - 1, Child: i, Kind: kind})
		}
	}
	return job(b, p, func(int) float64 { return 5 })
}

// BenchmarkBuild builds the table of a job of 20 stages and 10,000 tasks, of 100 allocations, 10 with -short, and 100
// runs of each, on all cores.
func BenchmarkBuild(b *testing.B) {
	for name, usual := range map[string]bool{"lean": false, "usual": true} {
		b.Run(name, func(b *testing.B) {
			j, o := wide(b, usual), few(100)
			o.Crew = NewCrew(runtime.GOMAXPROCS(0))
			allocations := int32(100)
			if testing.Short() {
				allocations = 10
			}
			for a := range allocations {
				o.Allocations = append(o.Allocations, 5*(a+1))
			}
			for b.Loop() {
				build(b, j, o)
			}
			b.ReportMetric(float64(b.N)*float64(allocations)*100*10_000/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// BenchmarkNoise reports, as shares of the median, the standard deviation over seeds of what 64 runs tell: with runs of
// their own and with antithetic pairs; and of the difference between 20 and 24 tokens, with numbers of its own and with
// common ones.
func BenchmarkNoise(b *testing.B) {
	d := dist(b, 1*second, 2*second, 3*second, 5*second, 8*second, 13*second, 40*second)
	var p sim.Plan
	for i := range int32(4) {
		p.Stages = append(p.Stages, sim.Stage{Tasks: 100, Duration: d})
		if i > 0 {
			p.Edges = append(p.Edges, sim.Edge{Parent: i - 1, Child: i, Kind: trace.AllToAll})
		}
	}
	j := job(b, p, func(int) float64 { return 10 })
	const runs = 64
	seeds := uint64(100)
	if testing.Short() {
		seeds = 10
	}
	table := func(seed uint64, antithetic bool, grid ...int32) *remaining.Table {
		o := few(runs, grid...)
		o.Seed, o.Antithetic = seed, antithetic
		t, err := Build(context.Background(), j, remaining.About{}, o)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	for b.Loop() {
		var plain, pairs, own, common, p90, p90pairs []float64
		for s := range seeds {
			t, u := table(s, false, 20, 24), table(s, true, 20, 24)
			other := table(s+seeds, false, 20, 24)
			at := func(t *remaining.Table, a, q float64) float64 { return t.Remaining(0, a, q) }
			plain, pairs = append(plain, at(t, 20, .5)), append(pairs, at(u, 20, .5))
			p90, p90pairs = append(p90, at(t, 20, .9)), append(p90pairs, at(u, 20, .9))
			common, own = append(common, at(t, 20, .5)-at(t, 24, .5)), append(own, at(t, 20, .5)-at(other, 24, .5))
		}
		whole := mean(plain)
		b.ReportMetric(100*sd(plain)/whole, "%p50")
		b.ReportMetric(100*sd(pairs)/whole, "%p50-antithetic")
		b.ReportMetric(100*sd(p90)/whole, "%p90")
		b.ReportMetric(100*sd(p90pairs)/whole, "%p90-antithetic")
		b.ReportMetric(100*sd(own)/whole, "%difference")
		b.ReportMetric(100*sd(common)/whole, "%difference-common")
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func sd(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// BenchmarkBuildGiant simulates runs of 5,000 stages side by side, one task each, on few and on many tokens.
func BenchmarkBuildGiant(b *testing.B) {
	const stages, runs = 5_000, 64
	d := dist(b, 1*second, 2*second, 3*second)
	var p sim.Plan
	for range stages {
		p.Stages = append(p.Stages, sim.Stage{Tasks: 1, Duration: d})
	}
	j := job(b, p, func(int) float64 { return 2 })
	for _, tokens := range []int32{1, 64, 5_000} {
		b.Run(fmt.Sprint(tokens, " tokens"), func(b *testing.B) {
			for b.Loop() {
				build(b, j, few(runs, tokens))
			}
			b.ReportMetric(float64(b.N)*stages*runs/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}
