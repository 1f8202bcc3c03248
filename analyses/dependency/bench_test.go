package dependency

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"racecard/datasets/trace"
)

// traffic yields n synthetic runs one by one, as a store does: a cluster of 200 groups whose runs, 20 a minute, write
// one dataset each. Of the runs, a third read raw data that no run wrote; the others read one to four outputs of the
// last day, of their own group in nine of ten cases.
func traffic(n int, yield func(*trace.Run)) {
	rng := rand.New(rand.NewPCG(11, 0))
	const groups, day = 200, 20 * 60 * 24
	latest := make([][]int32, groups) // runs of each group
	run := trace.NewRun("")
	for i := range n {
		g := rng.IntN(groups)
		start := trace.Instant(float64(i) / 20 * minute)
		run.ID, run.Name, run.Group, run.Seq = fmt.Sprintf("run-%08d", i), fmt.Sprint("job-", i%20_000),
			fmt.Sprint("group-", g), int64(i)
		run.Status, run.Start, run.End = trace.Succeeded, start, start+trace.Instant(rng.ExpFloat64()*10*minute)
		run.IO = run.IO[:0]
		if rng.IntN(3) == 0 {
			run.IO = append(run.IO, trace.Access{Dataset: fmt.Sprintf("/raw/%d/part-%d", g, rng.IntN(1000)),
				At: trace.None})
		} else {
			for range 1 + rng.IntN(4) {
				from := latest[g]
				if rng.IntN(10) == 0 {
					from = latest[rng.IntN(groups)]
				}
				if len(from) == 0 {
					continue
				}
				k := len(from) - 1 - rng.IntN(min(len(from), day/groups))
				run.IO = append(run.IO, trace.Access{Dataset: fmt.Sprintf("/out/run-%08d", from[k]), At: trace.None})
			}
		}
		run.IO = append(run.IO, trace.Access{Dataset: fmt.Sprintf("/out/run-%08d", i), Write: true, At: trace.None})
		latest[g] = append(latest[g], int32(i))
		yield(run)
	}
}

// peak samples the heap while do runs and returns its largest size.
func peak(do func()) float64 {
	var most uint64
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				metrics.Read(sample)
				most = max(most, sample[0].Value.Uint64())
			}
		}
	})
	do()
	close(stop)
	wait.Wait()
	return float64(most)
}

// BenchmarkAnalyze analyses a synthetic trace from its runs to its result. Pairs are those found; peak is that of the
// heap, with what waits to be collected, the runs not included: they are made one by one.
func BenchmarkAnalyze(b *testing.B) {
	for _, bench := range []struct {
		name   string
		runs   int
		memory int64
	}{
		{"runs=100k", 100_000, 1 << 30},
		{"runs=1M", 1_000_000, 1 << 30},
		{"runs=1M-estimated", 1_000_000, 128 << 20},
	} {
		b.Run(bench.name, func(b *testing.B) {
			if testing.Short() && bench.runs > 100_000 {
				b.Skip("large")
			}
			o := DefaultOptions()
			o.Memory = bench.memory
			var runs, pairs int
			var most float64
			estimated := 0.0
			for b.Loop() {
				runtime.GC()
				most = max(most, peak(func() {
					p := New(o)
					traffic(bench.runs, p.Add)
					d, err := p.Finish(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					runs += d.Jobs
					pairs += d.Pairs
					if d.Estimated {
						estimated = 1
					}
				}))
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(runs)/seconds, "runs/s")
			b.ReportMetric(float64(pairs)/seconds, "pairs/s")
			b.ReportMetric(most/1e6, "peak-MB")
			b.ReportMetric(estimated, "estimated")
		})
	}
}
