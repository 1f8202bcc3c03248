package words

import (
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for _, tc := range []struct {
		n    int64
		want string
	}{
		{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1,000"}, {13042, "13,042"}, {1234567, "1,234,567"},
		{-5, "−5"}, {-1000, "−1,000"}, {math.MaxInt64, "9,223,372,036,854,775,807"},
		{math.MinInt64, "−9,223,372,036,854,775,808"},
	} {
		if got := Count(tc.n); got != tc.want {
			t.Errorf("Count(%d) = %q, want %q", tc.n, got, tc.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {0.284, "0.284"}, {0.2849, "0.285"}, {1.5, "1.5"}, {5, "5"}, {55.55, "55.5"}, {999.6, "1,000"},
		{13042, "13,042"}, {13042.4, "13,042"}, {-0.25, "−0.25"}, {0.00012, "0.00012"}, {1e-9, "1e−09"},
		{1e18, "1e+18"},
		{math.NaN(), "–"}, {math.Inf(1), "–"}, {math.Inf(-1), "–"},
	} {
		if got := Number(tc.x); got != tc.want {
			t.Errorf("Number(%v) = %q, want %q", tc.x, got, tc.want)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, tc := range []struct {
		x      float64
		places int
		want   string
	}{
		{1234.5, 1, "1,234.5"}, {0, 2, "0.00"}, {-0.001, 2, "0.00"}, {-2.5, 1, "−2.5"}, {math.NaN(), 1, "–"},
	} {
		if got := Fixed(tc.x, tc.places); got != tc.want {
			t.Errorf("Fixed(%v, %d) = %q, want %q", tc.x, tc.places, got, tc.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tc := range []struct {
		share float64
		want  string
	}{
		{0, "0%"}, {1, "100%"}, {0.28, "28%"}, {0.284, "28%"}, {0.055, "5.5%"}, {0.05, "5%"}, {0.0996, "10%"},
		{0.0994, "9.9%"}, {0.004, "0.4%"}, {0.00012, "0.012%"}, {1e-7, "<0.001%"}, {1.55, "155%"}, {0.996, "99.6%"},
		{0.99999, "99.9%"}, {12.5, "1,250%"}, {1e308, "1e+308 × 100%"}, {-0.12, "−12%"}, {math.NaN(), "–"},
		{math.Inf(1), "–"},
	} {
		if got := Percent(tc.share); got != tc.want {
			t.Errorf("Percent(%v) = %q, want %q", tc.share, got, tc.want)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{PercentRange(0.21, 0.35), "21–35%"},
		{PercentRange(0.005, 0.12), "0.5–12%"},
		{PercentRange(0.21, 0.212), "21%"},
		{PercentRange(1e-9, 0.5), "<0.001% to 50%"},
		{PercentRange(math.NaN(), 0.5), "– to 50%"},
		{Range(4, 12, Number), "4–12"},
		{Range(4, 4, Number), "4"},
		{Range(61, 200, Seconds), "1 min 1 s to 3 min 20 s"},
		{Range(-3, 2, Number), "−3 to 2"},
		{Range(4.4, 12, Seconds), "4.4–12 s"},
		{Range(0.8, 1.2, Seconds), "800 ms to 1.2 s"},
		{Range(297e6, 519e6, Bytes), "297–519 MB"},
		{Range(1, math.NaN(), Bytes), "1 B to –"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
