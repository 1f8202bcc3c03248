package cli

import (
	"math"
	"testing"
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
