package seed

import "testing"

// The numbers of SplitMix64 from 0 on: its reference implementation, https://prng.di.unimi.it/splitmix64.c.
func TestSplitMix(t *testing.T) {
	var s SplitMix
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := s.Next(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
	for range 1000 {
		if n, u := s.Below(7), s.Unit(); n < 0 || n > 6 || u < 0 || u >= 1 {
			t.Fatalf("%d of 0..6, %g of [0, 1)", n, u)
		}
	}
	if Below(1<<63, 10) != 5 || Unit(1<<63) != 0.5 {
		t.Error("half of the range is not half")
	}
}
