package distributed_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"racecard/datasets/generate"
	"racecard/datasets/source"
	"racecard/datasets/tr"
	"racecard/datasets/trace"
	"racecard/models/queues/distributed"
	"racecard/models/workload"
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
	if _, err := k.Write(context.Background(), func(string) (io.WriteCloser, error) { return closer{&b}, nil }, jobs, 1,
		nil); err != nil {
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
	}{{0, 0, 100, trace.Failed}, {0, 1, 40, trace.Succeeded}, {0, 2, 41, trace.Succeeded}, {1, 0, 7, trace.Killed},
		{2, 0, trace.None, trace.Running}} {
		x := trace.NewAttempt(0, a.task, a.attempt)
		x.Duration, x.Status = a.took, a.status
		run.Attempts = append(run.Attempts, x)
	}
	k := &distributed.Collector{}
	k.Add(run)
	k.Add(trace.NewRun("never submitted"))
	early := trace.NewRun("no stages")
	early.Submit = 1
	k.Add(early)
	w := k.Workload()
	if len(w.Jobs) != 1 || !slices.Equal(w.Durations, []int64{40, 7, 3, 3}) || w.Jobs[0].Estimate != 13 ||
		k.Count.Estimated[1] != 2 {
		t.Errorf("got %+v, %d estimated", w, k.Count.Estimated)
	}
	if k.Count.LeftOut[workload.NoSubmit] != 1 || k.Count.LeftOut[workload.NoStages] != 1 {
		t.Errorf("left out are %v", k.Count.LeftOut)
	}
}

func TestCollectorWithoutTimes(t *testing.T) {
	run := func(id string, times bool) *trace.Run {
		r := trace.NewRun(id)
		r.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
		r.Stages[0].Tasks = 2
		if r.Stages[1].Tasks = 1; !times {
			r.Stages[1].Tasks = trace.None
		}
		if times {
			r.Stages[0].Start, r.Stages[0].End = 10, 35
		}
		return r
	}
	k := &distributed.Collector{Gap: 1000 * distributed.Second, Seed: 7}
	for range 400 {
		k.Add(run("known", true))
		k.Add(run("unknown", false))
	}
	w := k.Workload()
	if len(w.Jobs) != 400 || !slices.Equal(w.Of(0)[:2], []int64{25, 25}) || k.Count.StageTimes != [2]int64{400, 800} ||
		k.Count.Drawn != [2]int64{400, 400} ||
		k.Count.LeftOut[workload.UnknownTasks] != 400 || len(k.Count.LeftOut) != 1 {
		t.Errorf("%d jobs, as long as stages %v, drawn %v, left out %v", len(w.Jobs), k.Count.StageTimes, k.Count.Drawn,
			k.Count.LeftOut)
	}
	// 399 gaps of 1,000 s: a standard deviation of 50 s of the mean.
	if mean := float64(w.Span()) / 399 / distributed.Second; w.Jobs[0].Submit != 0 || mean < 800 || mean > 1200 {
		t.Errorf("submissions are %g s apart, from %d on", mean, w.Jobs[0].Submit)
	}
	again := &distributed.Collector{Gap: 1000 * distributed.Second, Seed: 8}
	for range 400 {
		again.Add(run("known", true))
	}
	if again.Workload().Span() == w.Span() {
		t.Error("another seed draws the same submissions")
	}
	if k := (&distributed.Collector{}); func() bool {
		k.Add(run("a", true))
		return k.Count.LeftOut[workload.NoSubmit] != 1
	}() {
		t.Errorf("without being told, left out are %v", k.Count.LeftOut)
	}
}

func TestJobsOfOneInstantAreInTheOrderOfTheirNumbers(t *testing.T) {
	k := &distributed.Collector{}
	for _, id := range []string{"1", "10", "100", "11", "2", "9"} { // as stores have them
		run := trace.NewRun(id)
		run.Submit = 5
		if id == "2" {
			run.Submit = 6
		}
		run.Stages = []trace.Stage{trace.NewStage()}
		run.Stages[0].Tasks, run.Stages[0].EstimateS = 1, 1
		k.Add(run)
	}
	var got []string
	for _, j := range k.Workload().Jobs {
		got = append(got, j.ID)
	}
	if want := []string{"1", "9", "10", "11", "100", "2"}; !slices.Equal(got, want) {
		t.Errorf("jobs are in the order %v, want %v", got, want)
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
	want := []string{"a3000000 2000000 [1000000]", "b3010000 2000000 [0 4000000]", "d3015000 1000000 [1000000]",
		"c3020000 1000000 [1000000]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if w.Jobs[1].Submit != 3*s || w.Durations[0] != 1_999_999 {
		t.Error("the workload was changed")
	}
}
