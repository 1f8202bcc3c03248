package distfit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"racecard/datasets/parallel"
	"racecard/datasets/seed"
)

// Options of a comparison.
type Options struct {
	Resamples int // samples drawn for each test; 0 tests nothing
	Most      int // values per test; a larger sample is tested on a random part of this size
	Seed      uint64
	Purpose   string // name of the values: random streams of different purposes are independent
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options { return Options{Resamples: 200, Most: 5000, Seed: 1} }

// Validate reports the first option that makes no sense.
func (o Options) Validate() error {
	switch {
	case o.Resamples < 0:
		return fmt.Errorf("%d resamples: want none or more", o.Resamples)
	case o.Most < 2:
		return fmt.Errorf("a test of %d values: want at least 2", o.Most)
	}
	return nil
}

// measure draws a sample and returns its distance from its own fit. It fails on a sample that has no fit.
type measure func(rng *rand.Rand, into *Sample, draws []float64) (ks, ad float64, err error)

// null returns the distances of resamples: the distribution of D and A² if the family is right. Resamples
// without a fit are left out. The work is spread over all processors; the result does not depend on them.
func (o Options) null(ctx context.Context, what string, of *Sample, one measure) (ks, ad []float64, err error) {
	ks, ad = make([]float64, o.Resamples), make([]float64, o.Resamples)
	err = parallel.With(ctx, o.Resamples, parallel.Options{}, func() func(context.Context, int) error {
		s := of.like()
		draws := make([]float64, of.N())
		return func(_ context.Context, i int) error {
			rng := rand.New(seed.Stream(o.Seed, "distfit "+o.Purpose+" "+what, uint64(i)))
			var err error
			if ks[i], ad[i], err = one(rng, s, draws); err != nil {
				ks[i], ad[i] = math.NaN(), math.NaN()
			}
			return nil
		}
	})
	return ks, ad, err
}

// resample returns the measure of a family: it draws from a member of the family and fits the draws again. Where both
// distances are below ks and ad, the distances of the sample, it may return zeros: p-values are the same.
func (f Family) resample(d Dist, ks, ad float64) measure {
	return func(rng *rand.Rand, s *Sample, draws []float64) (float64, float64, error) {
		for i := range draws {
			draws[i] = s.tick(d, rng)
		}
		s.set(draws)
		fit, err := f.Fit(s)
		if err != nil {
			return 0, 0, err
		}
		if closer(fit, s, ks, ad) {
			return 0, 0, nil
		}
		ks, ad := distances(fit, s)
		return ks, ad, nil
	}
}

// tick draws a value as it would have been read. Where zeros are left out, a value that is read as zero is drawn again.
func (s *Sample) tick(d Dist, rng *rand.Rand) float64 {
	const smallest, largest = 1e-300, 1e300 // what a sample can hold
	for range 100 {
		x := min(max(d.Rand(rng), smallest), largest)
		switch {
		case s.step == 0:
			return x
		case s.reading == Counted:
			return math.Ceil(x/s.step) * s.step
		}
		if x = math.Round(x/s.step) * s.step; x > 0 || s.coarse {
			return x
		}
	}
	return s.step
}

// pValue returns the share of draws from the null distribution, x included, that are at least as large as x: A. C.
// Davison and D. V. Hinkley, "Bootstrap Methods and their Application", 1997, §4.2. NaNs do not count.
func pValue(x float64, null []float64) float64 {
	as, of := 1, 1
	for _, v := range null {
		if math.IsNaN(v) {
			continue
		}
		of++
		if v >= x {
			as++
		}
	}
	return float64(as) / float64(of)
}
