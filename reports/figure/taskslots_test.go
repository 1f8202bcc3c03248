package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
)

// drawAttempts draws attempts by start, on up to three machines, at whole seconds so that ends and starts coincide.
func drawAttempts(t *rapid.T, most int) []attempt {
	var out []attempt
	for range rapid.IntRange(0, most).Draw(t, "attempts") {
		start := float64(rapid.IntRange(0, 20).Draw(t, "start"))
		out = append(out, attempt{stage: rapid.IntRange(0, 3).Draw(t, "stage"), start: start,
			end:     start + float64(rapid.IntRange(0, 6).Draw(t, "length")),
			machine: rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(t, "machine")})
	}
	slices.SortStableFunc(out, func(a, b attempt) int { return int(a.start - b.start) })
	return out
}

// Attempts in a slot overlap by no more than the slack, a slot belongs to one machine, and a machine has no more slots
// than attempts at once.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempts := drawAttempts(t, 25)
		slack := rapid.SampledFrom([]float64{0, 2}).Draw(t, "slack")
		groups := pack(attempts, slack)
		for i, a := range attempts {
			for _, b := range attempts[:i] {
				if a.slot == b.slot && (a.machine != b.machine || min(a.end, b.end)-max(a.start, b.start) > slack) {
					t.Fatalf("%+v and %+v share slot %d", a, b, a.slot)
				}
			}
		}
		next := 0
		for _, g := range groups {
			if g.from != next {
				t.Fatalf("slots %d to %d are nobody's", next, g.from)
			}
			next = g.to
			atOnce := 0
			for _, a := range attempts {
				n := 0
				for _, b := range attempts {
					if a.machine == g.machine && b.machine == g.machine && b.start <= a.start && (b.end > a.start ||
						b.start == a.start) {
						n++ // b runs when a starts, or starts with it
					}
				}
				atOnce = max(atOnce, n)
			}
			if g.to-g.from > atOnce {
				t.Fatalf("machine %q has %d slots, at most %d attempts at once", g.machine, g.to-g.from, atOnce)
			}
		}
	})
}

func TestNatural(t *testing.T) {
	want := []string{"", "host", "host-1", "host-2", "host-10", "host-10a", "host-010b", "m1", "m001x"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

// Bars read from a table are those of the document that the table was made from.
func TestBarsOfTable(t *testing.T) {
	nan := math.NaN()
	l := &result.Timeline{Attempts: []result.TimelineBar{
		{Stage: 1, Task: 2, Attempt: 3, QueuedS: nan, StartS: 1, EndS: 2.5, Status: "failed", Machine: "m1",
			Speculative: true},
		{Stage: 0, Task: 0, Attempt: 0, QueuedS: nan, StartS: nan, EndS: nan, Status: "running"},
		{Stage: 0, Task: 1, Attempt: 0, QueuedS: nan, StartS: 0, EndS: nan, Status: "running", Machine: "m2"},
	}}
	got := result.TimelineBars(l.Table())
	for i, want := range l.Attempts {
		g := got[i]
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if g.Stage != want.Stage || !same(g.StartS, want.StartS) || !same(g.EndS, want.EndS) ||
			g.Status != want.Status || g.Machine != want.Machine ||
			g.Speculative != want.Speculative {
			t.Errorf("row %d is %+v, want %+v", i, g, want)
		}
	}
	attempts, without := attemptsOf(&result.Timeline{EndS: 9}, l.Table())
	if len(attempts) != 2 || without != 1 {
		t.Fatalf("%d attempts and %d without a start, want 2 and 1", len(attempts), without)
	}
	if a := attempts[0]; !a.open || a.end != 9 || a.failed {
		t.Errorf("running attempt is %+v, want it open until 9", a)
	}
	if a := attempts[1]; !a.failed || !a.speculative || a.open {
		t.Errorf("failed attempt is %+v, want it failed and speculative", a)
	}
	if result.TimelineBars(nil) != nil {
		t.Error("no table has bars")
	}
}
