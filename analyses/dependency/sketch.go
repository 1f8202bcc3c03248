package dependency

import (
	"math"

	"racecard/datasets/seed"
)

// A sketch estimates how many distinct items were put into it: HyperLogLog (P. Flajolet et al., "HyperLogLog: the
// analysis of a near-optimal cardinality estimation algorithm", AofA 2007), with the estimator of O. Ertl, "New
// cardinality estimation algorithms for HyperLogLog sketches", arXiv:1702.01284, algorithm 6, which needs no tables of
// measured corrections. Its registers, one byte each, lie eight to a word. A sketch of 2^p registers has a relative
// standard error of 1.04 / 2^(p/2).

// sketchError is the standard error of sketches with that many registers in all.
func sketchError(registers int) float64 { return 1.04 / math.Sqrt(float64(registers)) }

// sketchInsert puts an item, by a hash whose bits are all random, into a sketch of 2^p registers.
func sketchInsert(words []uint64, p int, hash uint64) {
	register := hash >> (64 - p)
	rank := uint64(1) // of the first bit that is set, among the rest
	for rest := hash << p; rest>>63 == 0 && rank <= uint64(64-p); rest <<= 1 {
		rank++
	}
	word, shift := &words[register/8], register%8*8
	if *word>>shift&0xff < rank {
		*word = *word&^(0xff<<shift) | rank<<shift
	}
}

// sketchMerge puts the items of one sketch into another of the same size: the larger of each two registers.
func sketchMerge(into, from []uint64) {
	const high = 0x8080808080808080
	from = from[:len(into)]
	for i, x := range into {
		y := from[i]
		// bytes in which x is the larger; all are below 128, so none borrows
		keep := ((x | high) - y) & high >> 7 * 0xff
		into[i] = x&keep | y&^keep
	}
}

// sketchEstimate returns the estimate of a sketch of 2^p registers.
func sketchEstimate(words []uint64, p int) float64 {
	var count [256]int
	for _, w := range words {
		for range 8 {
			count[w&0xff]++
			w >>= 8
		}
	}
	m, q := float64(int(1)<<p), 64-p
	z := m * tau(1-float64(count[q+1])/m)
	for k := q; k >= 1; k-- {
		z = 0.5 * (z + float64(count[k]))
	}
	z += m * sigma(float64(count[0])/m)
	return m * m / (2 * math.Ln2 * z)
}

// sigma is x + the sum over k >= 1 of x^(2^k) 2^(k-1).
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	for y, z := 1.0, x; ; y += y {
		x *= x
		before := z
		if z += x * y; z == before {
			return z
		}
	}
}

// tau is a third of 1 - x - the sum over k >= 1 of (1 - x^(2^-k))^2 2^-k.
func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	for y, z := 1.0, 1-x; ; {
		x = math.Sqrt(x)
		before := z
		y *= 0.5
		if z -= (1 - x) * (1 - x) * y; z == before {
			return z / 3
		}
	}
}

// scatter turns a number into a hash with random bits.
func scatter(x uint64) uint64 { return seed.Mix(x + seed.Gamma) }
