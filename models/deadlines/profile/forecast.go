package profile

import (
	"math"

	"racecard/datasets/modelfile"
)

// Forecast is a number expected of the next run, with the interval in which it lies with the probability asked for. All
// are NaN where runs do not tell.
type Forecast struct{ Mean, Low, High float64 }

// StageForecast is the prediction for a stage on a given input.
type StageForecast struct {
	Tasks     Forecast // never below 1
	DurationS Forecast // mean of its attempts; never negative
	ElapsedS  Forecast // of the stage, at the allocations of past runs; never negative
}

// At evaluates the lines of a plan for each of its stages at an input of some bytes: see predict. Inputs far
// from past ones are extrapolated; [modelfile.Line] keeps their range.
func At(p *modelfile.Plan, inputBytes, level float64) []StageForecast {
	out := make([]StageForecast, len(p.Stages))
	for i := range p.Stages {
		s := &p.Stages[i]
		out[i] = StageForecast{
			Tasks:     ForecastOf(s.TasksByInput, inputBytes, level, 1),
			DurationS: ForecastOf(s.DurationByInput, inputBytes, level, 0),
			ElapsedS:  ForecastOf(s.ElapsedByInput, inputBytes, level, 0),
		}
	}
	return out
}

// ForecastOf returns what a line says of x, and nothing below least; NaN without a line.
func ForecastOf(l *modelfile.Line, x, level, least float64) Forecast {
	if l == nil {
		return Forecast{math.NaN(), math.NaN(), math.NaN()}
	}
	y, low, high := predict(l, x, level)
	return Forecast{max(least, y), max(least, low), max(least, high)}
}
