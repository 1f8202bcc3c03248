package store

import (
	"fmt"
	"hash/maphash"
	"sync"

	"racecard/datasets/arrowtab"
)

// ids tells whether a run is in two parts of a store. It remembers a hash of 64 bits of every run that was read, 8
// bytes each at a load of at most three quarters, and nothing of a store of one part.
type ids struct {
	mu    sync.Mutex
	seed  maphash.Seed
	table []uint64 // open addressing; 0 is free
	parts []bool   // those that were read
}

// newIDs returns ids for the runs of a store, whose manifest must have been checked: as many runs as it says have
// files.
func newIDs(m *Manifest) *ids {
	if m.Parts < 2 {
		return nil
	}
	x := &ids{seed: maphash.MakeSeed(), parts: make([]bool, m.Parts)}
	return x
}

// claim notes the runs of a part, if that is read for the first time, and fails when one of them was in another.
func (x *ids) claim(part int, batch *arrowtab.Batch, runs int64) error {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.parts[part] {
		return nil
	}
	if x.table == nil {
		size := int64(64)
		for 3*size < 4*runs {
			size *= 2
		}
		x.table = make([]uint64, size)
	}
	x.parts[part] = true
	for _, id := range batch.RunIDs() {
		h := max(maphash.String(x.seed, id), 1)
		at := h % uint64(len(x.table))
		for ; x.table[at] != 0; at = (at + 1) % uint64(len(x.table)) {
			if x.table[at] == h {
				return fmt.Errorf("%s: run %.100q is in another part, too: the rows of a run lie in one part, and "+
					"each run has one id; import the trace again", fileName(arrowtab.Jobs.String(), part), id)
			}
		}
		x.table[at] = h
	}
	return nil
}
