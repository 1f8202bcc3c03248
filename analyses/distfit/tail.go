package distfit

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"racecard/datasets/result"
)

// Sizes of the search for a tail.
const (
	minTail        = 50  // values that a tail must hold at least
	tailCandidates = 100 // least values that are tried, at equal distances in rank
	glance         = 10  // every so many candidates and values are looked at first
)

// tail is a Pareto distribution of the values from Min on.
type tail struct {
	Pareto
	from int     // index of Min in the sample
	n    float64 // values in it
	ks   float64
}

// fitTail finds the least value from which on the sample is nearest to a Pareto distribution, by D: A. Clauset, C. R.
// Shalizi and M. E. J. Newman, "Power-Law Distributions in Empirical Data", SIAM Review 51(4), 2009, §3. At most a
// hundred candidates are tried. ok is false for samples too small to have a tail. Open values above the least one enter
// alpha as in the fit of a [Pareto], and D is the distance from the Kaplan-Meier estimate.
func fitTail(s *Sample) (best tail, ok bool) {
	best.ks = math.Inf(1)
	n, sumLog := make([]float64, len(s.x)+1), make([]float64, len(s.x)+1) // from each value on
	for i := len(s.x) - 1; i >= 0; i-- {
		n[i], sumLog[i] = n[i+1]+s.count[i], sumLog[i+1]+s.count[i]*s.log[i]
	}
	above := s.open.above(s.x, s.count, 0)
	low := 0.0
	if s.coarse {
		low = s.step * midpointCells
	}
	try := func(c int) {
		rank := s.n * float64(c) / tailCandidates
		i := sort.Search(len(s.x), func(i int) bool { return s.n-n[i+1] > rank })
		if i >= len(s.x)-1 || n[i] < minTail || s.x[i] < low {
			return
		}
		alpha := n[i] / (sumLog[i] - n[i]*s.log[i] + s.open.logAbove(s.log[i]))
		if !(alpha > 0) || math.IsInf(alpha, 1) {
			return
		}
		ks := 0.0
		from := func(k, stride int) {
			for ; k < len(s.x) && ks <= best.ks; k += stride {
				f := -math.Expm1(alpha * (s.log[i] - s.log[k]))
				ks = max(ks, f-(1-above[k]/above[i]), 1-above[k+1]/above[i]-f)
			}
		}
		from(i, glance)
		from(i, 1)
		if ks < best.ks || ks == best.ks && i < best.from {
			best = tail{Pareto{s.x[i], alpha}, i, n[i], ks}
			ok = true
		}
	}
	for _, stride := range []int{glance, 1} { // a near one soon rules out most of the others
		for c := 0; c < tailCandidates; c += stride {
			try(c)
		}
	}
	return best, ok
}

// FitTail describes the tail of a sample and tests whether it is Pareto, as in §4.1 of the paper of [fitTail]:
// resamples take values below the tail from the sample and values in it from the fit, and are searched for their own
// tail. It returns nil for a sample too small to have a tail.
func FitTail(ctx context.Context, s *Sample, o Options) (*result.TailFit, error) {
	all, ok := fitTail(s)
	if !ok {
		return nil, nil
	}
	out := &result.TailFit{From: all.Min, Alpha: all.Alpha, N: int64(all.n), Share: all.n / s.n, KS: all.ks,
		P: result.Number(math.NaN())}
	part := o.part(s)
	fit, ok := fitTail(part)
	if !ok || o.Resamples == 0 || s.Open() > 0 {
		return out, nil
	}
	values := part.values()
	body := values[:len(values)-int(fit.n)]
	null, _, err := o.null(ctx, "tail", part, func(rng *rand.Rand, re *Sample, draws []float64) (float64, float64,
		error) {
		for i := range draws {
			if rng.Float64()*part.n < fit.n {
				draws[i] = re.tick(fit.Pareto, rng)
			} else {
				draws[i] = body[rng.IntN(len(body))]
			}
		}
		re.set(draws)
		again, ok := fitTail(re)
		if !ok {
			return 0, 0, errConstant
		}
		return again.ks, 0, nil
	})
	out.P = result.Number(pValue(fit.ks, null))
	return out, err
}
