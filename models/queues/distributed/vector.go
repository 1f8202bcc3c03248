package distributed

import "math/bits"

// vectors are the shared part of the cluster's state (Succinct State Sharing): one bit per worker, set while it
// has tasks of long jobs. The central scheduler's vector is live. Workers hold copies. A copy is made when a
// message carries the vector and it has changed, and all holders of the same version share it. Copies share
// equal blocks: many copies are held and few words of each are read, so that full copies of large clusters would
// not fit in the cache.
type vectors struct {
	live    []uint64
	stale   []bool       // blocks of live that have changed since the newest copy
	blocks  []blockWords // 0 is unused
	sharers []int32      // copies that have a block
	spare   []int32      // blocks that none has
	workers int32
	all     []vector // 0 is no vector
	free    []int32
	last    int32 // newest copy; 0 for none
	changed bool  // since
	made    int32
}

// vector is a copy, which finds its k-th clear bit.
type vector struct {
	blocks  []int32
	clear   []int32 // bits clear in front of every block, and all
	made    int32
	holders int32
}

// block is the number of words that are copied together: one cache line.
const block = 8

// blockWords are those words, and in before how many bits are clear in front of each but the first, in 9 bits each, so
// that the word with the k-th clear bit is found at once (rank9: S. Vigna, "Broadword Implementation of Rank/Select
// Queries", WEA 2008).
type blockWords struct {
	words  [block]uint64
	before uint64
}

// count counts the clear bits in front of each word, and returns their total.
func (b *blockWords) count() int32 {
	n := uint64(0)
	b.before = 0
	for i, word := range b.words {
		b.before |= n << (9 * (i - 1) & 63) // nothing, of the first
		n += 64 - uint64(bits.OnesCount64(word))
	}
	return int32(n)
}

// at returns the place of the k-th clear bit; there must be more than k.
func (b *blockWords) at(k uint64) int32 {
	const ones, high = 0x0040201008040201, 0x4020100804020100 // lowest and highest bits of the counts
	x, y := b.before, k*ones
	notMore := (((y | high) - x&^high) | (x ^ y)) ^ (x &^ y)
	i := bits.OnesCount64(notMore & high)
	return int32(i)<<6 + nth(^b.words[i&(block-1)], k-x>>(9*(uint(i-1)&7)&63)&0x1ff)
}

func newVectors(workers int) vectors {
	n := (workers + 64*block - 1) / (64 * block)
	v := vectors{live: make([]uint64, n*block), stale: make([]bool, n), blocks: make([]blockWords, 1),
		sharers: make([]int32, 1), workers: int32(workers), all: make([]vector, 1), changed: true}
	for i := range v.stale {
		v.stale[i] = true
	}
	return v
}

func (v *vectors) set(w int32) {
	v.live[w>>6] |= 1 << (w & 63)
	v.stale[w>>6/block], v.changed = true, true
}

func (v *vectors) unset(w int32) {
	v.live[w>>6] &^= 1 << (w & 63)
	v.stale[w>>6/block], v.changed = true, true
}

// snapshot returns a copy of the live vector, which lives until the next one unless someone holds it.
func (v *vectors) snapshot() int32 {
	if !v.changed {
		return v.last
	}
	v.changed = false
	var id int32
	if n := len(v.free); n > 0 {
		id = v.free[n-1]
		v.free = v.free[:n-1]
	} else {
		id = int32(len(v.all))
		v.all = append(v.all, vector{blocks: make([]int32, len(v.stale)), clear: make([]int32, len(v.stale)+1)})
	}
	v.made++
	x := &v.all[id]
	x.made, x.holders = v.made, 1
	if v.last > 0 {
		old := &v.all[v.last]
		copy(x.blocks, old.blocks)
		copy(x.clear, old.clear)
	}
	more := int32(0) // bits clear in blocks so far beyond those of the last copy
	for i, stale := range v.stale {
		before := x.clear[i+1]
		if stale {
			v.stale[i] = false
			was := before - (x.clear[i] - more)
			var is int32
			x.blocks[i], is = v.block(i)
			more += is - was
		}
		v.sharers[x.blocks[i]]++
		x.clear[i+1] = before + more
	}
	v.drop(v.last)
	v.last = id
	return id
}

// block keeps the words of a live block, and returns how many bits of workers are clear in it.
func (v *vectors) block(i int) (at, clear int32) {
	if n := len(v.spare); n > 0 {
		at = v.spare[n-1]
		v.spare = v.spare[:n-1]
	} else {
		at = int32(len(v.blocks))
		v.blocks, v.sharers = append(v.blocks, blockWords{}), append(v.sharers, 0)
	}
	b := &v.blocks[at]
	b.words = [block]uint64(v.live[i*block:])
	return at, b.count() - max(0, int32(i+1)*block*64-v.workers) // bits of no worker are always clear
}

func (v *vectors) hold(id int32) {
	if id > 0 {
		v.all[id].holders++
	}
}

func (v *vectors) drop(id int32) {
	if id > 0 {
		if v.all[id].holders--; v.all[id].holders == 0 {
			v.free = append(v.free, id)
			for _, b := range v.all[id].blocks {
				if v.sharers[b]--; v.sharers[b] == 0 {
					v.spare = append(v.spare, b)
				}
			}
		}
	}
}

// give replaces the vector of a holder.
func (v *vectors) give(to *int32, id int32) {
	v.hold(id)
	v.drop(*to)
	*to = id
}

// size is the number of workers with a clear bit in a vector: all workers in vector 0.
func (v *vectors) size(id int32) int32 {
	if id == 0 {
		return v.workers
	}
	x := &v.all[id]
	return x.clear[len(x.clear)-1]
}

// at returns the k-th worker whose bit is clear. It has no branches to guess: half of the guesses would be wrong, and
// the search for the next one would wait for memory.
func (v *vectors) at(id, k int32) int32 {
	if id == 0 {
		return k
	}
	x := &v.all[id]
	at := 0 // the last block with clear[at] <= k
	for n := len(x.clear) - 1; n > 1; {
		half := n / 2
		at += half & int(int64(x.clear[at+half]-k-1)>>63)
		n -= half
	}
	return int32(at)*block*64 + v.blocks[x.blocks[at]].at(uint64(k-x.clear[at]))
}

// nth returns the place of the k-th bit that is set; there must be more than k (S. Vigna, "Broadword Implementation of
// Rank/Select Queries", WEA 2008).
func nth(word, k uint64) int32 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	sums := word - word>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones // in byte i, the bits set in bytes 0 to i
	at := bits.OnesCount64((k*ones|high-sums)&high) * 8 // of the first byte whose sum is more than k
	k -= sums << 8 >> at & 0xff
	b := word >> at & 0xff * ones & 0x8040201008040201 // in byte i, bit i of that byte
	sums = (b + 0x7f7f7f7f7f7f7f7f) >> 7 & ones * ones // and the bits set in 0 to i
	return int32(at + bits.OnesCount64((k*ones|high-sums)&high))
}
