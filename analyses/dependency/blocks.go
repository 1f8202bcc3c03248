package dependency

import (
	"hash/maphash"
	"math/bits"
)

// A block is a part of a set of items: blockBits bits in a row.
const (
	blockWords = 64
	blockBits  = 64 * blockWords
)

type block [blockWords]uint64

// blocks assigns numbers to distinct blocks. Far downstream most sets hold the same runs and share most of their
// blocks: equal numbers show that the union of two parts is either of them. Block 0 is empty.
type blocks struct {
	chunks []*chunk
	count  []int32 // items in each block
	slots  []int32 // of a hash table with open addressing: number + 1, or 0 for none
	seed   maphash.Seed
}

// chunk is a fixed number of contiguous blocks: more blocks take more chunks, and no block moves.
type chunk [256]block

// blockBytes is the approximate memory of a block: itself, its count, and its part of the table.
const blockBytes = 8*blockWords + 4 + 8

// reset leaves only the empty block.
func (s *blocks) reset() {
	if len(s.chunks) == 0 {
		s.chunks = append(s.chunks, &chunk{})
	}
	clear(s.chunks[1:])
	s.chunks, s.count = s.chunks[:1], append(s.count[:0], 0)
	clear(s.slots)
}

// len returns how many blocks there are.
func (s *blocks) len() int { return len(s.count) }

// at returns a block, which must not be modified.
func (s *blocks) at(b int32) *block { return &s.chunks[int(b)/len(chunk{})][int(b)%len(chunk{})] }

// bytes returns about how much memory the blocks take.
func (s *blocks) bytes() int64 { return blockBytes * int64(s.len()) }

// intern returns the number of a block that is not empty.
func (s *blocks) intern(b *block) int32 {
	if 2*s.len() >= len(s.slots) {
		s.rehash(max(64, 2*len(s.slots)))
	}
	slot := s.slot(b)
	for ; s.slots[slot] > 0; slot = s.next(slot) {
		if i := s.slots[slot] - 1; *s.at(i) == *b {
			return i
		}
	}
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	number := int32(s.len())
	if int(number)/len(chunk{}) == len(s.chunks) {
		s.chunks = append(s.chunks, &chunk{})
	}
	s.count = append(s.count, int32(n))
	*s.at(number) = *b
	s.slots[slot] = number + 1
	return number
}

func (s *blocks) slot(b *block) int {
	return int(maphash.Comparable(s.seed, *b) & uint64(len(s.slots)-1))
}

func (s *blocks) next(slot int) int { return (slot + 1) & (len(s.slots) - 1) }

// rehash makes a table of n slots, a power of two.
func (s *blocks) rehash(n int) {
	if s.slots == nil {
		// places in the table differ from process to process, block numbers do not
		s.seed = maphash.MakeSeed()
	}
	if n == len(s.slots) {
		clear(s.slots)
	} else {
		s.slots = make([]int32, n)
	}
	for i := 1; i < s.len(); i++ {
		slot := s.slot(s.at(int32(i)))
		for s.slots[slot] > 0 {
			slot = s.next(slot)
		}
		s.slots[slot] = int32(i) + 1
	}
}

// sweep drops the blocks that no set uses, and renumbers in place those that are used. each yields the numbers of every
// set.
func (s *blocks) sweep(each func(yield func(numbers []int32))) {
	renumbered := make([]int32, s.len())
	each(func(numbers []int32) {
		for _, b := range numbers {
			renumbered[b] = 1
		}
	})
	renumbered[0] = 0
	n := int32(1)
	for b, used := range renumbered {
		if used == 0 {
			continue
		}
		*s.at(n) = *s.at(int32(b))
		s.count[n] = s.count[b]
		renumbered[b] = n
		n++
	}
	s.count = s.count[:n]
	keep := (int(n)-1)/len(chunk{}) + 1
	clear(s.chunks[keep:])
	s.chunks = s.chunks[:keep]
	each(func(numbers []int32) {
		for i, b := range numbers {
			numbers[i] = renumbered[b]
		}
	})
	s.rehash(len(s.slots))
}
