package figure

import (
	"math"
	"testing"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
)

func TestCurve(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	summary := result.Summary{N: 5, Min: 1, P10: 1.4, P25: 2, P50: 3, P75: 4, P90: 4.6, P95: 4.8, P99: 4.96, Max: 5}
	for _, tc := range []struct {
		name    string
		values  []float64
		of      result.Summary
		xs, ys  []float64
		dropped int
	}{
		{"none", nil, result.Summary{}, nil, nil, 0},
		{"one is a step", []float64{4}, result.Summary{N: 1}, []float64{4, 4}, []float64{0, 1}, 0},
		{"sorted, i-1 of n-1", []float64{3, 1, 2}, result.Summary{N: 3}, []float64{1, 2, 3}, []float64{0, 0.5, 1}, 0},
		{"what is not finite is dropped", []float64{nan, 2, inf, -inf, 1}, result.Summary{N: 2}, []float64{1, 2},
			[]float64{0, 1}, 3},
		{"from percentiles", nil, summary, []float64{1, 1.4, 2, 3, 4, 4.6, 4.8, 4.96, 5},
			[]float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1}, 0},
	} {
		c := newCurve(tc.name, tc.values, tc.of, lookAt(0))
		if !near(c.xs, tc.xs) || !near(c.ys, tc.ys) || c.dropped != tc.dropped {
			t.Errorf("%s: %v at %v, %d dropped, want %v at %v, %d", tc.name, c.xs, c.ys, c.dropped, tc.xs, tc.ys,
				tc.dropped)
		}
	}
}

func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12 {
			return false
		}
	}
	return true
}

// A thinned curve stays within the distance of the curve, ends included, and is as short as its extent allows.
func TestThin(t *testing.T) {
	var points []point
	for i := range 100_000 {
		x := float64(i) / 100_000
		points = append(points, point{700 * x, 300 * math.Sqrt(x)})
	}
	const distance = 0.4
	got := apart(points)
	if limit := int(1000/distance) + 2; len(got) > limit {
		t.Errorf("%d points, want at most %d", len(got), limit)
	}
	if got[0] != points[0] || got[len(got)-1] != points[len(points)-1] {
		t.Error("the ends moved")
	}
	k := 0
	for _, p := range points {
		for k+1 < len(got) && got[k+1].x <= p.x {
			k++
		}
		if math.Abs(p.x-got[k].x) > distance && math.Abs(p.y-got[k].y) > distance {
			t.Fatalf("%v is far from %v", p, got[k])
		}
	}
}

func TestAxis(t *testing.T) {
	many := make([]float64, 1000)
	for i := range many {
		many[i] = float64(i + 1)
	}
	heavy := append(append([]float64(nil), many[:995]...), 1e6, 2e6, 3e6, 4e6, 5e6)
	for _, tc := range []struct {
		name   string
		values []float64
		extra  []float64
		whole  bool
		scale  plot.Normalizer
		steps  []float64
		beyond int
	}{
		{"nothing", nil, nil, false, plot.LinearScale{}, []float64{0, 0.5, 1}, 0},
		{"zeros", []float64{0, 0, 0}, nil, true, plot.LinearScale{}, []float64{0, 1}, 0},
		{"shares", []float64{0.1, 0.2, 0.31}, []float64{0.59}, false, plot.LinearScale{}, []float64{0, 0.2, 0.4, 0.6},
			0},
		{"small counts", []float64{1, 2, 3}, nil, true, plot.LinearScale{}, []float64{0, 1, 2, 3}, 0},
		{"counts with a heavy tail", append([]float64{0, 1, 1, 2}, 900), nil, true, log1p{}, []float64{0, 1, 10, 100},
			0},
		{"times over many orders", []float64{0.1, 0.2, 0.4, 90, 5000}, nil, false, plot.LogScale{},
			[]float64{0.1, 1, 10, 100, 1000}, 0},
		{"the last half percent may lie beyond", heavy, nil, true, plot.LinearScale{}, []float64{0, 250, 500, 750,
			1000}, 5},
	} {
		got := chooseAxis([][]float64{tc.values}, tc.extra, tc.whole)
		if got.scale != tc.scale || !near(got.steps, tc.steps) || got.beyond != tc.beyond {
			t.Errorf("%s: %+v, want scale %T, steps %v, %d beyond", tc.name, got, tc.scale, tc.steps, tc.beyond)
		}
	}
}

func TestLogAxis(t *testing.T) {
	many := make([]float64, 400)
	for i := range many {
		many[i] = 10 + float64(i)
	}
	many[0] = 0.001
	for _, tc := range []struct {
		name     string
		values   []float64
		from     float64
		min, max float64
		steps    []float64
		beyond   int
	}{
		{"nothing", nil, 1, 1, 10.1, []float64{1, 3, 10}, 0},
		{"ones", []float64{1, 1}, 1, 1, 10.1, []float64{1, 3, 10}, 0},
		{"counts", []float64{1, 5, 900}, 1, 1, 909, []float64{1, 10, 100}, 0},
		{"not from below", []float64{0, 1e-9, 0.3, 80}, 1e-3, 0.1, 80.8, []float64{0.1, 1, 10}, 0},
		{"nor for the sake of few", many, 1e-3, 10, 413.09, []float64{10, 30, 100, 300}, 0},
		{"damaged", []float64{1, 1e300}, 1, 1, 1.01e15, nil, 1},
	} {
		got := decadeAxis(tc.values, tc.from)
		if math.Abs(got.min/tc.min-1) > 1e-9 || math.Abs(got.max/tc.max-1) > 1e-9 || got.beyond != tc.beyond ||
			tc.steps != nil && !near(got.steps, tc.steps) {
			t.Errorf("%s: from %v to %v, steps %v, %d beyond, want %v to %v, %v, %d", tc.name, got.min, got.max,
				got.steps,
				got.beyond,
				tc.min, tc.max, tc.steps, tc.beyond)
		}
	}
}

// Quantiles lie on the curve, between values where no value has their height.
func TestQuantilesOfACurve(t *testing.T) {
	even, odd := newCurve("", []float64{4, 1, 3, 2}, result.Summary{}, look{}), newCurve("", []float64{1, 2, 9}, result.Summary{},
		look{})
	for _, test := range []struct {
		c       *curve
		p, want float64
	}{{even, 0, 1}, {even, 0.5, 2.5}, {even, 0.75, 3.25}, {even, 1, 4}, {odd, 0.5, 2}, {odd, 0.75, 5.5}} {
		if got := test.c.quantile(test.p); got != test.want {
			t.Errorf("quantile %v of %v: %v, want %v", test.p, test.c.xs, got, test.want)
		}
	}
}
