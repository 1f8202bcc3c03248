package rangecode_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/internal/rangecode"
)

// Numbers come back, whatever they are, in any mixture of kinds, and equal numbers give equal bytes.
func TestNumbersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3),
			rapid.SampledFrom([]uint64{0, 1, math.MaxUint64, 1 << 63, 1<<63 - 1}))
		kind := rapid.IntRange(0, 2)
		type one struct {
			kind int
			x    uint64
		}
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) one {
			return one{kind.Draw(t, "kind"), number.Draw(t, "number")}
		})).Draw(t, "numbers")
		write := func() []byte {
			e, models := rangecode.NewEncoder(), make([]rangecode.Model, 3)
			for _, n := range all {
				e.Number(&models[n.kind], n.x)
			}
			return e.Bytes()
		}
		data := write()
		if again := write(); !bytes.Equal(data, again) {
			t.Fatalf("%x and %x", data, again)
		}
		d, models := rangecode.NewDecoder(data), make([]rangecode.Model, 3)
		for i, n := range all {
			if x := d.Number(&models[n.kind]); x != n.x {
				t.Fatalf("number %d: %d, want %d", i, x, n.x)
			}
		}
		if !d.Whole() {
			t.Errorf("bytes are left of %d", len(data))
		}
	})
}

// Long series that carry far, and that are all but certain.
func TestManyNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for name, draw := range map[string]func() uint64{
		"constant": func() uint64 { return 1 }, "rare": func() uint64 { return uint64(random.IntN(10_000) / 9_999) },
		"random": random.Uint64, "largest": func() uint64 { return math.MaxUint64 },
	} {
		want := make([]uint64, 200_000)
		e, m := rangecode.NewEncoder(), rangecode.Model{}
		for i := range want {
			want[i] = draw()
			e.Number(&m, want[i])
		}
		data := e.Bytes()
		d, m := rangecode.NewDecoder(data), rangecode.Model{}
		for i := range want {
			if x := d.Number(&m); x != want[i] {
				t.Fatalf("%s: number %d: %d, want %d", name, i, x, want[i])
			}
		}
		if !d.Whole() {
			t.Errorf("%s: bytes are left", name)
		}
	}
}

// Numbers take about as many bits as they tell: those of a geometric distribution of mean 8 tell 4.47 bits each.
func TestNearEntropy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n, mean = 200_000, 8.0
	e, m := rangecode.NewEncoder(), rangecode.Model{}
	for range n {
		e.Number(&m, uint64(random.ExpFloat64()/math.Log(1+1/mean)))
	}
	p := 1 / (1 + mean)
	entropy := (-(1-p)*math.Log2(1-p) - p*math.Log2(p)) / p
	if got := float64(8*len(e.Bytes())) / n; got > 1.02*entropy {
		t.Errorf("%.3f bits per number, which tells %.3f", got, entropy)
	}
}

// Bytes that no encoder wrote give numbers, and no panic.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(9))
	f.Fuzz(func(_ *testing.T, data []byte, n uint8) {
		d, m := rangecode.NewDecoder(data), rangecode.Model{}
		for range n {
			d.Number(&m)
		}
	})
}
