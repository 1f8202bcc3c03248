package page

import (
	"testing"

	"racecard/datasets/result"
)

// A run that is late gives executors up as fewer tasks are left, not as it is ahead.
func TestSteeredReasons(t *testing.T) {
	s := &result.Steered{Steps: []result.SteeredStep{
		{AtS: 1, DeadlineS: 60, Outlook: result.Outlook{EarliestS: 40}, Wanted: 4},
		{AtS: 2, DeadlineS: 60, Outlook: result.Outlook{EarliestS: 50}, Wanted: 3},
		{AtS: 3, DeadlineS: 60, Outlook: result.Outlook{EarliestS: 61}, Wanted: 9},
		{AtS: 4, DeadlineS: 60, Outlook: result.Outlook{EarliestS: 61}, Wanted: 9},
		{AtS: 5, DeadlineS: 60, Outlook: result.Outlook{EarliestS: 62}, Wanted: 8},
	}}
	want := []string{"first decision", "it is ahead", "its end is predicted too late",
		"it is late, and ends as soon with fewer"}
	rows := SteeredRows(s)
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, row := range rows {
		if got := row[len(row)-1]; got != want[i] {
			t.Errorf("decision %d: %q, want %q", i, got, want[i])
		}
	}
}
