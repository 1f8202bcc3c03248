package groupby

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"sync"

	"racecard/datasets/radix"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Job is a key and its records.
type Job struct {
	Key     []byte
	Records []Record
}

// Jobs yields the keys of the chunk, in ascending order, with their records, which are in the order of the input. A job
// is valid until the next one. For a job that is too large for the memory it yields a [*TooLargeError], and goes on;
// any other error ends the sequence.
func (c Chunk) Jobs(ctx context.Context) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		s := sorters.Get().(*sorter)
		defer s.free()
		s.spilled = &c.g.spilled
		size := int64(0) // of the frames
		for p := c.from; p < c.to; p++ {
			for _, f := range c.g.spilled.frames[p] {
				size += int64(f.plain)
			}
		}
		s.keep = size <= c.g.bounds.keep
		for p := c.from; p < c.to; p++ {
			units, err := c.g.units(p)
			if err != nil {
				yield(Job{}, err)
				return
			}
			if err := s.partition(ctx, units, int(c.g.records[p])); err != nil {
				yield(Job{}, err)
				return
			}
		}
		s.jobs(ctx, c.g, yield)
	}
}

// Whole yields the jobs of the chunk that fit into memory. It gives the caller of a [source.Chunk] a reject for any
// other job, and the error that ends the sequence. first is the number of the first record of each file.
func (c Chunk) Whole(ctx context.Context, files []*source.File, first []int64, tally *source.Tally,
	give func(*trace.Run, error) bool,
) iter.Seq[Job] {
	return func(yield func(Job) bool) {
		for job, err := range c.Jobs(ctx) {
			if err == nil {
				if !yield(job) {
					return
				}
				continue
			}
			large := (*TooLargeError)(nil)
			if !errors.As(err, &large) {
				give(nil, err)
				return
			}
			if !give(nil, large.Reject(files, first, tally)) {
				return
			}
		}
	}
}

// sorter brings the records of a key together. It reads them twice: to see which keys there are, and to put the records
// of each one behind the other. Where these are too many for the memory, it does so for some keys after the other.
type sorter struct {
	spilled *spilled
	keep    bool // frames that were read stay in memory
	scratch scratch

	units []unit
	keys  []key
	of    []uint32 // number of the key of each record, in the order of the units
	table []int32  // open addressing: number of a key and 1, or 0
	base  int      // number of the first key of the partition at hand
	room  []byte   // some keys in order, each with its records behind it
	next  []int    // where the next record of each key goes in the room, or elsewhere

	ordered [2][]ordered
	job     []Record
}

// sorters are used again: they have room for the records of a chunk.
var sorters = sync.Pool{New: func() any { return new(sorter) }}

func (s *sorter) free() {
	clear(s.units)
	clear(s.keys)
	clear(s.job)
	s.units, s.keys, s.of, s.job, s.spilled = s.units[:0], s.keys[:0], s.of[:0], s.job[:0], nil
	if cap(s.room) > maxSpare || recordHeader*cap(s.job) > maxSpare {
		s.room, s.job, s.of, s.next = nil, nil, nil, nil
	}
	sorters.Put(s)
}

// maxSpare bounds the memory that a sorter keeps for its next use.
const maxSpare = 128 << 20

type key struct {
	hash    uint32
	records uint32
	bytes   []byte
	size    int   // of its records in the room
	line    int64 // of its first record
	file    int32
}

// elsewhere is the next place of a key that is not in the room this time.
const elsewhere = -1

// cost returns the memory of a key's records, given the overhead of each record.
func (k *key) cost(each int64) int64 {
	return int64(len(k.bytes)) + int64(k.size) + int64(k.records)*each
}

// partition takes the records of a partition, whose keys are in no other one.
func (s *sorter) partition(ctx context.Context, units []unit, records int) error {
	s.of = slices.Grow(s.of, records)
	s.base = len(s.keys)
	s.resize(min(records, firstKeys))
	for i := range units {
		if err := ctx.Err(); err != nil {
			return err
		}
		temporary := units[i].data == nil && !s.keep
		err := s.spilled.each(&units[i], &s.scratch, s.keep, func(p piece) {
			d := decoder{data: p.data}
			for d.next() {
				n, found := s.key(d.key)
				k := &s.keys[n]
				if !found {
					k.file, k.line = p.file, p.first+int64(d.line)
					if temporary {
						k.bytes = bytes.Clone(k.bytes)
					}
				}
				k.records++
				k.size += recordHeader + len(d.bytes)
				s.of = append(s.of, uint32(n))
			}
		})
		if err != nil {
			return err
		}
	}
	s.units = append(s.units, units...)
	return nil
}

// key returns the number of a key, and whether it was there.
func (s *sorter) key(bytes []byte) (n int32, found bool) {
	mask, h := uint32(len(s.table)-1), hash(bytes)
	for at := h & mask; ; at = (at + 1) & mask {
		k := s.table[at] - 1
		if k < 0 {
			if len(s.keys) == cap(s.keys) { // there may be many: appending alone would copy them more often
				s.keys = slices.Grow(s.keys, max(len(s.keys), firstRoom))
			}
			s.keys = append(s.keys, key{hash: h, bytes: bytes})
			s.table[at] = int32(len(s.keys))
			if n := len(s.keys) - s.base; 2*n > len(s.table) {
				s.resize(2 * n)
			}
			return int32(len(s.keys) - 1), false
		}
		if known := &s.keys[k]; known.hash == h && string(known.bytes) == string(bytes) {
			return k, true
		}
	}
}

// firstRoom is for how many keys a sorter has room at first.
const firstRoom = 1 << 10

// firstKeys is for how many keys the table has room before it grows: records may be many more.
const firstKeys = 1 << 19

// resize makes a table for that many keys of the partition at hand, which begin at base.
func (s *sorter) resize(keys int) {
	size := 16
	for size < 2*keys {
		size *= 2
	}
	if size > cap(s.table) {
		s.table = make([]int32, size)
	}
	s.table = s.table[:size]
	clear(s.table)
	mask := uint32(size - 1)
	for i := s.base; i < len(s.keys); i++ {
		at := s.keys[i].hash & mask
		for s.table[at] != 0 {
			at = (at + 1) & mask
		}
		s.table[at] = int32(i + 1)
	}
}

// recordHeader precedes a record in the room: its line in 8 bytes, its length in 4, its tag, and its file in 4.
const recordHeader = 17

// jobs yields the keys in order, as many at a time as may be in memory.
func (s *sorter) jobs(ctx context.Context, g *Grouper, yield func(Job, error) bool) {
	for order := s.order(); len(order) > 0; {
		if k := &s.keys[order[0].Value.key]; k.cost(worstCost) > g.bounds.job {
			if !yield(Job{}, refused(k, g.bounds.job)) {
				return
			}
			order = order[1:]
			continue
		}
		n, cost := 0, int64(0)
		for _, o := range order {
			k := &s.keys[o.Value.key]
			next := cost + k.cost(recordCost)
			if k.cost(worstCost) > g.bounds.job || n > 0 && next > g.bounds.group {
				break
			}
			n, cost = n+1, next
		}
		if !s.some(ctx, g, order[:n], n == len(s.keys), cost, yield) {
			return
		}
		order = order[n:]
	}
}

// some yields some keys, and reports whether more are wanted.
func (s *sorter) some(ctx context.Context, g *Grouper, order []ordered, all bool, cost int64,
	yield func(Job, error) bool) bool {
	took := g.share.take(cost)
	defer g.share.give(took)
	if err := s.gather(ctx, order, all); err != nil {
		yield(Job{}, err)
		return false
	}
	at := 0
	for _, o := range order {
		name := s.room[at : at+int(o.Value.length) : at+int(o.Value.length)]
		at += len(name)
		s.job = slices.Grow(s.job[:0], int(o.Value.records))[:o.Value.records]
		for i := range s.job {
			head := s.room[at : at+recordHeader]
			at += recordHeader
			end := at + int(binary.NativeEndian.Uint32(head[8:]))
			r := &s.job[i]
			r.Tag, r.File = head[12], int32(binary.NativeEndian.Uint32(head[13:]))
			r.Line, r.Bytes = int64(binary.NativeEndian.Uint64(head)), s.room[at:end:end]
			at = end
		}
		if !yield(Job{Key: name, Records: s.job}, nil) {
			return false
		}
	}
	return true
}

// gather copies the records of some keys, or all, to the room. Jobs that are built from there find theirs one behind
// the other: processors wait less for memory that they write to all over than for memory that they read all over.
func (s *sorter) gather(ctx context.Context, order []ordered, all bool) error {
	s.next = slices.Grow(s.next[:0], len(s.keys))[:len(s.keys)]
	if !all {
		for i := range s.next {
			s.next[i] = elsewhere
		}
	}
	size := 0
	for _, o := range order {
		k := &s.keys[o.Value.key]
		size += len(k.bytes) + k.size
	}
	s.room = slices.Grow(s.room[:0], size)[:size]
	at := 0
	for _, o := range order {
		k := &s.keys[o.Value.key]
		s.next[o.Value.key] = at + copy(s.room[at:], k.bytes)
		at += len(k.bytes) + k.size
	}
	i := 0
	for n := range s.units {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.spilled.each(&s.units[n], &s.scratch, s.keep, func(p piece) {
			d := decoder{data: p.data}
			for d.next() {
				next := &s.next[s.of[i]]
				i++
				if *next == elsewhere {
					continue
				}
				to := s.room[*next : *next+recordHeader+len(d.bytes)]
				*next += len(to)
				binary.NativeEndian.PutUint64(to, uint64(p.first+int64(d.line)))
				binary.NativeEndian.PutUint32(to[8:], uint32(len(d.bytes)))
				to[12] = d.tag
				binary.NativeEndian.PutUint32(to[13:], uint32(p.file))
				copy(to[recordHeader:], d.bytes)
			}
		})
		if err != nil {
			return err
		}
		if all {
			s.units[n] = unit{} // not needed any more
		}
	}
	return nil
}

// ordered is a key, by the eight bytes that follow what all keys begin with: most comparisons end there.
type ordered = radix.Item[keyRef]

// keyRef is the number of a key, with its records and its length.
type keyRef struct{ key, records, length uint32 }

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
		order = append(order, ordered{Value: keyRef{uint32(i), k.records, uint32(len(k.bytes))},
			Key: binary.BigEndian.Uint64(head[:])})
	}
	s.ordered[1] = slices.Grow(s.ordered[1][:0], len(order))[:len(order)]
	order = radix.Sort(order, s.ordered[1])
	for from := 0; from < len(order); { // those whose heads are the same
		to := from + 1
		for to < len(order) && order[to].Key == order[from].Key {
			to++
		}
		if to > from+1 {
			slices.SortFunc(order[from:to], func(a, b ordered) int {
				return bytes.Compare(s.keys[a.Value.key].bytes, s.keys[b.Value.key].bytes)
			})
		}
		from = to
	}
	return order
}
