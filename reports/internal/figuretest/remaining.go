package figuretest

import (
	"math"

	"racecard/datasets/result"
)

// Remaining is a table of a job whose runs take 10 minutes on 10 tokens, with two indicators. One of them stands
// still.
func Remaining() *result.Remaining {
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
