package figure_test

import (
	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/internal/figuretest"
)

func ExampleCalibration() {
	b := figuretest.Backtest()
	show(figure.Calibration(b.Documents["backtest"].(*result.Backtest), b.Tables["backtest"], source(b)), 4)
	// Output:
	// How often predictions were right
	// histogram, class 1: 7
	// histogram, class 2: 7
	// histogram, class 3: 6
	// histogram, class 4: 5
	// SVG: true PNG: true <nil>
}

func ExamplePredictionErrors() {
	b := figuretest.Backtest()
	show(figure.PredictionErrors(b.Documents["backtest"].(*result.Backtest), source(b)), 3)
	// Output:
	// How far predictions were off
	// all runs, racecard: 0.07198
	// all runs, last run: 0.11
	// all runs, mean of the last 5: 0.1778
	// SVG: true PNG: true <nil>
}

func ExamplePredicted() {
	b := figuretest.Backtest()
	show(figure.Predicted(b.Documents["backtest"].(*result.Backtest), b.Tables["backtest"], source(b)), 2)
	// Output:
	// Predicted and observed completion times
	// runs, n: 60
	// runs, above p90: 6
	// SVG: true PNG: true <nil>
}
