package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

func backtestForms(t interface {
	Helper()
	Fatalf(string, ...any)
}, b *result.Backtest, runs *result.Table, pixels bool) {
	t.Helper()
	for _, f := range []*Figure{Calibration(b, runs, Source{}), Calibration(b, nil, Source{}), PredictionErrors(b,
		Source{}), Predicted(b, runs, Source{})} {
		everyForm(t, f, pixels)
	}
}

func TestBacktestForms(t *testing.T) {
	for name, b := range map[string]*result.Bundle{"typical": figuretest.Backtest(),
		"large":    figuretest.LargeBacktest(),
		"held out": figuretest.HeldOut()} {
		d, runs := b.Documents["backtest"].(*result.Backtest), b.Tables["backtest"]
		backtestForms(t, d, runs, name != "large")
		for _, f := range []*Figure{Calibration(d, runs, Source{}), PredictionErrors(d, Source{}), Predicted(d, runs,
			Source{})} {
			if n := len(f.InlineSVG(Wide)); n > 300_000 {
				t.Errorf("%s: %s has %d bytes of SVG, want at most 300,000", name, f.Name, n)
			}
		}
	}
	backtestForms(t, &result.Backtest{}, nil, true)
	backtestForms(t, &result.Backtest{Held: &result.BacktestHeld{}}, nil, true)
}

// Runs of which a time is not known or not positive, or whose quantiles do not ascend, are counted and not drawn.
func TestPredictedRuns(t *testing.T) {
	run := func(observed, low, high float64) result.BacktestRun {
		return result.BacktestRun{ObservedS: observed, Quantiles: [7]float64{low, low, 2, 2, 2, high, high}, Before: 3}
	}
	b := &result.Backtest{Methods: []string{"racecard"}, PerRun: []result.BacktestRun{run(2, 1, 4), run(5, 1, 4), run(0,
		1, 4), run(2, 3, 4), run(2, 1, math.Inf(1))}}
	points, dropped := predictedRuns(b.Table())
	if want := []predicted{{2, 1, 2, 4, 3}, {5, 1, 2, 4, 3}}; !slices.Equal(points, want) || dropped != 3 {
		t.Errorf("points %v without %d, want %v", points, dropped, want)
	}
	if seriesOf(&points[0]) != 0 || seriesOf(&points[1]) != 1 {
		t.Error("the second run took longer than p90, the first did not")
	}
}

func TestTimesAxis(t *testing.T) {
	for _, c := range []struct {
		low, high, from float64
		logarithmic     bool
	}{{17, 46, 0, false}, {31, 46, 20, false}, {1, 100, 0.85, true}, {5, 5, 4, false}} {
		a := timesAxis(c.low, c.high)
		if a.min != c.from || a.max < c.high || (a.scale.Normalize(1, 100, 10) == 0.5) != c.logarithmic {
			t.Errorf("%v to %v: axis from %v to %v", c.low, c.high, a.min, a.max)
		}
	}
}

// What a damaged result holds is drawn or left out, never a failure.
func TestBacktestAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := func(what string) float64 { return anyNumber(t, what) }
		score := func() result.BacktestScore {
			s := result.BacktestScore{Predicted: rapid.IntRange(-1, 9).Draw(t, "n"), PITRange: [2]int{rapid.IntRange(-9,
				1e12).Draw(t, "low"), rapid.IntRange(-9, 1e12).Draw(t, "high")},
				PIT:       rapid.SliceOfN(rapid.IntRange(-9, 1e12), 0, 12).Draw(t, "pit"),
				Sharpness: result.Number(x("width")),
				Errors:    map[string]result.BacktestErrors{}}
			for range 2 {
				s.Coverage = append(s.Coverage, result.BacktestCoverage{Level: x("level"), Share: x("share"),
					Interval: result.Interval{x("low"), x("high")}})
			}
			for _, m := range []string{"racecard", "last"} {
				s.Errors[m] = result.BacktestErrors{N: 1, MedianAbsolute: result.Number(x("error"))}
			}
			return s
		}
		b := &result.Backtest{Methods: []string{"racecard", "last", "none"}, BacktestScore: score(),
			PerJob: []result.BacktestJob{{Job: "a", BacktestScore: score()}}}
		for range rapid.IntRange(0, 4).Draw(t, "runs") {
			r := result.BacktestRun{ObservedS: x("observed"), PIT: x("place"), Before: rapid.IntRange(-9, 1e12).Draw(t,
				"before")}
			for k := range r.Quantiles {
				r.Quantiles[k] = x("quantile")
			}
			b.PerRun = append(b.PerRun, r)
		}
		backtestForms(t, b, b.Table(), false)
	})
}
