package figure

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTimeAxis(t *testing.T) {
	const march2 = 1_772_409_600.0 // 2026-03-02 00:00 UTC
	for _, tc := range []struct {
		name     string
		from, to float64
		unix     bool
		labels   string
		below    string
	}{
		{"an hour", march2 + 36_000, march2 + 39_600, true, "10:00 10:10 10:20 10:30 10:40 10:50 11:00",
			"time (UTC), 2026-03-02"},
		{"two minutes", march2, march2 + 120, true, "00:00:00 00:00:30 00:01:00 00:01:30 00:02:00",
			"time (UTC), 2026-03-02"},
		{"two weeks", march2, march2 + 14*86_400, true, "5 Mar 12 Mar", "date (UTC), 2026"},
		{"two years", march2, march2 + 730*86_400, true, "Jul 2026 Jan 2027 Jul 2027 Jan 2028", "month"},
		{"forty years", march2, march2 + 14_600*86_400, true, "2030 2040 2050 2060", "year"},
		{"four months", march2, march2 + 120*86_400, true, "Apr 2026 May 2026 Jun 2026", "month"},
		{"relative hours", 0, 36_000, false, "0 2 4 6 8 10", "hours since the trace's zero"},
		{"relative days", -86_400, 86_400 * 130, false, "0 50 100", "days since the trace's zero"},
		{"relative seconds", 0, 90, false, "0 20 40 60 80", "seconds since the trace's zero"},
		{"an instant", 5, 5, false, "5 5.2 5.4 5.6 5.8 6", "seconds since the trace's zero"},
	} {
		a := clockAxis(tc.from, tc.to, Source{}.zone(tc.unix))
		var labels []string
		for _, s := range a.steps {
			labels = append(labels, a.write(s))
		}
		if got := strings.Join(labels, " "); got != tc.labels || a.label != tc.below {
			t.Errorf("%s: %q, %q, want %q, %q", tc.name, got, a.label, tc.labels, tc.below)
		}
	}
}

// Steps are round by the clocks of the zone, also after clocks are set: in Berlin on 29 March 2026, at 01:00 UTC.
func TestTimeAxisInAZone(t *testing.T) {
	const march28 = 1_774_656_000.0 // 2026-03-28 00:00 UTC, 01:00 in Berlin
	for _, tc := range []struct {
		zone, labels, below string
		from, to            float64
	}{
		{"Europe/Berlin", "02:00 04:00 06:00 08:00 10:00", "time (Europe/Berlin), 2026-03-28", march28, march28 + 36_000},
		{"Asia/Kathmandu", "06:00 08:00 10:00 12:00 14:00", "time (Asia/Kathmandu), 2026-03-28", march28,
			march28 + 36_000},
		{"Europe/Berlin", "28 Mar 29 Mar 30 Mar 31 Mar 1 Apr 2 Apr", "date (Europe/Berlin), 2026", march28 - 7200,
			march28 + 5*86_400},
		{"America/New_York", "Apr 2026 May 2026 Jun 2026 Jul 2026", "month", march28, march28 + 120*86_400},
	} {
		a := clockAxis(tc.from, tc.to, load(t, tc.zone))
		var labels []string
		for _, s := range a.steps {
			labels = append(labels, a.write(s))
		}
		if got := strings.Join(labels, " "); got != tc.labels || a.label != tc.below {
			t.Errorf("%s: %q, %q, want %q, %q", tc.zone, got, a.label, tc.labels, tc.below)
		}
	}
}

func load(t *testing.T, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Every axis of every length has a few steps, in order and on it.
func TestStepsOfTime(t *testing.T) {
	zones := []*time.Location{nil, time.UTC, load(t, "Europe/Berlin"), load(t, "Asia/Kathmandu"),
		load(t, "America/Sao_Paulo")}
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(-1e10, 1e11).Draw(t, "from")
		length := math.Pow(10, rapid.Float64Range(-2, 11).Draw(t, "length"))
		a := clockAxis(from, from+length, rapid.SampledFrom(zones).Draw(t, "zone"))
		if n := len(a.steps); n < 1 || n > 13 || !slices.IsSorted(a.steps) || a.steps[0] < from ||
			a.steps[n-1] > from+length {
			t.Fatalf("steps %v from %v to %v", a.steps, from, from+length)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "lo"))
		hi := lo * math.Pow(10, rapid.Float64Range(0.5, 8).Draw(t, "decades"))
		for name, steps := range map[string][]float64{"seconds": secondSteps(lo, hi), "numbers": roundSteps(lo, hi)} {
			a := logarithmic(lo, hi, steps)
			if n := len(a.steps); n < 1 || !slices.IsSorted(a.steps) {
				t.Fatalf("%s: steps %v from %v to %v", name, a.steps, lo, hi)
			}
		}
	})
}
