package cpa

import (
	"math"
	"testing"

	"racecard/datasets/remaining"
	"racecard/models/deadlines/progress"
)

// past is a run of [chain] that was slow to end: its first stage was done at half of its time, by one task after the
// other.
func past(input, tokens float64) Course {
	return Course{Ends: [][]float64{{0.25, 0.5}, {0.75, 1}}, InputBytes: input, Tokens: tokens, Weight: 1}
}

// With 7 of 10 parts of the work, queueing included, in the first stage, its first task makes progress 0.35.
func TestCourse(t *testing.T) {
	c := past(math.NaN(), 2)
	left := c.left(chain(t).Progress, progress.TotalWorkWithQ)
	for i, want := range map[int]float64{0: 1, 1: 0.75, 35: 0.75, 36: 0.5, 70: 0.5, 71: 0.25, 85: 0.25, 86: 0, 100: 0} {
		if left[i] != want {
			t.Errorf("at progress %d%% a share of %v remained, want %v", i, left[i], want)
		}
	}
}

// Simulated runs say that 1 of 4 s remains at progress 0.7; a past run says half. It weighs 1, and they weigh a tenth
// of it. Runs take as long as before, and other allocations follow in odds.
func TestFollow(t *testing.T) {
	j := chain(t)
	bare := build(t, j, few(4, 1, 2))
	j.Past, j.Tokens, j.InputBytes = []Course{past(math.NaN(), 2)}, 2, math.NaN()
	table := build(t, j, few(4, 1, 2))
	if table.About.Courses != 1 || bare.About.Courses != 0 {
		t.Errorf("%d and %d courses, want 1 and 0", table.About.Courses, bare.About.Courses)
	}
	share := (0.5 + 0.1*0.25) / 1.1
	odds := 1. / 3 * share / (1 - share) / (0.25 / 0.75) // 2 of 8 s remain on one token
	for _, x := range []struct{ progress, tokens, want float64 }{
		{0, 2, 4}, {0, 1, 8}, {1, 2, 0}, {0.7, 2, 4 * share}, {0.7, 1, 8 * odds / (1 + odds)},
		{0.85, 2, 4 * 0.25 / 1.1}, // of which nothing remains in simulated runs
	} {
		if got := table.Remaining(x.progress, x.tokens, 0.5); math.Abs(got-x.want) > 1e-3*x.want {
			t.Errorf("at progress %v on %v tokens %v s remain, want %v", x.progress, x.tokens, got, x.want)
		}
	}
}

// Simulated runs on two tokens end as soon as they progress; a past run did not. On one token half of the time of
// simulated runs remains, which past runs do not change.
func TestFollowNoTime(t *testing.T) {
	tbl := remaining.New(remaining.About{}, []int32{1, 2})
	for k, run := range []float64{20, 10} {
		for i := range remaining.Steps {
			left := 0.
			switch {
			case i == 0:
				left = run
			case k == 0 && i < remaining.Steps-1:
				left = run / 2
			}
			for q := range tbl.Quantiles {
				tbl.Quantiles[q][k*remaining.Steps+i] = left
			}
			tbl.Mean[k*remaining.Steps+i] = left
		}
	}
	j := chain(t)
	j.Past, j.Tokens = []Course{past(math.NaN(), 2)}, 2
	follow(tbl, &j, progress.TotalWorkWithQ)
	if got := tbl.Remaining(0.5, 1, 0.5); got != 10 {
		t.Errorf("at progress 0.5 on one token %v s remain, want 10 of 20", got)
	}
	if got := tbl.Remaining(0.5, 2, 0.5); !(got > 0) {
		t.Errorf("at progress 0.5 on two tokens %v s remain, want as in past runs", got)
	}
}

// The run nearest in input counts, and where inputs explain what remained, their line goes on.
func TestNearCourses(t *testing.T) {
	j := chain(t)
	early, late := past(1e9, 2), past(4e9, 2)
	late.Ends = [][]float64{{0.05, 0.1}, {0.75, 1}}
	j.Past = []Course{early, late}
	var simulated [remaining.Steps]float64
	for i := range 71 {
		simulated[i] = 0.7
	}
	at := func(input float64) float64 {
		j.InputBytes = input
		return leftShares(&j, 2, progress.TotalWorkWithQ, simulated)[70]
	}
	if small, large := at(1e9), at(4e9); math.Abs(small-0.5) > 0.08 || math.Abs(large-0.9) > 0.08 {
		t.Errorf("shares of %v and %v remain, want about 0.5 and 0.9", small, large)
	}
	if beyond := at(8e9); beyond <= at(4e9) || beyond > 1 {
		t.Errorf("a share of %v remains at an input beyond all, want more than %v", beyond, at(4e9))
	}
	j.Past[0].Weight, j.Past[1].Weight = 0, 0
	if got := at(1e9); got != 0.7 {
		t.Errorf("runs without weight say %v", got)
	}
}
