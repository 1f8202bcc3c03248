package parquetio

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// group is how many places are bit-packed together.
const group = 8

// appendPlaces appends places in a dictionary as a data page has them (Parquet, "RLE/Bit-packing hybrid"): a byte with
// their bits, then runs of equal places, and groups that are bit-packed where runs would take more bytes. Runs have any
// length: rows of one job share an id, and are seldom a multiple of eight.
func appendPlaces(dst []byte, places []int32) []byte {
	most := int32(0)
	for _, x := range places {
		most = max(most, x)
	}
	width := bits.Len32(uint32(most))
	dst = append(dst, byte(width))
	bytes := (width + 7) / 8
	few := (1 + width) / (1 + bytes) // so many runs take no more bytes than a group
	from := 0                        // of the groups to be bit-packed
	for i := 0; i < len(places); {
		runs, last := 1, min(i+group, len(places))
		for k := i + 1; k < last && runs <= few; k++ {
			if places[k] != places[k-1] {
				runs++
			}
		}
		if runs > few {
			i = last
			continue
		}
		dst = appendPacked(dst, places[from:i], width)
		end := i + 1
		for end < len(places) && places[end] == places[i] {
			end++
		}
		dst = binary.AppendUvarint(dst, uint64(end-i)<<1)
		for k := range bytes {
			dst = append(dst, byte(places[i]>>(8*k)))
		}
		i, from = end, end
	}
	return appendPacked(dst, places[from:], width)
}

// appendPacked appends bit-packed places of up to 26 bits. The last group is filled with zeros.
func appendPacked(dst []byte, places []int32, width int) []byte {
	if len(places) == 0 {
		return dst
	}
	groups := (len(places) + group - 1) / group
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	from, end := len(dst), len(dst)+groups*width
	dst = slices.Grow(dst, groups*width+8)[:end+8] // the last word reaches beyond
	for at := dst[from:]; len(places) > 0; at = at[width:] {
		var last [group]int32
		g := &last
		if len(places) >= group {
			g, places = (*[group]int32)(places), places[group:]
		} else {
			copy(last[:], places)
			places = nil
		}
		packGroup(at, g, width)
	}
	return dst[:end]
}

// packGroup writes a group in whole words. The last one may end behind the group.
func packGroup(at []byte, g *[group]int32, width int) {
	pair := func(k int) uint64 { return uint64(g[k]) | uint64(g[k+1])<<width }
	if width <= 16 { // four fit a word
		low, high := pair(0)|pair(2)<<(2*width), pair(4)|pair(6)<<(2*width)
		binary.LittleEndian.PutUint64(at, low|high<<(4*width))
		if width > 8 {
			binary.LittleEndian.PutUint64(at[8:], high>>(64-4*width))
		}
		return
	}
	word, held := uint64(0), 0
	for k := 0; k < group; k += 2 {
		word |= pair(k) << held
		held += 2 * width
		binary.LittleEndian.PutUint64(at, word)
		at = at[held>>3:]
		word >>= held &^ 7
		held &= 7
	}
}
