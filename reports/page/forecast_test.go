package page

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/result"
)

func TestForecastNotes(t *testing.T) {
	const counted = " now than when these runs ended; the forecast counts that"
	for _, c := range []struct {
		grown, perToken float64
		want            []string
	}{
		{math.NaN(), 1, nil}, {1.01, 1, nil}, {0, 1, nil},
		{1.123, 1, []string{"all jobs of the store take 12% longer" + counted}},
		{0.9, 4, []string{"a token is 4 cores", "all jobs of the store take 10% less" + counted}},
	} {
		d := result.Forecast{Grown: result.Number(c.grown), PerToken: result.Number(c.perToken), Stated: true}
		if got := ForecastNotes(&d); !slices.Equal(got, c.want) {
			t.Errorf("grown by %v: %q, want %q", c.grown, got, c.want)
		}
	}
}
