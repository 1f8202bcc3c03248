package trace

import (
	"testing"
	"time"
	_ "time/tzdata" // the test works where the machine has no time zones
)

// On the night on which clocks are set back they show a time twice, east and west of Greenwich, and never where they are
// set forward.
func TestNextClock(t *testing.T) {
	for _, tc := range []struct {
		zone, after string
		clock       time.Duration
		want        string
	}{
		{"Europe/Berlin", "2026-10-24T23:50:00Z", 2*time.Hour + 30*time.Minute, "2026-10-25T00:30:00Z"}, // from 01:50
		{"Europe/Berlin", "2026-10-25T00:30:00Z", 2*time.Hour + 30*time.Minute, "2026-10-25T01:30:00Z"},
		{"Europe/Berlin", "2026-10-25T01:30:00Z", 2*time.Hour + 30*time.Minute, "2026-10-26T01:30:00Z"},
		{"America/New_York", "2026-11-01T05:00:00Z", time.Hour + 30*time.Minute, "2026-11-01T05:30:00Z"},
		{"America/New_York", "2026-11-01T05:30:00Z", time.Hour + 30*time.Minute, "2026-11-01T06:30:00Z"},
		{"Europe/Berlin", "2026-03-29T00:00:00Z", 2*time.Hour + 30*time.Minute, "2026-03-29T01:30:00Z"}, // none: 03:30
		{"Europe/Berlin", "2026-12-31T22:30:00Z", 7 * time.Hour, "2027-01-01T06:00:00Z"},
		{"UTC", "2026-12-31T07:00:00Z", 7 * time.Hour, "2027-01-01T07:00:00Z"},
	} {
		zone, err := time.LoadLocation(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.Parse(time.RFC3339, tc.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := NextClock(after.In(zone), int(tc.clock.Seconds())).UTC().Format(time.RFC3339); got != tc.want {
			t.Errorf("%s, %v after %s: %s, want %s", tc.zone, tc.clock, tc.after, got, tc.want)
		}
	}
}
