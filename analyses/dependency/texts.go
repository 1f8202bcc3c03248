package dependency

import (
	"errors"
	"hash/maphash"
)

// texts assigns numbers to texts, from 0, in the order of their first occurrence. A text takes its bytes and about 16
// more. The zero value is empty.
type texts struct {
	bytes []byte
	ends  []int        // text i is bytes[ends[i-1]:ends[i]]
	slots []int32      `partial:"-"` // of a hash table with open addressing: number + 1, or 0 for none
	seed  maphash.Seed `partial:"-"`
}

// len returns how many texts there are.
func (t *texts) len() int { return len(t.ends) }

// at returns a text. The result is only valid until the next one is added.
func (t *texts) at(i int32) []byte {
	from := 0
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.bytes[from:t.ends[i]]
}

// append adds a text without checking for duplicates.
func (t *texts) append(s string) {
	t.bytes = append(t.bytes, s...)
	t.ends = append(t.ends, len(t.bytes))
}

// extend appends the texts of u.
func (t *texts) extend(u *texts) {
	before := len(t.bytes)
	t.bytes = append(t.bytes, u.bytes...)
	for _, end := range u.ends {
		t.ends = append(t.ends, before+end)
	}
}

// intern returns the number of a text.
func (t *texts) intern(s string) int32 {
	if 4*(len(t.ends)+1) > 3*len(t.slots) {
		t.grow()
	}
	slot := t.slot(maphash.String(t.seed, s))
	for ; t.slots[slot] > 0; slot = t.next(slot) {
		if i := t.slots[slot] - 1; string(t.at(i)) == s {
			return i
		}
	}
	t.append(s)
	t.slots[slot] = int32(len(t.ends))
	return int32(len(t.ends)) - 1
}

// merge interns the texts of u and returns their numbers in t.
func (t *texts) merge(u *texts) []int32 {
	numbers := make([]int32, u.len())
	for i := range numbers {
		numbers[i] = t.intern(string(u.at(int32(i))))
	}
	return numbers
}

func (t *texts) slot(hash uint64) int { return int(hash & uint64(len(t.slots)-1)) }

func (t *texts) next(slot int) int { return (slot + 1) & (len(t.slots) - 1) }

// grow doubles the hash table.
func (t *texts) grow() { t.index(max(16, 2*len(t.slots))) }

// index makes a hash table of the texts, with a power of two of slots, more than there are texts.
func (t *texts) index(slots int) {
	if t.slots == nil {
		// places in the table differ from process to process, text numbers do not
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]int32, slots)
	for i := range t.ends {
		slot := t.slot(maphash.Bytes(t.seed, t.at(int32(i))))
		for t.slots[slot] > 0 {
			slot = t.next(slot)
		}
		t.slots[slot] = int32(i) + 1
	}
}

// Decoded makes the hash table of texts that were read from an encoding.
func (t *texts) Decoded() error {
	before := 0
	for _, end := range t.ends {
		if end < before || end > len(t.bytes) {
			return errors.New("it is damaged: a text lies outside of the texts")
		}
		before = end
	}
	slots := 16
	for 4*(len(t.ends)+1) > 3*slots {
		slots *= 2
	}
	t.slots = nil
	t.index(slots)
	return nil
}
