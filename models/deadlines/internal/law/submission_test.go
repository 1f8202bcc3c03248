package law

import (
	"math"
	"testing"
)

// The next run follows at the usual interval, also if a night was left out; not where there is none.
func TestNextSubmission(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		at       []float64
		next     float64
		interval float64
	}{
		{"three runs", []float64{0, 10, 20}, nan, nan},
		{"four runs", []float64{0, 10, 20, 31}, 41, 10},
		{"one left out", []float64{0, 10, 20, 40, 50, 60}, 70, 10},
		{"none is regular", []float64{0, 1, 20, 22, 70, 71}, nan, nan},
	} {
		if next, interval := NextSubmission(c.at); !alike(next, c.next) || !alike(interval, c.interval) {
			t.Errorf("%s: at %v after %v, want %v after %v", c.name, next, interval, c.next, c.interval)
		}
	}
}

func alike(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
