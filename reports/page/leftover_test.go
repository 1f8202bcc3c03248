package page

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// leftoverOf returns a leftover of CPU alone.
func leftoverOf(runs int, share, median float64) result.Leftover {
	return result.Leftover{Header: result.Header{Available: true}, Runs: runs, Check: result.LeftoverCheck{Runs: runs},
		Resources: map[string]*result.LeftoverResource{"cpu": {Available: true, Share: result.Number(share),
			Allocated: 36_000,
			Spare:     result.Number(36_000 * share), EventWeighted: flat(200, median),
			TimeWeighted: flat(180, median)}},
		Correlation: map[string]result.LeftoverCorrelation{}}
}

func TestLeftoverSentences(t *testing.T) {
	with := func(l result.Leftover, change func(*result.Leftover)) result.Leftover {
		change(&l)
		return l
	}
	correlated := func(measure string, r float64) result.Leftover {
		return with(leftoverOf(40, 0.3, 0.2), func(l *result.Leftover) {
			for _, m := range []string{"stages", measure} {
				l.Correlation[m] = result.LeftoverCorrelation{Correlation: result.Correlation{N: 40, Pearson: 0.1}}
			}
			l.Correlation[measure] = result.LeftoverCorrelation{Correlation: result.Correlation{N: 40,
				Pearson: result.Number(r)}}
		})
	}
	for _, tc := range []struct {
		name, id     string
		doc          result.Leftover
		text, detail string
	}{
		{"some", "leftover", leftoverOf(40, 0.34, 0.31), "34% of the CPU time held was slack; none of these runs " +
			"would have ended later without it.",
			"Median slack over 200 events: 31%, over time: 31%; n = 40 runs. Published"},
		{"none", "leftover", leftoverOf(4, 0, 0), "None of the CPU time held was slack: every task was needed when " +
			"it ran.", "n = 4 runs, too few"},
		{"nothing held", "leftover", leftoverOf(4, math.NaN(), 0), "The runs held nothing that is recorded.", ""},
		{"most", "most-leftover", with(leftoverOf(40, 0.5, 0.3), func(l *result.Leftover) {
			l.Resources["cpu"].Extremes = []result.LeftoverExtreme{{JobID: "r7", Name: "index", Allocated: 10_800,
				Spare: 9000}}
		}), "index had most slack: 2.5 core-hours, 83% of the amount it held.",
			"Run r7. That is 50% of the slack of all runs."},
		{"more stages", "leftover-shape", correlated("stages", 0.7), "Runs with more stages have more slack: " +
			"correlation 0.70.", "The strongest of four; n = 40 runs."},
		{"a longer path", "leftover-shape", correlated("critical_path_stages", 0.7), "Runs with a longer critical " +
			"path have more slack: correlation 0.70.", ""},
		{"fewer barriers", "leftover-shape", correlated("barriers", -0.7), "Runs with more barriers have less slack, " +
			"unlike in the paper: correlation −0.70.", ""},
		{"unrelated", "leftover-shape", correlated("barriers", 0.2), "Slack of a run is nearly independent of the " +
			"shape of its graph.", ""},
		{"unknown shape", "leftover-shape", leftoverOf(40, 0.3, 0.2), "", ""},
	} {
		for i := range tc.doc.Resources["cpu"].Extremes {
			tc.doc.Resources["cpu"].Extremes[i].Leftover = 0.8
		}
		text, detail := withUnits(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

// withUnits is sentence for a trace that states its units.
func withUnits(id string, doc result.Document) (text, detail string) {
	b := &result.Bundle{Documents: map[string]result.Document{doc.Analysis(): doc},
		Provenance: &result.Provenance{Units: map[string]string{"cpu": "cores"}}}
	for _, f := range Findings(b) {
		if f.ID == id {
			return f.Text, f.Detail
		}
	}
	return "", ""
}

func TestHeld(t *testing.T) {
	for _, c := range []struct {
		x              float64
		resource, unit string
		want           string
	}{
		{120, "cpu", "cores", "120 core-seconds"}, {36_000, "cpu", "cores", "10 core-hours"},
		{36_000, "gpu", "GPUs", "10 GPU-hours"},
		{3.6e12, "mem", "bytes", "1 GB for an hour"}, {5e9, "net_in", "bytes/s", "5 GB"},
		{7200, "mem", "percent of a machine", "2 memory-hours"},
		{math.NaN(), "cpu", "cores", "– core-seconds"},
	} {
		if got := held(c.x, c.resource, c.unit); got != c.want {
			t.Errorf("%v of %s: %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

// The section names what a resource lacks, and what the check found.
func TestLeftoverSection(t *testing.T) {
	b := figuretest.Leftover()
	l := b.Documents["leftover"].(*result.Leftover)
	page := string(write(t, b, Options{}).files["index.html"])
	for _, want := range []string{"lacks tasks.net_in, stages.net_in", "76 packed schedules were checked",
		"Disk write, share of a disk", `id="fig-leftover-shape"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	l.Check.Above = 1
	if page := string(write(t, b, Options{}).files["index.html"]); !strings.Contains(page, "some break a rule") {
		t.Error("the page does not say that a schedule breaks a rule")
	}
}
