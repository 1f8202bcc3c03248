package distfit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/seed"
)

// curvePoints is the number of points of the curves of a comparison.
const curvePoints = 100

// Compare fits every family to a sample and tests the fits; the fits come by ascending AIC. Families that cannot be
// fitted are named with the reason. It fails if ctx ends or an option is invalid.
func Compare(ctx context.Context, s *Sample, o Options) (*result.Fitted, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	out := &result.Fitted{
		N: s.N(), Open: s.Open(), LeftOut: s.Dropped, Distinct: s.Distinct(), Coarse: s.Coarse(),
		Families: []result.FamilyFit{}, NotFitted: map[string]string{}, At: at(s),
	}
	if s.Open() > 0 {
		o.Resamples = 0 // the censoring of resamples is not known
	}
	part := o.part(s)
	if out.Resamples = o.Resamples; o.Resamples > 0 {
		out.Tested = int(part.N())
	}
	for _, f := range Families() {
		fit, d, err := describe(f, s)
		if err == nil {
			err = o.test(ctx, f, part, fit)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			out.NotFitted[f.Name] = err.Error()
			continue
		}
		for _, x := range out.At {
			fit.Above = append(fit.Above, d.Survival(x-s.below))
		}
		out.Families = append(out.Families, *fit)
	}
	slices.SortStableFunc(out.Families, func(a, b result.FamilyFit) int { return cmp.Compare(a.AIC, b.AIC) })
	for i := range out.Families {
		out.Families[i].DeltaAIC = out.Families[i].AIC - out.Families[0].AIC
	}
	var err error
	out.Tail, err = FitTail(ctx, s, o)
	return out, err
}

// part returns the values that are tested.
func (o Options) part(s *Sample) *Sample {
	if s.N() <= int64(o.Most) {
		return s
	}
	part := s.like()
	part.set(s.draw(o.Most, rand.New(seed.Stream(o.Seed, "distfit "+o.Purpose+" part", 0))))
	return part
}

// describe fits a family to a sample.
func describe(f Family, s *Sample) (*result.FamilyFit, Dist, error) {
	d, err := f.Fit(s)
	if err != nil {
		return nil, nil, err
	}
	l := LogLikelihood(d, s)
	k := float64(f.Parameters)
	nan := result.Number(math.NaN())
	fit := &result.FamilyFit{
		Family: f.Name, Params: map[string]float64{}, LogLikelihood: l, AIC: 2*k - 2*l, BIC: k*math.Log(s.n) - 2*l,
		PKS: nan, PAD: nan,
	}
	for _, p := range d.Params() {
		fit.Params[p.Name] = p.Value
	}
	if s.Open() > 0 {
		fit.KS, fit.AD = openDistance(d, s), nan
	} else {
		ks, ad := distances(d, s)
		fit.KS, fit.AD = ks, result.Number(ad)
	}
	for _, x := range []float64{l, fit.KS, float64(fit.AD)} {
		if math.IsNaN(x) && s.Open() == 0 || math.IsNaN(l) || math.IsInf(x, 0) {
			return nil, nil, fmt.Errorf("the likelihood or a distance of %s%v is not a number", f.Name, d.Params())
		}
	}
	return fit, d, nil
}

// test sets the p-values of a fit from the part of the sample that is tested.
func (o Options) test(ctx context.Context, f Family, part *Sample, fit *result.FamilyFit) error {
	if o.Resamples == 0 {
		return nil
	}
	d, err := f.Fit(part)
	if err != nil {
		return err
	}
	ks, ad := distances(d, part)
	nullKS, nullAD, err := o.null(ctx, f.Name, part, f.resample(d, ks, ad))
	fit.PKS, fit.PAD = result.Number(pValue(ks, nullKS)), result.Number(pValue(ad, nullAD))
	return err
}

// at returns the places at which curves are drawn: from the least positive value to the largest, at equal ratios.
func at(s *Sample) []float64 {
	first := 0
	if len(s.x) > 0 && s.x[0] == 0 {
		first = 1
	}
	if len(s.x)-first < 2 {
		return []float64{}
	}
	out := make([]float64, curvePoints)
	low, high := s.log[first], s.log[len(s.log)-1]
	for i := range out {
		out[i] = math.Exp(low + (high-low)*float64(i)/(curvePoints-1))
	}
	out[0], out[curvePoints-1] = s.x[first], s.Max()
	return out
}
