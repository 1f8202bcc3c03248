package distributed_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"racecard/datasets/source/sourcetest"
	"racecard/models/queues/distributed"
)

func bench(b *testing.B, w *distributed.Workload, name string, o distributed.Options) {
	b.ReportAllocs()
	events := int64(0)
	for b.Loop() {
		s, err := distributed.New(name, o)
		if err != nil {
			b.Fatal(err)
		}
		out, err := distributed.Run(context.Background(), w, s, o)
		if err != nil {
			b.Fatal(err)
		}
		events = out.Events
	}
	b.ReportMetric(float64(events)/float64(len(w.Durations)), "events/task")
	b.ReportMetric(float64(len(w.Durations))*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// BenchmarkSchedulers runs a generated trace like YH1_sub on as many workers as make a load of 0.9.
func BenchmarkSchedulers(b *testing.B) {
	raw := generated(b, "tr-yahoo", 2910)
	for _, k := range distributed.Kinds() {
		for _, epfl := range []bool{true, false} {
			o := distributed.DefaultOptions(raw.WorkersFor(0.9, true))
			w := raw
			if o.EPFL = epfl; epfl {
				w = raw.EPFL()
			}
			if k.EPFL || !epfl {
				b.Run(fmt.Sprintf("%s/epfl=%v", k.Name, epfl), func(b *testing.B) { bench(b, w, k.Name, o) })
			}
		}
	}
}

// BenchmarkYH1Sub is Eagle on the authors' trace, on 3,583 workers.
func BenchmarkYH1Sub(b *testing.B) {
	raw := read(b, sourcetest.SharedFile(b, "hawk-eagle-tr/YH1_sub.tr.gz"))
	for _, epfl := range []bool{true, false} {
		o := distributed.DefaultOptions(3583)
		w := raw
		if o.EPFL = epfl; epfl {
			w = raw.EPFL()
		}
		b.Run(fmt.Sprintf("epfl=%v", epfl), func(b *testing.B) { bench(b, w, "eagle", o) })
	}
}

// BenchmarkWorkers runs the same mix of jobs, as many per worker, that keeps 80% of the workers busy, on clusters of
// different sizes: the cost of a task is to stay the same. An event is a message to a worker, an arrival, an end or an
// empty answer. `just count` counts instructions instead.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1000, 10_000, 100_000} {
		if os.Getenv("RACECARD_LONG") == "" && workers > 10_000 {
			b.Log("100,000 workers only with RACECARD_LONG=1")
			continue
		}
		w := mixed(workers, 40, 0.8)
		for _, name := range []string{"eagle", "hawk", "sparrow", "lwl"} {
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
				bench(b, w, name, distributed.DefaultOptions(workers))
			})
		}
	}
}

// BenchmarkRandomWorkers is what no layout saves: to change one number in the state of a worker drawn at random (two
// lines of the cache), where the next one is known before, as those of a message are, and where it is not, as what a
// task leads to.
func BenchmarkRandomWorkers(b *testing.B) {
	type state struct {
		next uint32
		n    [31]int32
	}
	for _, workers := range []int{1000, 10_000, 100_000} {
		all := make([]state, workers)
		order := rand.New(rand.NewPCG(1, 1)).Perm(workers)
		for i, w := range order {
			all[w].next = uint32(order[(i+1)%workers])
		}
		b.Run(fmt.Sprintf("known/workers=%d", workers), func(b *testing.B) {
			i := 0
			for b.Loop() {
				x := &all[order[i]]
				x.n[0]++
				x.n[30]++
				if i++; i == workers {
					i = 0
				}
			}
		})
		b.Run(fmt.Sprintf("unknown/workers=%d", workers), func(b *testing.B) {
			x := &all[0]
			for b.Loop() {
				x.n[0]++
				x.n[30]++
				x = &all[x.next]
			}
		})
	}
}
