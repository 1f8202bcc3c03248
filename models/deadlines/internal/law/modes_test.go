package law

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// long draws runs that take about three times as long as others with some probability.
func long(rng *rand.Rand, n int, probability float64) []Run {
	var s []float64
	for range n {
		x := 100 * math.Exp(0.05*rng.NormFloat64())
		if rng.Float64() < probability {
			x *= 3
		}
		s = append(s, x)
	}
	return plain(s...)
}

// Where three runs in ten take three times as long, so does the next, with that probability. Nothing is between.
func TestTwoModes(t *testing.T) {
	all := times(t, long(rand.New(rand.NewPCG(1, 2)), 60, 0.3), unknown())
	short, _ := slices.BinarySearch(all, 130)
	from, _ := slices.BinarySearch(all, 250)
	if share := 1 - float64(from)/float64(len(all)); math.Abs(share-0.3) > 0.1 {
		t.Errorf("%.2f of the next runs take 250 s and more, want 0.2 to 0.4", share)
	}
	if between := float64(from-short) / float64(len(all)); between > 0.03 {
		t.Errorf("%.2f of the next runs take 130 to 250 s", between)
	}
}

// If short and long runs alternate, it is known which the next one is.
func TestModesTakeTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var s []float64
	for i := range 24 {
		s = append(s, 100*math.Exp(0.05*rng.NormFloat64()+float64(i%2)))
	}
	if all := times(t, plain(s...), unknown()); all[170] > 150 { // the last was long
		t.Errorf("85%% take at most %.0f s, want about 100", all[170])
	}
}

// Of lognormal times two modes are seldom made.
func TestOneMode(t *testing.T) {
	rng, weight := rand.New(rand.NewPCG(5, 6)), 0.0
	const jobs = 20
	for range jobs {
		var s []float64
		for range 40 {
			s = append(s, 100*math.Exp(0.1*rng.NormFloat64()))
		}
		l := learn(plain(s...), unknown(), DefaultPrior())
		for _, c := range l.fit.weights.components {
			if at := l.fit.hypotheses[c.at].level; at >= 0 && l.fit.levels[at].random() {
				weight += c.weight / jobs
			}
		}
	}
	if weight > 0.02 {
		t.Errorf("two modes have a probability of %.3f", weight)
	}
}

// Runs on few machines may lack memory and take long. Tokens tell them apart then, not chance.
func TestTokensAreNoModes(t *testing.T) {
	var past []Run
	for _, r := range [][2]float64{{300, 2}, {310, 2}, {100, 4}, {90, 6}, {80, 8}, {110, 4}} {
		past = append(past, Run{Submit: nan, Seconds: r[0], Tokens: r[1]})
	}
	s := newSeries(past, Next{Tokens: 4})
	if s.mixed([]bool{true, true, false, false, false, false}) {
		t.Error("the runs on 2 tokens are mixed with others")
	}
	if !s.mixed([]bool{true, false, false, true, false, false}) {
		t.Error("runs on 2 and 6 tokens are not mixed with one on 4")
	}
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		z    []float64
		want []bool
	}{
		{[]float64{1, 5, 1.1, 5.2, 0.9, 1}, []bool{false, true, false, true, false, false}},
		{[]float64{1, 1, 1, 1, 1}, nil},
		{[]float64{1, 1, 1, 1, 9}, nil}, // one alone
		{[]float64{7, 7, 7, 2, 2}, []bool{true, true, true, false, false}},
	} {
		got, ok := divide(c.z)
		if ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v; want %v", c.z, got, ok, c.want)
		}
	}
}

// The chances of all ways to divide four runs add up to 1.
func TestModeCount(t *testing.T) {
	sum := 0.0
	for k, ways := range []float64{1, 4, 6, 4, 1} {
		sum += ways * math.Exp(modeCount{float64(4 - k), float64(k)}.log())
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("%v, want 1", sum)
	}
	if got := (modeCount{short: 2, long: 1}).share(); got != 0.4 {
		t.Errorf("after one long run of three: %v, want 2/5", got)
	}
}
