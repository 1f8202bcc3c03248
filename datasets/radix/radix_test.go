package radix

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// sizes are below and above the number of items that are compared, and none.
var sizes = []int{0, 1, 2, few - 1, few, few + 1, 3000, many + 1}

// random is a number of any size and sign, often one that was drawn before.
func random(rng *rand.Rand, before []float64) float64 {
	switch n := rng.IntN(8); {
	case n == 0 && len(before) > 0:
		return before[rng.IntN(len(before))]
	case n == 1:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64,
			-math.MaxFloat64}[rng.IntN(7)]
	case n == 2:
		return float64(rng.IntN(100))
	}
	return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4))
}

func TestFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		var all []float64
		for range n {
			all = append(all, random(rng, all))
		}
		want := slices.Sorted(slices.Values(all))
		Floats(all)
		if !slices.EqualFunc(all, want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("%d numbers: %v, want %v", n, all, want)
		}
	}
}

func TestInts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range sizes {
		for _, size := range []uint{1, 20, 64} {
			var all []int64
			for range n {
				all = append(all, int64(rng.Uint64())>>(64-size))
			}
			want := slices.Sorted(slices.Values(all))
			if Ints(all); !slices.Equal(all, want) {
				t.Errorf("%d numbers of %d bits: %v, want %v", n, size, all, want)
			}
		}
	}
}

// Items with the same key keep their order, also where bits between others are the same in all keys.
func TestSortIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range sizes {
		for _, mask := range []uint64{0, 7, 0xf0000000000000f0, math.MaxUint64} {
			var all []Item[int]
			for i := range n {
				all = append(all, Item[int]{i, rng.Uint64()&mask | 1<<30})
			}
			want := slices.Clone(all)
			slices.SortStableFunc(want, func(a, b Item[int]) int { return cmp.Compare(a.Key, b.Key) })
			if got := Sort(all, make([]Item[int], n)); !slices.Equal(got, want) {
				t.Errorf("%d items, mask %x: %v, want %v", n, mask, got, want)
			}
		}
	}
}

// Both zeros have one key, so that sorts keep the order of their items, and NaN has the least.
func TestKeysOfZerosAndNaN(t *testing.T) {
	if zero := Key(0); Key(math.Copysign(0, -1)) != zero || Key(math.Inf(-1)) <= Key(math.NaN()) ||
		Key(-math.SmallestNonzeroFloat64) >= zero || Key(math.SmallestNonzeroFloat64) <= zero {
		t.Errorf("keys of 0: %x, %x", Key(0), Key(math.Copysign(0, -1)))
	}
}

// Numbers are sorted in the memory of their keys.
func TestKeysAreAsLargeAsNumbers(t *testing.T) {
	if unsafe.Sizeof(key{}) != 8 || unsafe.Alignof(key{}) > unsafe.Alignof(float64(0)) {
		t.Errorf("a key takes %d bytes", unsafe.Sizeof(key{}))
	}
}

func BenchmarkFloats(b *testing.B) {
	benchmark(b, (*rand.Rand).ExpFloat64, Floats, slices.Sort[[]float64])
}

func BenchmarkInts(b *testing.B) {
	benchmark(b, func(rng *rand.Rand) int64 { return int64(60e6 * rng.ExpFloat64()) }, Ints, slices.Sort[[]int64])
}

// benchmark compares a sort with the standard library's. Each sort gets other numbers than the one before, so that the
// processor does not learn the branches.
func benchmark[T any](b *testing.B, draw func(*rand.Rand) T, sort, compare func([]T)) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]T, 1<<20)
	for i := range all {
		all[i] = draw(rng)
	}
	for _, n := range []int{100, few, 500, 3000, 1_000_000} {
		values := make([]T, n)
		for _, of := range []struct {
			name string
			sort func([]T)
		}{{"radix", sort}, {"compared", compare}} {
			b.Run(fmt.Sprintf("%s/%d", of.name, n), func(b *testing.B) {
				for at := 0; b.Loop(); at = (at + n) % (len(all) - n + 1) {
					copy(values, all[at:])
					of.sort(values)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "numbers/s")
			})
		}
	}
}
