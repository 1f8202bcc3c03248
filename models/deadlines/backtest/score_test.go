package backtest

import (
	"math"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// One share of runs is less sure where runs of the same hour are late together. Worked by hand: of six hours with four
// runs each, all of three hours hit and none of the others. The variance of the share is 6/5 · 6 · 2² / 24². Of 24
// independent runs it is 0.25 / 24, so that these runs are worth five.
func TestRunsOfOneHourAreLateTogether(t *testing.T) {
	runs := func(hit func(hour, k int) bool) (all []result.BacktestRun) {
		for hour := range 6 {
			for k := range 4 {
				r := result.BacktestRun{Submit: trace.Instant((3600*hour + k) * 1e6), ObservedS: 2,
					Distributions: map[string]result.Quantiles{Racecard: {}}}
				if hit(hour, k) {
					r.ObservedS = 0
				}
				all = append(all, r)
			}
		}
		return all
	}
	for _, tc := range []struct {
		what string
		runs []result.BacktestRun
		wide float64 // of the 95% interval
	}{
		{"hours are all on time or all late", runs(func(hour, _ int) bool { return hour%2 == 0 }), 0.6592},
		{"half of each hour is late", runs(func(_, k int) bool { return k%2 == 0 }), 0.3715},
	} {
		c := coverage(tc.runs, Racecard)[0]
		if c.Share != 0.5 || math.Abs(c.Interval[1]-c.Interval[0]-tc.wide) > 1e-3 {
			t.Errorf("%s: %v of runs, interval %v, want it %v wide", tc.what, c.Share, c.Interval, tc.wide)
		}
	}
}
