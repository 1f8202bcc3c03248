package remaining

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// At p of hand on one token (1-p)·100 s remain: a run is due at progress 0.4 after 40 s, and a hundredth takes 1 s.
func TestConditioned(t *testing.T) {
	plain := hand()
	for _, test := range []struct {
		name   string
		table  *Table
		s      State
		tokens float64
		q      float64
		want   float64
	}{
		{"just submitted", plain, State{0, 0, 0}, 1, 0.5, 100},
		{"start-up counts", plain, State{0, 0.6, 0}, 1, 0.5, 99.4},
		{"until the next hundredth is due", plain, State{0, 7, 0}, 1, 0.5, 99},
		{"on time", plain, State{0.4, 40, 40}, 1, 0.5, 60},
		{"late", plain, State{0.4, 70, 70}, 1, 0.5, 60},
		{"waiting for half a hundredth", plain, State{0.4, 40.5, 40}, 1, 0.5, 59.5},
		{"on 2 tokens a hundredth takes half a second", plain, State{0.4, 25, 20}, 2, 0.5, 29.5},
		{"p90", plain, State{0.4, 40, 40}, 1, 0.9, 84},
		{"since when is not known: taken to be on time", plain, State{0.4, 40.25, math.NaN()}, 1, 0.5, 59.75},
		{"since when is not known, and it is early", plain, State{0.4, 30, math.NaN()}, 1, 0.5, 60},
		{"the end is not reached", plain, State{1, 99, 99}, 1, 0.5, 1},
		// 0.5 to 1.5 s remain, evenly; of what is above 1 s, half is above 1.25 s.
		{"the last hundredth takes longer than most", plain, State{0.99, 100, 99}, 1, 0.5, 0.25},
		{"and longer than all", plain, State{0.99, 101, 99}, 1, 0.5, 0},
	} {
		if got := test.table.Conditioned(test.s, test.tokens, test.q); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%s: %v s, want %v", test.name, got, test.want)
		}
	}
	for _, s := range []State{{math.NaN(), 1, 1}, {0, math.NaN(), 0}, {0, -1, 0}} {
		if got := plain.Conditioned(s, 1, 0.5); !math.IsNaN(got) {
			t.Errorf("%+v: %v s, want NaN", s, got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { plain.Conditioned(State{0.99, 100, 99}, 1.5, 0.9) }); n != 0 {
		t.Errorf("%v allocations per look-up", n)
	}
}

// What remains never grows with a smaller quantile. While the median says that progress is to come, it grows neither
// while a run waits nor beyond what the table says of the progress alone.
func TestConditionedFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawn(t)
		table.Monotonize(len(table.Allocations))
		unit := rapid.Float64Range(0, 1)
		tokens, q := rapid.Float64Range(1, 25).Draw(t, "tokens"), unit.Draw(t, "q")
		s := State{Progress: unit.Draw(t, "progress"), SinceS: 100 * unit.Draw(t, "since")}
		s.ElapsedS = s.SinceS + 100*unit.Draw(t, "waited")
		here := table.Conditioned(s, tokens, q)
		later := s
		later.ElapsedS += 10 * unit.Draw(t, "longer")
		const noise = 1e-6
		if x := table.Conditioned(s, tokens, q*unit.Draw(t, "less")); x > here+noise {
			t.Errorf("p%v is %v s, and a smaller quantile %v", 100*q, here, x)
		}
		alone := table.Remaining(min(s.Progress, Progress(Steps-2)), tokens, q)
		median := table.Remaining(min(s.Progress, Progress(Steps-2)), tokens, 0.5)
		if table.Remaining(Progress(Steps-2), tokens, 0.5) >= median*(1-noise) {
			return
		}
		if x := table.Conditioned(later, tokens, q); x > here+noise || here > alone+noise {
			t.Errorf("%v s after %v s, and %v after %v; by progress alone %v", here, s.ElapsedS, x, later.ElapsedS,
				alone)
		}
	})
}

func BenchmarkConditioned(b *testing.B) {
	t := hand()
	sum, p := 0.0, 0.0
	b.ReportAllocs()
	for b.Loop() {
		p += .37
		if p > 1 {
			p--
		}
		sum += t.Conditioned(State{p, 50, 45}, 1+3*p, .9)
	}
	if sum == 0 {
		b.Fatal("nothing remains")
	}
}
