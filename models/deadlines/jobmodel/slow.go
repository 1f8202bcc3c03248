package jobmodel

import (
	"math"

	"racecard/datasets/modelfile"
	"racecard/models/deadlines/internal/law"
	"racecard/models/deadlines/sim"
)

// slowdown is the slowness of the requested run's tasks, beyond the effect of tokens: through its input, and as
// runs slow down or speed up over time.
func slowdown(p *modelfile.Plan, o Options) float64 {
	if x, ok := median(p, o, func(f *modelfile.RunFactor) float64 { return f.Factor }); ok {
		return x
	}
	return 1
}

// startUp predicts the time before the first stage.
func (j *Job) startUp(p *modelfile.Plan) (sim.Dist, error) {
	o := DefaultOptions()
	x, ok := median(p, o, func(f *modelfile.RunFactor) float64 {
		if f.StartUpS == nil {
			return math.NaN()
		}
		return *f.StartUpS
	})
	if !ok {
		return j.optional(&p.Driver.StartUp, unchanged)
	}
	return sim.Constant(simulatedDuration(1e6 * x))
}

// median returns the prediction for a number of the next run from past runs; not ok if no run has it.
func median(p *modelfile.Plan, o Options, of func(*modelfile.RunFactor) float64) (float64, bool) {
	var past []law.Run
	for i := range p.RunFactors {
		f := &p.RunFactors[i]
		r := law.Run{Submit: math.NaN(), Seconds: of(f), InputBytes: math.NaN(), Tokens: math.NaN(),
			Expected: math.NaN(), Extra: extra(f)}
		if f.InputBytes != nil {
			r.InputBytes = float64(*f.InputBytes)
		}
		past = append(past, r)
	}
	f, ok := law.Predict(past, law.Next{Submit: math.NaN(), InputBytes: o.InputBytes, Tokens: math.NaN(),
		Expected: math.NaN()}, law.DefaultPrior())
	if !ok {
		return 0, false
	}
	times := f.Times(slownesses, &law.Standards{})
	return (times[slownesses/2-1] + times[slownesses/2]) / 2, true
}
