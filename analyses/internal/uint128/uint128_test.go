package uint128

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// big returns the sum as an arbitrarily large number.
func (s Sum) big() *big.Int {
	n := new(big.Int).SetUint64(s.hi)
	return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(s.lo))
}

func TestSumAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		products := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint64 {
			return [2]uint64{rapid.Uint64().Draw(t, "a"), rapid.Uint64Max(1<<62).Draw(t, "b")}
		}), 0, 3).Draw(t, "products")
		var s Sum
		want := new(big.Int)
		for _, p := range products {
			s.AddProduct(p[0], p[1])
			s.Add(p[0])
			a, b := new(big.Int).SetUint64(p[0]), new(big.Int).SetUint64(p[1])
			want.Add(want, a)
			want.Add(want, b.Mul(b, a))
		}
		if s.big().Cmp(want) != 0 {
			t.Fatalf("sum %v, want %v", s.big(), want)
		}
		wanted, _ := new(big.Float).SetInt(want).Float64()
		if got := s.Float64(); got < wanted*(1-1e-15) || got > wanted*(1+1e-15) {
			t.Fatalf("as a float %v, want %v", got, wanted)
		}
		var back Sum
		slices.Reverse(products)
		for _, p := range products {
			var one Sum
			one.AddProduct(p[0], p[1])
			one.Add(p[0])
			back.AddSum(one)
		}
		if back != s {
			t.Fatalf("in reverse %v, want %v", back.big(), s.big())
		}
	})
}
