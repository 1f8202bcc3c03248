package recurrence

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// TestLogKeepsRuns packs any runs, in any division, and reads them in any order.
func TestLogKeepsRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all log
		var want []observed
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			var part log
			for range rapid.IntRange(0, 4).Draw(t, "runs") {
				n, x := rapid.Int64(), rapid.Float64()
				o := observed{
					id: rapid.String().Draw(t, "id"), at: trace.Instant(n.Draw(t, "at")), input: n.Draw(t, "input"),
					tokens:  n.Draw(t, "tokens"),
					seconds: x.Draw(t, "seconds"), queued: x.Draw(t, "queued"), spare: x.Draw(t, "spare"),
					lost: x.Draw(t, "lost"),
					work: x.Draw(t, "work"), excess: x.Draw(t, "excess"), attempts: rapid.Int32().Draw(t, "attempts"),
					stragglers: rapid.Int32().Draw(t, "stragglers"),
				}
				part.add(&o)
				want = append(want, o)
			}
			all.merge(&part)
		}
		for i := range want {
			if got := all.at(int32(i)); got != want[i] {
				t.Errorf("run %d of %d: %+v, want %+v", i, len(want), got, want[i])
			}
		}
	})
}

// TestLogHasManyParts keeps more runs than a part holds.
func TestLogHasManyParts(t *testing.T) {
	var l log
	id := fmt.Sprintf("%05000d", 0)
	const runs = 8_000 // 40 MB
	for i := range int64(runs) {
		l.add(&observed{id: id, input: i})
	}
	for i := range int32(runs) {
		if got := l.at(i); got.input != int64(i) || got.id != id {
			t.Fatalf("run %d has an input of %d", i, got.input)
		}
	}
	if len(l.parts) < 2 {
		t.Errorf("%d parts hold all runs", len(l.parts))
	}
}
