package figure

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A cell shows the stage that was busiest in it, and every attempt is covered by cells of its row.
func TestRasterise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempts := drawAttempts(t, 20)
		groups := pack(attempts, 0)
		if len(groups) == 0 {
			return
		}
		slots := groups[len(groups)-1].to
		merge, columns, end := rapid.IntRange(1, 4).Draw(t, "merge"), rapid.IntRange(1, 40).Draw(t, "columns"), 26.0
		shown := map[[2]int]cell{}
		for _, c := range rasterise(attempts, slots, merge, columns, end) {
			for k := c.from; k < c.to; k++ {
				if _, ok := shown[[2]int{c.row, k}]; ok {
					t.Fatalf("row %d, column %d is covered twice", c.row, k)
				}
				shown[[2]int{c.row, k}] = c
			}
		}
		per := end / float64(columns)
		for _, a := range attempts {
			for k := range columns {
				from, to := float64(k)*per, float64(k+1)*per
				if a.start >= to || a.end <= from {
					continue
				}
				c, ok := shown[[2]int{a.slot / merge, k}]
				if !ok {
					t.Fatalf("%+v is not shown in column %d", a, k)
				}
				if mine, its := busy(attempts, a.stage, c.row, merge, from, to), busy(attempts, c.stage, c.row, merge,
					from,
					to); its < mine-1e-4 {
					t.Fatalf("row %d, column %d shows stage %d with %v, not %d with %v", c.row, k, c.stage, its,
						a.stage, mine)
				}
			}
		}
	})
}

// busy returns the time that attempts of a stage ran in a row of slots between two instants.
func busy(attempts []attempt, stage, row, merge int, from, to float64) float64 {
	sum := 0.0
	for _, a := range attempts {
		if a.stage == stage && a.slot/merge == row {
			sum += max(0, min(a.end, to)-max(a.start, from))
		}
	}
	return sum
}

// mostAtOnce and occupancy agree with counting at every instant.
func TestRunning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempts := drawAttempts(t, 20)
		const end, columns = 26.0, 52 // half seconds: starts and ends lie on their borders
		most := 0
		mean := make([]float64, columns)
		for _, l := range occupancy(attempts, columns, end) {
			for k, n := range l.mean {
				mean[l.from+k] += n
			}
		}
		for k := range columns {
			middle, want := (float64(k)+0.5)*end/columns, 0
			for _, a := range attempts {
				if a.start <= middle && middle < a.end {
					want++
				}
			}
			if most = max(most, want); math.Abs(mean[k]-float64(want)) > 1e-9 {
				t.Fatalf("column %d: mean %v, want %d", k, mean[k], want)
			}
		}
		if got := mostAtOnce(attempts, 0); got != most {
			t.Fatalf("at most %d at once, want %d", got, most)
		}
	})
}

// Hand-worked: two attempts of one second side by side, then one.
func TestRunningByHand(t *testing.T) {
	attempts := []attempt{{start: 0, end: 1}, {start: 0, end: 2}}
	if got := mostAtOnce(attempts, 0); got != 2 {
		t.Errorf("%d at once, want 2", got)
	}
	// One follows the other, by clocks that differ by 0.01 s: one at once.
	follow := []attempt{{start: 0, end: 1.01}, {start: 1, end: 2}}
	if got := mostAtOnce(follow, 0.02); got != 1 {
		t.Errorf("with slack %d at once, want 1", got)
	}
	if got := mostAtOnce(follow, 0); got != 2 {
		t.Errorf("without slack %d at once, want 2", got)
	}
}
