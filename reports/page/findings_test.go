package page

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/figure/figuretest"
)

// sentence returns the text and detail of a finding of a bundle of one document; "" when there is none.
func sentence(id string, doc result.Document) (text, detail string) {
	b := &result.Bundle{Documents: map[string]result.Document{doc.Analysis(): doc}}
	for _, f := range Findings(b) {
		if f.ID == id {
			return f.Text, f.Detail
		}
	}
	return "", ""
}

func flat(n int, x float64) result.Summary {
	return result.Summary{N: n, Mean: x, Min: x, P10: x, P25: x, P50: x, P75: x, P90: x, P95: x, P99: x, Max: x}
}

func TestRecurrenceSentences(t *testing.T) {
	available := result.Header{Available: true}
	intervals := result.Intervals{Level: 0.95, Of: map[string]map[string]result.Interval{"cov": {"p50": {0.21, 0.35}}}}
	for _, tc := range []struct {
		name, id     string
		doc          result.Recurrence
		text, detail string // detail: a part of it
	}{
		{"several jobs", "variation", result.Recurrence{CoV: flat(4, 0.28), Intervals: intervals, ShareOfRuns: 0.96},
			"Half of the 4 recurring jobs vary by more than 28% from run to run.",
			"95% interval 21–35%; n = 4 recurring jobs, too few to generalise from. They make up 96% of the runs that succeeded."},
		{"many jobs", "variation", result.Recurrence{CoV: flat(1200, 0.28), ShareOfRuns: result.Number(math.NaN())},
			"Half of the 1,200 recurring jobs vary by more than 28% from run to run.", "n = 1,200 recurring jobs. Published"},
		{"one job", "variation", result.Recurrence{CoV: flat(1, 0.055)}, "The one recurring job varies by 5.5% from run to run.", "n = 1 recurring job, too few"},
		{"no job", "variation", result.Recurrence{MinRuns: 10, Runs: 12, Succeeded: 9},
			"No job recurs often enough to say how much it varies.", "at least 10 runs of it succeeded; the trace holds 12 runs, of which 9 succeeded."},
		{"input explains little", "similar-input", result.Recurrence{CoV: flat(12, 0.28), CoVSimilarInput: flat(30, 0.25)},
			"Runs whose inputs are within 10% still vary by 25%: input size explains little of it.", "against 28% over all runs of a job; n = 30 groups."},
		{"input explains a part", "similar-input", result.Recurrence{CoV: flat(12, 0.28), CoVSimilarInput: flat(3, 0.14)},
			"Runs whose inputs are within 10% still vary by 14%: input size explains a part of it.", "n = 3 groups, too few to generalise from."},
		{"input explains most", "similar-input", result.Recurrence{CoV: flat(12, 0.28), CoVSimilarInput: flat(30, 0.02)},
			"Runs whose inputs are within 10% vary by only 2%: input size explains most of it.", ""},
		{"nothing varies", "similar-input", result.Recurrence{CoV: flat(12, 0), CoVSimilarInput: flat(30, 0)},
			"Runs whose inputs are within 10% vary by 0%.", ""},
		{"no similar input", "similar-input", result.Recurrence{CoV: flat(12, 0.28)}, "Whether input size explains the variation cannot be told.", ""},
		{"failures", "outcomes", result.Recurrence{Runs: 76, Succeeded: 73, ByStatus: map[string]int{"succeeded": 73, "failed": 3}}, "3 of 76 runs failed.", ""},
		{"one kill", "outcomes", result.Recurrence{Runs: 76, Succeeded: 75, ByStatus: map[string]int{"succeeded": 75, "killed": 1}}, "1 of 76 runs was killed.", ""},
		{"several ends", "outcomes", result.Recurrence{Runs: 76, Succeeded: 70, ByStatus: map[string]int{"succeeded": 70, "failed": 3, "killed": 2, "unknown": 1}},
			"5 of 76 runs did not succeed: 3 failed and 2 killed.", "How 1 run ended is not known."},
		{"all well", "outcomes", result.Recurrence{Runs: 76, Succeeded: 76, ByStatus: map[string]int{"succeeded": 76}}, "Every run succeeded: 76 of 76.", ""},
		{"no ends", "outcomes", result.Recurrence{Runs: 9, ByStatus: map[string]int{"unknown": 9}}, "The trace does not say how its runs ended.", ""},
		{"the one run, well", "outcomes", result.Recurrence{Runs: 1, Succeeded: 1, ByStatus: map[string]int{"succeeded": 1}}, "The one run succeeded.", ""},
		{"the one run, lost", "outcomes", result.Recurrence{Runs: 1, ByStatus: map[string]int{"lost": 1}}, "The one run was lost.", ""},
		{"no run", "outcomes", result.Recurrence{}, "", ""},
	} {
		tc.doc.Header = available
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestGraphSentences(t *testing.T) {
	available := result.Header{Available: true}
	graph := &result.StageGraph{JobID: "r7", Name: "nightly-index", Stages: make([]result.GraphStage, 4), Edges: []result.GraphEdge{
		{Parent: 0, Child: 2, Kind: "all_to_all"}, {Parent: 1, Child: 2, Kind: "all_to_all"}, {Parent: 0, Child: 3, Kind: "one_to_one"},
		{Parent: 2, Child: 3, Kind: "driver"}, // not a parent: 3 is no barrier
	}}
	for _, tc := range []struct {
		name, id     string
		doc          result.DAG
		text, detail string
	}{
		{"largest", "largest-graph", result.DAG{Largest: graph}, "The largest graph, of nightly-index, has 4 stages, 1 of which is a barrier.",
			"2 edges exchange data between all tasks; the driver alone orders 1 pair of stages more."},
		{"median", "median-shape", result.DAG{Stages: flat(76, 12), Barriers: flat(76, 1), CriticalPathStages: flat(76, 4.5)},
			"The median run has 12 stages, 1 barrier and a critical path of 4.5 stages.", "95% have at most 12 stages; n = 76 runs with stages."},
		{"median of few", "median-shape", result.DAG{Stages: flat(2, 3), Barriers: flat(2, 0), CriticalPathStages: flat(2, 1)},
			"The median run has 3 stages, 0 barriers and a critical path of 1 stage.", "each on its own; n = 2 runs with stages, too few"},
		{"no graph", "no-graph", result.DAG{Stages: flat(500, 1), Largest: graph}, "Every run is a single stage, as far as the trace says.", "n = 500 runs."},
		{"no graph, no largest", "largest-graph", result.DAG{Stages: flat(500, 1), Largest: graph}, "", ""},
		{"no name", "largest-graph", result.DAG{Largest: &result.StageGraph{JobID: "9", Stages: make([]result.GraphStage, 2)}},
			"The largest graph, of run 9, has 2 stages and no barrier.", ""},
		{"critical path", "critical-path", result.DAG{CriticalPathS: flat(76, 200), CriticalPathDriverS: flat(76, 250)},
			"Half of the runs would take more than 3 min 20 s however many machines they got.", "With the order that the driver imposes it is 4 min 10 s, 25% more."},
		{"unknown times", "critical-path", result.DAG{}, "", ""},
	} {
		tc.doc.Header = available
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestRunSentences(t *testing.T) {
	stage := func(median, slowest float64) result.TimelineStage {
		return result.TimelineStage{Name: "join", MedianS: result.Number(median), MaxS: result.Number(slowest), Attempts: 9, Failed: 1}
	}
	for _, tc := range []struct {
		name   string
		stages []result.TimelineStage
		text   string
	}{
		{"straggler", []result.TimelineStage{stage(2, 3), stage(2, 8.4)}, "In the run shown, the slowest task of stage 1, join, took 4.2 times as long as its median task."},
		{"even", []result.TimelineStage{stage(2, 2.4)}, "In the run shown, no stage has a straggler: no task took more than 1.2 times as long as its stage's median."},
		{"too few tasks", []result.TimelineStage{{MedianS: 1, MaxS: 9, Attempts: 3}}, ""},
		{"unknown", []result.TimelineStage{stage(math.NaN(), 9), stage(0, 9)}, ""},
	} {
		text, _ := sentence("stragglers", &result.Timeline{Header: result.Header{Available: true}, Stages: tc.stages})
		if text != tc.text {
			t.Errorf("%s: %q, want %q", tc.name, text, tc.text)
		}
	}
}

func TestQualitySentences(t *testing.T) {
	for _, tc := range []struct {
		name         string
		p            result.Provenance
		text, detail string
	}{
		{"clean", result.Provenance{Read: 100, Used: 100}, "No record was rejected, of 100 read.", ""},
		{"rejects", result.Provenance{Read: 1000, Used: 900, Ignored: map[string]int64{"x": 88}, Rejected: map[string]int64{"a": 5, "b": 7},
			Repairs: map[string]int64{"c": 1}}, "12 of 1,000 records were rejected, 1.2% of them.",
			"88 of kinds that no analysis needs were passed over and 1 impossible value was set to unknown."},
		{"one reject", result.Provenance{Read: 10, Used: 9, Rejected: map[string]int64{"a": 1}}, "1 of 10 records was rejected.", ""},
		{"nothing read", result.Provenance{}, "", ""},
	} {
		var text, detail string
		for _, f := range Findings(&result.Bundle{Provenance: &tc.p}) {
			text, detail = f.Text, f.Detail
		}
		if text != tc.text || detail != tc.detail {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
	wrong := qualitySection(&result.Provenance{Read: 10, Used: 8}, nil, figure.Source{})
	if len(wrong.Notes) != 1 || !strings.Contains(wrong.Notes[0], "do not add up: 10 read, but 8 used") {
		t.Errorf("notes %q, want that the counts do not add up", wrong.Notes)
	}
}

// Every finding of every bundle leads to a figure or table of the page, and says how large its sample is when that is small.
func TestFindingsAreShown(t *testing.T) {
	for name, bundle := range bundles() {
		r := newReport(bundle(), Options{})
		for _, f := range r.findings {
			if r.labels[f.See] == "" {
				t.Errorf("%s: finding %s leads to %s, which does not exist", name, f.ID, f.See)
			}
			if f.Small && f.ID != "outcomes" && !strings.Contains(f.Detail, "n = ") {
				t.Errorf("%s: finding %s rests on %d and does not say so", name, f.ID, f.N)
			}
		}
	}
	if len(Findings(figuretest.Typical())) < 8 {
		t.Error("a typical trace has fewer than 8 findings")
	}
}
