package compare

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// Schedulers hardly differ if no resource has a mean utilisation above idle, and mean completion times are within alike
// of each other.
const (
	idle  = 0.5
	alike = 0.005
)

// warnings lists reasons why a comparison means little.
func warnings(doc *result.Carbyne) (out []string) {
	most, clamped := 0.0, int64(0)
	first, least, longest := true, 0.0, 0.0
	for _, s := range doc.Schedulers {
		clamped = max(clamped, s.Clamped)
		for _, u := range s.Utilization {
			most = max(most, float64(u))
		}
		if m := s.JCT.Mean; first || m < least {
			least = m
		}
		longest, first = max(longest, s.JCT.Mean), false
	}
	if clamped > 0 {
		out = append(out,
			fmt.Sprintf("in %s of %s stages a task wants more of something than any machine has: it is given a whole "+
				"one, and takes as long; take larger machines", words.Count(clamped), words.Count(doc.Workload.Stages)))
	}
	if len(doc.Schedulers) > 1 && most < idle && longest <= least*(1+alike) {
		out = append(out, fmt.Sprintf("jobs hardly compete: no resource is used by more than %.2g%% on average, and "+
			"schedulers do the same; take fewer machines, or have jobs arrive faster", 100*most))
	}
	return out
}
