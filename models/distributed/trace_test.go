package distributed_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sort"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/generate"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/tr"
	"racecard/datasets/trace"
	"racecard/models/distributed"
)

// read makes a workload of a .tr file.
func read(t testing.TB, f *source.File) *distributed.Workload {
	t.Helper()
	k := &distributed.Collector{}
	for run, err := range tr.Read(context.Background(), []*source.File{f}, source.NewTally()) {
		if err != nil {
			t.Fatal(err)
		}
		k.Add(run)
	}
	return k.Workload()
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// generated makes a workload of a generated trace.
func generated(t testing.TB, kind string, jobs int64) *distributed.Workload {
	t.Helper()
	k, err := generate.Named(kind)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := k.Write(context.Background(), func(string) (io.WriteCloser, error) { return closer{&b}, nil }, jobs, 1, nil); err != nil {
		t.Fatal(err)
	}
	return read(t, source.BytesFile("synthetic.tr", b.Bytes()))
}

func TestCollectorTakesTheAttemptThatSucceeded(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit = 5
	run.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
	run.Stages[1].Tasks, run.Stages[1].EstimateS = 2, 3e-6
	for _, a := range []struct {
		task, attempt int32
		took          trace.Duration
		status        trace.Status
	}{{0, 0, 100, trace.Failed}, {0, 1, 40, trace.Succeeded}, {0, 2, 41, trace.Succeeded}, {1, 0, 7, trace.Killed}, {2, 0, trace.None, trace.Running}} {
		x := trace.NewAttempt(0, a.task, a.attempt)
		x.Duration, x.Status = a.took, a.status
		run.Attempts = append(run.Attempts, x)
	}
	k := &distributed.Collector{}
	k.Add(run)
	k.Add(trace.NewRun("never submitted"))
	early := trace.NewRun("no tasks")
	early.Submit = 1
	k.Add(early)
	w := k.Workload()
	if len(w.Jobs) != 1 || !slices.Equal(w.Durations, []int64{40, 7, 3, 3}) || w.Jobs[0].Estimate != 13 || k.Estimated != 2 {
		t.Errorf("got %+v, %d estimated", w, k.Estimated)
	}
	if k.LeftOut[distributed.NoSubmit] != 1 || k.LeftOut[distributed.NoDurations] != 1 {
		t.Errorf("left out are %v", k.LeftOut)
	}
}

func TestCollectorAssumesWhatItIsTold(t *testing.T) {
	run := func(id string, times bool) *trace.Run {
		r := trace.NewRun(id)
		r.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
		r.Stages[0].Tasks = 2
		if times {
			r.Stages[0].Start, r.Stages[0].End = 10, 35
		}
		return r
	}
	k := &distributed.Collector{StageTimes: true, Gap: 1000 * distributed.Second, Seed: 7}
	for range 400 {
		k.Add(run("known", true))
		k.Add(run("unknown", false))
	}
	w := k.Workload()
	if len(w.Jobs) != 400 || !slices.Equal(w.Of(0), []int64{25, 25}) || k.AsStages != 800 || k.LeftOut[distributed.NoDurations] != 400 || len(k.LeftOut) != 1 {
		t.Errorf("%d jobs, %d tasks as long as stages, left out %v", len(w.Jobs), k.AsStages, k.LeftOut)
	}
	// 399 gaps of 1,000 s: a standard deviation of 50 s of the mean.
	if mean := float64(w.Span()) / 399 / distributed.Second; w.Jobs[0].Submit != 0 || mean < 800 || mean > 1200 {
		t.Errorf("submissions are %g s apart, from %d on", mean, w.Jobs[0].Submit)
	}
	again := &distributed.Collector{StageTimes: true, Gap: 1000 * distributed.Second, Seed: 8}
	for range 400 {
		again.Add(run("known", true))
	}
	if again.Workload().Span() == w.Span() {
		t.Error("another seed draws the same submissions")
	}
	if k := (&distributed.Collector{}); func() bool { k.Add(run("a", true)); return k.LeftOut[distributed.NoSubmit] != 1 }() {
		t.Errorf("without being told, left out are %v", k.LeftOut)
	}
}

func TestEPFLCutsToSecondsAndDephases(t *testing.T) {
	const s = distributed.Second
	w := &distributed.Workload{}
	w.Add("a", 3*s, 2_900_000, 1_999_999)
	w.Add("b", 3*s, -1, 500_000, 4*s)
	w.Add("c", 3*s, -1, s)
	w.Add("d", 3*s+15_000, -1, s)
	e := w.EPFL()
	var got []string
	for i, j := range e.Jobs {
		got = append(got, fmt.Sprint(j.ID, j.Submit, j.Estimate, e.Of(i)))
	}
	want := []string{"a3000000 2000000 [1000000]", "b3010000 2000000 [0 4000000]", "d3015000 1000000 [1000000]", "c3020000 1000000 [1000000]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if w.Jobs[1].Submit != 3*s || w.Durations[0] != 1_999_999 {
		t.Error("the workload was changed")
	}
}

// epfl simulates a workload as the published simulator does and returns p50, p90 and p99 of short and of long jobs, in seconds.
func epfl(t testing.TB, w *distributed.Workload, name string, o distributed.Options) (q [6]float64) {
	t.Helper()
	s, err := distributed.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := distributed.Run(context.Background(), w, s, o)
	if err != nil {
		t.Fatal(err)
	}
	var classes [2][]float64
	for i, x := range out.Completion {
		k := 0
		if out.Long[i] {
			k = 1
		}
		classes[k] = append(classes[k], float64(x)/distributed.Second)
	}
	for k, c := range classes {
		sort.Float64s(c)
		for i, p := range []float64{0.5, 0.9, 0.99} {
			q[3*k+i] = quantile.Quantile(c, p)
		}
	}
	return q
}

// TestPublishedTraces prints medians over seeds 1 to 5, to be put beside those of the published simulator, and checks what
// does not depend on it: at every load, Eagle's short jobs are faster than Hawk's, and Hawk's than Sparrow's.
func TestPublishedTraces(t *testing.T) {
	distributed.OneGoroutine(t)
	for _, trace := range []struct {
		file            string
		cutoff, general float64
	}{{"hawk-eagle-tr/YH1_sub.tr.gz", 90.5811, 98}, {"tr-synthetic/SYN_yahoo_like.tr.gz", 90.5811, 94}, {"hawk-eagle-tr/GOOG_subtrace.tr.gz", 1129.532, 83}} {
		if os.Getenv("RACECARD_LONG") == "" && trace.general != 98 {
			t.Logf("%s and more seeds only with RACECARD_LONG=1", trace.file)
			continue
		}
		raw := read(t, sourcetest.SharedFile(t, trace.file))
		w := raw.EPFL()
		seeds := uint64(5)
		if os.Getenv("RACECARD_LONG") == "" {
			seeds = 1
		}
		for _, load := range []float64{0.5, 0.7, 0.9} {
			o := distributed.DefaultOptions(raw.WorkersFor(load, true))
			o.Cutoff, o.General, o.EPFL = int64(math.Round(trace.cutoff*distributed.Second)), trace.general, true
			p50 := map[string]float64{}
			for _, k := range distributed.Kinds() {
				if !k.EPFL {
					continue
				}
				var of [6][]float64
				for seed := range seeds {
					o.Seed = seed + 1
					for i, x := range epfl(t, w, k.Name, o) {
						of[i] = append(of[i], x)
					}
				}
				line := ""
				for i, all := range of {
					slices.Sort(all)
					m := quantile.Quantile(all, 0.5)
					line += fmt.Sprintf(" %9.1f (%3.1f%%)", m, 100*(all[len(all)-1]-all[0])/m)
					if i == 0 {
						p50[k.Name] = m
					}
				}
				t.Logf("%s load %.1f, %5d workers, %-11s%s", trace.file, load, o.Workers, k.Name, line)
			}
			if trace.general == 98 && !(p50["eagle"] < p50["hawk"] && p50["hawk"] < p50["sparrow"]) {
				t.Errorf("%s, load %g: short jobs take %v", trace.file, load, p50)
			}
		}
	}
}
