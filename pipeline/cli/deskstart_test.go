package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// A job runs for 150 s at 02:00 and for 270 s at 03:00. Start, deadline and times of a desk's forecast are of one run,
// which forecast and plan speak of: the last before a deadline by the clock, else the next.
func TestDeskForecastsOneRunOfTheDay(t *testing.T) {
	const monday = 1_772_409_600 // 2026-03-02 00:00 UTC
	var b strings.Builder
	for k := range 48 {
		at, took := monday+k/2*day+(2+k%2)*3600, 150+120*(k%2)
		fmt.Fprintf(&b, `{"id":"r%d","name":"load","submit_s":%d,"end_s":%d,"guaranteed":2,"stages":[{"durations_s":[%d,%d]}]}`+
			"\n", k, at, at+took, took, took)
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "load.store")
	must(t, "import", "-q", "--synthetic", "--out", store, put(t, dir, "load.jsonl", b.String()))
	for _, tc := range []struct {
		due, start string
		dueS, p50S float64
		note       string
	}{
		{"", "02:00", math.NaN(), 150, "the next after the newest"},
		{"45m", "02:00", 2700, 150, "the next after the newest"},
		{"07:00", "03:00", 14400, 270, "the last before the deadline"},
		{"02:30", "02:00", 1800, 150, "the last before the deadline"},
	} {
		var page struct {
			Plan    struct{ Days []result.Agenda }
			Details []struct {
				Start    string
				Times    []string
				DueS     result.Number `json:"due_s"`
				Forecast struct {
					Start    string
					Usual    int
					UsualS   float64   `json:"usual_s"`
					P50      []float64 `json:"p50_s"`
					Warnings []string
				}
			}
		}
		desk, asked := []string{}, []string{"forecast", store, "--job", "load", "--tokens", "2"}
		if tc.due != "" {
			desk, asked = []string{"--deadline", "load=" + tc.due}, append(asked, "--deadline", tc.due)
		}
		if err := json.Unmarshal(deskData(t, deskPage(t, store, desk...)), &page); err != nil {
			t.Fatal(err)
		}
		for _, plan := range page.Plan.Days {
			if !plan.Synthetic {
				t.Errorf("by %q: a plan of a synthetic store is not synthetic", tc.due)
			}
		}
		d := page.Details[0]
		f := d.Forecast
		if d.Start != tc.start || f.Start != tc.start || strings.Join(d.Times, " ") != "02:00 03:00" ||
			math.Abs(f.P50[f.Usual]-tc.p50S) > 1 || f.UsualS != tc.p50S ||
			len(page.Plan.Days) == 0 || !strings.Contains(strings.Join(f.Warnings, "; "), tc.note) {
			t.Errorf("by %q: %+v, want the run at %s of %v s", tc.due, d, tc.start, tc.p50S)
		}
		if due := float64(d.DueS); due != tc.dueS && !(math.IsNaN(due) && math.IsNaN(tc.dueS)) {
			t.Errorf("by %q: due after %v s, want %v", tc.due, due, tc.dueS)
		}
		var told result.Forecast
		ask(t, &told, asked...)
		if told.Start != d.Start || math.Abs(told.Tokens[0].P50S-f.P50[f.Usual]) > 0.01 {
			t.Errorf("by %q: forecast %s %v s, desk %s %v s", tc.due, told.Start, told.Tokens[0].P50S, d.Start,
				f.P50[f.Usual])
		}
	}
}
