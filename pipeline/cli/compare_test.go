package cli

import (
	"strconv"
	"testing"

	"racecard/datasets/generate"
	"racecard/datasets/result"
)

// Random plantings of every cause: compare finds the job, names the cause and its stage, and dates it. The shares are
// of 200 jobs: fewer say little.
func TestComparePlantings(t *testing.T) {
	jobs, seed := 200, uint64(5)
	store := nights(t, "nights-random", strconv.Itoa(60*jobs), strconv.FormatUint(seed, 10))
	var doc result.Comparison
	ask(t, &doc, "compare", store)
	of := map[string]*result.ComparedJob{}
	for i := range doc.Jobs {
		of[doc.Jobs[i].Job] = &doc.Jobs[i]
	}
	want := map[generate.Cause]string{generate.StageSlower: "stage", generate.InputGrows: "input",
		generate.CoresLost:    "cores",
		generate.MoreFailures: "failures", generate.Queueing: "queueing", generate.Skew: "skew", generate.Steady: "none"}
	var planted, found, wrong, steady, named, dated, misdated int
	for _, p := range generate.RandomNights(jobs, 60, seed).Jobs {
		j := of[p.Job]
		if j == nil {
			t.Fatalf("%s is not compared", p.Job)
		}
		right := j.Changed && j.Cause.Kind == want[p.Cause] && j.Cause.Stage == p.Stage
		switch {
		case p.Cause == generate.Steady:
			steady++
			if j.Changed {
				named++
				t.Logf("%s is steady: %v, p %v", p.Job, j.Change, j.PValue)
			}
			continue
		case right:
			found++
		case j.Changed && j.Cause.Kind != "none":
			wrong++
			fallthrough
		default:
			t.Logf("%+v: changed by %.3f, p %v, put down to %s %q", p, j.Change, j.PValue, j.Cause.Kind, j.Cause.Stage)
		}
		planted++
		if right && p.Cause != generate.InputGrows {
			dated++
			if night := int((j.Cause.SinceS - 1_788_220_800) / 86_400); night != p.Night {
				misdated++
				t.Logf("%+v: dated to night %d", p, night)
			}
		}
	}
	t.Logf("%d plantings: %d found, %d put down to another cause; %d dated, %d to another night; %d steady jobs, %d named", planted, found, wrong, dated, misdated, steady, named)
	if found*100 < 95*planted || wrong*100 > 5*planted || named*100 > 2*steady || misdated*20 > dated ||
		steady < jobs/20 {
		t.Error("want at least 95% found, at most 5% put down to another cause, at most 2% of steady jobs named, at most 5% misdated")
	}
}
