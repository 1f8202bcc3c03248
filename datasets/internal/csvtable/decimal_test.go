package csvtable_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/internal/csvtable"
)

func TestDecimalIsWhatParseFloatSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[0-9]{0,17}\.?[0-9]{0,17}[-+eE]?`).Draw(t, "number")
		got, ok := csvtable.Decimal([]byte(s))
		want, err := strconv.ParseFloat(s, 64)
		if ok && (err != nil || got != want) {
			t.Errorf("%q: %v, want %v, %v", s, got, want, err)
		}
	})
	for _, s := range []string{"0", "23.0", "0.39", "86781", "100.", ".5", "123456789012345"} {
		if _, ok := csvtable.Decimal([]byte(s)); !ok {
			t.Errorf("%q is left to strconv", s)
		}
	}
}
