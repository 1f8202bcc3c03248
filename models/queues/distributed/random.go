package distributed

import "racecard/datasets/seed"

// random is the random sequence of one job, which starts at a position given by the seed, the job and the purpose
// ([stream]). So schedulers with the same seed send their first probes to the same workers (common random numbers),
// however else they differ.
type random = seed.SplitMix

// What is drawn, places far apart in the sequence.
const (
	drawProbes     uint64 = 0
	drawEstimate   uint64 = 0x3c6ef372fe94f82b
	drawJitter     uint64 = 0xa54ff53a5f1d36f1
	drawVictims    uint64 = 0x510e527fade682d1
	drawPlaces     uint64 = 0x9b05688c2b3e6c1f
	drawSubmission uint64 = 0x1f83d9abfb41bd6b
)

// stream returns the sequence of an item and a purpose.
func stream(root, what, item uint64) random { return random(seed.Mix(root ^ what + seed.Gamma*item)) }
