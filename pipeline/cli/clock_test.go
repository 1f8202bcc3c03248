package cli

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/datasets/trace"
)

func TestUsualClock(t *testing.T) {
	for _, tc := range []struct {
		all  []clock
		want string
	}{
		{[]clock{7 * 3600, 7*3600 + 60, 7*3600 + 120}, "07:01"},
		{[]clock{86_340, 0, 60, 120, 86_280}, "00:00"}, // 23:59, 00:00, 00:01, 00:02, 23:58
		{[]clock{86_340, 86_340, 60}, "23:59"},
	} {
		if got := usualClock(tc.all).String(); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.all, got, tc.want)
		}
	}
	if got := usualClock(nil); !math.IsNaN(float64(got)) {
		t.Errorf("%v of no times", got)
	}
}

func TestClockText(t *testing.T) {
	for _, test := range []struct {
		at              clock
		text, by, exact string
	}{
		{3930, "01:06", "01:06", "01:05:30"},
		{3901, "01:05", "01:06", "01:05:01"},
		{3900.4, "01:05", "01:05", "01:05"},
		{day + 59.7, "00:01 on the next day", "00:01 on the next day", "00:01 on the next day"},
		{-1, "00:00", "00:00", "23:59:59 on the day before"},
	} {
		if text, by, exact := test.at.String(), test.at.by(), test.at.exact(); text != test.text || by != test.by ||
			exact != test.exact {
			t.Errorf("%v s: %s, by %s, exactly %s; want %s, %s, %s", float64(test.at), text, by, exact, test.text, test.by,
				test.exact)
		}
	}
}

func TestClockUntil(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		want     float64
	}{{"05:10", "07:00", 6600}, {"23:00", "07:00", 8 * 3600}, {"07:00", "07:00", 86_400}} {
		from, _ := parseClock(tc.from)
		to, err := parseClock(tc.to)
		if got := from.until(to); err != nil || got != tc.want {
			t.Errorf("%s to %s: %v s, want %v", tc.from, tc.to, got, tc.want)
		}
	}
	for c, want := range map[clock]string{25 * 3600: "01:00 on the next day", -3600: "23:00 on the day before",
		50 * 3600: "02:00 2 days later"} {
		if c.String() != want {
			t.Errorf("%v: %s, want %s", float64(c), c, want)
		}
	}
}

// In the nights in which the clocks of Berlin are set, two hours on the wall are one or three.
func TestUntilOnADate(t *testing.T) {
	e := &env{}
	e.runs.zone = "Europe/Berlin"
	for _, tc := range []struct {
		date     string
		from, to clock
		want     float64
	}{
		{"2026-03-28", 90 * 60, 210 * 60, 2 * 3600}, {"2026-03-29", 90 * 60, 210 * 60, 3600},
		{"2026-10-25", 90 * 60, 210 * 60, 3 * 3600}, {"2026-03-28", 23.5 * 3600, 210 * 60, 3 * 3600},
		{"2026-03-28", 7 * 3600, 7 * 3600, 23 * 3600}, {"2026-10-25", 110 * 60, 150 * 60, 40 * 60},
	} {
		if got, err := e.untilOn(tc.date, tc.from, tc.to); err != nil || got != tc.want {
			t.Errorf("%s, %v to %v: %v s, %v, want %v", tc.date, tc.from, tc.to, got, err, tc.want)
		}
	}
}

// Runs at 01:00 UTC every night are at 03:00 in Berlin before clocks are set, and at 02:00 after; the newest says that
// it is 02:00. Runs at 03:00 by the clock of Berlin stay where they are.
func TestClocksOfNightsOnWhichClocksAreSet(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var fixed, local []trace.Instant
	for d := range 40 { // from 1 October; clocks are set on the 25th
		fixed = append(fixed, trace.Instant(time.Date(2026, 10, 1+d, 1, 0, 0, 0, time.UTC).UnixMicro()))
		local = append(local, trace.Instant(time.Date(2026, 10, 1+d, 3, 0, 0, 0, berlin).UnixMicro()))
	}
	for what, tc := range map[string]struct {
		at   []trace.Instant
		want string
	}{"by UTC": {fixed, "02:00"}, "by the clock of Berlin": {local, "03:00"}} {
		for _, c := range clocksOf(tc.at, berlin) {
			if c.String() != tc.want {
				t.Errorf("%s: %s, want %s", what, c, tc.want)
			}
		}
	}
	if got := clocksOf(nil, berlin); got != nil {
		t.Errorf("%v of no submission", got)
	}
}

// A time of the day is near one of several if it is at most a quarter of the way to the next: also over midnight.
func TestTimesNearUsualOnes(t *testing.T) {
	const h = 3600
	for _, tc := range []struct {
		slots []clock
		at    clock
		near  bool
	}{{nil, 5, false}, {[]clock{4 * h}, 4 * h, false}, {[]clock{4 * h, 8 * h}, 4 * h, true},
		{[]clock{4 * h, 8 * h}, 5 * h, true}, {[]clock{4 * h, 8 * h}, 5*h + 1, false}, {[]clock{4 * h, 8 * h}, 7 * h, true},
		{[]clock{4 * h, 8 * h}, 13 * h, true}, {[]clock{4 * h, 8 * h}, 14 * h, false},
		{[]clock{4 * h, 8 * h}, 23 * h, true}, {[]clock{4 * h, 8 * h}, 22 * h, false}} {
		if got := isNear(tc.slots, tc.at); got != tc.near {
			t.Errorf("%v: %v", tc, got)
		}
	}
}

// A nightly job that moved from 02:00 to 05:00 is due at 05:00 from the fifth night there on; one late night, runs of one
// evening and a job that comes at any time move nothing.
func TestAJobThatMoved(t *testing.T) {
	const monday = 1_772_409_600 // 2026-03-02 00:00 UTC
	hours := func(of ...float64) (at []trace.Instant) {
		for night, h := range of {
			at = append(at, trace.Instant((monday+float64(night)*day+h*3600+float64(night%3)*60)*1e6))
		}
		return at
	}
	old := []float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	for name, tc := range map[string]struct {
		at   []trace.Instant
		want float64
	}{
		"moved":         {hours(append(slices.Clone(old), 5, 5, 5, 5, 5)...), 5},
		"not yet":       {hours(append(slices.Clone(old), 5, 5, 5, 5)...), 2},
		"long ago":      {hours(2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), 5},
		"an hour":       {hours(append(slices.Clone(old), 3, 3, 3, 3, 3)...), 3},
		"past midnight": {hours(append(slices.Clone(old), 23, 23, 23, 23, 23)...), 23},
		"one late":      {hours(append(slices.Clone(old), 2, 2, 5, 2, 2)...), 2},
		"one evening":   {append(hours(old...), hours(9*24+20, 8*24+20, 7*24+20, 6*24+20, 5*24+20)...), 2},
		"any":           {hours(1, 7, 13, 19, 3, 9, 15, 21, 2, 8, 5, 5, 5, 5, 5), 5},
	} {
		clocks := clocksOf(tc.at, time.UTC)
		if got := float64(usualClock(clocks)) / 3600; math.Abs(got-tc.want) > 0.1 && name != "any" {
			t.Errorf("%s: usually at %v h, want %v", name, got, tc.want)
		}
		moved := math.Abs(float64(clocks[0]-clockOf(tc.at[0], time.UTC))) > 1
		if want := name == "moved" || name == "long ago" || name == "an hour" || name == "past midnight"; moved != want {
			t.Errorf("%s: earlier times are moved: %v, want %v", name, moved, want)
		}
	}
}

// An SWF log whose header states a time zone is answered in UTC, and the answer says which zone to ask for. UTC, zones
// that are not known, and logs of several zones have no such note.
func TestZoneOfTheHeader(t *testing.T) {
	dir := t.TempDir()
	in, s := put(t, dir, "a.swf", "; UnixStartTime: 1790812800\n; TimeZoneString: US/Pacific\n"+
		"1 0 10 100 4 100 -1 4 200 -1 1 1 1 1 1 -1 -1 -1\n"), filepath.Join(dir, "a.store")
	must(t, "import", "-q", "--out", s, in)
	for _, command := range []string{"inspect", "waste"} {
		_, out, stderr := call(t, command, s)
		if !strings.Contains(stderr, "states the time zone US/Pacific: --timezone US/Pacific takes") {
			t.Errorf("%s: %s%s", command, out, stderr)
		}
		if _, _, stderr = call(t, command, s, "--timezone", "UTC"); strings.Contains(stderr, "Pacific") {
			t.Errorf("%s: %s", command, stderr)
		}
	}
	for _, header := range [][]string{nil, {"TimeZoneString: UTC"}, {"TimeZoneString: Moon/Base"}, {"TimeZone: 3600"},
		{"TimeZoneString: Local"}, {"a.swf TimeZoneString: Europe/London", "b.swf TimeZoneString: US/Pacific"}} {
		if zone := statedZone(header); zone != "" {
			t.Errorf("%q: %s", header, zone)
		}
	}
}
