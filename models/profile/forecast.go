package profile

import (
	"maps"
	"math"
	"slices"

	"racecard/datasets/modelfile"
)

// Forecast is a number expected of the next run, with the interval in which it lies with the probability asked for. All are
// NaN where runs do not tell.
type Forecast struct{ Mean, Low, High float64 }

// StageForecast is what a stage will do on a given input.
type StageForecast struct {
	Tasks     Forecast // never below 1
	DurationS Forecast // mean of its attempts; never negative
	ElapsedS  Forecast // of the stage, at the allocations of past runs; never negative
}

// At returns what the lines of a plan say of each of its stages for an input of some bytes: see [Predict]. Inputs far from
// those of past runs are extrapolated; [modelfile.Line] says which those were.
func At(p *modelfile.Plan, inputBytes, level float64) []StageForecast {
	out := make([]StageForecast, len(p.Stages))
	for i := range p.Stages {
		s := &p.Stages[i]
		out[i] = StageForecast{
			Tasks:     forecast(s.TasksByInput, inputBytes, level, 1),
			DurationS: forecast(s.DurationByInput, inputBytes, level, 0),
			ElapsedS:  forecast(s.ElapsedByInput, inputBytes, level, 0),
		}
	}
	return out
}

func forecast(l *modelfile.Line, x, level, least float64) Forecast {
	if l == nil {
		return Forecast{math.NaN(), math.NaN(), math.NaN()}
	}
	y, low, high := Predict(l, x, level)
	return Forecast{max(least, y), max(least, low), max(least, high)}
}

// Slowdown returns the factor by which attempts take longer, with a number of tokens, than the mean over all runs: the
// weighted mean factor of the runs that held as many at most; between two such numbers it is linear, beyond them that of the
// nearest. Tokens that share a machine slow each other down, which the durations of all runs together hide. It is 1 for a
// plan of whose runs none tells its tokens.
func Slowdown(p *modelfile.Plan, tokens float64) float64 {
	sum, weight := map[int64]float64{}, map[int64]float64{}
	for _, f := range p.RunFactors {
		if f.Tokens != nil && f.Weight > 0 {
			sum[*f.Tokens] += f.Weight * f.Factor
			weight[*f.Tokens] += f.Weight
		}
	}
	known := slices.Sorted(maps.Keys(sum))
	if len(known) == 0 {
		return 1
	}
	mean := func(i int) float64 { return sum[known[i]] / weight[known[i]] }
	last := len(known) - 1
	switch {
	case tokens <= float64(known[0]):
		return mean(0)
	case tokens >= float64(known[last]):
		return mean(last)
	}
	i := 1
	for float64(known[i]) < tokens {
		i++
	}
	share := (tokens - float64(known[i-1])) / float64(known[i]-known[i-1])
	return mean(i-1) + share*(mean(i)-mean(i-1))
}
