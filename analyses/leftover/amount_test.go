package leftover

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func (a amount) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(int64(a.hi)), 64)
	return n.Add(n, new(big.Int).SetUint64(a.lo))
}

func (p *product) big() *big.Int {
	n := big.NewInt(int64(p[2]))
	for _, low := range []uint64{p[1], p[0]} {
		n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(low))
	}
	return n
}

// Amounts and products are whole numbers of any size that occurs.
func TestAmountsAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum amount
		var held product
		wantSum, wantHeld := new(big.Int), new(big.Int)
		for range rapid.IntRange(1, 6).Draw(t, "terms") {
			x, shift := rapid.Int64Range(math.MinInt64/2, math.MaxInt64/2).Draw(t, "x"), rapid.UintRange(0, 60).Draw(t,
				"shift")
			a := amountOf(x, shift)
			want := new(big.Int).Lsh(big.NewInt(x), shift)
			if a.big().Cmp(want) != 0 {
				t.Fatalf("%d << %d is %v, want %v", x, shift, a.big(), want)
			}
			sum = sum.plus(a)
			wantSum.Add(wantSum, want)
			dt := rapid.Uint64Range(0, 1<<61).Draw(t, "dt")
			held.add(sum, dt)
			wantHeld.Add(wantHeld, new(big.Int).Mul(wantSum, new(big.Int).SetUint64(dt)))
			if want, _ := new(big.Float).SetInt(wantSum).Float64(); wantSum.Sign() >= 0 &&
				math.Abs(sum.float()-want) > 1e-15*want {
				t.Errorf("%v as a number is %v", wantSum, sum.float())
			}
		}
		if sum.big().Cmp(wantSum) != 0 || held.big().Cmp(wantHeld) != 0 {
			t.Errorf("sums %v and %v, want %v and %v", sum.big(), held.big(), wantSum, wantHeld)
		}
		if want, _ := new(big.Float).SetInt(wantHeld).Float64(); wantHeld.Sign() >= 0 &&
			math.Abs(held.float()-want) > 1e-15*want {
			t.Errorf("%v as a number is %v", wantHeld, held.float())
		}
		if (wantSum.Sign() < 0) != sum.negative() {
			t.Errorf("%v is negative: %v", wantSum, sum.negative())
		}
	})
}
