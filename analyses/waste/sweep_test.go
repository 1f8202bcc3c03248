package waste

import (
	"math"
	"testing"

	"racecard/datasets/trace"
)

// An event keeps its instant, class and direction, as early and as late as events go.
func TestEvents(t *testing.T) {
	for _, at := range []trace.Instant{near(-1 << 61), -1, 0, 1, 1_788_220_800_000_000, near(1 << 61)} {
		for c := useful; c < barrierIdle; c++ {
			if s, e := starts(at, c), ends(at, c); s.at() != at || e.at() != at || s.class() != c || e.class() != c ||
				s.change() != 1 || e.change() != -1 {
				t.Errorf("%d, class %d: %d %d %d, %d %d %d", at, c, s.at(), s.class(), s.change(), e.at(), e.class(),
					e.change())
			}
		}
	}
}

// Two cores are held for 10 s; one attempt of 4 s, and one that a trace ends 50,000 years later: nothing overflows, and
// the classes are what was held.
func TestFarInstants(t *testing.T) {
	run := trace.NewRun("r")
	run.Status, run.Guaranteed, run.Start, run.End = trace.Succeeded, 2, 0, 10e6
	for i, end := range []trace.Instant{4e6, 1 << 60} {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Status, a.Start, a.End = trace.Succeeded, 0, end
		run.Attempts = append(run.Attempts, a)
	}
	var s sweeper
	u, ok := s.classify(run)
	sum := 0.0
	for _, x := range u.classes {
		if x < 0 {
			t.Errorf("%v", u.classes)
		}
		sum += x
	}
	if want := 2 * trace.Duration(farthest).Seconds(); !ok || math.Abs(sum/want-1) > 1e-9 {
		t.Errorf("%v seconds, want %v", sum, want)
	}
}
