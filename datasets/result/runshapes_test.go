package result_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
)

// TestRunShapesAreAsAdded packs any runs, in any division, and compares those that come back.
func TestRunShapesAreAsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-3, 9), func(n int) float64 {
			return float64(n)
		}),
			rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 1 << 32, 1<<32 - 1}))
		whole, truth, text := rapid.Int32(), rapid.Bool(), rapid.String()
		var want []result.RunShape
		var got result.RunShapes
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			var part result.RunShapes
			for range rapid.IntRange(0, 4).Draw(t, "runs") {
				r := result.RunShape{
					JobID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Stages: whole.Draw(t, "stages"),
					Barriers:         whole.Draw(t, "barriers"),
					Synchronisations: whole.Draw(t, "synchronisations"), PathStages: whole.Draw(t, "path"),
					Disjoint: whole.Draw(t, "disjoint"),
					Width:    whole.Draw(t, "width"), LevelStagesMax: whole.Draw(t, "level"),
					Parts:    whole.Draw(t, "parts"),
					Attempts: whole.Draw(t, "attempts"), Succeeded: truth.Draw(t, "succeeded"),
					ByStageTimes:    truth.Draw(t, "by stage"),
					AboveCompletion: truth.Draw(t, "above"), CriticalPathS: number.Draw(t, "path (s)"),
					CriticalPathMeanS:   number.Draw(t, "mean path"),
					CriticalPathDriverS: number.Draw(t, "driver path"), InputWork: number.Draw(t, "input"),
					TaskSeconds:    number.Draw(t, "seconds"),
					LevelTasksMean: number.Draw(t, "mean"), LevelTasksMax: number.Draw(t, "max"),
					Shape: rapid.SampledFrom([]string{"", "chain", "other"}).Draw(t, "shape"),
					Plan:  rapid.Uint64().Draw(t, "plan"),
				}
				want = append(want, r)
				part.Add(&r)
			}
			got.Append(&part)
		}
		if got.Len() != len(want) {
			t.Fatalf("%d runs, want %d", got.Len(), len(want))
		}
		seen := 0
		for i, r := range got.All() {
			if seen++; i != seen-1 || fmt.Sprint(*r) != fmt.Sprint(want[i]) ||
				math.Signbit(r.InputWork) != math.Signbit(want[i].InputWork) && !math.IsNaN(r.InputWork) {
				t.Errorf("run %d: %+v, want %+v", i, *r, want[i])
			}
		}
		if seen != len(want) {
			t.Errorf("%d runs come back, want %d", seen, len(want))
		}
	})
}

// TestRunShapesFillBlocks packs more runs than a block holds.
func TestRunShapesFillBlocks(t *testing.T) {
	var s result.RunShapes
	const runs = 50_000
	for i := range runs {
		s.Add(&result.RunShape{JobID: fmt.Sprint("j", i), Name: "nightly", Stages: int32(i),
			CriticalPathS: float64(i) / 7})
	}
	next := 0
	for i, r := range s.All() {
		if i != next || r.JobID != fmt.Sprint("j", i) || r.Stages != int32(i) || r.CriticalPathS != float64(i)/7 {
			t.Fatalf("run %d is %+v", next, r)
		}
		next++
	}
	if next != runs {
		t.Errorf("%d runs come back, want %d", next, runs)
	}
}
