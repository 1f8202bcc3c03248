package distributed_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"racecard/datasets/source/sourcetest"
	"racecard/models/distributed"
)

func bench(b *testing.B, w *distributed.Workload, name string, o distributed.Options) {
	b.ReportAllocs()
	for b.Loop() {
		s, err := distributed.New(name, o)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := distributed.Run(context.Background(), w, s, o); err != nil {
			b.Fatal(err)
		}
	}
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

// BenchmarkWorkers runs jobs that keep 80% of the workers busy, for clusters of different sizes: the cost of a task is to stay the
// same.
func BenchmarkWorkers(b *testing.B) {
	for _, name := range []string{"eagle", "lwl", "hawk"} {
		for _, workers := range []int{1000, 10_000, 100_000} {
			w := generated(b, "tr-yahoo", int64(3*workers))
			if os.Getenv("RACECARD_LONG") == "" && workers > 10_000 {
				b.Log("100,000 workers only with RACECARD_LONG=1")
				continue
			}
			span := w.Work(false) / 0.8 / float64(workers) * distributed.Second
			for i := range w.Jobs {
				w.Jobs[i].Submit = int64(span * float64(i) / float64(len(w.Jobs)))
			}
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) { bench(b, w, name, distributed.DefaultOptions(workers)) })
		}
	}
}
