package packed_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/packed"
)

// TestRowsComeBack writes rows of any numbers and texts, and reads them again.
func TestRowsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-3, 9), func(n int) float64 {
			return float64(n)
		}),
			rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 1 << 32, 1<<32 - 1}))
		floats, texts := rapid.SliceOf(number).Draw(t, "floats"), rapid.SliceOf(rapid.String()).Draw(t, "texts")
		n, m := rapid.Int64().Draw(t, "int"), rapid.Uint64().Draw(t, "uint")
		row := packed.AppendFloats([]byte("before"), floats...)
		for _, text := range texts {
			row = packed.AppendText(row, text)
		}
		row = append(binary.AppendUvarint(binary.AppendVarint(row, n), m), "after"...)

		got := make([]float64, len(floats))
		row = packed.Floats(row[len("before"):], got)
		same := func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}
		if !slices.EqualFunc(got, floats, same) {
			t.Errorf("%v come back as %v", floats, got)
		}
		for _, want := range texts {
			var text string
			if text, row = packed.Text(row); text != want {
				t.Errorf("%q comes back as %q", want, text)
			}
		}
		gotInt, row := packed.Int(row)
		gotUint, row := packed.Uint(row)
		if gotInt != n || gotUint != m || string(row) != "after" {
			t.Errorf("%d, %d come back as %d, %d, before %q", n, m, gotInt, gotUint, row)
		}
	})
}

// TestFloatsTakeFewBytes: a number that is not known, or equal to the one before, takes 2 bits, a small count one byte
// more.
func TestFloatsTakeFewBytes(t *testing.T) {
	for want, values := range map[int][]float64{
		0: {}, 1: {0, math.NaN(), math.NaN(), math.NaN()}, 2: {3, 3, 3}, 9: {0.1, 0.1}, 17: {0.1, 0.2}, 6: {1<<32 - 1},
	} {
		if got := len(packed.AppendFloats(nil, values...)); got != want {
			t.Errorf("%v take %d bytes, want %d", values, got, want)
		}
	}
}
