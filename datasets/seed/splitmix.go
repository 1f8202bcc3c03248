package seed

import "math/bits"

// Gamma is the step of a [SplitMix] sequence: 2^64 divided by the golden ratio, odd.
const Gamma = 0x9e3779b97f4a7c15

// Mix is the finalizer of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014): a bijection after which every bit of z affects every bit of the result. It makes hashes of
// numbers, and draws that depend on a key alone: the number and order of other draws do not matter.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// SplitMix is a place in the SplitMix64 sequence: a generator for inner loops, where [Stream] would be too slow. Its
// start must be mixed from the seed, the purpose and the item.
type SplitMix uint64

// Next returns the next number.
func (s *SplitMix) Next() uint64 {
	*s += Gamma
	return Mix(uint64(*s))
}

// Below draws from 0..n-1; its bias is below n/2^64.
func (s *SplitMix) Below(n int32) int32 { return int32(Below(s.Next(), int(n))) }

// Unit draws from [0, 1).
func (s *SplitMix) Unit() float64 { return Unit(s.Next()) }

// Below scales a uniform number to 0..n-1.
func Below(u uint64, n int) int {
	hi, _ := bits.Mul64(u, uint64(n))
	return int(hi)
}

// Unit scales a uniform number to [0, 1).
func Unit(u uint64) float64 { return float64(u>>11) / (1 << 53) }
