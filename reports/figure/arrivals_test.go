package figure

import (
	"strings"
	"testing"
	"time"

	"racecard/datasets/result"
)

// The caption tells where hours were counted in another time zone than the dates of the report.
func TestArrivalsTellTheZoneOfHours(t *testing.T) {
	berlin := time.FixedZone("Europe/Berlin", 3600)
	for _, tc := range []struct {
		counted string
		dates   *time.Location
		says    bool
	}{{"", nil, false}, {"", time.UTC, false}, {"", berlin, true}, {"Europe/Berlin", berlin, false},
		{"Europe/Berlin", nil, true}} {
		w := &result.Workload{TimeBase: "unix"}
		a := &w.Arrivals
		a.N, a.FirstS, a.LastS, a.HourZone = 168, 0, 7*daySeconds, tc.counted
		for range 168 {
			a.HourOf = append(a.HourOf, result.Cell{Arrivals: 1, Hours: 1})
		}
		caption := Arrivals(w, Source{Zone: tc.dates}).Caption
		if got := strings.Contains(caption, "in which the analysis counted them"); got != tc.says {
			t.Errorf("hours in %q, dates in %v: %s", tc.counted, tc.dates, caption)
		}
	}
}
