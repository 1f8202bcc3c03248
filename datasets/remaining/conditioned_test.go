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
		{"start-up counts", plain, State{0, 0.4, 0}, 1, 0.5, 99.6},
		// 99 of 100 runs take at most 1.49 s for a hundredth, which is 1/100 of what remains: q is 0.50495.
		{"for longer than a hundredth takes", plain, State{0, 7, 0}, 1, 0.5, 99.49},
		{"on time", plain, State{0.4, 40, 40}, 1, 0.5, 60},
		{"late", plain, State{0.4, 70, 70}, 1, 0.5, 60},
		{"waiting for half a hundredth", plain, State{0.4, 40.5, 40}, 1, 0.5, 59.5},
		// The hundredth is 1/60 of what remains: q is 0.5 + 0.99/60/2.
		{"on 2 tokens a hundredth takes half a second", plain, State{0.4, 25, 20}, 2, 0.5, 29.743},
		{"p90", plain, State{0.4, 40, 40}, 1, 0.9, 84},
		{"since when is not known: taken to be on time", plain, State{0.4, 40.25, math.NaN()}, 1, 0.5, 59.75},
		{"since when is not known, and it is early", plain, State{0.4, 30, math.NaN()}, 1, 0.5, 60},
		{"the end is not reached", plain, State{1, 99, 99}, 1, 0.5, 1},
		// 0.5 to 1.5 s remain, evenly; of what is above 1 s, half is above 1.25 s.
		{"the last hundredth takes longer than most", plain, State{0.99, 100, 99}, 1, 0.5, 0.25},
		{"and longer than all: the slowest of 100", plain, State{0.99, 101, 99}, 1, 0.5, 0.005},
		{"a part of one task is done in half the time of most", one(), State{0, 0.5, 0}, 1, 0.5, 1.5},
		// 1 to 3 s, evenly: of what is above 2 s, half is above 2.5 s.
		{"a run of one task lasts longer than most", one(), State{0, 2, 0}, 1, 0.5, 0.5},
		// Half of what remains comes after the wait of 0.5 to 1.5 s: of half of the runs that wait for less than 1 s,
		// none is left out. That is p62.5 of 1 to 3 s.
		{"half of the time comes afterwards", halves(), State{0, 1, 0}, 1, 0.5, 2.25 - 1},
	} {
		if got := test.table.Conditioned(test.s, test.tokens, test.q); math.Abs(got-test.want) > 0.006 {
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

// one is a table of a single task of 1 to 3 s; halves one of two like it, one after the other, of half the time.
func one() *Table    { return steps(0) }
func halves() *Table { return steps(0.5) }

// steps returns a table of runs of 1 to 3 s, evenly, of whose time a share is left up to a progress of a half.
func steps(half float64) *Table {
	t := New(About{Job: "steps", Method: Simulated}, []int32{1})
	for i := range Steps {
		share := 0.0
		switch {
		case i == 0:
			share = 1
		case i <= Steps/2:
			share = half
		}
		t.Samples[i], t.Mean[i] = 100, 2*share
		for q := range t.Quantiles {
			t.Quantiles[q][i] = share * (1 + 2*float64(q)/(Levels-1))
		}
	}
	return t
}

// What remains never grows with a smaller quantile, and the end that is foretold is never earlier after a longer wait.
// A run that waits for no longer than all others needs what the table says of the progress alone, less the wait.
func TestConditionedOrder(t *testing.T) {
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
		if x := table.Conditioned(later, tokens, q); later.ElapsedS+x < s.ElapsedS+here-noise {
			t.Errorf("%v s after %v s, and %v after %v: an earlier end", here, s.ElapsedS, x, later.ElapsedS)
		}
		s.ElapsedS = s.SinceS
		alone := table.Remaining(min(s.Progress, Progress(Steps-2)), tokens, q)
		if x := table.Conditioned(s, tokens, q); math.Abs(x-alone) > noise {
			t.Errorf("%v s without a wait, and %v by progress alone", x, alone)
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
