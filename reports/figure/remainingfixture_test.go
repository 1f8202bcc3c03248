package figure

import (
	"math"

	"racecard/datasets/result"
)

// SomeRemaining is a table of a job whose runs take 10 minutes on 10 tokens, with two indicators. One of them stands
// still.
func SomeRemaining() *result.Remaining {
	r := &result.Remaining{Header: result.Header{Available: true, Needs: []string{"tasks.*"},
		Warnings: []string{"fitted to few runs"}}, Job: "nightly-index",
		Method: "simulation", Indicator: "totalworkWithQ", Runs: 18, Simulated: 1000, MostTokens: 40, Changed: 0.01,
		Quantiles: result.RemainingQuantiles(),
		Tokens:    20, Tried: 100, TracedS: 340, Predicted: "median"}
	for _, tokens := range []int32{5, 10, 20, 40, 80} {
		at := result.RemainingAt{Tokens: tokens}
		for _, spread := range []float64{-1.6, -0.7, 0, 0.7, 1.6} {
			var s []float64
			for i := range 101 {
				left := 1 - float64(i)/100
				s = append(s, (5400/float64(tokens)*left+60*math.Sqrt(left))*math.Exp(0.15*spread*math.Sqrt(left)))
			}
			at.S = append(at.S, s)
		}
		r.At = append(r.At, at)
	}
	steady, still := result.IndicatorUse{Name: "totalworkWithQ", Jumps: 0.006, Still: 0.05, Off: 0.03},
		result.IndicatorUse{Name: "minstage", Jumps: 0.03, Still: 0.25, Off: 0.08}
	for k := range 50 {
		share := float64(k) / 50
		at := 340 * share
		steady.Trace = append(steady.Trace, result.IndicatorTell{AtS: at, Progress: math.Pow(share, 0.9),
			EndS: 340 * (1 + 0.05*math.Sin(9*share)*(1-share))})
		step := math.Floor(share*4) / 4
		still.Trace = append(still.Trace, result.IndicatorTell{AtS: at, Progress: step, EndS: 340 + (share-step)*300})
	}
	for _, x := range steady.Trace {
		x.EndS = 340 + (x.EndS-340)/3
		r.Aged = append(r.Aged, x)
	}
	r.Indicators = []result.IndicatorUse{steady, still}
	return r
}

// SomeWhatIf asks about a run of 30 stages' worth of 600 task-seconds: beyond 20 tokens it waits for stragglers and its
// driver.
func SomeWhatIf() *result.WhatIf {
	at := func(tokens int32) result.WhatIfPoint {
		n := float64(tokens)
		p := result.WhatIfPoint{Tokens: tokens, WorkS: 600 / n, BarriersS: 14 * (1 - 1/n),
			SkewS: 9*(1-math.Exp(-n/15)) - 0.6, DriverS: 8}
		p.TimeS = p.WorkS + p.BarriersS + p.SkewS + p.DriverS
		p.CostS = n * p.TimeS
		p.Utilisation = 600 / p.CostS
		return p
	}
	w := &result.WhatIf{Header: result.Header{Available: true, Needs: []string{"tasks.*"}}, Store: "nightly.store",
		Synthetic: true, Run: "customer-360-0017",
		Job: "customer-360", ObservedS: 92, Tokens: 12, ReplayS: 91.2, Unlimited: at(400), Recommended: at(37),
		Within: 0.1, Widest: 120}
	for _, tokens := range []int32{1, 2, 3, 4, 6, 8, 10, 12, 14, 18, 24, 32, 42, 56, 75, 100, 120} {
		w.Points = append(w.Points, at(tokens))
	}
	w.ObservedS = result.Number(at(12).TimeS * 1.01)
	return w
}
