package modelfile

import (
	"fmt"
	"math"
	"slices"
)

// Validate reports the first thing in a profile that simulators could not work with.
func (p *Profile) Validate() error {
	switch {
	case p.Format != Format || p.Version != Version:
		return fmt.Errorf("format %q version %d, want %q version %d", p.Format, p.Version, Format, Version)
	case len(p.Plans) == 0:
		return fmt.Errorf("plans: none")
	case p.Resolution != p.Main().Resolution:
		return fmt.Errorf("resolution: %q, that of the main plan is %q", p.Resolution, p.Main().Resolution)
	}
	if s := p.Surprise; s != nil {
		if err := s.validate(); err != nil {
			return fmt.Errorf("surprise%w", err)
		}
	}
	for i := range p.Plans {
		if err := p.Plans[i].validate(); err != nil {
			return fmt.Errorf("plans[%d].%w", i, err)
		}
	}
	return nil
}

func (s *Surprise) validate() error {
	learned := s.Runs > 0 && (s.SD > 0 || s.Plain > 0) || s.SD == 0 && s.Plain == 0 && len(s.Levels) > 0
	if !(learned && s.SD >= 0 && s.SD <= 1 && s.Late >= 0 && s.Late <= 1 && s.Tail >= 0 && s.Tail <= 2 && s.Plain >= 0 &&
		s.Plain <= 1) {
		return fmt.Errorf(": %+v: want sd or plain above 0 and at most 1, late from 0 to 1, tail from 0 to 2 and runs "+
			"above 0, or a drift", *s)
	}
	for i, l := range s.Levels {
		if !(math.Abs(l.AtS) < math.MaxInt64/1e6 && math.Abs(l.Log) < 100) || i > 0 && !(l.AtS > s.Levels[i-1].AtS) {
			return fmt.Errorf(".drift[%d]: %+v: want ascending times and logarithms from -100 to 100", i, l)
		}
	}
	return nil
}

func (p *Plan) validate() error {
	if p.Resolution != ByAttempt && p.Resolution != ByStage {
		return fmt.Errorf("resolution: %q, want %q or %q", p.Resolution, ByAttempt, ByStage)
	}
	if p.Runs < 1 || len(p.Stages) == 0 {
		return fmt.Errorf("runs: %d with %d stages, want at least one of each", p.Runs, len(p.Stages))
	}
	for i, e := range p.Edges {
		if e.Parent < 0 || e.Parent >= e.Child || e.Child >= len(p.Stages) {
			return fmt.Errorf("edges[%d]: from %d to %d of %d stages in topological order", i, e.Parent, e.Child,
				len(p.Stages))
		}
		if !slices.Contains([]string{"unknown", "all_to_all", "one_to_one", "driver"}, e.Kind) {
			return fmt.Errorf("edges[%d].kind: %q", i, e.Kind)
		}
	}
	for i := range p.Stages {
		if err := p.Stages[i].validate(); err != nil {
			return fmt.Errorf("stages[%d].%w", i, err)
		}
		for _, x := range []struct {
			name  string
			means []*float64
		}{{"first_means_s", p.Stages[i].Typical.FirstS}, {"later_means_s", p.Stages[i].Typical.LaterS}} {
			if n := len(x.means); n != 0 && n != len(p.RunFactors) {
				return fmt.Errorf("stages[%d].typical.%s: %d of them, with %d run factors", i, x.name, n,
					len(p.RunFactors))
			}
			for k, m := range x.means {
				if m != nil && !(*m > 0 && !math.IsInf(*m, 1)) {
					return fmt.Errorf("stages[%d].typical.%s[%d]: %v: want a positive number", i, x.name, k, *m)
				}
			}
		}
	}
	for i := range p.Stages {
		if err := p.ends(p.Stages[i].Ends); err != nil {
			return fmt.Errorf("stages[%d].ends%w", i, err)
		}
	}
	for i, f := range p.RunFactors {
		if !(f.Factor > 0 && f.Weight >= 0) {
			return fmt.Errorf("run_factors[%d]: factor %v with weight %v", i, f.Factor, f.Weight)
		}
		for _, x := range []*float64{f.CriticalPathS, f.WorkS} {
			if x != nil && !(*x >= 0 && !math.IsInf(*x, 1)) {
				return fmt.Errorf("run_factors[%d]: a critical path or work of %v s: want a number that is not negative", i, *x)
			}
		}
	}
	if err := lines(p.WorkByInput); err != nil {
		return fmt.Errorf("work_by_input: %w", err)
	}
	return dists([]named{
		{"work", &p.WorkS}, {"completion", &p.CompletionS}, {"driver.start_up", &p.Driver.StartUp},
		{"driver.first_token", &p.Driver.FirstRun}, {"driver.wind_down", &p.Driver.WindDown},
		{"driver.idle", &p.Driver.Idle},
	})
}

// ends checks the ends of a stage.
func (p *Plan) ends(of [][]float64) error {
	if n := len(of); n != 0 && n != len(p.RunFactors) {
		return fmt.Errorf(": %d of them, with %d run factors", n, len(p.RunFactors))
	}
	for k, ends := range of {
		if len(ends) > MostEnds || !slices.IsSorted(ends) {
			return fmt.Errorf("[%d]: want at most %d, ascending", k, MostEnds)
		}
		for _, x := range ends {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("[%d]: %v: want a share in 0 to 1", k, x)
			}
		}
	}
	return nil
}

func (s *Stage) validate() error {
	if err := values(s.Tasks.N, s.Tasks.Values, s.Tasks.Weights); err != nil {
		return fmt.Errorf("tasks: %w", err)
	}
	if len(s.Tasks.Values) > 0 && s.Tasks.Values[0] < 1 {
		return fmt.Errorf("tasks: %d of them", s.Tasks.Values[0])
	}
	if q := s.Failure.Probability; q != nil && !(*q >= 0 && *q <= 1) {
		return fmt.Errorf("failure.probability: %v", *q)
	}
	if err := lines(s.TasksByInput, s.DurationByInput, s.ElapsedByInput); err != nil {
		return fmt.Errorf("by input: %w", err)
	}
	for _, x := range []*float64{s.Totals.QueuedS, s.Totals.WorkS, s.Totals.LongestS, s.Totals.Begin, s.Totals.End} {
		if x != nil && !(*x >= 0) {
			return fmt.Errorf("totals: %v: want numbers that are not negative", *x)
		}
	}
	return dists([]named{
		{"duration", &s.Duration}, {"typical.first_on_machine", s.Typical.First}, {"typical.later_on_machine",
			&s.Typical.Later}, {"typical.elapsed", &s.Typical.Elapsed},
		{"latency", &s.Latency}, {"delay", &s.Delay}, {"elapsed", &s.Elapsed}, {"estimate", &s.Estimate},
		{"failure.after", &s.Failure.After},
	})
}

// lines checks those that are there.
func lines(all ...*Line) error {
	for _, l := range all {
		if l != nil && !(l.N >= 3 && l.XSquares > 0 && l.ResidualSD >= 0) {
			return fmt.Errorf("a line through %d points with squares %v and residual %v", l.N, l.XSquares, l.ResidualSD)
		}
	}
	return nil
}

type named struct {
	name string
	dist *Dist
}

func dists(all []named) error {
	for _, d := range all {
		if d.dist == nil {
			continue
		}
		if err := d.dist.validate(); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

// parameters names the parameters of each family.
func parameters(family string) (names []string, ok bool) {
	switch family {
	case None, Constant, Empirical:
		return nil, true
	case Exponential:
		return []string{"mean_s"}, true
	case Gamma:
		return []string{"shape", "scale_s"}, true
	case Lognormal:
		return []string{"mu", "sigma"}, true
	case Pareto:
		return []string{"min_s", "alpha"}, true
	case Weibull:
		return []string{"shape", "scale_s"}, true
	}
	return nil, false
}

func (d *Dist) validate() error {
	want, ok := parameters(d.Family)
	if !ok {
		return fmt.Errorf("family: %q is not known", d.Family)
	}
	if len(want) != len(d.Params) {
		return fmt.Errorf("params: %d of them, %s has %d", len(d.Params), d.Family, len(want))
	}
	for i, p := range d.Params {
		if p.Name != want[i] || p.Name != "mu" && !(p.Value > 0) {
			return fmt.Errorf("params: %s = %v, want a positive %s", p.Name, p.Value, want[i])
		}
	}
	if (d.Family == None) != (d.N == 0) {
		return fmt.Errorf("family: %q of %d observations", d.Family, d.N)
	}
	if len(d.Values) > 0 && d.Values[0] < 0 {
		return fmt.Errorf("values_us: %d is negative", d.Values[0])
	}
	return values(d.N, d.Values, d.Weights)
}

func values(n int64, xs []int64, weights []float64) error {
	if n < int64(len(xs)) || n > 0 && len(xs) == 0 {
		return fmt.Errorf("values: %d of %d observations", len(xs), n)
	}
	if !slices.IsSorted(xs) {
		return fmt.Errorf("values: not ascending")
	}
	if weights == nil {
		return nil
	}
	sum := 0.0
	for _, w := range weights {
		if !(w >= 0) {
			return fmt.Errorf("weights: %v", w)
		}
		sum += w
	}
	if len(weights) != len(xs) || math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("weights: %d with a sum of %v for %d values", len(weights), sum, len(xs))
	}
	return nil
}
