package distributed

import "math/bits"

// random is a sequence of numbers of one job: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) from a place that the seed, the job and
// the purpose tell. So schedulers with the same seed send their first probes to the same workers (common random
// numbers), however else they differ.
type random uint64

// What is drawn, places far apart in the sequence.
const (
	drawProbes     uint64 = 0
	drawEstimate   uint64 = 0x3c6ef372fe94f82b
	drawJitter     uint64 = 0xa54ff53a5f1d36f1
	drawVictims    uint64 = 0x510e527fade682d1
	drawPlaces     uint64 = 0x9b05688c2b3e6c1f
	drawSubmission uint64 = 0x1f83d9abfb41bd6b
)

const gamma = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) next() uint64 {
	*r += gamma
	return mix(uint64(*r))
}

// below draws from 0..n-1.
func (r *random) below(n int32) int32 {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int32(hi)
}

// unit draws from [0, 1).
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }
