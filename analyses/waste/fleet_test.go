package waste

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// Two runs hold 4 cores each, from 0 to 10 s and from 5 to 15 s, and use 1 and 2 of them: of 15 bins of a second, five
// hold 8.
func TestFleetByHand(t *testing.T) {
	p := New(DefaultOptions())
	for i, at := range []trace.Instant{0, 5_000_000} {
		run := trace.NewRun("r")
		run.Submit, run.Start, run.End, run.Status, run.Guaranteed = at, at, at+10_000_000, trace.Succeeded, 4
		st := trace.NewStage()
		st.Tasks = int64(i + 1)
		run.Stages = []trace.Stage{st}
		for k := range i + 1 {
			a := trace.NewAttempt(0, int32(k), 0)
			a.Status, a.Start, a.End, a.Duration = trace.Succeeded, at, at+10_000_000, 10_000_000
			a.Machine = []string{"host-1/1", "host-1/2", "host-2/3"}[i+k]
			run.Attempts = append(run.Attempts, a)
		}
		p.Add(run)
	}
	w, err := p.Finish(context.Background())
	if err != nil || w.Fleet == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	f := w.Fleet
	if f.Machines != 2 || f.PeakCores != 8 || math.Abs(f.MeanCores-80.0/15) > 1e-9 || f.Cores != 8 ||
		f.BusyCores != 3 ||
		f.CoresPerMachine != 4 || f.Enough != 2 || f.EnoughBusy != 1 || f.BinS != 1 {
		t.Errorf("%+v", f)
	}
}

// Two machines that had one core in use between them at the peak: what they have, and so how many are enough, is unknown.
func TestFleetOfIdleMachines(t *testing.T) {
	p := New(DefaultOptions())
	for i, at := range []trace.Instant{0, 20_000_000} {
		run := trace.NewRun("r")
		run.Submit, run.Start, run.End, run.Status, run.Guaranteed = at, at, at+10_000_000, trace.Succeeded, 1
		run.Stages = []trace.Stage{trace.NewStage()}
		a := trace.NewAttempt(0, 0, 0)
		a.Status, a.Start, a.End, a.Duration = trace.Succeeded, at, at+10_000_000, 10_000_000
		a.Machine = []string{"host-1", "host-2"}[i]
		run.Attempts = []trace.Attempt{a}
		p.Add(run)
	}
	w, err := p.Finish(context.Background())
	if err != nil || w.Fleet == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	if f := w.Fleet; f.Machines != 2 || f.PeakCores != 1 || f.Enough != 0 || f.EnoughBusy != 0 {
		t.Errorf("%+v", f)
	}
}

// Bins hold all that was held, however many there are and however they are merged.
func TestFleetAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, parts := newFleet(), []fleet{newFleet(), newFleet()}
		want := 0.0
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			from := rapid.Int64Range(-1e15, 1e15).Draw(t, "from")
			length := rapid.OneOf(rapid.Int64Range(0, 1e7), rapid.Int64Range(0, 1e14)).Draw(t, "length")
			to := trace.Instant(from + length)
			whole.add(trace.Instant(from), to, 2, 1)
			p := &parts[rapid.IntRange(0, 1).Draw(t, "part")]
			p.add(trace.Instant(from), to, 2, 1)
			p.flush()
			want += 2 * float64(length)
		}
		whole.flush()
		parts[0].merge(&parts[1])
		for _, f := range []*fleet{&whole, &parts[0]} {
			got := 0.0
			for _, l := range f.bins {
				got += l.Held
			}
			if math.Abs(got-want) > 1e-6*max(1, want) || len(f.bins) > mostBins {
				t.Fatalf("%d bins hold %v, want %v", len(f.bins), got, want)
			}
		}
	})
}
