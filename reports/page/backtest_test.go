package page

import (
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// backtestOf returns a backtest of n runs of two jobs with a median error and a share of runs within p90.
func backtestOf(n int, median, within, low, high float64) result.Backtest {
	score := func(n int, median float64) result.BacktestScore {
		e := func(x float64) result.BacktestErrors {
			return result.BacktestErrors{N: n, MedianAbsolute: result.Number(x), P90Absolute: result.Number(2 * x),
				MedianSigned: result.Number(-x / 2)}
		}
		return result.BacktestScore{Predicted: n, Sharpness: 0.3,
			Errors: map[string]result.BacktestErrors{"racecard": e(median), "last": e(0.4)},
			Coverage: []result.BacktestCoverage{{Level: 0.5, Share: 0.5}, {Level: 0.9, Share: within,
				Interval: result.Interval{low, high}}}}
	}
	return result.Backtest{Header: result.Header{Available: true}, Jobs: 2, Methods: []string{"racecard", "last"},
		BacktestScore: score(n, median),
		Versus:        []result.BacktestVersus{{Method: "last", Jobs: 2, Better: 1}},
		PerJob: []result.BacktestJob{{Job: "easy", BacktestScore: score(n/2, median/2)},
			{Job: "hard", BacktestScore: score(n/2, 3*median)}}}
}

func TestBacktestSentences(t *testing.T) {
	good := backtestOf(60, 0.08, 0.88, 0.78, 0.94)
	against := func(olsBetter int) result.Backtest {
		b := backtestOf(60, 0.08, 0.88, 0.78, 0.94)
		b.Errors["ols"] = b.Errors["last"]
		b.Versus = append(b.Versus, result.BacktestVersus{Method: "ols", Jobs: 2, Better: olsBetter})
		return b
	}
	for _, tc := range []struct {
		id           string
		doc          result.Backtest
		text, detail string
	}{
		{"prediction-error", good, "Median prediction error: 8%, from past runs.",
			"90% of the errors are at most 16%; n = 60 runs. For comparison: last run 40%. Jobs with a smaller " +
				"median error than by a method: last run (1 of 2)."},
		{"prediction-error", against(1), "Median prediction error: 8%, from past runs.", "For comparison: last run " +
			"40% and least squares 40%. Jobs with a smaller median error than by each of these: 1 of 2."},
		{"prediction-error", against(2), "Median prediction error: 8%, from past runs.",
			"Jobs with a smaller median error than by a method: last run (1 of 2) and least squares (2 of 2)."},
		{"prediction-error", backtestOf(4, 0.08, 1, 0.5, 1), "Median prediction error: 8%, from past runs.",
			"too few to generalise from"},
		{"prediction-p90", good, "88% of the runs ended within the time predicted to be enough for 90%.",
			"95% interval 78–94%, as many as there should be"},
		{"prediction-p90", backtestOf(60, 0.08, 0.7, 0.6, 0.8), "70% of the runs ended within the time predicted to " +
			"be enough for 90%.", "fewer than there should be"},
		{"prediction-p90", backtestOf(60, 0.08, 0.98, 0.94, 1), "98% of the runs ended within the time predicted to " +
			"be enough for 90%.", "more than there should be"},
		{"prediction-worst", good, "hard is the hardest to predict: the median error of its predictions is 24%.",
			"the median error is −12%"},
	} {
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.id, text, detail, tc.text, tc.detail)
		}
	}
}

// The section shows the figures and a table by job; that of runs without times says that it is not about times.
func TestBacktestSection(t *testing.T) {
	for _, tc := range []struct {
		bundle *result.Bundle
		want   []string
	}{
		{figuretest.Backtest(), []string{`id="fig-calibration"`, `id="fig-prediction-errors"`, `id="fig-predicted"`,
			`"sub">by stages`, "Stage by stage"}},
		{figuretest.HeldOut(), []string{`id="fig-prediction-errors"`, "these are not errors of completion times",
			"p90 of a stage’s tasks", "From all other runs together: 34%"}},
	} {
		page := string(write(t, tc.bundle, Options{}).files["index.html"])
		for _, want := range tc.want {
			if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "’", "&#39;")) {
				t.Errorf("the page does not say %q", want)
			}
		}
	}
}
