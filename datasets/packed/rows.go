package packed

import "slices"

// Rows is a list of rows of bytes that lie end to end in blocks. The zero value is empty. It is not safe for
// concurrent use.
type Rows struct {
	full [][]byte
	last []byte
	n    int
}

// blockBytes is the size from which a block is full.
const blockBytes = 1 << 20

// Len returns the number of rows.
func (r *Rows) Len() int { return r.n }

// Add appends the row that write appends to its argument.
func (r *Rows) Add(write func(to []byte) []byte) {
	if len(r.last) >= blockBytes {
		r.seal()
	}
	r.last = write(r.last)
	r.n++
}

// Append appends the rows of q, which must not be used afterwards.
func (r *Rows) Append(q *Rows) {
	r.seal()
	q.seal()
	r.full = append(r.full, q.full...)
	r.n += q.n
}

// seal closes the last block.
func (r *Rows) seal() {
	if len(r.last) > 0 {
		r.full, r.last = append(r.full, slices.Clone(r.last)), nil // without room to grow
	}
}

// Each calls read for every row in order, until it returns false. read gets the bytes from its row to the end of the
// block, and returns the bytes after its row.
func (r *Rows) Each(read func(rows []byte) (rest []byte, more bool)) {
	for k := range len(r.full) + 1 {
		rest := r.last
		if k < len(r.full) {
			rest = r.full[k]
		}
		for len(rest) > 0 {
			var more bool
			if rest, more = read(rest); !more {
				return
			}
		}
	}
}
