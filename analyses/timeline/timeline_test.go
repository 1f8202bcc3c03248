package timeline

import (
	"math"
	"testing"

	"racecard/datasets/trace"
)

// run makes a run whose stages hold that many attempts of one second, one after the other, from second 10 on.
func run(id string, attempts ...int) *trace.Run {
	r := trace.NewRun(id)
	r.Submit = 9e6
	at := trace.Instant(10e6)
	for s, n := range attempts {
		r.Stages = append(r.Stages, trace.NewStage())
		for i := range n {
			a := trace.NewAttempt(int32(s), int32(i), 0)
			a.Start, a.End, a.Duration, a.Status = at, at+1e6, 1e6, trace.Succeeded
			at += 1e6
			r.Attempts = append(r.Attempts, a)
		}
	}
	return r
}

func TestTheRunWithMostStagesIsPicked(t *testing.T) {
	runs := []*trace.Run{run("a", 1, 1), run("c", 2, 3), run("b", 2, 3), run("d", 9), run("e")}
	runs = append(runs, run("huge", MaxAttempts, 1, 1, 1))
	for split := range len(runs) {
		p, q := New(Options{}), New(Options{})
		for i, r := range runs {
			if i < split {
				p.Add(r)
			} else {
				q.Add(r)
			}
		}
		p.Merge(q)
		l, err := p.Finish(t.Context())
		if err != nil || !l.Available || l.JobID != "b" || len(l.Attempts) != 5 {
			t.Errorf("split at %d: %+v, %v; want run b", split, l, err)
		}
	}
}

func TestTimesCountFromTheFirstEvent(t *testing.T) {
	r := run("r", 2, 1)
	r.Attempts[1].Status = trace.Failed
	r.Attempts[1].Duration = 20e6 // of a failed attempt: no time of a task
	r.Attempts[2].End, r.Attempts[2].Duration = trace.None, trace.None
	r.Allocations = []trace.Allocation{{At: 9.5e6, Tokens: 4, Machines: 2, Spare: trace.None},
		{At: 10e6, Tokens: trace.None, Machines: 3, Spare: trace.None}}
	p := New(Options{Run: "r"})
	p.Add(r)
	p.Add(run("longer", 5, 5, 5))
	l, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l.JobID != "r" || l.SubmitS != 0 || !math.IsNaN(float64(l.EndS)) || l.Attempts[0].StartS != 1 ||
		l.Attempts[1].EndS != 3 || !math.IsNaN(l.Attempts[2].EndS) {
		t.Errorf("%+v", l)
	}
	if s := l.Stages[0]; s.FirstS != 1 || s.LastS != 3 || s.Attempts != 2 || s.Failed != 1 || s.MedianS != 1 ||
		s.MaxS != 1 {
		t.Errorf("stage %+v", s)
	}
	if len(l.Allocations) != 1 || l.Allocations[0].AtS != 0.5 || l.Allocations[0].Tokens != 4 {
		t.Errorf("allocations %+v", l.Allocations)
	}
}

func TestNothingToShow(t *testing.T) {
	p := New(Options{})
	p.Add(run("e"))
	if l, err := p.Finish(t.Context()); err != nil || l.Available || len(l.Missing) == 0 {
		t.Errorf("%+v, %v", l, err)
	}
	p = New(Options{Run: "nowhere"})
	if _, err := p.Finish(t.Context()); err == nil {
		t.Error("a run that is not there was found")
	}
}
