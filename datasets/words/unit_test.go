package words

import (
	"math"
	"testing"
	"time"
	_ "time/tzdata" // also where the machine has no time zones
)

func TestBytes(t *testing.T) {
	for _, tc := range []struct {
		n    float64
		want string
	}{
		{0, "0 B"}, {17, "17 B"}, {999, "999 B"}, {999.6, "1 kB"}, {1000, "1 kB"}, {1200, "1.2 kB"}, {320e3, "320 kB"},
		{999_700, "1 MB"}, {1.2e9, "1.2 GB"}, {2.5e12, "2.5 TB"}, {3e18, "3 EB"}, {5e21, "5,000 EB"}, {1e30, "1e+30 B"},
		{-2e6, "−2 MB"},
		{math.NaN(), "–"}, {math.Inf(1), "–"},
	} {
		if got := Bytes(tc.n); got != tc.want {
			t.Errorf("Bytes(%v) = %q, want %q", tc.n, got, tc.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, tc := range []struct {
		s    float64
		want string
	}{
		{0, "0 s"}, {12e-6, "12 µs"}, {1.25e-4, "125 µs"}, {0.012, "12 ms"}, {0.9995, "1 s"}, {0.9993, "999 ms"},
		{1, "1 s"}, {1.52, "1.5 s"},
		{9.97, "10 s"}, {42.3, "42 s"}, {59.4, "59 s"}, {59.5, "1 min"}, {60, "1 min"}, {61, "1 min 1 s"},
		{200, "3 min 20 s"}, {3599.4, "59 min 59 s"}, {3599.6, "1 h"}, {7500, "2 h 5 min"}, {86399, "1 d"},
		{90000, "1 d 1 h"}, {1e9, "11,574 d 2 h"}, {1e300, "1e+300 s"}, {-90, "−1 min 30 s"}, {math.NaN(), "–"},
		{math.Inf(1), "–"},
	} {
		if got := Seconds(tc.s); got != tc.want {
			t.Errorf("Seconds(%v) = %q, want %q", tc.s, got, tc.want)
		}
	}
}

func TestDeadline(t *testing.T) {
	for _, tc := range []struct {
		s    float64
		want string
	}{
		{53.2, "54 s"}, {64, "1 min 4 s"}, {64.3, "1 min 5 s"}, {59.2, "1 min"}, {5.31, "5.4 s"}, {9.91, "10 s"},
		{1620, "27 min"}, {1620.1, "27 min 1 s"}, {3661, "1 h 2 min"}, {86400, "1 d"}, {90001, "1 d 2 h"},
		{0, "0 s"}, {math.NaN(), None}, {math.Inf(1), None},
	} {
		if got := Deadline(tc.s); got != tc.want {
			t.Errorf("Deadline(%v) = %q, want %q", tc.s, got, tc.want)
		}
	}
}

func TestFineSeconds(t *testing.T) {
	for _, tc := range []struct {
		s    float64
		want string
	}{
		{14.84, "14.8 s"}, {0.2841, "0.284 s"}, {2, "2 s"}, {59.94, "59.9 s"}, {59.95, "1 min"}, {61, "1 min 1 s"},
		{12e-6, "12 µs"}, {0, "0 s"},
		{-90, "−1 min 30 s"}, {math.NaN(), "–"}, {math.Inf(1), "–"},
	} {
		if got := FineSeconds(tc.s); got != tc.want {
			t.Errorf("FineSeconds(%v) = %q, want %q", tc.s, got, tc.want)
		}
	}
}

func TestInstant(t *testing.T) {
	for _, tc := range []struct {
		unix float64
		want string
	}{
		{0, "1970-01-01 00:00 UTC"}, {1773324120.5, "2026-03-12 14:02 UTC"}, {math.NaN(), "–"}, {1e300, "–"},
	} {
		if got := Instant(tc.unix); got != tc.want {
			t.Errorf("Instant(%v) = %q, want %q", tc.unix, got, tc.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for _, tc := range []struct {
		from, to float64
		want     string
	}{
		{0, 60, "1970-01-01 00:00 to 00:01 UTC"}, {0, 86460, "1970-01-01 00:00 to 1970-01-02 00:01 UTC"},
		{math.NaN(), 0, "– to 1970-01-01 00:00 UTC"},
	} {
		if got := Span(tc.from, tc.to); got != tc.want {
			t.Errorf("Span(%v, %v) = %q, want %q", tc.from, tc.to, got, tc.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{Of(1, "run", "runs"), "1 run"},
		{Of(0, "run", "runs"), "0 runs"},
		{Of(1076, "run", "runs"), "1,076 runs"},
		{List(nil), ""},
		{List([]string{"a"}), "a"},
		{List([]string{"a", "b"}), "a and b"},
		{List([]string{"a", "b", "c"}), "a, b and c"},
		{Shorten("nightly-index", 20), "nightly-index"},
		{Shorten("nightly-index", 8), "nightly…"},
		{Shorten("naïve café", 7), "naïve…"},
		{Shorten("a\x00b\xff\n", 9), "a\ufffdb\ufffd\ufffd"},
		{Bind("more than 10 s, n = 4; 3 min 20 s"), "more than 10\u00a0s, n\u00a0=\u00a04; 3\u00a0min\u00a020\u00a0s"},
		{Bind("4 stages of 1.2 GB each, 2 sets"), "4 stages of 1.2\u00a0GB each, 2 sets"},
		{Bind("on 2026-03-12 at 14:02"), "on 2026-\u206003-\u206012 at 14:02"},
		{Bind(""), ""},
		{Printable("abc\u202edef"), "abc\ufffddef"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

// Times in a zone name it; a span names both where clocks are set between them.
func TestInstantIn(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const before, hour = 1792800000, 3600 // 2026-10-24 00:00 UTC, a day before clocks are set
	for _, tc := range []struct {
		from, to float64
		want     string
	}{
		{before, before + hour, "2026-10-24 02:00 to 03:00 CEST"},
		{before, before + 24*hour, "2026-10-24 02:00 to 2026-10-25 02:00 CEST"},
		{before, before + 48*hour, "2026-10-24 02:00 CEST to 2026-10-26 01:00 CET"},
		{before + 24*hour, before + 26*hour, "2026-10-25 02:00 CEST to 2026-10-25 03:00 CET"},
		{math.NaN(), before, "– to 2026-10-24 02:00 CEST"},
	} {
		if got := SpanIn(tc.from, tc.to, berlin); got != tc.want {
			t.Errorf("%v to %v: %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
}
