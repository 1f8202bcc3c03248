// Package rangecode encodes numbers in about as many bits as they carry information: small and frequent ones take a
// fraction of a bit. It is the binary range coder of LZMA (G. N. N. Martin, "Range encoding", 1979; I. Pavlov), with
// models that learn how often each bit is set. Encoder and decoder learn the same from the same numbers, so that equal
// numbers give equal bytes on every machine.
package rangecode

import "math/bits"

// Model is the learned distribution of a kind of numbers: their lengths in bits, and the bits behind the first for each
// length. Use one model per case for numbers that depend on something already decoded, such as a neighbour. The zero
// value has learned nothing.
type Model struct {
	length [128]chance
	after  [65][1 << afterBits]chance
}

// afterBits is the number of bits behind the first that are learned. Later bits count as random.
const afterBits = 4

// chance is the share of zeros among the bits seen, less a half, in parts of 1<<16.
type chance struct {
	zeros int32
	seen  uint8
}

// slowest bounds how little a bit changes a chance: by 1 part in 1<<slowest.
const slowest = 6

// zero returns the part of a range that encodes a 0, which is neither empty nor the whole range.
func (c *chance) zero(width uint32) uint32 { return width >> 16 * uint32(1<<15+c.zeros) }

func (c *chance) learn(bit uint) {
	rate := min(c.seen+2, slowest)
	if c.seen < slowest {
		c.seen++
	}
	const most = 1<<15 - 1<<5
	if bit == 0 {
		c.zeros += (most - c.zeros) >> rate
	} else {
		c.zeros -= (c.zeros + most) >> rate
	}
}

// Encoder writes numbers.
type Encoder struct {
	low   uint64 // of the range; a 33rd bit is a carry
	width uint32
	last  byte // byte that a carry may still raise
	held  int  // bytes 0xff behind it
	some  bool // last is set
	out   []byte
}

// NewEncoder returns an empty encoder.
func NewEncoder() *Encoder { return &Encoder{width: 1<<32 - 1} }

// Number encodes a number with a model.
func (e *Encoder) Number(m *Model, x uint64) {
	n := bits.Len64(x)
	node := uint(1)
	for i := 6; i >= 0; i-- {
		b := uint(n>>i) & 1
		e.bit(&m.length[node], b)
		node = node<<1 | b
	}
	node = 1
	for i := n - 2; i >= 0; i-- {
		b := uint(x>>i) & 1
		if node < 1<<afterBits {
			e.bit(&m.after[n][node], b)
			node = node<<1 | b
			continue
		}
		e.width >>= 1
		if b == 1 {
			e.low += uint64(e.width)
		}
		e.settle()
	}
}

func (e *Encoder) bit(c *chance, b uint) {
	zero := c.zero(e.width)
	if b == 0 {
		e.width = zero
	} else {
		e.low += uint64(zero)
		e.width -= zero
	}
	c.learn(b)
	e.settle()
}

// settle writes the bytes that are decided.
func (e *Encoder) settle() {
	for e.width < 1<<24 {
		e.shift()
		e.width <<= 8
	}
}

func (e *Encoder) shift() {
	if e.low < 0xff<<24 || e.low >= 1<<32 {
		carry := byte(e.low >> 32)
		if e.some {
			e.out = append(e.out, e.last+carry)
		}
		for ; e.held > 0; e.held-- {
			e.out = append(e.out, 0xff+carry)
		}
		e.last, e.some = byte(e.low>>24), true
	} else {
		e.held++
	}
	e.low = e.low << 8 & (1<<32 - 1)
}

// Bytes returns the encoded numbers. Nothing can be written afterwards.
func (e *Encoder) Bytes() []byte {
	for range 5 {
		e.shift()
	}
	return e.out
}

// Decoder decodes numbers. From bytes that no encoder wrote, it returns arbitrary numbers.
type Decoder struct {
	in    []byte
	at    int // bytes read, including zeros past the end
	code  uint32
	width uint32
}

// NewDecoder returns a decoder of an encoder's bytes.
func NewDecoder(data []byte) *Decoder {
	d := &Decoder{in: data, width: 1<<32 - 1}
	for range 4 {
		d.code = d.code<<8 | d.next()
	}
	return d
}

func (d *Decoder) next() uint32 {
	d.at++
	if d.at <= len(d.in) {
		return uint32(d.in[d.at-1])
	}
	return 0
}

// Number decodes a number with a model.
func (d *Decoder) Number(m *Model) uint64 {
	node := uint(1)
	for range 7 {
		node = node<<1 | d.bit(&m.length[node])
	}
	n := int(node & 127)
	if n == 0 {
		return 0
	}
	n = min(n, 64) // more only in invalid input
	x, after := uint64(1), uint(1)
	for range n - 1 {
		var b uint
		if after < 1<<afterBits {
			b = d.bit(&m.after[n][after])
			after = after<<1 | b
		} else {
			d.width >>= 1
			if d.code >= d.width {
				d.code -= d.width
				b = 1
			}
			d.settle()
		}
		x = x<<1 | uint64(b)
	}
	return x
}

func (d *Decoder) bit(c *chance) (b uint) {
	if zero := c.zero(d.width); d.code < zero {
		d.width = zero
	} else {
		d.code -= zero
		d.width -= zero
		b = 1
	}
	c.learn(b)
	d.settle()
	return b
}

func (d *Decoder) settle() {
	for d.width < 1<<24 {
		d.code = d.code<<8 | d.next()
		d.width <<= 8
	}
}

// Over reports whether more numbers were read than were written, by far.
func (d *Decoder) Over() bool { return d.at > len(d.in)+4 }

// Whole reports whether all encoded numbers were read.
func (d *Decoder) Whole() bool { return d.at+1 == len(d.in) || d.at == len(d.in) }
