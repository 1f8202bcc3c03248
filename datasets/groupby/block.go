package groupby

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// partitions is their number: with the default budget, traces of some hundred GB still have partitions that fit.
const partitions = 256

// block holds the encoded records of a stretch of the input, grouped by partition and in input order.
type block struct {
	file    int32
	first   int64 // line that the lines of its records count from
	data    []byte
	ends    [partitions]uint32 // where the records of each partition end in data
	records [partitions]int32
}

// len returns the number of records.
func (b *block) len() int {
	n := 0
	for _, m := range b.records {
		n += int(m)
	}
	return n
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
	n     int
	parts [partitions]struct {
		data    []byte
		records int32
		line    uint32 // of the last record
	}
	room []byte // for a record before it is added
}

// maxPart is how much room a partition keeps for the next block. Where rows of a job lie together, each block is for
// other partitions, and without it all of them would have room for a whole block in the end.
const maxPart = 16 << 10

// add adds a record.
func (b *blockBuilder) add(key, bytes []byte, tag uint8, line uint32) {
	p := &b.parts[xxhash.Sum64(key)>>56]
	at := within(key, bytes) + 1
	d := appendHeader(p.data, tag, at, len(key), len(bytes), line-p.line)
	d = append(d, bytes...)
	if at == 0 {
		d = append(d, key...)
	}
	p.data, p.line = d, line
	p.records++
	b.n++
}

// A header precedes a record: a word with a byte each, from the lowest on, for its tag, for where the key lies in its
// bytes, from 1, or 0, and for the lengths of key and bytes, and with four bytes for the lines since the record before.
// Where one of them takes more than a byte, long is in place of where the key lies, and three varints follow the word.
const (
	headerBytes = 8
	long        = 0xff
)

func appendHeader(to []byte, tag uint8, at, key, length int, lines uint32) []byte {
	word := uint64(tag) | uint64(lines)<<32
	if at < long && key <= 0xff && length <= 0xff {
		return binary.LittleEndian.AppendUint64(to, word|uint64(at)<<8|uint64(key)<<16|uint64(length)<<24)
	}
	to = binary.LittleEndian.AppendUint64(to, word|long<<8)
	to = binary.AppendUvarint(to, uint64(at))
	to = binary.AppendUvarint(to, uint64(key))
	return binary.AppendUvarint(to, uint64(length))
}

// within returns the offset of key's memory in bytes, or -1 if it lies elsewhere.
func within(key, bytes []byte) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(key))) - uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	if len(key) <= len(bytes) && at <= uintptr(len(bytes)-len(key)) {
		return int(at)
	}
	return -1
}

// finish puts the records of all partitions into one block and leaves the builder empty. file and first of the block
// are the caller's to set.
func (b *blockBuilder) finish() *block {
	size := 0
	for i := range b.parts {
		size += len(b.parts[i].data)
	}
	out := &block{data: room(size)[:0]}
	for i := range b.parts {
		p := &b.parts[i]
		out.data = append(out.data, p.data...)
		out.ends[i], out.records[i] = uint32(len(out.data)), p.records
		if cap(p.data) > maxPart {
			p.data = nil
		}
		p.data, p.records, p.line = p.data[:0], 0, 0
	}
	b.n = 0
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

// decoder walks over records of a partition as a blockBuilder wrote them: header, bytes, and the key unless it lies in
// them.
type decoder struct {
	data []byte
	at   int

	// The record at hand. Key and bytes lie in the data.
	tag   uint8
	line  uint32
	key   []byte
	bytes []byte
}

// next moves to the next record and reports whether there is one.
func (d *decoder) next() bool {
	data, i := d.data, d.at
	if i >= len(data) {
		return false
	}
	word := binary.LittleEndian.Uint64(data[i:])
	i += headerBytes
	at, key, length := int(word>>8&0xff), int(word>>16&0xff), int(word>>24&0xff)
	if at == long {
		var more [3]uint64
		for k := range more {
			more[k], i = uvarint(data, i)
		}
		at, key, length = int(more[0]), int(more[1]), int(more[2])
	}
	d.tag = uint8(word)
	d.line += uint32(word >> 32)
	end := i + length
	d.bytes = data[i:end]
	if at > 0 {
		d.key = d.bytes[at-1 : at-1+key]
	} else {
		d.key = data[end : end+key]
		end += key
	}
	d.at = end
	return true
}

// uvarint returns the number at a place and the place behind it.
func uvarint(data []byte, at int) (x uint64, next int) {
	if b := data[at]; b < 0x80 {
		return uint64(b), at + 1
	}
	x, n := binary.Uvarint(data[at:])
	return x, at + n
}

// hash tells keys of a partition apart: the first and the last bytes, folded as in wyhash
// (https://github.com/wangyi-fudan/wyhash), and xxHash for keys in which they leave a middle.
func hash(key []byte) uint32 {
	var a, b uint64
	switch n := len(key); {
	case n > 16:
		a = xxhash.Sum64(key)
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(key)), uint64(binary.LittleEndian.Uint32(key[n-4:]))
	case n > 0:
		a, b = uint64(key[0])<<8|uint64(key[n/2]), uint64(key[n-1])
	}
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^uint64(len(key))^0xe7037ed1a0b428db)
	return uint32(hi ^ lo)
}
