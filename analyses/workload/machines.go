package workload

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"racecard/analyses/internal/uint128"
	"racecard/datasets/result"
)

// The test of machines: the rate of false discoveries, and how many suspects are listed.
const (
	discovery   = 0.05
	maxSuspects = 100
)

// machine counts the attempts of one machine that ended.
type machine struct {
	ended  int64
	failed int64 // failed or lost
	time   uint128.Sum
}

// machineStats lists machines by name and looks for those whose attempts fail too often: one-sided binomial tests
// against the rate of all machines together, and the procedure of Y. Benjamini and Y. Hochberg, "Controlling the False
// Discovery Rate", Journal of the Royal Statistical Society B 57(1), 1995.
func machineStats(of map[string]*machine) ([]result.MachineLoad, result.MachineTest) {
	test := result.MachineTest{Machines: len(of), Rate: unknown(), Discovery: discovery,
		Suspects: []result.MachineLoad{}}
	loads := make([]result.MachineLoad, 0, len(of))
	var ended, failed int64
	for name, m := range of {
		loads = append(loads, result.MachineLoad{
			Machine: name, Attempts: m.ended, Failed: m.failed, TaskSeconds: m.time.Float64() / 1e6, P: unknown(),
			Q: unknown(),
		})
		ended += m.ended
		failed += m.failed
	}
	slices.SortFunc(loads, func(a, b result.MachineLoad) int { return cmp.Compare(a.Machine, b.Machine) })
	if ended == 0 {
		return loads, test
	}
	rate := float64(failed) / float64(ended)
	test.Rate = result.Number(rate)
	var tested []*result.MachineLoad
	for i := range loads {
		if m := &loads[i]; m.Attempts > 0 {
			m.P = result.Number(atLeast(m.Failed, m.Attempts, rate))
			tested = append(tested, m)
		}
	}
	adjust(tested)
	for _, m := range tested {
		m.Suspect = float64(m.Q) <= discovery
		if m.Suspect {
			test.Suspects = append(test.Suspects, *m)
		}
	}
	slices.SortStableFunc(test.Suspects, func(a, b result.MachineLoad) int {
		return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(b.Failed, a.Failed))
	})
	test.Suspects = test.Suspects[:min(len(test.Suspects), maxSuspects)]
	return loads, test
}

// atLeast returns the probability of k successes or more in n trials of probability p.
func atLeast(k, n int64, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// adjust sets q = min over larger p of p x m / rank.
func adjust(tested []*result.MachineLoad) {
	byP := slices.Clone(tested)
	slices.SortStableFunc(byP, func(a, b *result.MachineLoad) int { return cmp.Compare(a.P, b.P) })
	q := math.Inf(1)
	for i := len(byP) - 1; i >= 0; i-- {
		q = min(q, float64(byP[i].P)*float64(len(byP))/float64(i+1), 1)
		byP[i].Q = result.Number(q)
	}
}
