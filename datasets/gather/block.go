package gather

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/OneOfOne/xxhash"
)

// partitions is their number: with the default budget, traces of some hundred GB still have partitions that fit.
const partitions = 256

// block holds the records of a stretch of the input, encoded: those of a partition together, and in the order of the input.
type block struct {
	file    int32
	first   int64 // line that the lines of its records count from
	data    []byte
	ends    [partitions]uint32 // where the records of each partition end in data
	records [partitions]int32
}

// part returns the records of a partition.
func (b *block) part(p int) []byte {
	from := uint32(0)
	if p > 0 {
		from = b.ends[p-1]
	}
	return b.data[from:b.ends[p]]
}

// blockBuilder makes a block out of records. Its zero value is empty.
type blockBuilder struct {
	entries []pending
	sizes   [partitions]uint32
	records [partitions]int32
	size    int
}

// pending is a record of a block that is not finished.
type pending struct {
	hash  uint64
	line  uint32
	at    int32 // where the key lies in bytes; -1 for elsewhere
	tag   uint8
	key   []byte
	bytes []byte
}

// partition returns the partition of a record; the low bits of the hash tell the keys of a partition apart.
func (e *pending) partition() int { return int(e.hash >> 56) }

// add adds a record. What key and bytes point to must stay as it is until finish.
func (b *blockBuilder) add(key, bytes []byte, tag uint8, line uint32) {
	e := pending{hash: xxhash.Checksum64(key), line: line, at: within(key, bytes), tag: tag, key: key, bytes: bytes}
	b.entries = append(b.entries, e)
	size, p := e.size(), e.partition()
	b.sizes[p] += uint32(size)
	b.records[p]++
	b.size += size
}

// within returns where the memory of key lies in that of bytes, -1 when it lies elsewhere.
func within(key, bytes []byte) int32 {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(key))) - uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	if len(key) <= len(bytes) && at <= uintptr(len(bytes)-len(key)) {
		return int32(at)
	}
	return -1
}

// finish encodes the records and leaves the builder empty. file and first of the block are the caller's to set.
func (b *blockBuilder) finish() *block {
	out := &block{data: room(b.size), records: b.records}
	var at [partitions]uint32
	end := uint32(0)
	for p, size := range b.sizes {
		at[p] = end
		end += size
		out.ends[p] = end
	}
	for i := range b.entries {
		e := &b.entries[i]
		p := e.partition()
		at[p] += uint32(e.put(out.data[at[p]:]))
	}
	clear(b.entries)
	b.entries, b.size, b.sizes, b.records = b.entries[:0], 0, [partitions]uint32{}, [partitions]int32{}
	return out
}

// rooms are used again when their blocks were spilled: making them anew would clear them first.
var rooms sync.Pool

func room(size int) []byte {
	if r, ok := rooms.Get().(*[]byte); ok && cap(*r) >= size {
		return (*r)[:size]
	}
	return make([]byte, size, size+size/8)
}

// headerBytes is the size of hash and tag.
const headerBytes = 4 + 1

// size returns how many bytes put writes.
func (e *pending) size() int {
	n := headerBytes + uvarintSize(uint64(e.line)) + uvarintSize(uint64(e.at+1)) + uvarintSize(uint64(len(e.key))) +
		uvarintSize(uint64(len(e.bytes))) + len(e.bytes)
	if e.at < 0 {
		n += len(e.key)
	}
	return n
}

func uvarintSize(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

// put writes a record: 4 bytes of hash, tag, line, where the key lies in the bytes, from 1, or 0, the lengths of key and
// bytes, the bytes, and the key unless it lies in them.
func (e *pending) put(to []byte) int {
	binary.LittleEndian.PutUint32(to, uint32(e.hash))
	to[4] = e.tag
	n := headerBytes
	n += binary.PutUvarint(to[n:], uint64(e.line))
	n += binary.PutUvarint(to[n:], uint64(e.at+1))
	n += binary.PutUvarint(to[n:], uint64(len(e.key)))
	n += binary.PutUvarint(to[n:], uint64(len(e.bytes)))
	n += copy(to[n:], e.bytes)
	if e.at < 0 {
		n += copy(to[n:], e.key)
	}
	return n
}

// decoder walks over records that put wrote.
type decoder struct {
	data []byte
	at   int
}

// found is a record that the decoder found. Its key lies in the data.
type found struct {
	hash uint32
	tag  uint8
	line uint32
	key  []byte
	// from and to say where its bytes lie in the data.
	from, to uint32
}

// next finds the next record.
func (d *decoder) next() (r found, ok bool) {
	if d.at >= len(d.data) {
		return r, false
	}
	r.hash = binary.LittleEndian.Uint32(d.data[d.at:])
	r.tag = d.data[d.at+4]
	d.at += headerBytes
	r.line = uint32(d.uvarint())
	at, key, length := int(d.uvarint()), int(d.uvarint()), int(d.uvarint())
	from := d.at
	d.at += length
	r.from, r.to = uint32(from), uint32(d.at)
	if at > 0 {
		r.key = d.data[from+at-1 : from+at-1+key]
	} else {
		r.key = d.data[d.at : d.at+key]
		d.at += key
	}
	return r, true
}

func (d *decoder) uvarint() uint64 {
	if b := d.data[d.at]; b < 0x80 {
		d.at++
		return uint64(b)
	}
	v, n := binary.Uvarint(d.data[d.at:])
	d.at += n
	return v
}
