package gather

import (
	"bytes"
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
	pieces []piece
	keys   []key
	of     []uint32 // number of the key of each record, in the order of the pieces
	table  []int32  // open addressing: number of a key and 1, or 0
	room   []byte   // the keys in order, each with its records behind it

	ordered [2][]ordered
	job     []Record
}

// sorters are used again: they have room for the records of a chunk.
var sorters = sync.Pool{New: func() any { return new(sorter) }}

func (s *sorter) free() {
	clear(s.pieces)
	clear(s.keys)
	clear(s.job)
	s.pieces, s.keys, s.of, s.job = s.pieces[:0], s.keys[:0], s.of[:0], s.job[:0]
	sorters.Put(s)
}

type key struct {
	hash    uint32
	records uint32
	bytes   []byte // nil when it is in the room
	size    int    // of its records in the room
	next    int    // where its next record goes in the room; before the first, -1 less where the key goes
}

// partition takes the records of a partition, whose keys are in no other one.
func (s *sorter) partition(pieces []piece, records int) {
	s.of = slices.Grow(s.of, records)
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
		d := decoder{data: pieces[i].data}
		for r, ok := d.next(); ok; r, ok = d.next() {
			n := s.key(r.key)
			k := &s.keys[n]
			k.records++
			k.size += recordHeader + len(r.bytes)
			s.of = append(s.of, uint32(n))
		}
	}
	s.pieces = append(s.pieces, pieces...)
}

// key returns the number of a key.
func (s *sorter) key(bytes []byte) int32 {
	mask, h := uint32(len(s.table)-1), hash(bytes)
	for at := h & mask; ; at = (at + 1) & mask {
		k := s.table[at] - 1
		if k < 0 {
			s.keys = append(s.keys, key{hash: h, bytes: bytes})
			s.table[at] = int32(len(s.keys))
			return int32(len(s.keys) - 1)
		}
		if known := &s.keys[k]; known.hash == h && string(known.bytes) == string(bytes) {
			return k
		}
	}
}

// recordHeader is what stands before a record in the room: its line in 8 bytes, its length in 4, its tag, and its file in 4.
const recordHeader = 17

// jobs yields the keys in order.
func (s *sorter) jobs(yield func(Job, error) bool) {
	order := s.order()
	s.gather(order)
	at := 0
	for _, o := range order {
		name := s.room[at : at+int(o.length) : at+int(o.length)]
		at += len(name)
		s.job = s.job[:0]
		for range o.records {
			head := s.room[at : at+recordHeader]
			at += recordHeader
			end := at + int(binary.NativeEndian.Uint32(head[8:]))
			s.job = append(s.job, Record{
				Tag: head[12], File: int32(binary.NativeEndian.Uint32(head[13:])),
				Line: int64(binary.NativeEndian.Uint64(head)), Bytes: s.room[at:end:end],
			})
			at = end
		}
		if !yield(Job{Key: name, Records: s.job}, nil) {
			return
		}
	}
}

// gather copies the records to the room. Jobs that are built from there find theirs one behind the other: processors wait
// less for memory that they write to all over than for memory that they read all over.
func (s *sorter) gather(order []ordered) {
	at := 0
	for _, o := range order {
		k := &s.keys[o.key]
		k.next = -at - 1 // none was written
		at += len(k.bytes) + k.size
	}
	s.room = slices.Grow(s.room[:0], at)[:at]
	i := 0
	for n := range s.pieces {
		p := &s.pieces[n]
		d := decoder{data: p.data}
		for r, ok := d.next(); ok; r, ok = d.next() {
			k := &s.keys[s.of[i]]
			i++
			if k.next < 0 {
				k.next = -k.next - 1
				k.next += copy(s.room[k.next:], k.bytes)
				k.bytes = nil
			}
			to := s.room[k.next : k.next+recordHeader+len(r.bytes)]
			k.next += len(to)
			binary.NativeEndian.PutUint64(to, uint64(p.first+int64(r.line)))
			binary.NativeEndian.PutUint32(to[8:], uint32(len(r.bytes)))
			to[12] = r.tag
			binary.NativeEndian.PutUint32(to[13:], uint32(p.file))
			copy(to[recordHeader:], r.bytes)
		}
		p.data = nil
	}
}

// ordered is a key with the eight bytes that follow what all keys begin with: most comparisons end there.
type ordered struct {
	head            uint64
	key             uint32
	records, length uint32
}

// order returns the keys in ascending order.
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
	s.ordered[0] = slices.Grow(s.ordered[0][:0], len(s.keys))
	order := s.ordered[0]
	for i := range s.keys {
		k := &s.keys[i]
		var head [8]byte
		copy(head[:], k.bytes[len(common):])
		order = append(order, ordered{binary.BigEndian.Uint64(head[:]), uint32(i), k.records, uint32(len(k.bytes))})
	}
	s.ordered[1] = slices.Grow(s.ordered[1][:0], len(order))[:len(order)]
	order = radixSort(order, s.ordered[1])
	for from := 0; from < len(order); { // those whose heads are the same
		to := from + 1
		for to < len(order) && order[to].head == order[from].head {
			to++
		}
		if to > from+1 {
			slices.SortFunc(order[from:to], func(a, b ordered) int {
				return bytes.Compare(s.keys[a.key].bytes, s.keys[b.key].bytes)
			})
		}
		from = to
	}
	return order
}

// radixSort sorts by head, a byte at a time from the last, between a and b, which is as long, and returns the one that holds
// the result.
func radixSort(a, b []ordered) []ordered {
	var counts [8][256]int32
	for i := range a {
		for d := range counts {
			counts[d][byte(a[i].head>>(8*d))]++
		}
	}
	for d := range counts {
		if slices.Contains(counts[d][:], int32(len(a))) { // all have the same
			continue
		}
		at := int32(0)
		for i, n := range counts[d] {
			counts[d][i] = at
			at += n
		}
		for i := range a {
			to := &counts[d][byte(a[i].head>>(8*d))]
			b[*to] = a[i]
			*to++
		}
		a, b = b, a
	}
	return a
}
