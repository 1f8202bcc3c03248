package waste

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// Cores held at once are those counted instant by instant, if runs change rarely, and never less if they change often.
// They are the same however runs are divided and merged.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const last = 400
		var held, busy [last]int64
		most := rapid.SampledFrom([]int{3, 60}).Draw(t, "stretches")
		whole := levels{limit: 1 << 20, most: 8}
		parts := []levels{{limit: 1 << 20, most: 8}, {limit: 1 << 20, most: 8}, {limit: 1 << 20, most: 8}}
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			var run []Stretch
			at := rapid.Int64Range(0, last/2).Draw(t, "from")
			for range rapid.IntRange(1, most).Draw(t, "n") {
				to := min(last, at+rapid.Int64Range(1, 40).Draw(t, "length"))
				used := rapid.Int64Range(0, 9).Draw(t, "used")
				s := Stretch{trace.Instant(at), trace.Instant(to), used + rapid.Int64Range(0, 5).Draw(t, "idle"), used}
				for x := at; x < to; x++ {
					held[x], busy[x] = held[x]+min(12, s.Held), busy[x]+s.Used
				}
				if at < to {
					run = append(run, s)
				}
				at = to
			}
			whole.add(run, 12, 0.5)
			parts[rapid.IntRange(0, 2).Draw(t, "part")].add(run, 12, 0.5)
		}
		parts[2].merge(&parts[0])
		parts[1].merge(&parts[2])
		got, ok := whole.sweep(0.9)
		again, _ := parts[1].sweep(0.9)
		if got != again {
			t.Fatalf("whole %+v, in parts %+v", got, again)
		}
		var all, work []float64
		sum := 0.0
		for x := range held {
			if held[x] > 0 {
				all, work = append(all, float64(held[x])/2), append(work, float64(busy[x])/2)
				sum += float64(held[x]) / 2
			}
		}
		if ok != (len(all) > 0) {
			t.Fatalf("%v, of %d instants", ok, len(all))
		} else if !ok {
			return
		}
		slices.Sort(all)
		slices.Sort(work)
		k := int(math.Ceil(0.9*float64(len(all)))) - 1
		peak, mean := all[len(all)-1], sum/float64(len(all))
		if got.peak < peak || got.held < all[k] && !got.rounded || got.busy < work[k]-1e-9 && !got.rounded {
			t.Fatalf("%+v, want at least peak %v, mean %v, held %v, busy %v", got, peak, mean, all[k], work[k])
		}
		if !got.rounded && (got.peak != peak || math.Abs(got.mean-mean) > 1e-9 || got.held != all[k]) ||
			!got.busyRound && got.busy != work[k] {
			t.Fatalf("%+v, want peak %v, mean %v, held %v, busy %v", got, peak, mean, all[k], work[k])
		}
	})
}

// A run of many changes takes a bounded number of steps. Beyond the limit nothing is kept.
func TestLevelsAreBounded(t *testing.T) {
	var run []Stretch
	for i := range int64(10_000) {
		run = append(run, Stretch{trace.Instant(i), trace.Instant(i + 1), 5 + i%7, i % 7})
	}
	l := levels{limit: 18, most: 8}
	l.add(run, 20, 1)
	if got, ok := l.sweep(1); !ok || l.n > l.limit || got.peak != 11 || !got.rounded || !got.busyRound {
		t.Errorf("%+v, %v, %d changes", got, ok, l.n)
	}
	for range 16 {
		l.add(run, 20, 1)
	}
	if _, ok := l.sweep(1); ok || l.chunks != nil || l.pending != nil {
		t.Errorf("%d changes of %d are kept", l.n, l.limit)
	}
}
