package gather

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"sync"
)

// Job is a key and its records.
type Job struct {
	Key     []byte
	Records []Record
}

// Jobs yields the keys of the chunk, in ascending order, with their records, which are in the order of the input. A job is
// valid until the next one.
func (c Chunk) Jobs(ctx context.Context) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		s := sorters.Get().(*sorter)
		defer s.free()
		for p := c.from; p < c.to; p++ {
			if err := ctx.Err(); err != nil {
				yield(Job{}, err)
				return
			}
			pieces, err := c.g.spilled.pieces(nil, p)
			if err != nil {
				yield(Job{}, err)
				return
			}
			for _, b := range c.g.blocks {
				if data := b.part(p); len(data) > 0 {
					pieces = append(pieces, piece{b.file, b.first, data})
				}
			}
			s.partition(pieces, int(c.g.records[p]))
		}
		s.jobs(yield)
	}
}

// sorter brings the records of a key together.
type sorter struct {
	pieces  []piece
	entries []entry
	records []entry // by key
	keys    []key
	table   []int32 // open addressing: number of a key and 1, or 0
	job     []Record
	ahead   byte // see touch
}

// sorters are used again: they have room for the records of a chunk.
var sorters = sync.Pool{New: func() any { return new(sorter) }}

func (s *sorter) free() {
	clear(s.pieces)
	clear(s.keys)
	clear(s.job)
	s.pieces, s.entries, s.records, s.keys, s.job = s.pieces[:0], s.entries[:0], s.records[:0], s.keys[:0], s.job[:0]
	sorters.Put(s)
}

// entry is a record. It holds no pointers, so that the collector need not look at it.
type entry struct {
	key, piece, line uint32
	from, to         uint32 // where its bytes lie in the piece
	tag              uint8
}

type key struct {
	hash    uint32
	bytes   []byte
	records int
}

// partition takes the records of a partition, whose keys are in no other one.
func (s *sorter) partition(pieces []piece, records int) {
	s.entries = slices.Grow(s.entries, records)
	size := 16
	for size < 2*records {
		size *= 2
	}
	if size > cap(s.table) {
		s.table = make([]int32, size)
	}
	s.table = s.table[:size]
	clear(s.table)
	for i := range pieces {
		number := uint32(len(s.pieces) + i)
		d := decoder{data: pieces[i].data}
		for r, ok := d.next(); ok; r, ok = d.next() {
			k := s.key(&r)
			s.keys[k].records++
			s.entries = append(s.entries, entry{key: uint32(k), piece: number, line: r.line, from: r.from, to: r.to, tag: r.tag})
		}
	}
	s.pieces = append(s.pieces, pieces...)
}

// key returns the number of a record's key.
func (s *sorter) key(r *found) int32 {
	mask := uint32(len(s.table) - 1)
	for at := r.hash & mask; ; at = (at + 1) & mask {
		k := s.table[at] - 1
		if k < 0 {
			s.keys = append(s.keys, key{hash: r.hash, bytes: r.key})
			s.table[at] = int32(len(s.keys))
			return int32(len(s.keys) - 1)
		}
		if known := &s.keys[k]; known.hash == r.hash && bytes.Equal(known.bytes, r.key) {
			return k
		}
	}
}

// jobs yields the keys in order.
func (s *sorter) jobs(yield func(Job, error) bool) {
	order := s.order()
	next := make([]int, len(s.keys)) // where the next record of a key goes
	at := 0
	for _, o := range order {
		next[o.key] = at
		at += s.keys[o.key].records
	}
	s.records = slices.Grow(s.records, len(s.entries))[:len(s.entries)] // a counting sort: the records of a key keep their order
	for i := range s.entries {
		e := &s.entries[i]
		s.records[next[e.key]] = *e
		next[e.key]++
	}
	at = 0
	for _, o := range order {
		k := &s.keys[o.key]
		end := at + k.records
		s.touch(at, end)
		s.job = s.job[:0]
		for i := at; i < end; i++ {
			e := &s.records[i]
			p := &s.pieces[e.piece]
			s.job = append(s.job, Record{Tag: e.tag, File: p.file, Line: p.first + int64(e.line), Bytes: p.data[e.from:e.to:e.to]})
		}
		if !yield(Job{Key: k.bytes, Records: s.job}, nil) {
			return
		}
		at = end
	}
}

// touchAhead is how many records touch looks ahead.
const touchAhead = 64

// touch reads a byte of the records that come soon. They lie all over the memory: a processor that is asked for many of them
// at once fetches them together, while a job is built that has no use for it otherwise.
func (s *sorter) touch(from, to int) {
	for i := min(from+touchAhead, len(s.records)); i < min(to+touchAhead, len(s.records)); i++ {
		if e := &s.records[i]; e.from < e.to {
			data := s.pieces[e.piece].data
			s.ahead += data[e.from] + data[e.to-1]
		}
	}
}

// ordered is a key with the eight bytes that follow what all keys begin with: most comparisons end there.
type ordered struct {
	head uint64
	key  int32
}

func (s *sorter) order() []ordered {
	if len(s.keys) == 0 {
		return nil
	}
	common := s.keys[0].bytes
	for i := range s.keys {
		n := 0
		for k := s.keys[i].bytes; n < min(len(common), len(k)) && common[n] == k[n]; n++ {
		}
		common = common[:n]
	}
	order := make([]ordered, len(s.keys))
	for i := range s.keys {
		var head [8]byte
		copy(head[:], s.keys[i].bytes[len(common):])
		order[i] = ordered{binary.BigEndian.Uint64(head[:]), int32(i)}
	}
	slices.SortFunc(order, func(a, b ordered) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(s.keys[a.key].bytes, s.keys[b.key].bytes)
	})
	return order
}
