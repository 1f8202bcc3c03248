package page

import (
	"strings"
	"testing"

	"racecard/datasets/result"
)

func TestDependencySentences(t *testing.T) {
	producers := []result.Producer{{JobID: "r7", Name: "nightly-index", IndirectDependents: 1200}}
	chain := []result.ChainLink{{JobID: "r7", Name: "nightly-index"}, {JobID: "r8"}}
	intervals := result.Intervals{Level: 0.95, Of: map[string]map[string]result.Interval{"gap_min": {"p50": {10, 14}}}}
	for _, tc := range []struct {
		name, id     string
		doc          result.Dependency
		text, detail string
	}{
		{"share", "dependency", result.Dependency{Jobs: 900, ShareWithDependency: 0.102, Pairs: 70, Dependents: 60,
			Producers: 1},
			"10% of the runs depend on the output of another or feed one.", "60 runs depend on another, 1 feeds " +
				"another; n = 900 runs."},
		{"no pair", "dependency", result.Dependency{Jobs: 3, Reads: 1, Datasets: 2}, "No run reads data that another " +
			"wrote before it.",
			"1 read of 2 datasets; n = 3 runs, too few"},
		{"no job", "dependency", result.Dependency{}, "", ""},
		{"gaps", "gap", result.Dependency{Jobs: 9, Pairs: 70, GapMin: flat(60, 12), Overlapping: 10,
			Intervals: intervals},
			"Half of the dependent runs start within 12 min of the end of the run whose output they read.",
			"Per pair of runs, 95% interval 10–14 min; one pair in twenty is more than 12 min apart; n = 60 pairs. " +
				"In 10 pairs more the dependent started"},
		{"one gap", "gap", result.Dependency{Jobs: 2, Pairs: 1, GapMin: flat(1, 0.5)},
			"The one dependent run starts 30 s after the run whose output it reads has ended.", "n = 1 pair, too few"},
		{"overlaps alone", "gap", result.Dependency{Jobs: 90, Pairs: 30, Overlapping: 30},
			"Every dependent run starts before the run whose output it reads has ended.", "n = 30 pairs."},
		{"unknown gaps", "gap", result.Dependency{Jobs: 90, Pairs: 30}, "", ""},
		{"downstream", "downstream", result.Dependency{Jobs: 9, Pairs: 9, IndirectDependents: flat(40, 14),
			DependentGroups: flat(40, 3), MostDependents: producers},
			"A run that feeds others typically has 14 runs downstream; a run of nightly-index has most, 1,200.",
			"It lies in 3 groups (median), in 3 at most. Most: run r7; n = 40 runs."},
		{"estimated, and no groups", "downstream", result.Dependency{Jobs: 9, Pairs: 9, IndirectDependents: flat(40, 1),
			MostDependents: producers,
			StandardError:  map[string]float64{"indirect_dependents": 0.01625}},
			"A run that feeds others typically has 1 run downstream; a run of nightly-index has most, 1,200.",
			"or through others. The numbers are estimates, with a standard error of 1.6%."},
		{"chain", "chain", result.Dependency{Jobs: 9, Pairs: 9, ChainLength: flat(40, 6), LongestChain: chain},
			"The longest chain of runs that wait for each other has 7 runs.", "It begins with run r7 of " +
				"nightly-index. The median over runs on which another depends is 6 steps; n = 40 runs."},
		{"no long chain", "chain", result.Dependency{Jobs: 9, Pairs: 9, ChainLength: flat(40, 1), LongestChain: chain},
			"No chain of runs that wait for each other is longer than two.", "is 1 step;"},
	} {
		tc.doc.Available = true
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}
