package parquetio

import (
	"math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// The encoding of a chunk of integers is the one in which a sample of it is smallest: a few stretches of values, as
// values mostly repeat near by. How many differ is estimated by values from all over the chunk.
const (
	stretches = 4
	stretch   = 1 << 11
	scattered = 1 << 13
)

const (
	// Weights of a byte in other encodings. A byte of differences weighs 1: they are fast to read. Plain values take zstd
	// the longest. In a page they repeat less than in a sample, since zstd forgets values that lie far back.
	dictionaryByte = 1 / 0.9
	plainByte      = 1 / 0.7

	// A dictionary of integers has at most maxIntegers entries. One of at most fewIntegers is always tried: places in it
	// may shrink further.
	maxIntegers = 1 << 17
	fewIntegers = 1 << 12
)

// integers picks the encoding of a chunk of integers: differences, values as they are, which zstd shrinks where they
// repeat near by, or places in a dictionary, which p.values has then.
func (p *pages) integers(kind Kind) (format.Encoding, error) {
	v := &p.values
	n := len(v.int32s) + len(v.int64s)
	code := format.DeltaBinaryPacked
	least, err := p.sampled(kind, code, n)
	if err != nil {
		return 0, err
	}
	try := func(as format.Encoding, dictionary, each float64) error {
		size, err := p.sampled(kind, as, n)
		if size = each * (size + dictionary); size < least {
			code, least = as, size
		}
		return err
	}
	if err := try(format.Plain, 0, plainByte); err != nil {
		return 0, err
	}
	entry := float64(numberBytes(kind)) / float64(n) // of a dictionary
	likely := func(distinct int) bool {
		size := entry*float64(distinct) + float64(bits.Len(uint(distinct-1)))/8
		return distinct <= fewIntegers || dictionaryByte*size < least
	}
	if d := v.differing(n); d <= min(maxIntegers, n/2) && likely(d) && v.numberIntegers() {
		if err := try(format.RLEDictionary, entry*float64(len(v.numbers.distinct)), dictionaryByte); err != nil {
			return 0, err
		}
	}
	if code != format.RLEDictionary {
		v.index, v.numbers.distinct = nil, v.numbers.distinct[:0]
	}
	return code, nil
}

// sampled returns the bytes per value that a sample of n values takes in an encoding.
func (p *pages) sampled(kind Kind, code format.Encoding, n int) (float64, error) {
	size, values := 0, 0
	for k := range stretches {
		from := k * n / stretches
		to := min(from+stretch, (k+1)*n/stretches)
		if err := p.encode(kind, code, from, to); err != nil {
			return 0, err
		}
		p.packed = packer.EncodeAll(p.body, p.packed[:0])
		size += min(len(p.body), len(p.packed))
		values += to - from
	}
	return float64(size) / float64(max(values, 1)), nil
}

// numberBytes is the size of a number.
func numberBytes(kind Kind) int {
	if kind == Int32 {
		return 4
	}
	return 8
}

// numberIntegers sets index to places of the integers in numbers.distinct, and reports false if too many differ.
func (v *chunkValues) numberIntegers() (ok bool) {
	many := func(distinct, _ int) bool { return distinct >= maxIntegers }
	if v.int32s != nil {
		v.indexRoom, ok = index(&v.numbers, v.indexRoom[:0], v.int32s, maxIntegers, many)
	} else {
		v.indexRoom, ok = index(&v.numbers, v.indexRoom[:0], v.int64s, maxIntegers, many)
	}
	v.index = v.indexRoom
	return ok
}

// differing estimates how many of n integers differ, by how many of a sample are there once and twice (Chao,
// "Nonparametric Estimation of the Number of Classes in a Population", Scandinavian Journal of Statistics 11, 1984).
func (v *chunkValues) differing(n int) int {
	v.sample = v.sample[:0]
	for k := range min(n, scattered) {
		if i := k * n / min(n, scattered); v.int32s != nil {
			v.sample = append(v.sample, int64(v.int32s[i]))
		} else {
			v.sample = append(v.sample, v.int64s[i])
		}
	}
	v.indexRoom, _ = index(&v.numbers, v.indexRoom[:0], v.sample, scattered, func(int, int) bool { return false })
	distinct := len(v.numbers.distinct)
	if len(v.sample) == n {
		return distinct
	}
	v.times = append(v.times[:0], make([]int32, distinct)...)
	for _, k := range v.indexRoom {
		v.times[k]++
	}
	once, twice := 0, 0
	for _, t := range v.times {
		switch t {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	return min(n, distinct+once*(once-1)/(2*(twice+1)))
}
