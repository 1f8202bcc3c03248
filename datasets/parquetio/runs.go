package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// appendLevels appends n numbers up to most, which is less than 256, from runs of equal and bit-packed numbers (RLE).
func appendLevels(dst, b []byte, most, n int) ([]byte, error) {
	bitWidth := width(most)
	for end := len(dst) + n; len(dst) < end; {
		u, k := binary.Uvarint(b)
		if k <= 0 {
			return dst, io.ErrUnexpectedEOF
		}
		b = b[k:]
		left := end - len(dst)
		if u&1 == 0 {
			if len(b) == 0 {
				return dst, io.ErrUnexpectedEOF
			}
			level, from := b[0], len(dst)
			if int(level) > most {
				return dst, fmt.Errorf("%d, at most %d is possible", level, most)
			}
			b = b[1:]
			dst = append(dst, make([]byte, min(u>>1, uint64(left)))...)
			if level > 0 {
				for i := range dst[from:] {
					dst[from+i] = level
				}
			}
			continue
		}
		take := int(min(8*min(u>>1, 1<<40), uint64(left)))
		if len(b) < (take*int(bitWidth)+7)/8 {
			return dst, io.ErrUnexpectedEOF
		}
		mask := byte(1<<bitWidth - 1)
		for i := range take {
			at := i * int(bitWidth)
			word := uint(b[at>>3]) >> (at & 7)
			if at&7+int(bitWidth) > 8 {
				word |= uint(b[at>>3+1]) << (8 - at&7)
			}
			level := byte(word) & mask
			if int(level) > most {
				return dst, fmt.Errorf("%d, at most %d is possible", level, most)
			}
			dst = append(dst, level)
		}
		b = b[min(uint64(len(b)), min(u>>1, 1<<40)*uint64(bitWidth)):]
	}
	return dst, nil
}

// isRun reports whether n levels are one run of the same.
func isRun(b []byte, level, n int) bool {
	u, k := binary.Uvarint(b)
	return k > 0 && u&1 == 0 && u>>1 >= uint64(n) && len(b) > k && int(b[k]) == level
}

// padding bounds the excess values of the last run: bit-packed values come in groups of eight, and writers round up to
// several groups.
const padding = 1024

var errTooMany = errors.New("more values than its header says")

// checkRuns walks over runs of n numbers of some bits, and refuses them if they hold other than n numbers.
func checkRuns(b []byte, bitWidth uint, n int) error {
	if bitWidth > 32 {
		return fmt.Errorf("numbers of %d bits", bitWidth)
	}
	total := uint64(0)
	for len(b) > 0 {
		u, k := binary.Uvarint(b)
		if k <= 0 {
			return io.ErrUnexpectedEOF
		}
		b = b[k:]
		count, bytes := u>>1, uint64(bitWidth+7)/8
		if u&1 != 0 {
			bytes = count * uint64(bitWidth)
			count *= 8
		}
		if count > maxPageValues {
			return errTooMany
		}
		if count > 0 && bytes > uint64(len(b)) {
			return io.ErrUnexpectedEOF
		}
		if count == 0 { // padding: a decoder goes on behind the header
			continue
		}
		if total += count; total > uint64(n)+padding {
			return errTooMany
		}
		b = b[bytes:]
	}
	if total < uint64(n) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// The blocks of DELTA_BINARY_PACKED hold a multiple of 128 numbers, at most maxBlock, in parts of a multiple of 32.
const maxBlock = 1 << 16

// checkDeltas walks over n differences of limited width, and returns the bytes after them.
func checkDeltas(b []byte, bitWidth, n int) (rest []byte, err error) {
	var head [4]uint64 // block size, parts, values, first value
	for i := range head {
		k := 0
		if head[i], k = binary.Uvarint(b); k <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		b = b[k:]
	}
	block, parts := head[0], head[1]
	if block == 0 || block%128 != 0 || block > maxBlock || parts == 0 || parts > block/32 || block%parts != 0 ||
		block/parts%32 != 0 {
		return nil, fmt.Errorf("blocks of %d numbers in %d parts", block, parts)
	}
	if head[2] != uint64(n) {
		return nil, fmt.Errorf("%d values, its header says %d", head[2], n)
	}
	for left := n - 1; left > 0; {
		_, k := binary.Uvarint(b) // the least difference
		if k <= 0 || uint64(len(b)-k) < parts {
			return nil, io.ErrUnexpectedEOF
		}
		widths := b[k : k+int(parts)]
		b = b[k+int(parts):]
		for _, w := range widths {
			if left <= 0 {
				break
			}
			if int(w) > bitWidth {
				return nil, fmt.Errorf("differences of %d bits", w)
			}
			size := int(block/parts) * int(w) / 8
			if size > len(b) {
				return nil, io.ErrUnexpectedEOF
			}
			b = b[size:]
			left -= int(block / parts)
		}
	}
	return b, nil
}
