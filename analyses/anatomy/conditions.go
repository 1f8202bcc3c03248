package anatomy

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Condition is the memory and the input of the attempts of the stages of one name in a run. NaN is not known.
type Condition struct {
	Stage string
	GC    float64 // share of the time of attempts that was garbage collection
	Spill float64 // bytes that attempts spilled to disk
	Skew  float64 // largest input of an attempt / median; NaN below leastSkewed attempts
}

// leastSkewed is the number of attempts with an input that a stage needs before its inputs count as skewed.
const leastSkewed = 4

// Conditions returns the conditions of the stages of a run, by name.
func Conditions(run *trace.Run) []Condition {
	type sum struct {
		gc, busy, spill float64
		spills          bool
		inputs          []float64
	}
	all := map[string]*sum{}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		name := run.Stages[a.Stage].Name
		s := all[name]
		if s == nil {
			s = &sum{}
			all[name] = s
		}
		if a.GC.Known() && a.Duration.Known() {
			s.gc, s.busy = s.gc+a.GC.Seconds(), s.busy+a.Duration.Seconds()
		}
		if a.SpillBytes >= 0 {
			s.spill, s.spills = s.spill+float64(a.SpillBytes), true
		}
		if a.InputBytes > 0 {
			s.inputs = append(s.inputs, float64(a.InputBytes))
		}
	}
	out := make([]Condition, 0, len(all))
	for name, s := range all {
		c := Condition{Stage: name, GC: math.NaN(), Spill: math.NaN(), Skew: math.NaN()}
		if s.busy > 0 {
			c.GC = s.gc / s.busy
		}
		if s.spills {
			c.Spill = s.spill
		}
		if inputs := quantile.Sort(s.inputs); inputs.Len() >= leastSkewed {
			c.Skew = inputs.Max() / quantile.Quantile(inputs, 0.5)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Condition) int { return cmp.Compare(a.Stage, b.Stage) })
	return out
}

// Signs returns the conditions that are worse in a run than in the median of others, by stage, in the order of its
// parts: garbage collection from a tenth of the time of attempts on, spilled bytes, and inputs of attempts that differ,
// each by at least half more than usual.
func Signs(parts []result.CausePart, run []Condition, others [][]Condition) []result.Sign {
	signs := []result.Sign{}
	told := map[string]bool{}
	var stages []string
	for _, p := range parts {
		if p.Stage != "" && p.Seconds > 0 {
			stages = append(stages, p.Names()...)
		}
	}
	here := map[string]Condition{}
	for _, c := range run {
		here[c.Stage] = c
	}
	usually := map[string][]Condition{}
	for _, other := range others {
		for _, c := range other {
			usually[c.Stage] = append(usually[c.Stage], c)
		}
	}
	for _, stage := range stages {
		now, known := here[stage]
		if !known || told[stage] {
			continue
		}
		told[stage] = true
		for _, kind := range []struct {
			what        string
			of          func(Condition) float64
			least, more float64
		}{
			{"gc", func(c Condition) float64 { return c.GC }, 0.1, 0.02},
			{"spill", func(c Condition) float64 { return c.Spill }, 1e6, 0},
			{"input_skew", func(c Condition) float64 { return c.Skew }, 2, 0},
		} {
			var usual []float64
			for _, c := range usually[stage] {
				if x := kind.of(c); !math.IsNaN(x) {
					usual = append(usual, x)
				}
			}
			median, x := quantile.Quantile(quantile.Sort(usual), 0.5), kind.of(now)
			if len(usual) == 0 || !(x >= kind.least) || x < 1.5*median+kind.more {
				continue
			}
			signs = append(signs, result.Sign{Stage: stage, What: kind.what, Value: x, Usual: median})
		}
	}
	return signs
}
