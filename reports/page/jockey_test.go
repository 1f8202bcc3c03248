package page

import (
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

func TestJockeySentences(t *testing.T) {
	typical := func() *result.Jockey { return figuretest.JockeyOf("F") }
	for _, tc := range []struct {
		name, id     string
		change       func(j *result.Jockey)
		text, detail string // detail: a part of it
	}{
		{"some", "deadlines", func(*result.Jockey) {}, "The loop missed 8 of 1,008 deadlines, and 30% of the " +
			"token-time that it asked for was above the oracle.",
			"As published, the loop misses 1.8%, with 47% above the oracle. Were the remaining time known, it would " +
				"be 0.79% and 12%."},
		{"none", "deadlines", func(j *result.Jockey) { j.Policies["jockey"].Missed = 0; j.Order = j.Order[:1] },
			"The loop missed none of 1,008 deadlines, and 30% of the token-time that it asked for was above the oracle.", "0% missed, 95% interval"},
		{"no loop", "deadlines", func(j *result.Jockey) { delete(j.Policies, "jockey") }, "", ""},
		{"no runs", "deadlines", func(j *result.Jockey) { j.Policies["jockey"].Runs = 0 }, "", ""},
		{"adaptation", "adaptation", func(*result.Jockey) {},
			"Without adapting, 41 of 1,008 deadlines would be missed.", "All tokens to the end miss 0%, with 62% " +
				"above the oracle."},
		{"why", "missed-why", func(*result.Jockey) {}, "Of the 3 deadlines that were missed, 1 could not have been " +
			"met with all tokens from the start.",
			"Of the others, the loop that knows the remaining time misses 1, too. The loop said beforehand of 8 that " +
				"they would be missed; it said so of none that were met, too."},
		{"why, no bound", "missed-why", func(j *result.Jockey) { delete(j.Policies, "bound"); j.Misses = j.Misses[:1] },
			"The one deadline that was missed could have been met with all tokens from the start.",
			"The loop said beforehand of 8"},
		{"why, all beyond", "missed-why", func(j *result.Jockey) {
			j.Misses = []result.JockeyMiss{j.Misses[1], j.Misses[1]}
		},
			"None of the 2 deadlines that were missed could have been met with all tokens from the start.",
			"The loop said beforehand of 8"},
		{"why, none beyond", "missed-why", func(j *result.Jockey) {
			j.Misses = []result.JockeyMiss{j.Misses[0], j.Misses[2]}
		},
			"All of the 2 deadlines that were missed could have been met with all tokens from the start.",
			"misses 1, too."},
		{"fewer runs of the bound", "deadlines", func(j *result.Jockey) { j.Policies["bound"].Runs = 504 },
			"The loop missed 8 of 1,008 deadlines, and 30% of the token-time that it asked for was above the oracle.",
			"it would be 1.6% and 12% (of 504 runs)."},
		{"none missed", "missed-why", func(j *result.Jockey) { j.Misses = nil }, "", ""},
		{"hardest", "hardest", func(*result.Jockey) {}, "Most deadlines are missed in the scenario " +
			"“deadline-halved”: 16 of 1,008 runs.", "It comes forward."},
		{"sensitivity", "sensitivity", func(*result.Jockey) {}, "Of the loop’s parameters progress matters most: " +
			"from 30% above the oracle at totalworkWithQ to 40% at F.",
			"The former misses 0.79% of the deadlines, the latter 31%."},
		{"not changed", "sensitivity", func(j *result.Jockey) { j.Sensitive = nil }, "", ""},
	} {
		j := typical()
		tc.change(j)
		if text, detail := sentence(tc.id, j); text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestSimulatedTitle(t *testing.T) {
	r := newReport(figuretest.Jockey(), Options{})
	if r.title != "What policies do for the jobs of jockey-table-2" || !strings.HasPrefix(r.subtitle, "Jobs made up") {
		t.Errorf("title %q, %q", r.title, r.subtitle)
	}
	if len(r.sections) != 1 || len(r.sections[0].Figures) != 5 || len(r.sections[0].Tables) != 5 ||
		!strings.Contains(r.sections[0].Notes[1], "synthetic") {
		t.Errorf("%+v", r.sections)
	}
}
