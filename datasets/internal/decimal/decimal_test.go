package decimal_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/internal/decimal"
)

// want parses by strconv, less the forms that are not decimal numbers.
func want(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && !strings.ContainsAny(s, "xX_")
}

func TestParseEqualsParseFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`[-+]?[0-9]{0,17}\.?[0-9]{0,17}([eE][-+]?[0-9]{0,3})?`),
			rapid.StringMatching(`[-+.0-9eExX_p]{0,8}`), rapid.String(),
		).Draw(t, "number")
		x, ok := want(s)
		for form, parse := range map[string]func() (float64, bool){
			"bytes":  func() (float64, bool) { return decimal.Parse([]byte(s)) },
			"string": func() (float64, bool) { return decimal.Parse(s) },
		} {
			got, gotOK := parse()
			if gotOK != ok || ok && math.Float64bits(got) != math.Float64bits(x) {
				t.Errorf("%q as %s: %v, %v, want %v, %v", s, form, got, gotOK, x, ok)
			}
		}
	})
}

func TestParse(t *testing.T) {
	for s, ok := range map[string]bool{
		"0": true, "-0": true, "+7": true, "23.0": true, "100.": true, ".5": true, "-.5": true, "1e3": true,
		"123456789012345":    true,
		"123456789012345678": true, "007": true, "1.7976931348623157e308": true,
		"": false, ".": false, "-": false, "+.": false, "1.2.3": false, "--1": false, "0x1p-2": false, "1_000": false,
		"NaN": false,
		"Inf": false, "-infinity": false, "1e999": false, " 1": false, "1 ": false, "1,5": false, "１": false,
	} {
		if x, got := decimal.Parse(s); got != ok {
			t.Errorf("%q: %v, %v", s, x, got)
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	fields := [][]byte{[]byte("86781"), []byte("0.39"), []byte("1.5e-7"), []byte("12345678901234567890.5")}
	if n := testing.AllocsPerRun(100, func() {
		for _, f := range fields {
			decimal.Parse(f)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	fields := [][]byte{[]byte("86781"), []byte("0.39"), []byte("1325369.512"), []byte("-1"), []byte("23.0")}
	for name, parse := range map[string]func([]byte) (float64, bool){
		"decimal": decimal.Parse[[]byte], "strconv": func(f []byte) (float64, bool) { return want(string(f)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, f := range fields {
					parse(f)
				}
			}
		})
	}
}
