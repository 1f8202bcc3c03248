package result_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// anyFloat draws numbers as runs have them, and those that are hard to pack.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, math.Inf(1), math.Copysign(0, -1), 1 << 33}))
}

// TestUsesComeBack packs uses of any numbers and texts.
func TestUsesComeBack(t *testing.T) {
	use := rapid.Custom(func(t *rapid.T) result.RunUse {
		f, n, s := anyFloat(), rapid.Int64(), rapid.String()
		return result.RunUse{JobID: s.Draw(t, "id"), Name: s.Draw(t, "name"), User: s.Draw(t, "user"),
			Group: s.Draw(t, "group"), Guaranteed: n.Draw(t, "guaranteed"), MaxParallelism: n.Draw(t, "most"),
			Sustained: n.Draw(t, "sustained"), Seconds: f.Draw(t, "seconds"), Unused: f.Draw(t, "unused"),
			Beyond: f.Draw(t, "beyond"), SpareShare: f.Draw(t, "spare"),
			Basis: rapid.SampledFrom([]string{result.UseOfAttempts, result.UseOfAllocations}).Draw(t, "basis")}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(use).Draw(t, "uses")
		var list result.RunUses
		for i := range want {
			var one result.RunUses
			one.Add(&want[i])
			list.Append(&one)
		}
		var got []result.RunUse
		for i, u := range list.All() {
			if got = append(got, *u); i != len(got)-1 {
				t.Errorf("run %d is called %d", len(got)-1, i)
			}
		}
		if list.Len() != len(want) || !slices.Equal(got, want) {
			t.Errorf("%+v come back as %+v", want, got)
		}
	})
}

// TestLeftoversComeBack packs leftovers of any numbers, texts and resources.
func TestLeftoversComeBack(t *testing.T) {
	run := rapid.Custom(func(t *rapid.T) result.LeftoverRun {
		f, n, s := anyFloat(), rapid.Int32(), rapid.String()
		r := result.LeftoverRun{JobID: s.Draw(t, "id"), Name: s.Draw(t, "name"),
			Start: trace.Instant(rapid.Int64().Draw(t, "start")), End: trace.Instant(rapid.Int64().Draw(t, "end")),
			Stages: n.Draw(t, "stages"), Barriers: n.Draw(t, "barriers"), PathStages: n.Draw(t, "path"),
			Disjoint: n.Draw(t, "disjoint"), Width: n.Draw(t, "width"), Attempts: n.Draw(t, "attempts"),
			Moved: n.Draw(t, "moved"), Leftover: f.Draw(t, "leftover")}
		for k := range trace.NumResources {
			if rapid.Bool().Draw(t, "known") {
				r.Of = append(r.Of, result.LeftoverAmount{Resource: k, Most: f.Draw(t, "most"),
					Leftover: f.Draw(t, "of"), Allocated: f.Draw(t, "allocated"), Spare: f.Draw(t, "slack")})
			}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(run).Draw(t, "runs")
		var list result.LeftoverRuns
		for i := range want {
			list.Add(&want[i])
		}
		n := 0
		for i, r := range list.All() {
			got := *r
			if got.Of = slices.Clone(r.Of); len(got.Of) == 0 {
				got.Of = nil
			}
			if !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%+v comes back as %+v", want[i], got)
			}
			n++
		}
		if n != len(want) || list.Len() != n {
			t.Errorf("%d runs of %d, Len %d", n, len(want), list.Len())
		}
	})
}
