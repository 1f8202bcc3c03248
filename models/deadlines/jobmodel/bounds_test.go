package jobmodel

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/sim"
)

// bag is a run of a stage of some tasks that take as long each, side by side.
func bag(i int, seconds float64, tasks int, tokens, input int64) *trace.Run {
	r := trace.NewRun(fmt.Sprintf("job-%02d", i))
	r.Name, r.Status, r.Guaranteed, r.InputBytes = "job", trace.Succeeded, tokens, input
	r.Submit = trace.Instant(i) * 1000 * 86400 * second
	r.Start, r.End = r.Submit, r.Submit+trace.Instant(seconds*second)
	s := trace.NewStage()
	s.Tasks, s.Start, s.End = int64(tasks), r.Start, r.End
	r.Stages = []trace.Stage{s}
	for k := range tasks {
		a := trace.NewAttempt(0, int32(k), 0)
		a.Status, a.Start, a.End, a.Duration = trace.Succeeded, r.Start, r.End, trace.Duration(seconds*second)
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

// Whatever durations were recorded, and however far inputs, tokens and noise extrapolate them, a forecast is made. A
// model that cannot be simulated says that it is too long, or too large.
func TestDurationsAreBounded(t *testing.T) {
	const day, year = 86400., 365 * 86400.
	rng := rand.New(rand.NewPCG(1, 2))
	few := func(i int) int64 { return []int64{1, 100_000}[i%2] }
	decades := func(i int) int64 { return int64(math.Pow10(i % 7)) }
	for name, run := range map[string]func(i int) *trace.Run{
		"a year":       func(i int) *trace.Run { return bag(i, year*(1+0.1*float64(i%3)), 2, 2, trace.None) },
		"90 days":      func(i int) *trace.Run { return bag(i, 90*day, 1, few(i), decades(i)) },
		"longer on 1":  func(i int) *trace.Run { return bag(i, []float64{80 * day, 1}[i%2], 1, few(i), trace.None) },
		"shorter on 1": func(i int) *trace.Run { return bag(i, []float64{1, 80 * day}[i%2], 1, few(i), trace.None) },
		"as the input": func(i int) *trace.Run { return bag(i, math.Pow10(i%7), 3, 3, 1000*decades(i)*decades(i)) },
		"more tasks":   func(i int) *trace.Run { return bag(i, 10, 3*(1+i%7), 3, 1000*int64(1+i%7)) },
		"tiny":         func(i int) *trace.Run { return bag(i, 1e-6*float64(1+i%3), 4, 1+int64(i%4), 1+int64(i%3)) },
		"loud": func(i int) *trace.Run {
			return bag(i, min(8e6, math.Exp(6*rng.NormFloat64())), 1+i%4, []int64{1, 10, 100_000}[i%3], 1e15)
		},
		"either": func(i int) *trace.Run {
			return bag(i, []float64{1e-6, 1, 1e6, 8e6}[rng.IntN(4)], 5, []int64{1, 10, 100_000}[i%3], decades(2*i)*decades(i))
		},
	} {
		for _, timed := range []bool{true, false} {
			var runs []*trace.Run
			for i := range 12 {
				r := run(i)
				if !timed {
					r.Submit, r.Start, r.End = trace.None, trace.None, trace.None
				}
				runs = append(runs, r)
			}
			o := profile.DefaultOptions()
			o.NoFit = true
			p, err := profile.Fit(runs, o)
			if err != nil {
				t.Fatal(err)
			}
			j := NewJob(p)
			for _, tokens := range []float64{0, 1, 100_000} {
				for _, input := range []float64{math.NaN(), 1, 1e18} {
					o := DefaultOptions()
					o.Tokens, o.InputBytes, o.Simulated = tokens, input, 1
					of, err := j.Complete(o)
					for _, s := range of.Times.Values() {
						if !(s >= 0) || math.IsInf(s, 1) {
							err = errors.Join(err, fmt.Errorf("a run of %v s", s))
							break
						}
					}
					if err != nil {
						t.Errorf("%s, timed %v, %v tokens, input %v: %v", name, timed, tokens, input, err)
					}
					if _, err := j.Model(o); err != nil && !errors.Is(err, sim.ErrTooLong) &&
						!errors.Is(err, sim.ErrTooManyTasks) {
						t.Errorf("%s, timed %v, %v tokens, input %v: %v", name, timed, tokens, input, err)
					}
				}
			}
		}
	}
}

// A run whose stage took a year, one of whose tasks took 60 days twice, and one that waited a year to start are
// recorded, and their simulation says that it is too long.
func TestRecordedDurationsAreBounded(t *testing.T) {
	const day, year = 86400., 365 * 86400.
	stage, again, late := bag(0, year, 1, 1, trace.None), bag(0, 60*day, 1, 1, trace.None), bag(0, 1, 1, 1, trace.None)
	stage.Attempts = nil
	failed := again.Attempts[0]
	failed.Attempt, failed.Status = 1, trace.Failed
	again.Attempts = append(again.Attempts, failed)
	late.Submit -= year * second
	for name, run := range map[string]*trace.Run{"stage": stage, "again": again, "late": late} {
		r, err := Record(run)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := r.Replay(); !errors.Is(err, sim.ErrTooLong) {
			t.Errorf("%s: %v, want %v", name, err, sim.ErrTooLong)
		}
	}
}
