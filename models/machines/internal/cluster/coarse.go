package cluster

import "racecard/datasets/trace"

// Coarse is a vector in few bits: the approximation with which a vector-approximation file rules out most points (R.
// Weber, H.-J. Schek and S. Blott, "A Quantitative Analysis and Performance Study for Similarity-Search Methods in
// High-Dimensional Spaces", VLDB 1998). Amounts are rounded down, and cut at about the largest machine.
type Coarse [2]uint64

// A field of Coarse has coarseBits bits of a unit of 2^coarseUnit quanta, and one bit above them that is 0. No machine
// has more than 2^(coarseBits+coarseUnit) quanta.
const (
	coarseBits = 15
	coarseUnit = 22
	guards     = 1<<coarseBits | 1<<(2*coarseBits+1) | 1<<(3*coarseBits+2) | 1<<(4*coarseBits+3)
)

// Coarse returns the approximation of v. Negative amounts count as 0.
func (v *Vector) Coarse() Coarse {
	return Coarse{field(v[0], 0) | field(v[1], 1) | field(v[2], 2) | field(v[3], 3),
		field(v[4], 0) | field(v[5], 1) | field(v[6], 2)}
}

var _ = [1]struct{}{}[trace.NumResources-7] // Coarse holds each

// field returns the approximation of an amount at a place in a word.
func field(amount int64, place uint) uint64 {
	return uint64(min(max(amount, 0)>>coarseUnit, 1<<coarseBits-1)) << (place * (coarseBits + 1))
}

// Above returns 0 unless a vector with the approximation c exceeds room for certain, in some resource; then it returns
// a number below 2^63. All resources are compared in one subtraction for each word: the bits above the fields of room
// are set first, and one of them is left 0 where its field was too small.
func (c *Coarse) Above(room *Coarse) uint64 {
	return (^(((room[0] | guards) - c[0]) & ((room[1] | guards) - c[1])) & guards) >> coarseBits
}
