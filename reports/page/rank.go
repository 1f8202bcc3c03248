package page

import (
	"cmp"
	"slices"
	"strings"
)

// Ranking describes the order of findings.
const Ranking = "What makes numbers wrong comes first; then by the share at stake: of resources, task time, " +
	"completion times, attempts, runs or records; descriptions of the trace come last."

// stakes computes the share at stake in a finding about a loss or a gain, from the numbers of the finding.
func stakes() map[string]func(n map[string]float64) float64 {
	of := func(key string) func(map[string]float64) float64 {
		return func(n map[string]float64) float64 { return n[key] }
	}
	ratio := func(part, whole string) func(map[string]float64) float64 {
		return func(n map[string]float64) float64 { return n[part] / n[whole] }
	}
	mostShare := func(n map[string]float64) (most float64) {
		for name, x := range n {
			if strings.HasSuffix(name, "_share") {
				most = max(most, x)
			}
		}
		return most
	}
	idle := func(n map[string]float64) float64 {
		share, ok := n["share"]
		if !ok {
			return 0
		}
		return 1 - share
	}
	return map[string]func(map[string]float64) float64{
		"variation":       of("cov_p50"),
		"drift":           of("slower_share"),
		"straggler-share": of("straggler_excess_share"),
		"outcomes":        ratio("unsuccessful", "runs"),
		"guarantee": func(n map[string]float64) float64 {
			return max(n["share_below_guarantee"], n["share_above_10x"])
		},
		"unused-guarantee":   of("unused_guarantee_p50"),
		"spare":              of("spare_share"),
		"leftover":           mostShare,
		"utilization-tokens": idle,
		"utilization-cpu":    idle,
		"utilization-gpu":    idle,
		"task-failures":      of("wasted_share"),
		"machines":           ratio("suspects", "machines"),
		"prediction-error":   of("median_absolute"),
		"altruism":           of("gain"),
		"deadlines":          ratio("missed", "runs"),
		"records":            ratio("rejected", "read"),
	}
}

// rank orders findings as [Ranking] says; equals stay in the order of the report.
func rank(findings []Finding) {
	stake := stakes()
	for i := range findings {
		if f := &findings[i]; stake[f.ID] != nil {
			if x := stake[f.ID](f.Numbers); x > 0 && known(x) {
				f.Stake = min(x, 1)
			}
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Urgent, a.Urgent), cmp.Compare(b.Stake, a.Stake))
	})
}
