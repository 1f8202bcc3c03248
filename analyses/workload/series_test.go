package workload

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// interval is an interval of time with a weight.
type interval struct{ from, to, weight int64 }

func drawIntervals(t *rapid.T) []interval {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) interval {
		most := rapid.SampledFrom([]int64{50_000, 60e6, 1e12, 1 << 60}).Draw(t, "scale")
		from := rapid.Int64Range(-most, most).Draw(t, "from")
		return interval{from, from + rapid.Int64Range(0, most).Draw(t, "length"), rapid.Int64Range(0, 1e9).Draw(t,
			"weight")}
	}), 1, 12).Draw(t, "intervals")
}

// overlap returns how much of an interval lies between two instants.
func (i interval) overlap(from, to int64) float64 {
	return float64(max(0, min(i.to, to)-max(i.from, from)))
}

// A series says the same as summing overlaps bin by bin, however it was merged, and its bins are as narrow as they can
// be.
func TestSeriesAgainstOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawIntervals(t)
		var s series
		parts := [3]series{}
		from, to := int64(math.MaxInt64), int64(math.MinInt64)
		for i, x := range all {
			parts[i%3].add(x.from, x.to, x.weight)
			if x.to > x.from {
				from, to = min(from, x.from), max(to, x.to)
			}
		}
		for i := range parts {
			s.merge(&parts[i])
		}
		if from > to {
			if s.n != 0 {
				t.Fatalf("%d intervals of no length", s.n)
			}
			return
		}
		if s.from != from || s.to != to || len(s.edges) > maxBins+1 {
			t.Fatalf("from %d to %d in %d bins, want %d to %d", s.from, s.to, len(s.edges), from, to)
		}
		if half := s.width() / 2; s.shift > 0 && floorDiv(to, half)-floorDiv(from, half) < maxBins {
			t.Fatalf("bins of %d are wider than they need be for %d to %d", s.width(), from, to)
		}
		sum := 0.0
		for i, got := range s.integrals() {
			a := (s.first + int64(i)) * s.width()
			want := 0.0
			for _, x := range all {
				want += float64(x.weight) * x.overlap(a, a+s.width())
			}
			if math.Abs(got.Float64()-want) > 1e-9*want {
				t.Fatalf("bin %d holds %v, want %v", i, got.Float64(), want)
			}
			sum += want
		}
		if math.Abs(s.total(1)*1e6-sum) > 1e-9*sum {
			t.Fatalf("total %v, want %v", s.total(1)*1e6, sum)
		}
	})
}

// By hand: bins of 1/64 s. 2 from 0 to 1/64 s, 1 from 1/128 to 3/128 s: means 2.5 and 0.5, the second over half a bin:
// 1.
func TestMeansByHand(t *testing.T) {
	var s series
	s.add(0, baseWidth, 2)
	s.add(baseWidth/2, baseWidth*3/2, 1)
	got := s.means(1)
	if got.FromS != 0 || got.BinS != 1.0/64 || len(got.Values) != 2 || math.Abs(got.Values[0]-2.5) > 1e-4 ||
		math.Abs(got.Values[1]-1) > 1e-4 {
		t.Errorf("means %+v", got)
	}
}

// The sweep agrees with counting at every instant between events.
func TestSweepAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := events{limit: 100}
		var all []interval
		for range rapid.IntRange(1, 20).Draw(t, "intervals") {
			from := rapid.Int64Range(0, 30).Draw(t, "from")
			x := interval{from, from + rapid.Int64Range(0, 10).Draw(t, "length"), 1}
			all = append(all, x)
			e.add(x.from, x.to)
		}
		got := e.sweep()
		first, last := int64(99), int64(-1)
		for _, x := range all {
			if x.to > x.from {
				first, last = min(first, x.from), max(last, x.to)
			}
		}
		at := map[int64]int64{}
		var peak, peakAt int64
		for s := first; s < last; s++ { // instants are whole, so nothing changes between s and s+1
			var n int64
			for _, x := range all {
				if x.from <= s && s < x.to {
					n++
				}
			}
			at[n]++
			if n > peak {
				peak, peakAt = n, s
			}
		}
		if got.peak != peak || got.peakAt != peakAt {
			t.Fatalf("peak %d at %d, want %d at %d", got.peak, got.peakAt, peak, peakAt)
		}
		for k, n := range got.at {
			if at[int64(k)] != n {
				t.Fatalf("%d under way for %d, want %d", k, n, at[int64(k)])
			}
		}
	})
}

// Machines with 4 and 2 cores, the second there from 10 s on and listed anew at 15 s, attempts that ask for 1 core from
// 0 to 20 s and for 2.5 from 10 to 20 s: 20 + 25 core-seconds of 4 x 20 + 2 x 10.
func TestCapacity(t *testing.T) {
	p := New(DefaultOptions())
	nan := math.NaN()
	p.opts.Machines = append(p.opts.Machines, machineOf("a", 4, -1, -1), machineOf("b", 2, 10, -1),
		machineOf("b", 2, 15, -1), machineOf("gone", 9, -1, 0), machineOf("unknown", nan, -1, -1))
	p.used[cpu].add(0, 20e6, 1e6)
	p.used[cpu].add(10e6, 20e6, 2.5e6)
	there := p.capacity(resources[cpu], &p.used[cpu])
	u, ok := utilization(&p.used[cpu], &there, millionths)
	if !ok || math.Abs(u.Share-45.0/100) > 1e-9 || u.ByBin.Min != 0.25 || math.Abs(u.ByBin.Max-3.5/6) > 1e-6 {
		t.Errorf("%+v", u)
	}
	if _, ok := utilization(&p.used[gpu], &there, millionths); ok {
		t.Error("there is a use of GPUs")
	}
}
