package figure_test

import (
	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/figure/figuretest"
)

func ExampleCalibration() {
	b := figuretest.Backtest()
	show(figure.Calibration(b.Documents["backtest"].(*result.Backtest), b.Tables["backtest"], source(b)), 4)
	// Output:
}

func ExamplePredictionErrors() {
	b := figuretest.Backtest()
	show(figure.PredictionErrors(b.Documents["backtest"].(*result.Backtest), source(b)), 3)
	// Output:
}

func ExamplePredicted() {
	b := figuretest.Backtest()
	show(figure.Predicted(b.Documents["backtest"].(*result.Backtest), b.Tables["backtest"], source(b)), 2)
	// Output:
}
