package cpa

import (
	"racecard/datasets/remaining"
	"racecard/models/deadlines/sim"
)

// Paths simulates runs on some tokens, the same runs as for a table. For each run it returns the time, in
// seconds, at which it reached every hundredth of progress: the last is its end.
func Paths(job Job, tokens int32, runs int, o Options) ([][remaining.Steps]float64, error) {
	setting, err := job.With(tokens)
	if err != nil {
		return nil, err
	}
	compiled, err := sim.Compile(setting.Plan)
	if err != nil {
		return nil, err
	}
	s, err := newSampler(setting, compiled, job.Progress, tokens, o)
	if err != nil {
		return nil, err
	}
	out := make([][remaining.Steps]float64, runs)
	for k := range out {
		var left [remaining.Steps]int64
		if err := s.run(k, func(step int, us int64) { left[step] = us }); err != nil {
			return nil, err
		}
		for i, us := range left {
			out[k][i] = float64(left[0]-us) / 1e6
		}
	}
	return out, nil
}
