package quantity

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	all := func(u Unit) Range { return Range{Unit: u, Low: -1e300, High: 1e300} }
	for _, test := range []struct {
		unit Unit
		text string
		want float64
	}{
		{Whole, "12", 12}, {Whole, " 7 ", 7}, {Whole, "1e6", 1e6}, {Whole, "-3", -3},
		{Plain, "0.5", 0.5}, {Plain, "128e9", 128e9}, {Plain, "1e-308", 1e-308},
		{Share, "40%", 0.4}, {Share, "0.4", 0.4}, {Share, "1 %", 0.01}, {Share, "1", 1},
		{Share, "99.9%", 0.999}, {Share, "1e1%", 0.1}, {Share, "1000%", 10}, {Load, "1.5", 1.5}, {Load, "150%", 1.5},
		{Bytes, "0", 0},
		{Percent, "83", 83}, {Percent, "83%", 83},
		{Duration, "8s", 8}, {Duration, "45m", 2700}, {Duration, "45min", 2700}, {Duration, "7d", 604800},
		{Duration, "2w", 1209600},
		{Duration, "1h30m", 5400}, {Duration, "1h 30m", 5400}, {Duration, "1.5 h", 5400}, {Duration, "500ms", 0.5},
		{Duration, "0", 0},
		{Duration, "168h", 604800}, {Duration, "-2s", -2}, {Duration, "1m0s", 60}, {Duration, "500µs", 500 * 1e-6},
		{Seconds, "90.5811", 90.5811}, {Seconds, "8s", 8}, {Seconds, "1e3", 1000},
		{Bytes, "24GB", 24e9}, {Bytes, "20GiB", 20 << 30}, {Bytes, "512MiB", 512 << 20}, {Bytes, "1000000", 1e6},
		{Bytes, "1.5 TB", 1.5e12},
		{Bytes, "128e9", 128e9}, {Bytes, "64k", 64000}, {Bytes, "10B", 10}, {Bytes, "2kB", 2000}, {Bytes, "2KB", 2000},
		{Multiple, "2x", 2}, {Multiple, "1.5x", 1.5},
	} {
		if got, err := all(test.unit).Parse(test.text); err != nil || got != test.want {
			t.Errorf("%s %q: %v, %v; want %v", test.unit.Noun(), test.text, got, err, test.want)
		}
	}
}

// A share that may not be above 1 has one reading without a sign.
func TestSharesOfAWhole(t *testing.T) {
	_, err := (Range{Unit: Share, High: 1}).Parse("1.5")
	if err == nil || err.Error() != "want 0% to 100%, with a sign: 1.5%" {
		t.Error(err)
	}
}

func TestParseRefuses(t *testing.T) {
	for unit := Whole; unit <= Multiple; unit++ {
		for _, text := range []string{"", " ", "NaN", "inf", "-Inf", "0x10", "1_000", "few", "1e999", "-1e999", "%",
			"s", "x", "GB", "1..2", "1e", "--1",
			"9223372036854775808000000", "1h2", "5y", "1XB", "5 5", "\x1b[31m5", "５"} {
			if got, err := (Range{Unit: unit, Low: -1e15, High: 1e15}).Parse(text); err == nil {
				t.Errorf("%s %q is %v", unit.Noun(), text, got)
			} else if s := err.Error(); strings.Contains(s, "strconv") || strings.Contains(s, "invalid syntax") {
				t.Errorf("%s %q: %s", unit.Noun(), text, s)
			}
		}
	}
	for _, test := range []struct {
		unit       Unit
		text, says string
	}{
		{Duration, "45", "45s is seconds, 45m is minutes"}, {Share, "10", "10%, or 1,000% for 10 times"},
		{Share, "1.5", "1.5%, or 150% for 1.5 times"}, {Bytes, "50", "50B is bytes, 50GB is gigabytes"},
	} {
		_, err := (Range{Unit: test.unit, High: 1e9}).Parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("a %s of %s: %v", test.unit.Noun(), test.text, err)
		}
	}
}

func TestRange(t *testing.T) {
	for _, test := range []struct {
		r       Range
		in, out []string
		says    string
	}{
		{Range{Unit: Whole, Low: 1, High: 1024}, []string{"1", "1024"}, []string{"0", "1025", "-1", "1e11",
			"9223372036854775807"}, "1 to 1,024"},
		{Range{Unit: Share, High: 1}, []string{"0", "100%", "1"}, []string{"101%", "-1%"}, "0% to 100%"},
		{Range{Unit: Share, Low: 1e-6, High: 1}, []string{"1e-6", "7%"}, []string{"0"}, "0.0001% to 100%"},
		{Range{Unit: Plain, High: 100, Above: true}, []string{"100", "1e-9"}, []string{"0", "100.1"},
			"more than 0, at most 100"},
		{Range{Unit: Plain, High: 1, Below: true}, []string{"0", "0.99"}, []string{"1"}, "at least 0, less than 1"},
		{Range{Unit: Duration, Low: 1, High: 30 * 86400, Zero: true}, []string{"0", "1s", "30d"},
			[]string{"1ns", "31d"}, "0, or 1s to 30d"},
		{Range{Unit: Bytes, Low: 1 << 20, High: 1 << 50}, []string{"1MiB", "2000000"}, []string{"1B"}, "1MiB to 1PiB"},
		{Range{Unit: Whole}, []string{"0"}, []string{"1"}, "0 to 0"},
	} {
		if got := test.r.String(); got != test.says {
			t.Errorf("%+v is %q, want %q", test.r, got, test.says)
		}
		for _, text := range test.in {
			if _, err := test.r.Parse(text); err != nil {
				t.Errorf("%v: %q: %v", test.r, text, err)
			}
		}
		for _, text := range test.out {
			if x, err := test.r.Parse(text); err == nil {
				t.Errorf("%v: %q is %v", test.r, text, x)
			} else if !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v: %q: %v does not name the range", test.r, text, err)
			}
		}
	}
}

// What is written for people is read again as the same number.
func TestWriteAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := Unit(rapid.IntRange(0, int(Multiple)).Draw(t, "unit"))
		x := rapid.Float64Range(1e-6, 1e15).Draw(t, "x")
		if unit == Whole || unit == Bytes {
			x = math.Trunc(x)
		}
		text := strings.ReplaceAll(unit.Write(x), ",", "")
		got, err := Range{Unit: unit, Low: -1, High: 1e16}.Parse(text)
		if err != nil || math.Abs(got-x) > 1e-5*x {
			t.Fatalf("%s %v is written %q and read as %v, %v", unit.Noun(), x, text, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"1h30m", "24GB", "40%", "2x", "1e-308", "NaN", "5 d", "-0"} {
		for u := Whole; u <= Multiple; u++ {
			f.Add(text, uint8(u))
		}
	}
	f.Fuzz(func(t *testing.T, text string, unit uint8) {
		r := Range{Unit: Unit(unit % uint8(Multiple+1)), Low: 1, High: 100}
		if x, err := r.Parse(text); err == nil && !(x >= 1 && x <= 100) {
			t.Fatalf("%v: %q is %v", r, text, x)
		}
	})
}

// Loads are shares up to 100 times, and multiples from there on; what is written is read again.
func TestRangesOfLoads(t *testing.T) {
	r := Range{Unit: Load, High: 1e6}
	if got := r.String(); got != "0 to 1,000,000" {
		t.Errorf("%s", got)
	}
	for x, want := range map[float64]string{0.1: "10%", 1.5: "150%", 0: "0", 1000: "1,000"} {
		got := Load.Write(x)
		back, err := r.Parse(strings.ReplaceAll(got, ",", ""))
		if got != want || err != nil || back != x {
			t.Errorf("%v: %s, read as %v (%v)", x, got, back, err)
		}
	}
}
