package waste

import (
	"math"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// stretchesOf calls visit with every stretch of a run, in time order. By the rule of the package, the sum of held
// slots x time is the total of the run's classes, without attempts that have a duration only and no place in time. It
// returns false if no attempt has a known time.
func stretchesOf(run *trace.Run, visit func(Stretch)) bool {
	s := sweeper{visit: visit}
	_, ok := s.classify(run)
	return ok
}

// A run of two attempts, of which one lasts 10 s and the other 4 s, holds three slots from 0 s to 12 s. Its stretches
// are those between starts and ends, and held slots x time is the total of its classes.
func TestStretches(t *testing.T) {
	run := trace.NewRun("r")
	run.Status, run.Guaranteed = trace.Succeeded, 3
	run.Submit, run.Start, run.End = 0, 0, 12e6
	run.Stages = []trace.Stage{trace.NewStage()}
	for i, to := range []trace.Instant{10e6, 4e6} {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Status, a.Start, a.End, a.Duration = trace.Succeeded, 0, to, trace.Duration(to)
		run.Attempts = append(run.Attempts, a)
	}
	var got []Stretch
	if !stretchesOf(run, func(s Stretch) { got = append(got, s) }) {
		t.Fatal("no attempt has a known time")
	}
	want := []Stretch{{0, 4e6, 3, 2}, {4e6, 10e6, 3, 1}, {10e6, 12e6, 3, 0}}
	if len(got) != len(want) {
		t.Fatalf("stretches %v, want %v", got, want)
	}
	sum := 0.0
	for i, s := range got {
		if s != want[i] {
			t.Errorf("stretch %d is %v, want %v", i, s, want[i])
		}
		sum += float64(s.Held) * s.To.Since(s.From).Seconds()
	}
	p := New(DefaultOptions())
	p.Add(run)
	var w *result.Waste
	w, err := p.Finish(t.Context())
	if err != nil || math.Abs(w.HeldCoreH*3600-sum) > 1e-9 {
		t.Errorf("%v slot-seconds in stretches, %v held: %v", sum, w.HeldCoreH*3600, err)
	}
}
