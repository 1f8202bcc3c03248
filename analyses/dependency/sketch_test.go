package dependency

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowSketch is a sketch by the words of the paper: per register, the largest place of the first bit that is set.
func slowSketch(p int, items []uint64) []uint64 {
	registers := make([]byte, 1<<p)
	for _, item := range items {
		hash := scatter(item)
		register, place := hash>>(64-p), 1
		for bit := 63 - p; bit >= 0 && hash>>bit&1 == 0; bit-- {
			place++
		}
		registers[register] = max(registers[register], byte(place))
	}
	words := make([]uint64, len(registers)/8)
	for i, r := range registers {
		words[i/8] |= uint64(r) << (i % 8 * 8)
	}
	return words
}

func TestSketchOfUnionIsMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(4, 8).Draw(t, "p")
		a, b := rapid.SliceOf(rapid.Uint64()).Draw(t, "a"), rapid.SliceOf(rapid.Uint64()).Draw(t, "b")
		x, y := make([]uint64, 1<<p/8), make([]uint64, 1<<p/8)
		for _, item := range a {
			sketchInsert(x, p, scatter(item))
		}
		for _, item := range b {
			sketchInsert(y, p, scatter(item))
		}
		if want := slowSketch(p, a); !slices.Equal(x, want) {
			t.Fatalf("sketch of %v is %x, want %x", a, x, want)
		}
		sketchMerge(x, y)
		if want := slowSketch(p, append(a, b...)); !slices.Equal(x, want) {
			t.Fatalf("merge is %x, want %x", x, want)
		}
	})
}

// A hash whose rest is all zero has the highest place there is.
func TestSketchInsertLimit(t *testing.T) {
	words := make([]uint64, 2)
	sketchInsert(words, 4, 0x3<<60)
	sketchInsert(words, 4, 0xf<<60|1)
	if words[0] != 61<<24 || words[1] != 60<<56 { // registers 3 and 15
		t.Errorf("registers %x", words)
	}
}

// Over many sets of a size, estimates are right on average, and vary as the standard error says.
func TestSketchEstimate(t *testing.T) {
	const p, sets = 10, 300
	want := sketchError(1 << p)
	for _, n := range []int{1, 10, 100, 1000, 3000, 10_000, 50_000} {
		var sum, squares float64
		for s := range sets {
			words := make([]uint64, 1<<p/8)
			for i := range n {
				sketchInsert(words, p, scatter(uint64(s)<<32|uint64(i)))
			}
			off := sketchEstimate(words, p)/float64(n) - 1
			sum += off
			squares += off * off
		}
		if mean := sum / sets; math.Abs(mean) > 4*want/math.Sqrt(sets) {
			t.Errorf("%d items: estimates are off by %.4f on average, want 0", n, mean)
		}
		if rms := math.Sqrt(squares / sets); rms > 1.15*want {
			t.Errorf("%d items: standard error %.4f, want at most %.4f", n, rms, want)
		}
	}
	if got := sketchEstimate(make([]uint64, 1<<p/8), p); got != 0 {
		t.Errorf("nothing is estimated as %v", got)
	}
}
