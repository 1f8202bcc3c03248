package digest

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/quantile"
)

const all = math.MaxInt64

// draw draws values of all magnitudes, with ties.
func draw(t *rapid.T) []int64 {
	return rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, 5000), rapid.Int64Range(0, 1e12),
		rapid.Int64Range(0, math.MaxInt64)), 1, 60).Draw(t, "values")
}

// digestOf digests values in the given number of parts, merged in turn.
func digestOf(limit int64, parts int, values []int64) *Digest {
	d := New(limit)
	for p := range parts {
		q := New(limit)
		for i, v := range values {
			if i%parts == p {
				q.Add(v)
			}
		}
		d.Merge(q)
	}
	return d
}

func TestSummaryAgainstQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := draw(t)
		floats := make([]float64, len(values))
		for i, v := range values {
			floats[i] = float64(v) / 1e6
		}
		want := quantile.Summarize(quantile.Sort(floats))
		exact := digestOf(all, 3, values).Summary(1e6)
		coarse := digestOf(0, 3, values).Summary(1e6)
		for i, f := range [][3]float64{{exact.Mean, coarse.Mean, want.Mean}, {exact.Min, coarse.Min, want.Min},
			{exact.Max, coarse.Max, want.Max},
			{exact.P10, coarse.P10, want.P10}, {exact.P50, coarse.P50, want.P50}, {exact.P90, coarse.P90, want.P90},
			{exact.P99, coarse.P99, want.P99}} {
			if math.Abs(f[0]-f[2]) > 1e-9*f[2] {
				t.Errorf("field %d: %v, want %v", i, f[0], f[2])
			}
			if math.Abs(f[1]-f[2]) > (RelativeError+1e-9)*f[2] {
				t.Errorf("field %d: %v from counts, want %v within %v", i, f[1], f[2], RelativeError)
			}
		}
		if exact.N != len(values) || coarse.N != len(values) {
			t.Errorf("n %d and %d, want %d", exact.N, coarse.N, len(values))
		}
	})
}

// What a digest says does not depend on how values were divided, on both sides of the limit.
func TestPartitionsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := draw(t)
		limit := rapid.Int64Range(0, 60).Draw(t, "limit")
		one := digestOf(limit, 1, values)
		shuffled := rapid.Permutation(values).Draw(t, "order")
		for _, parts := range []int{2, 5} {
			many := digestOf(limit, parts, shuffled)
			if many.Exact() != (int64(len(values)) <= limit) || many.Exact() != one.Exact() {
				t.Fatalf("exact: %v and %v for %d values with limit %d", one.Exact(), many.Exact(), len(values), limit)
			}
			if many.Summary(1) != one.Summary(1) || many.Step() != one.Step() || many.Sum() != one.Sum() ||
				many.Max() != slices.Max(values) {
				t.Fatalf("in %d parts %+v, want %+v", parts, many.Summary(1), one.Summary(1))
			}
			x1, c1 := one.Table(10, 1)
			x2, c2 := many.Table(10, 1)
			if !slices.Equal(x1, x2) || !slices.Equal(c1, c2) {
				t.Fatalf("tables %v %v and %v %v", x1, c1, x2, c2)
			}
		}
	})
}

// Every number lies in its bin, and bins ascend.
func TestBins(t *testing.T) {
	d := New(0)
	d.see(0, math.MaxInt64, 1, 1)
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, math.MaxInt64-1).Draw(t, "v")
		i := bin(v)
		if i < 0 || i >= bins || bin(v+1) < i || bin(v+1) > i+1 {
			t.Fatalf("%d is in bin %d, the next number in %d, of %d", v, i, bin(v+1), bins)
		}
		if m := d.middle(i); math.Abs(m-float64(v)) > RelativeError*float64(v) {
			t.Fatalf("%d is in the bin around %v", v, m)
		}
	})
	if bin(math.MaxInt64) != bins-1 {
		t.Errorf("the largest number is in bin %d of %d", bin(math.MaxInt64), bins)
	}
}

func TestTable(t *testing.T) {
	d := New(all)
	for _, v := range []int64{6, 4, 6, 0, 10, 6} {
		d.Add(v)
	}
	x, c := d.Table(100, 2)
	if !slices.Equal(x, []float64{0, 2, 3, 5}) || !slices.Equal(c, []int64{1, 1, 3, 1}) {
		t.Errorf("table %v %v", x, c)
	}
	if d.Step() != 2 { // gcd of 6, 4, 0, 10
		t.Errorf("step %d, want 2", d.Step())
	}
	if x, c := New(all).Table(10, 1); x != nil || c != nil || New(0).Summary(1).N != 0 ||
		!math.IsNaN(New(0).Summary(1).P50) {
		t.Errorf("an empty digest holds %v %v", x, c)
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, bench := range []struct {
		name  string
		limit int64
	}{{"exact", all}, {"counts", 0}} {
		b.Run(bench.name, func(b *testing.B) {
			d := New(bench.limit)
			for i := range b.N {
				if i%(1<<22) == 0 {
					d = New(bench.limit)
				}
				d.Add(int64(i) * 977)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "values/s")
		})
	}
}

// TestQuantilesAgainstQuantile: those of several shares at once, some of them twice.
func TestQuantilesAgainstQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := draw(t)
		floats := make([]float64, len(values))
		for i, v := range values {
			floats[i] = float64(v)
		}
		sorted := quantile.Sort(floats)
		// in any order
		shares := rapid.SliceOf(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(1.0))).Draw(t, "shares")
		exact, coarse := digestOf(all, 2, values).Quantiles(shares, 2), digestOf(0, 2, values).Quantiles(shares, 2)
		for i, p := range shares {
			want := quantile.Quantile(sorted, p) / 2
			if math.Abs(exact[i]-want) > 1e-9*want {
				t.Errorf("quantile %v: %v, want %v", p, exact[i], want)
			}
			if math.Abs(coarse[i]-want) > (RelativeError+1e-9)*want {
				t.Errorf("quantile %v: %v from counts, want %v within %v", p, coarse[i], want, RelativeError)
			}
		}
	})
	if got := New(all).Quantiles([]float64{.5}, 1); !math.IsNaN(got[0]) {
		t.Errorf("median of nothing: %v", got)
	}
}
