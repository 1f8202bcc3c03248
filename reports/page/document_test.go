package page

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

func TestReportJSON(t *testing.T) {
	b := figuretest.Typical()
	w := write(t, b, Options{Title: "Nightly jobs"})
	type finding struct {
		ID, Text, Detail, See string
		N                     int
		Small                 bool
		Stake                 float64
		Numbers               map[string]float64
	}
	var got struct {
		Title        string
		Synthetic    bool
		Findings     []finding
		NotAvailable []struct{ Topic string } `json:"not_available"`
		Figures      []struct {
			Name, Label, Title, Caption, Alt, SVG, PNG string
			Values                                     []struct{ Of, What string }
		}
		Summaries map[string]struct {
			N         int
			P50       float64
			Intervals map[string][2]float64
		}
		Provenance result.Provenance
	}
	if err := json.Unmarshal(w.files["report.json"], &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != "Nightly jobs" || !got.Synthetic || got.Provenance.Store != b.Provenance.Store ||
		len(got.NotAvailable) != 0 {
		t.Errorf("title %q, synthetic %v, store %q, %d topics not available", got.Title, got.Synthetic,
			got.Provenance.Store, len(got.NotAvailable))
	}
	rec := b.Documents["recurrence"].(*result.Recurrence)
	if f := got.Findings[0]; f.ID != "health-implausible-cpu" {
		t.Errorf("first finding %+v, want what makes numbers wrong", f)
	}
	i := slices.IndexFunc(got.Findings, func(f finding) bool { return f.ID == "variation" })
	if f := got.Findings[i]; f.Stake != rec.CoV.P50 || f.See != "fig-cov" || f.N != 4 || !f.Small ||
		f.Numbers["cov_p50"] != rec.CoV.P50 {
		t.Errorf("finding %+v, want the variation of 4 jobs with a median of %v", f, rec.CoV.P50)
	}
	if s := got.Summaries["recurrence.cov"]; s.N != 4 || s.P50 != rec.CoV.P50 ||
		s.Intervals["p50"] != rec.Intervals.Of["cov"]["p50"] {
		t.Errorf("summary %+v, want %+v", s, rec.CoV)
	}
	if _, ok := got.Summaries["dag.input_work"]; !ok {
		t.Error("no summary dag.input_work")
	}
	names := map[string]bool{}
	for _, f := range got.Figures {
		names[f.Name] = true
		if f.Label == "" || f.Title == "" || f.Caption == "" || f.Alt == "" || len(f.Values) == 0 {
			t.Errorf("figure %s is incomplete", f.Name)
		}
		if w.files[f.SVG] == nil || w.files[f.PNG] == nil {
			t.Errorf("files of figure %s are missing", f.Name)
		}
	}
	for _, name := range []string{"cov", "dependency", "dag-shape", "stage-graph", "arrivals", "tails", "cutoff",
		"concurrency", "failures", "waterfall"} {
		if !names[name] {
			t.Errorf("figure %s is missing", name)
		}
	}
}

// Numbers that are not known become null or are left out; they never make report.json fail.
func TestReportJSONWithUnknownNumbers(t *testing.T) {
	b := figuretest.Typical()
	rec := b.Documents["recurrence"].(*result.Recurrence)
	nan := math.NaN()
	rec.CoV.P50, rec.CoV.P99, rec.ShareOfRuns, rec.Jobs[0].CoV = nan, nan, result.Number(nan), nan
	rec.Intervals.Of["cov"]["p50"] = result.Interval{nan, nan}
	b.Provenance.From = result.Number(nan)
	var got struct {
		Summaries map[string]map[string]any
		Findings  []struct{ Numbers map[string]any }
	}
	if err := json.Unmarshal(write(t, b, Options{}).files["report.json"], &got); err != nil {
		t.Fatal(err)
	}
	if x, ok := got.Summaries["recurrence.cov"]["p50"]; !ok || x != nil {
		t.Errorf("unknown median is %v, want null", x)
	}
	if _, ok := got.Findings[0].Numbers["cov_p50"]; ok {
		t.Error("a finding states an unknown number")
	}
}
