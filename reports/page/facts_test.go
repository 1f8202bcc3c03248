package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/reports/figure"
)

// Indicators that are written alike are not told apart, whatever lies behind the last digit.
func TestIndicatorsThatTie(t *testing.T) {
	at := []result.RemainingAt{{Tokens: 1, S: [][]float64{{1}, {2}, {3}, {4}, {5}}}}
	for _, tc := range []struct {
		off  []float64
		want string
	}{
		{[]float64{0.1401, 0.1399, 0.14}, "All 3 progress indicators predict the end of a run of j equally well: " +
			"they are off by 14% of a run."},
		{[]float64{0.1401, 0.1399, 0.2}, "The progress indicators i0 and i1 predict the end of a run of j equally " +
			"well: they are off by 14% of a run."},
		{[]float64{0.15, 0.1, 0.2}, "Of the progress indicators, i1 predicts the end of a run of j best: it is off " +
			"by 10% of a run."},
	} {
		r := &result.Remaining{Header: result.Header{Available: true}, Job: "j", At: at}
		for i, off := range tc.off {
			r.Indicators = append(r.Indicators, result.IndicatorUse{Name: fmt.Sprintf("i%d", i), Off: off})
		}
		if text, _ := sentence("indicators", r); text != tc.want {
			t.Errorf("%v: %q, want %q", tc.off, text, tc.want)
		}
	}
}

// Whatever jobs do, sentences about them agree: one that varies by less than is notable is not singled out for varying,
// one that shares the first place as written is not either, and no sentence but that about causes says what input
// explains.
func TestSentencesAboutJobsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom([]float64{0, 0.03, 0.0996, 0.1, 0.2004, 0.2, 0.5, 1})
		r := &result.Recurrence{Header: result.Header{Available: true}, CostBasis: "task_seconds"}
		for i := range rapid.IntRange(2, 5).Draw(t, "jobs") {
			j := result.RecurringJob{Name: fmt.Sprintf("job%d", i), Runs: 20, CoV: share.Draw(t, "cov"), P50S: 60,
				MaxS: 90, MeanS: 60,
				Impact: result.Number(share.Draw(t, "impact")), Cost: 100}
			j.Drift.CoVWithin, j.Drift.TrendP = result.Number(j.CoV), 0.5
			j.Causes = result.Shares{Rest: 0.1,
				Of: map[string]result.Number{"input": result.Number(share.Draw(t, "input")),
					"drift": result.Number(share.Draw(t, "drift"))}}
			if rapid.Bool().Draw(t, "drifts") {
				j.Drift.Drifting, r.Drifting = true, r.Drifting+1
				j.Drift.CoVWithin = result.Number(share.Draw(t, "within"))
				j.Drift.Changes = []result.Change{{AtS: 5, JobID: "r", Before: 60,
					After: result.Number(rapid.SampledFrom([]float64{30, 60, 132}).Draw(t, "after"))}}
			}
			r.Jobs = append(r.Jobs, j)
		}
		r.CoV, r.CoVSimilarInput = flat(len(r.Jobs), share.Draw(t, "p50")), flat(9, share.Draw(t, "similar"))
		r.Causes = []result.Cause{{Cause: "input", Jobs: 2, Mean: result.Number(share.Draw(t, "mean"))},
			{Cause: "rest", Jobs: 2, Mean: 0.1}}
		for _, f := range Findings(&result.Bundle{Documents: map[string]result.Document{"recurrence": r}}) {
			switch f.ID {
			case "most-variable", "impact":
				for i := range r.Jobs {
					if j := &r.Jobs[i]; strings.Contains(f.Text, j.Name+" ") && steady(j) < notable {
						t.Fatalf("%q, though it varies by %v", f.Text, steady(j))
					}
				}
			case "similar-input", "variation":
				if strings.Contains(f.Text+f.Detail, "explains") {
					t.Fatalf("%q with %q judges of causes", f.Text, f.Detail)
				}
			case "drift":
				if r.Drifting > 0 && strings.Contains(f.Text, "None") || r.Drifting == 0 &&
					!strings.Contains(f.Text, "None") {
					t.Fatalf("%d jobs drift: %q", r.Drifting, f.Text)
				}
			}
		}
	})
}

// Warnings begin like sentences, but the name of a job or a file stays as it is.
func TestWarningsBeginWithACapital(t *testing.T) {
	s := newSection("x", "X", &result.Header{Available: true, Warnings: []string{"runs went on", "file damaged: a: b",
		"nightly-join: a run holds all", "2 of 3 runs: x"}})
	if want := []string{"Runs went on", "File damaged: a: b", "nightly-join: a run holds all", "2 of 3 runs: x"}; !slices.Equal(
		s.Notes, want) {
		t.Errorf("%q", s.Notes)
	}
	q := qualitySection(&result.Provenance{Warnings: []string{"job submitted again: job 1"}}, nil, figure.Source{})
	if !slices.Equal(q.Notes, []string{"Job submitted again: job 1"}) {
		t.Errorf("%q", q.Notes)
	}
}
