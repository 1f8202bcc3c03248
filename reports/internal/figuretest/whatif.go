package figuretest

import (
	"math"

	"racecard/datasets/result"
)

// WhatIf asks about a run of 30 stages' worth of 600 task-seconds: beyond 20 tokens it waits for stragglers and its
// driver.
func WhatIf() *result.WhatIf {
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
