package law

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nightly draws a run of each night; on one day of the week it takes three times as long.
func nightly(rng *rand.Rand, nights int) []Run {
	var out []Run
	for i := range nights {
		r := plain(100 * math.Exp(0.05*rng.NormFloat64()))[0]
		if i%7 == 3 {
			r.Seconds *= 3
		}
		r.Submit = day*float64(i) + 3600*rng.Float64()
		out = append(out, r)
	}
	return out
}

// Where runs take longer on one day of the week, the next takes as long as runs of its day.
func TestDayOfTheWeek(t *testing.T) {
	past := nightly(rand.New(rand.NewPCG(1, 2)), 35)
	for _, c := range []struct{ night, want float64 }{{35, 100}, {38, 300}, {40, 100}} {
		next := unknown()
		next.Submit = c.night*day + 1800
		if all := times(t, past, next); math.Abs(all[100]/c.want-1) > 0.1 || all[180]/all[20] > 1.4 {
			t.Errorf("night %v: %.0f to %.0f to %.0f s, want about %v", c.night, all[20], all[100], all[180], c.want)
		}
	}
	next := unknown()
	next.Submit = nan
	if all := times(t, past, next); all[10] > 130 || all[190] < 250 {
		t.Errorf("a night that is not known: %.0f to %.0f s, want 100 and 300 between", all[10], all[190])
	}
}

// Runs that are as long at all times show no period.
func TestNoPeriod(t *testing.T) {
	rng, sum := rand.New(rand.NewPCG(3, 4)), 0.0
	const jobs = 20
	for range jobs {
		var past []Run
		for i := range 40 {
			r := plain(100 * math.Exp(0.1*rng.NormFloat64()))[0]
			r.Submit = 3 * 3600 * float64(i)
			past = append(past, r)
		}
		next := unknown()
		next.Submit = 40 * 3 * 3600
		f, _ := Predict(past, next, DefaultPrior())
		sum += f.Periodic / jobs
	}
	if sum > 0.1 {
		t.Errorf("a period has a probability of %.3f", sum)
	}
}

// By hand: what submissions can show.
func TestShown(t *testing.T) {
	every := func(seconds float64, n int) (at []float64) {
		for i := range n {
			at = append(at, seconds*float64(i))
		}
		return at
	}
	for _, c := range []struct {
		name string
		at   []float64
		want []int
	}{
		{"seven runs", every(day, 7), nil},
		{"ten nights", every(day, 10), []int{3, 4}},
		{"eight nights", every(day, 8), nil},
		{"ten weeks", every(week, 10), nil},
		{"every three hours of two days", every(3*3600, 16), []int{1, 2}},
		{"every three hours of ten days", every(3*3600, 80), []int{1, 2, 3, 4}},
	} {
		if got := shown(c.at); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
