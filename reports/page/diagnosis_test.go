package page

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/analyses/health"
	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// Every check has words, and there are no words without a check.
func TestEveryCheckHasWords(t *testing.T) {
	words := diagnoses()
	for _, id := range health.IDs() {
		w, ok := words[id]
		if !ok || w.means == "" || (w.say == nil) != (w.what != "" && w.one != "" && w.many != "") {
			t.Errorf("%s: %+v", id, w)
		}
		if w.means != "" && !strings.HasSuffix(w.means, ".") || strings.HasSuffix(w.what, ".") {
			t.Errorf("%s: %q means %q", id, w.what, w.means)
		}
		delete(words, id)
	}
	if len(words) > 0 {
		t.Errorf("words without a check: %v", slices.Sorted(maps.Keys(words)))
	}
}

func TestDiagnosisSentences(t *testing.T) {
	nan := result.Number(math.NaN())
	warn := func(id string, count, of, runs int64, largest result.Number, unit string,
		names ...string) result.HealthCheck {
		return result.HealthCheck{ID: id, Severity: result.HealthWarn, Count: count, Of: of,
			Share: result.Number(float64(count) / float64(of)), Runs: runs,
			Largest: largest, Unit: unit, Names: names}
	}
	gap := result.HealthGap{FromS: 1773324120, ToS: 1773324120 + 7500, Seconds: 7500, Long: true}
	for _, tc := range []struct {
		name     string
		check    result.HealthCheck
		coverage result.HealthCoverage
		want     string
	}{
		{"some, by up to", warn("attempt-before-submit", 20, 12_996, 3, 406, "s"), result.HealthCoverage{},
			"Attempts start before their run was submitted: 20 of 12,996 attempts (0.15%), in 3 runs, by up to 6 min " +
				"46 s."},
		{"one", warn("attempt-before-submit", 1, 2, 1, 0.5, "s"), result.HealthCoverage{},
			"Attempts start before their run was submitted: 1 of 2 attempts (50%), by up to 500 ms."},
		{"all", warn("without-name", 1200, 1200, 1200, nan, ""), result.HealthCoverage{},
			"Runs have no name: all 1,200 runs."},
		{"the only one", warn("without-name", 1, 1, 1, nan, ""), result.HealthCoverage{},
			"Runs have no name: 1 of 1 run (100%)."},
		{"bytes", warn("implausible-mem", 2, 100, 2, 2e15, "bytes"), result.HealthCoverage{},
			"Tasks use more than a petabyte of memory: 2 of 100 rows (2%), in 2 runs, by up to 2 PB."},
		{"names", warn("constant-columns", 2, 9, 0, nan, "", "stages.cpu = 16", "jobs.user = a\x00b"),
			result.HealthCoverage{},
			"Columns hold one value only: 2 of 9 columns of at least ten values (22%): stages.cpu = 16 and jobs.user " +
				"= a\ufffdb."},
		{"a gap", warn("coverage-gap", 1, 9, 0, 7500, "s"), result.HealthCoverage{Base: "unix", LongGaps: 1,
			LongShare: 0.1, Gaps: []result.HealthGap{gap}},
			"Nothing was submitted and nothing ran in 1 stretch of 2 h 5 min, from 2026-03-12 14:02 to 16:07 UTC; " +
				"10% of the span."},
		{"gaps between submissions", warn("coverage-gap", 3, 9, 0, 7500, "s"),
			result.HealthCoverage{Base: "relative", LongGaps: 3, LongShare: 0.1, IdleShare: nan,
				Gaps: []result.HealthGap{{FromS: 60, ToS: 7560, Seconds: 7500}}},
			"Nothing was submitted in 3 stretches, the longest of 2 h 5 min, from 1 min to 2 h 6 min after the start " +
				"of the trace; 10% of the span."},
		{"idle", warn("not-continuous", 1, 1, 0, nan, ""), result.HealthCoverage{IdleShare: 0.9993},
			"Nothing ran in 99.9% of the time between the first and the last instant."},
	} {
		h := &result.Health{Coverage: tc.coverage, Checks: []result.HealthCheck{tc.check}}
		if got := Diagnose(h, time.UTC); len(got) != 1 || got[0].Text != tc.want {
			t.Errorf("%s: %+v, want %q", tc.name, got, tc.want)
		}
	}
}

func TestDiagnosesComeWorstFirst(t *testing.T) {
	var got []string
	for _, d := range Diagnose(figuretest.Health(), time.UTC) {
		got = append(got, d.Severity+" "+d.ID)
	}
	want := []string{"bad implausible-cpu", "warn coverage-gap", "warn begins-at-first-instant",
		"warn attempt-before-submit", "info failed-runs"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	d := Diagnose(figuretest.Health(), time.UTC)
	if got, want := d[3].Examples, []string{"customer-360-004/2/5/0 (6 min 46 s)",
		"customer-360-009/0/1/0 (8.5 s)"}; !slices.Equal(got, want) {
		t.Errorf("examples %q, want %q", got, want)
	}
	if got := d[4].Examples; len(got) != 0 {
		t.Errorf("examples %q, want none", got)
	}
}

func TestHealthSentences(t *testing.T) {
	ok := result.HealthCheck{ID: "cycles", Severity: result.HealthOK, Of: 9}
	know := result.HealthCheck{ID: "without-user", Severity: result.HealthInfo, Count: 9, Of: 9, Share: 1}
	mind := result.HealthCheck{ID: "cycles", Severity: result.HealthWarn, Count: 1, Of: 9, Share: 1.0 / 9}
	for _, tc := range []struct {
		checks []result.HealthCheck
		want   string
	}{
		{[]result.HealthCheck{ok}, "Nothing is odd about the trace."},
		{[]result.HealthCheck{ok, know}, "Nothing is odd about the trace that affects an analysis."},
		{[]result.HealthCheck{mind, know}, "1 data-quality warning: check it before relying on these numbers."},
	} {
		text, detail := sentence("health", &result.Health{Header: result.Header{Available: true}, Checks: tc.checks})
		if text != tc.want || !strings.Contains(detail, "looked for") {
			t.Errorf("%q with %q, want %q", text, detail, tc.want)
		}
	}
}

func TestWhen(t *testing.T) {
	for _, tc := range []struct {
		base    string
		seconds float64
		want    string
	}{
		{"unix", 1773324120, "2026-03-12 14:02 UTC"}, {"relative", 90, "1 min 30 s after the start of the trace"},
		{"relative", -90, "1 min 30 s before the start of the trace"}, {"unix", 1e12, "11,574,074 d 2 h after the " +
			"start of the trace"},
	} {
		if got := When(tc.base, tc.seconds, time.UTC); got != tc.want {
			t.Errorf("%s %v: %q, want %q", tc.base, tc.seconds, got, tc.want)
		}
	}
	if got := When("unix", 1773324120, berlin(t)); got != "2026-03-12 15:02 CET" {
		t.Errorf("in Berlin: %q", got)
	}
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// All dates of a page are in the time zone of its provenance, and the page names it.
func TestPageHasOneTimeZone(t *testing.T) {
	b := figuretest.Typical()
	b.Provenance.Zone = "Europe/Berlin"
	at := time.Unix(1773339480, 0)
	b.Provenance.AnalysedAt = &at
	load := b.Documents["workload"].(*result.Workload)
	load.Arrivals.HourZone, load.Arrivals.AtRhythm = "Europe/Berlin", ""
	w := write(t, b, Options{})
	for _, name := range w.order {
		if i := bytes.Index(w.files[name], []byte("UTC")); i >= 0 && !strings.HasSuffix(name, ".png") {
			t.Errorf("%s names another time zone: …%s…", name, w.files[name][max(0, i-80):i+20])
		}
	}
	for _, want := range []string{" 15:02 to 19:18 CET (", "in the time zone Europe/Berlin",
		"date (Europe/Berlin), 2026", "day of the week, Europe/Berlin"} {
		if !bytes.Contains(w.files["index.html"], []byte(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
