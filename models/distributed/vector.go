package distributed

import "math/bits"

// vectors are what is shared of the state of the cluster (Succinct State Sharing): one bit per worker, set while it has
// tasks of long jobs. The central scheduler's is live; workers hold copies, which are made when a message of its carries
// one and something has changed, and shared by all that hold the same one.
type vectors struct {
	live    []uint64
	workers int32
	all     []vector // 0 is no vector
	free    []int32
	last    int32 // newest copy; 0 for none
	changed bool  // since
	made    int32
}

// vector is a copy, which finds its k-th clear bit.
type vector struct {
	words   []uint64
	clear   []int32 // bits clear in front of every block of 8 words, and all
	made    int32
	holders int32
}

const block = 8

func newVectors(workers int) vectors {
	return vectors{live: make([]uint64, (workers+64*block-1)/(64*block)*block), workers: int32(workers), all: make([]vector, 1), changed: true}
}

func (v *vectors) set(w int32) {
	v.live[w>>6] |= 1 << (w & 63)
	v.changed = true
}

func (v *vectors) unset(w int32) {
	v.live[w>>6] &^= 1 << (w & 63)
	v.changed = true
}

// snapshot returns a copy of the live vector, which lives until the next one unless someone holds it.
func (v *vectors) snapshot() int32 {
	if !v.changed {
		return v.last
	}
	v.changed = false
	v.drop(v.last)
	var id int32
	if n := len(v.free); n > 0 {
		id = v.free[n-1]
		v.free = v.free[:n-1]
	} else {
		id = int32(len(v.all))
		v.all = append(v.all, vector{words: make([]uint64, len(v.live)), clear: make([]int32, len(v.live)/block+1)})
	}
	v.made++
	x := &v.all[id]
	x.made, x.holders = v.made, 1
	copy(x.words, v.live)
	n := int32(0)
	for i, word := range x.words {
		if i%block == 0 {
			x.clear[i/block] = n
		}
		n += 64 - int32(bits.OnesCount64(word))
	}
	x.clear[len(x.clear)-1] = n - (int32(len(x.words))*64 - v.workers)
	v.last = id
	return id
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
		}
	}
}

// give has a holder hold a vector instead of what it held.
func (v *vectors) give(to *int32, id int32) {
	v.hold(id)
	v.drop(*to)
	*to = id
}

// size is how many workers have their bit clear in a vector; all have in vector 0.
func (v *vectors) size(id int32) int32 {
	if id == 0 {
		return v.workers
	}
	x := &v.all[id]
	return x.clear[len(x.clear)-1]
}

// at returns the k-th worker whose bit is clear. It has no branches to guess: half of the guesses would be wrong, and the search
// for the next one would wait for memory.
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
	w := (*[block]uint64)(x.words[at*block:])
	rest := uint64(k - x.clear[at])
	var upTo [block]uint64 // bits clear in front of each word
	sum, i := uint64(0), uint64(0)
	for n := range block - 1 {
		sum += 64 - uint64(bits.OnesCount64(w[n]))
		upTo[n+1] = sum
		i += (sum - rest - 1) >> 63 // those are before the word
	}
	return int32(at*block+int(i))<<6 + nth(^w[i], rest-upTo[i])
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
