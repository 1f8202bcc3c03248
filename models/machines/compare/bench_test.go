package compare_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/generate"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
	"racecard/models/machines/compare"
	"racecard/models/machines/jobs"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
	"racecard/models/workload"
)

// buffer keeps a file.
type buffer struct{ content []byte }

func (b *buffer) Write(p []byte) (int, error) {
	b.content = append(b.content, p...)
	return len(p), nil
}
func (*buffer) Close() error { return nil }

// generated returns jobs of a kind of generator.
func generated(t testing.TB, kind string, n int64) *jobs.Builder {
	t.Helper()
	k, err := generate.Named(kind)
	if err != nil {
		t.Fatal(err)
	}
	var file buffer
	if _, err := k.Write(context.Background(), func(string) (io.WriteCloser, error) { return &file, nil }, n, 1,
		nil); err != nil {
		t.Fatal(err)
	}
	format, err := formats.Named(k.Format, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &jobs.Builder{Draw: workload.DefaultDraw(1)}
	for _, run := range sourcetest.Read(t, format, source.BytesFile("x.jsonl", file.content)).Runs {
		b.Add(run)
	}
	return b
}

// paper is the cluster of the paper.
func paper(machines int) compare.Setup {
	s := setup()
	s.Capacities = nil
	for range machines {
		s.Capacities = append(s.Capacities, trace.Demand{20, 128e9, 500e6, 500e6, 1.25e9, 1.25e9, 0})
	}
	return s
}

// BenchmarkReplay replays 250 TPC-DS-like jobs, 25 with -short, that arrive at once on 100 machines.
func BenchmarkReplay(b *testing.B) {
	s := paper(100)
	s.Offline, s.InterarrivalS, s.Load = true, 20, 0.8
	n := int64(250)
	if testing.Short() {
		n = 25
	}
	w, err := s.Prepare(generated(b, "dags-tpcds", n))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"fifo", "drf", "tetris", "sjf", "capacity", "carbyne", "carbyne-dagps"} {
		b.Run(name, func(b *testing.B) {
			rate(b, &s, w, name)
		})
	}
}

// rate replays a workload under a scheduler, and reports jobs that come and tasks that end per second.
func rate(b *testing.B, s *compare.Setup, w *compare.Workload, name string) {
	b.Helper()
	events := 0.0
	for b.Loop() {
		o, err := compare.Run(b.Context(), s.Cases(w, []string{name}, "")[0])
		if err != nil {
			b.Fatal(err)
		}
		events += float64(o.Result.Ended) + float64(len(w.Jobs))
	}
	b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkOverload replays Microsoft-like jobs on machines that keep up, and on ones that do not, so that most jobs
// wait.
func BenchmarkOverload(b *testing.B) {
	for _, load := range []float64{0.8, 1.5} {
		for _, name := range []string{"drf", "tetris", "tetris-fair", "sjf", "srtf", "capacity", "carbyne",
			"carbyne-dagps"} {
			n := 300
			if testing.Short() || strings.HasPrefix(name, "carbyne") {
				n = 30
			}
			b.Run(fmt.Sprintf("%s/%v", name, load), func(b *testing.B) {
				s := paper(n / 3)
				s.InterarrivalS, s.Load = 30_000/float64(n), load
				w, err := s.Prepare(generated(b, "dags-microsoft", int64(n)))
				if err != nil {
					b.Fatal(err)
				}
				rate(b, &s, w, name)
			})
		}
	}
}

// BenchmarkPending measures an event while so many tasks wait: Carbyne's overhead table has 10,000 and 50,000.
func BenchmarkPending(b *testing.B) {
	sizes := []int{10_000, 50_000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, pending := range sizes {
		for _, name := range []string{"drf", "tetris", "carbyne"} {
			b.Run(fmt.Sprintf("%s/%d", name, pending), func(b *testing.B) {
				s := paper(100)
				all := waiting(pending)
				w, err := s.Prepare(&jobs.Builder{Jobs: all})
				if err != nil {
					b.Fatal(err)
				}
				c := s.Cases(w, []string{name}, "")[0]
				events := 0
				for b.Loop() {
					m, err := c.Machines()
					if err != nil {
						b.Fatal(err)
					}
					named, err := compare.Named(name)
					if err != nil {
						b.Fatal(err)
					}
					scheduler, err := named.Make(&c.Parameters)
					if err != nil {
						b.Fatal(err)
					}
					stop := &stopper{left: 20_000}
					ctx, cancel := context.WithCancel(b.Context())
					stop.cancel = cancel
					if _, err := replay.Run(ctx, c.Jobs, m, scheduler, stop); !errors.Is(err, context.Canceled) {
						b.Fatalf("want so many tasks that some are left: %v", err)
					}
					cancel()
					events += 20_000 - stop.left
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			})
		}
	}
}

// waiting returns jobs of 100 tasks each with so many tasks together beside those that run at once.
func waiting(pending int) (all []*jobs.Job) {
	for i := range (pending + 20_000) / 100 {
		demand := trace.Demand{1 + float64(i%7)/2, float64(1+i%13) * 1e9, float64(10+i%190) * 1e6,
			float64(10+i%150) * 1e6, 1e7, 1e8, 0}
		first := replaytest.Stage(50, 1+float64(i%17)/7, demand)
		for k := range 49 {
			first.Durations = append(first.Durations, first.Durations[0]+int64(k*1009))
		}
		second := replaytest.Stage(50, 2, demand, 0)
		all = append(all, replaytest.Job(fmt.Sprint(i), 0, first, second))
	}
	return all
}

// stopper ends a replay after a number of tasks.
type stopper struct {
	left   int
	cancel func()
}

func (*stopper) Arrive(*replay.State, *replay.Job) {}
func (*stopper) Start(*replay.State, *replay.Task) {}
func (o *stopper) End(*replay.State, *replay.Task) {
	if o.left--; o.left <= 0 {
		o.cancel()
	}
}
func (*stopper) Finish(*replay.State, *replay.Job) {}
func (*stopper) Scheduled(*replay.State)           {}
