package law

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/lists"
)

// Modes are sought among at least fewestOfModes runs. Each has at least fewestOfMode.
const (
	fewestOfModes = 5
	fewestOfMode  = 2
)

// modes returns hypotheses that each run has one of two levels at random, as where some machines are slower, or some
// runs have more to do. Past runs can be divided in too many ways to sum over all: the likeliest division counts. It is
// sought with and without an effect of the input and of tokens. A run is long with the same probability always, or with
// one that depends on whether the run before was.
func (s *series) modes(p *Prior) []level {
	n := len(s.y)
	if n < fewestOfModes || p.Modes == 0 {
		return nil
	}
	var all []level
	z := make([]float64, n)
	for _, of := range []struct{ base, input float64 }{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		if of.base > 0 && !s.base.known() || of.input > 0 && !s.input.known() {
			continue
		}
		for i := range z {
			z[i] = s.y[i] - of.base*s.base.at(i) - of.input*s.input.at(i)
		}
		long, ok := divide(z)
		if !ok || !s.mixed(long) || slices.ContainsFunc(all, func(l level) bool { return slices.Equal(l.long, long) }) {
			continue
		}
		runs := count(long)
		var after [2]modeCount // runs after a short one, and after a long one
		for i, is := range long[1:] {
			after[kind(long[i])].add(is)
		}
		all = append(all, level{long: long, share: runs.share(), chance: runs.log(), loudest: quiet},
			level{long: long, share: after[kind(long[n-1])].share(), chance: after[0].log() + after[1].log(),
				loudest: quiet})
	}
	for i := range all {
		all[i].chance += math.Log(p.Modes / float64(len(all)))
	}
	return all
}

// modeCount counts short and long runs.
type modeCount struct{ short, long float64 }

// count counts all runs.
func count(long []bool) (c modeCount) {
	for _, is := range long {
		c.add(is)
	}
	return c
}

// kind is 1 for a long run, else 0.
func kind(long bool) int {
	if long {
		return 1
	}
	return 0
}

func (c *modeCount) add(long bool) {
	if long {
		c.long++
	} else {
		c.short++
	}
}

// share is the probability that another run is long, if every share of long runs was as likely before any was seen
// (Laplace's rule of succession).
func (c modeCount) share() float64 { return (c.long + 1) / (c.short + c.long + 2) }

// log is the logarithm of the probability that these runs, and no others, are long: the integral over all shares.
func (c modeCount) log() float64 {
	a, _ := math.Lgamma(c.long + 1)
	b, _ := math.Lgamma(c.short + 1)
	both, _ := math.Lgamma(c.short + c.long + 2)
	return a + b - both
}

// divide divides values into small and large ones, such that they are likeliest if both are normally distributed with
// the same variance. It reports whether they can be divided.
func divide(z []float64) (large []bool, ok bool) {
	n := len(z)
	order := lists.Order(n, func(a, b int) int { return cmp.Compare(z[a], z[b]) })
	sum, squares := 0.0, 0.0
	for _, x := range z {
		sum += x
		squares += x * x
	}
	best, at, below := math.Inf(-1), 0, 0.0
	for k := 1; k <= n-fewestOfMode; k++ {
		below += z[order[k-1]]
		if k < fewestOfMode || !(z[order[k]] > z[order[k-1]]) {
			continue
		}
		short, long := float64(k), float64(n-k)
		within := max(squares-below*below/short-(sum-below)*(sum-below)/long, 1e-12*squares)
		if x := (modeCount{short, long}).log() - float64(n)/2*math.Log(within); x > best {
			best, at = x, k
		}
	}
	large = make([]bool, n)
	for _, i := range order[at:] {
		large[i] = true
	}
	return large, at > 0
}

// mixed reports whether the modes have runs of similar inputs and tokens. Then some run of the mode with more runs has
// an input and tokens within the range of the other mode's. If none has, inputs and tokens may tell the modes apart.
func (s *series) mixed(long []bool) bool {
	runs := count(long)
	fewer := runs.long <= runs.short // whether long runs are
	within := func(f *feature) func(i int) bool {
		low, high := math.Inf(1), math.Inf(-1)
		for i, is := range long {
			if is == fewer {
				low, high = min(low, f.at(i)), max(high, f.at(i))
			}
		}
		return func(i int) bool { return f.at(i) >= low && f.at(i) <= high }
	}
	input, tokens := within(&s.input), within(&s.tokens)
	for i, is := range long {
		if is != fewer && input(i) && tokens(i) {
			return true
		}
	}
	return false
}
