package generate

import (
	"math/rand/v2"
	"testing"
)

// An attempt that follows a failed one of its task begins when that has ended, or later, and no core has two at once.
func TestRetriesFollowFailedAttempts(t *testing.T) {
	p := Planted{Job: "a", Cores: 4, Noise: 0.1, Change: Change{Cause: MoreFailures, Factor: 2}}
	failed := 0
	for seed := range uint64(20) {
		r := p.run(1, 60, rand.New(rand.NewPCG(seed, 1)))
		for i := range r.tasks {
			a := &r.tasks[i]
			if a.failed {
				failed++
			}
			for k := range r.tasks {
				b := &r.tasks[k]
				again := a.stage == b.stage && a.task == b.task && a.attempt < b.attempt
				if again && (b.from < a.to || !a.failed) || i != k && a.core == b.core && a.from < b.to && b.from < a.to {
					t.Errorf("seed %d: %+v overlaps %+v", seed, *a, *b)
				}
			}
		}
	}
	if failed < 20*40 {
		t.Errorf("%d attempts failed", failed)
	}
}
