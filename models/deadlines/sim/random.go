package sim

import "racecard/datasets/seed"

// random is one number per run; all draws of the run are functions of it: SplitMix64 ([seed.Mix]) read at any place of
// its sequence. A draw depends on the run, the task, the number of its attempts so far, and the drawn quantity; not on
// tokens, options or the order of events. So runs with the same number on different tokens see the same tasks (common
// random numbers), and a run does not depend on the loop that computes it.
type random struct{ base, flip uint64 }

// What is drawn: places far apart in the sequence.
const (
	drawDuration uint64 = 0
	drawFailure  uint64 = 0x3c6ef372fe94f82b
	drawShare    uint64 = 0xa54ff53a5f1d36f1
	drawLatency  uint64 = 0x510e527fade682d1
	drawSlowdown uint64 = 0x9b05688c2b3e6c1f
	drawDriver   uint64 = 0xbb67ae8584caa73b // of the plan: 0 start-up, 1 wind-down
	drawStage    uint64 = 0x1f83d9abfb41bd6b // of a stage: delay, and what it loses
	drawCluster  uint64 = 0x5be0cd19137e2179 // one after the other: machines lost, spare tokens
)

const gamma = seed.Gamma

func mix(z uint64) uint64 { return seed.Mix(z) }

// at returns a uniform number for draw what of item key.
func (r random) at(what, key uint64) uint64 { return mix(r.base+what+gamma*key) ^ r.flip }

// below scales a uniform number u to 0..n-1.
func below(u uint64, n int) int { return seed.Below(u, n) }
