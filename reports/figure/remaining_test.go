package figure

import (
	"math"
	"testing"

	"racecard/datasets/result"
)

// Whatever a result lacks, its figures say so and never fail.
func TestForetoldFiguresAreRobust(t *testing.T) {
	damaged := SomeRemaining()
	damaged.At[0].S[2][0], damaged.At[1].S = math.NaN(), nil
	damaged.Indicators[0].Trace[3].EndS, damaged.TracedS = math.Inf(1), 1e-9
	damaged.At[2].S[3] = damaged.At[2].S[3][:50] // a quantile is cut off
	amdahl := SomeRemaining()
	amdahl.Method, amdahl.Indicators, amdahl.MostTokens = "amdahl", nil, result.Number(math.NaN())
	for _, r := range []*result.Remaining{{}, damaged, amdahl, SomeRemaining()} {
		everyForm(t, Remaining(r, Source{}), true)
		everyForm(t, Indicators(r, Source{}), true)
	}
	odd := SomeWhatIf()
	odd.Points[2].TimeS, odd.ObservedS, odd.Tokens, odd.Job = math.NaN(), result.Number(math.NaN()), 0, ""
	one := SomeWhatIf()
	one.Points, one.Recommended = one.Points[:1], result.WhatIfPoint{}
	for _, w := range []*result.WhatIf{{}, odd, one, SomeWhatIf()} {
		everyForm(t, WhatIf(w, Source{}), true)
	}
}
