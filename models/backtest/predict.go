package backtest

import (
	"fmt"
	"math"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/seed"
	"racecard/models/jobmodel"
	"racecard/models/sim"
)

// mostPlans bounds the plans of a job that are simulated, the commonest.
const mostPlans = 10

// simulate returns the times of so many simulated runs of a job, in seconds. Where runs have had several plans, each is
// simulated as often as it was run.
func simulate(p *modelfile.Profile, tokens, inputBytes float64, o *Options, item uint64) (quantile.Sorted, error) {
	plans := p.Plans[:min(len(p.Plans), mostPlans)]
	shares := 0.0
	for i := range plans {
		shares += plans[i].ShareOfRuns
	}
	var times []float64
	below := 0.0
	for i := range plans {
		below += plans[i].ShareOfRuns / shares
		n := int(math.Round(below*float64(o.Replicates))) - len(times)
		if i == len(plans)-1 {
			n = o.Replicates - len(times)
		}
		if n == 0 {
			continue
		}
		of, err := simulatePlan(p.Job, &plans[i], tokens, inputBytes, n, seed.Stream(o.Seed, fmt.Sprintf("backtest %d %s", i, p.Job), item))
		if err != nil {
			return quantile.Sorted{}, err
		}
		times = append(times, of...)
	}
	return quantile.Sort(times), nil
}

// simulatePlan returns the times of so many simulated runs of a plan.
func simulatePlan(job string, p *modelfile.Plan, tokens, inputBytes float64, n int, src source) ([]float64, error) {
	options := jobmodel.DefaultOptions()
	options.Simulated = 1
	options.InputBytes = inputBytes
	if tokens > 0 {
		options.Tokens = tokens
	}
	m, err := jobmodel.New(job, p, options)
	if err != nil {
		return nil, err
	}
	compiled, err := sim.Compile(m.Plan)
	if err != nil {
		return nil, err
	}
	held := int32(compiled.Tasks())
	if tokens > 0 && !m.ByStage && len(m.Whole) == 0 {
		held = min(held, int32(math.Ceil(tokens)))
	}
	runner := sim.NewRunner(compiled)
	o := sim.Options{Allocation: []sim.Step{{Tokens: held}}, Machine: m.Machine}
	times := make([]float64, n)
	for i := range times {
		whole := one(m.Whole, src)
		if o.Scale = 1; len(m.Whole) == 0 {
			o.Scale = one(m.Luck, src)
		}
		res, err := runner.Run(&o, src)
		if err != nil {
			return nil, err
		}
		times[i] = whole * float64(res.End) / 1e6
	}
	return times, nil
}

type source interface{ Uint64() uint64 }

// one draws one of equally likely values; 1 of none.
func one(values []float64, src source) float64 {
	if len(values) == 0 {
		return 1
	}
	return values[src.Uint64()%uint64(len(values))]
}
