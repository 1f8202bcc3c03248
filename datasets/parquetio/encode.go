package parquetio

import (
	"encoding/binary"
	"math/bits"
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
	from := 0 // of the groups to be bit-packed
	for i := 0; i < len(places); {
		runs, last := 1, min(i+group, len(places))
		for k := i + 1; k < last; k++ {
			if places[k] != places[k-1] {
				runs++
			}
		}
		if runs*(1+bytes) > 1+width {
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

// appendPacked appends places, the last of which need not fill a group.
func appendPacked(dst []byte, places []int32, width int) []byte {
	if len(places) == 0 {
		return dst
	}
	groups := (len(places) + group - 1) / group
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	word, held := uint64(0), 0
	put := func(x int32) {
		word |= uint64(x) << held
		for held += width; held >= 8; held -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	for _, x := range places {
		put(x)
	}
	for range groups*group - len(places) {
		put(0)
	}
	return dst
}
