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
	p, err := NewPlan([]Stage{{2, 0, 6, 3, 0, .75, 0, .6}, {2, 1, 2, 1, .75, 1, .6, 1}}, []trace.Edge{{Parent: 0, Child: 1}})
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
