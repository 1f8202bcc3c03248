package page

import (
	"math"
	"strings"
	"testing"
	"time"

	"racecard/datasets/result"
)

// change is a job that changed, with a cause of a share of 0.9.
func change(name, kind, stage string, before, after, from, to float64) result.ComparedJob {
	return result.ComparedJob{Job: name, Changed: true, Change: result.Number(after/before - 1),
		Before: result.Summary{N: 10, P50: before, Mean: before}, After: result.Summary{N: 10, P50: after, Mean: after},
		Cause: result.ChangeCause{Kind: kind, Stage: stage, SinceS: result.Number(math.NaN()), Share: 0.9,
			From: result.Number(from), To: result.Number(to)}}
}

// What somebody must do something about leads: a slower stage before fewer cores before more input before faster jobs,
// whatever their sizes. Each job is named once, with its cause.
func TestChangesAreRanked(t *testing.T) {
	c := changesOf(&result.Bundle{Documents: map[string]result.Document{"changes": &result.Comparison{Header: result.Header{Available: true}, Compared: 9, Level: 0.001, Jobs: []result.ComparedJob{
		change("grows", "input", "", 100, 900, 1e9, 9e9), change("faster", "stage", "map", 900, 100, 9,
			1), change("fewer", "cores", "", 100, 400, 8, 2),
		change("slow", "stage", "join", 100, 150, 10, 20), change("odd", "none", "", 100, 120, 0, 0),
		{Job: "steady", Before: result.Summary{N: 10, P50: 1000, Mean: 1000},
			After: result.Summary{N: 10, P50: 1000, Mean: 1000}}}}}})
	f := Finding{Numbers: map[string]float64{}}
	c.find(&f, calendar{"unix", time.UTC})
	if f.Text != "slow takes 50% longer (2 min 30 s instead of 1 min 40 s): stage join takes 2 times the work, 90% "+
		"of the change." {
		t.Errorf("%s", f.Text)
	}
	last := 0
	for _, want := range []string{"5 of 9 recurring jobs changed", "fewer takes 300% longer", "2 cores instead of 8",
		"odd takes 20% longer", "no recorded cause", "grows takes 800% longer",
		"it reads 9 GB instead of 1 GB", "faster takes 89% less", "stage map takes 0.111 times the work"} {
		at := strings.Index(f.Detail, want)
		if at < last {
			t.Errorf("%q is at %d of %q", want, at, f.Detail)
		}
		last = at
	}
	// 50 + 300 + 20 + 800 s of 10 runs each, of 10 x (900+100+400+150+120+1000)
	if got := f.Numbers["slower_share"]; math.Abs(got-1170.0/2670) > 1e-9 {
		t.Errorf("lost share %v", got)
	}
	if strings.Contains(f.Text+f.Detail, "steady") {
		t.Errorf("the steady job is named: %s", f.Detail)
	}
}
