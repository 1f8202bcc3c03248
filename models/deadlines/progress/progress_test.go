package progress

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// Stage 0: 2 tasks of 3 s, none queued; stage 1, after it: 2 tasks of 1 s, queued 1 s in all.
// On one token: 0-6 and 6-8 of 8 s, so 0-.75 and .75-1; without limit: 0-3 and 3-4 of 4 s, the same.
// On two tokens relative times would be 0-.75 too, so minstage-inf is given others: 0-.6 and .6-1.
func plan(t testing.TB) *Plan {
	p, err := NewPlan([]Stage{{Tasks: 2, WorkS: 6, LongestS: 3, End: .75, InfEnd: .6},
		{Tasks: 2, QueuedS: 1, WorkS: 2, LongestS: 1, Begin: .75, End: 1, InfBegin: .6, InfEnd: 1}},
		[]trace.Edge{{Parent: 0, Child: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryEvent(t *testing.T) {
	for _, test := range []struct {
		done [2]float64
		want [Count]float64
	}{
		{[2]float64{0, 0}, [Count]float64{0, 0, 0, 0, 0, 0}}, // S_0 = 3+1 = 4
		// .5·6/9, .5·6/8, .5·2/4, 1-(1.5+1)/4, .5·.75, .5·.6
		{[2]float64{.5, 0}, [Count]float64{3. / 9, 3. / 8, .25, .375, .375, .3}},
		// 6/9, 6/8, 2/4, 1-1/4, .75, .6
		{[2]float64{1, 0}, [Count]float64{6. / 9, .75, .5, .75, .75, .6}},
		// (6+1.5)/9, 7/8, 3/4, 1-.5/4, .75+.5·.25, .6+.5·.4
		{[2]float64{1, .5}, [Count]float64{7.5 / 9, .875, .75, .875, .875, .8}},
		{[2]float64{1, 1}, [Count]float64{1, 1, 1, 1, 1, 1}},
	} {
		for k := range Count {
			if got := plan(t).At(k, test.done[:]); math.Abs(got-test.want[k]) > 1e-12 {
				t.Errorf("%v at %v = %v, want %v", k, test.done, got, test.want[k])
			}
		}
	}
}

func TestLaws(t *testing.T) {
	p := plan(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 1), [2]float64{}
		lo := [2]float64{a.Draw(t, "f0"), a.Draw(t, "f1")}
		for i := range b {
			b[i] = max(lo[i], a.Draw(t, "more"))
		}
		for k := range Count {
			x, y := p.At(k, lo[:]), p.At(k, b[:])
			if x < 0 || y > 1 || x > y+1e-12 {
				t.Fatalf("%v: %v at %v, %v at %v", k, x, lo, y, b)
			}
		}
	})
}

// TestMeter: at every event of random runs in which outputs are lost, a meter says what the definition says.
func TestMeter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "stages")
		stages, tasks := make([]Stage, n), make([]int32, n)
		unit := rapid.Float64Range(0, 1)
		var edges []trace.Edge
		for i := range stages {
			tasks[i] = rapid.Int32Range(1, 4).Draw(t, "tasks")
			b, c := unit.Draw(t, "begin"), unit.Draw(t, "inf begin")
			stages[i] = Stage{Tasks: float64(tasks[i]), QueuedS: unit.Draw(t, "queued"), WorkS: 1 + unit.Draw(t, "work"),
				LongestS: 1 + unit.Draw(t, "longest"),
				Begin:    b, End: b + (1-b)*unit.Draw(t, "end"), InfBegin: c, InfEnd: c + (1-c)*unit.Draw(t, "inf end")}
			if i > 0 && rapid.Bool().Draw(t, "edge") {
				edges = append(edges, trace.Edge{Parent: int32(i - 1), Child: int32(i)})
			}
		}
		p, err := NewPlan(stages, edges)
		if err != nil {
			t.Fatal(err)
		}
		for k := range Count {
			m, err := p.Meter(k, tasks)
			if err != nil {
				t.Fatal(err)
			}
			done, f := make([]int32, n), make([]float64, n)
			for range 20 {
				i := rapid.IntRange(0, n-1).Draw(t, "stage")
				done[i] = rapid.Int32Range(0, tasks[i]).Draw(t, "done")
				f[i] = float64(done[i]) / float64(tasks[i])
				m.Set(int32(i), done[i])
				want, x := p.At(k, f), unit.Draw(t, "x")
				if got := m.Reached(x); got != (want >= x) {
					t.Fatalf("%v at %v reached %v: %v, want %v of %v", k, f, x, got, !got, want)
				}
				if !m.Reached(want) {
					t.Fatalf("%v at %v has not reached %v", k, f, want)
				}
				if got := m.Value(); got != want {
					t.Fatalf("%v at %v: %v, want %v", k, f, got, want)
				}
			}
		}
	})
	if _, err := plan(t).Meter(Count, []int32{2, 2}); err == nil {
		t.Error("a seventh indicator is read")
	}
	if _, err := plan(t).Meter(CP, []int32{2}); err == nil {
		t.Error("a stage too few is read")
	}
}

// TestEarlier: stage 0 runs in 0-.75 of the earlier run and stage 1 in .75-1. Of 6 and 2 s of work, half of each is
// left at .375 and .875.
func TestEarlier(t *testing.T) {
	for at, want := range map[float64][3]float64{0: {0, 0, 8}, .375: {.5, 0, 5}, .75: {1, 0, 2}, .875: {1, .5, 1},
		1: {1, 1, 0}} {
		p := plan(t)
		done := p.During(at)
		if got := [3]float64{done[0], done[1], p.Work(done)}; got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}

// TestPath: with half of stage 0 done 1.5 s of it and 1 s of stage 1 are left; with all of it, 1 s.
func TestPath(t *testing.T) {
	for done, want := range map[[2]float64]float64{{0, 0}: 4, {.5, 0}: 2.5, {1, 0}: 1, {1, .5}: .5, {1, 1}: 0,
		{.5, 1}: 2.5} {
		if got := plan(t).Path(done[:]); got != want {
			t.Errorf("%v: %v s, want %v", done, got, want)
		}
	}
	for _, done := range [][]float64{{1}, {1, 2}, {1, math.NaN()}} {
		if s, w := plan(t).Path(done), plan(t).Work(done); !math.IsNaN(s) || !math.IsNaN(w) {
			t.Errorf("%v: %v and %v s, want NaN", done, s, w)
		}
	}
}

func TestNames(t *testing.T) {
	for k := range Count {
		if got, err := Parse(k.String()); got != k || err != nil {
			t.Errorf("%v: %v, %v", k, got, err)
		}
	}
	if _, err := Parse("work"); err == nil {
		t.Error("there is no indicator work")
	}
}
