package jobmodel

import (
	"errors"
	"math"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/seed"
	"racecard/models/deadlines/internal/law"
	"racecard/models/deadlines/sim"
)

// slownesses is the number of equally likely times, or factors, that represent the differences between runs.
const slownesses = 256

// Runs simulated to estimate the time of a plan and its spread without Slowness: simulatedRuns, or as many as have
// mostSimulated tasks together, but at least fewestRuns.
const (
	simulatedRuns = 32
	fewestRuns    = 8
)

// UsualRuns is how many of the newest runs show how many cores a job usually holds. A change is followed after four.
const UsualRuns = 7

// UsualCores returns the cores that a job usually holds: the median over the newest of n runs, at least one, in the
// order of their submissions.
func UsualCores(n int, of func(i int) float64) float64 {
	var newest []float64
	for i := max(0, n-UsualRuns); i < n; i++ {
		newest = append(newest, of(i))
	}
	return quantile.Quantile(quantile.Sort(newest), 0.5)
}

// held returns the tokens that runs are simulated with: those asked for, else what past runs usually held, else one per
// task.
func (m *Model) held(p *modelfile.Plan, o Options) int32 {
	tasks := int32(0)
	for i := range m.Plan.Stages {
		tasks += m.Plan.Stages[i].Tasks
	}
	tokens := math.Ceil(o.Tokens)
	if tokens == 0 {
		var past []float64
		for i := range p.RunFactors {
			if t := p.RunFactors[i].Tokens; t != nil {
				past = append(past, float64(*t))
			}
		}
		if len(past) > 0 {
			tokens = math.Ceil(UsualCores(len(past), func(i int) float64 { return past[i] }))
		}
	}
	if m.ByStage || tokens < 1 {
		return max(1, tasks)
	}
	return int32(min(tokens, float64(max(1, tasks))))
}

// times simulates runs at a scale, in seconds.
func (m *Model) times(tokens int32, scale float64) ([]float64, error) {
	c, err := sim.Compile(m.Plan)
	if err != nil {
		return nil, err
	}
	runner := sim.NewRunner(c)
	o := sim.Options{Allocation: []sim.Step{{Tokens: tokens}}, Machine: m.Machine, Scale: scale}
	out := make([]float64, max(fewestRuns, min(simulatedRuns, mostSimulated/max(1, m.Plan.Tasks()))))
	for k := range out {
		o.Antithetic = k%2 == 1
		res, err := runner.Run(&o, seed.Stream(0, "job model times", uint64(k/2)))
		if err != nil {
			return nil, err
		}
		out[k] = float64(res.End) / 1e6
	}
	return out, nil
}

// spread chooses Slowness such that the times of simulated runs have the distribution Completion. Simulated runs
// already differ by the draws of their tasks; that spread is subtracted. So is time that does not scale, such as the
// driver's.
func (m *Model) spread(p *modelfile.Plan, o Options) error {
	m.Slowness = []float64{1}
	if len(m.Completion) == 0 {
		m.slownesses(p)
		return nil
	}
	tokens := m.held(p, o)
	once, err := m.times(tokens, 1)
	if errors.Is(err, sim.ErrTooLong) { // the simulation reports it
		return nil
	}
	if err != nil {
		return err
	}
	twice, err := m.times(tokens, 2)
	if err != nil && !errors.Is(err, sim.ErrTooLong) {
		return err
	}
	if err != nil {
		twice = nil
	}
	own := quantile.Sort(once)
	middle := quantile.Quantile(own, 0.5)
	if !(middle > 0) {
		return nil
	}
	scaled := middle // the time that grows with the scale
	if twice != nil {
		scaled = max(leastScaled*middle, quantile.Quantile(quantile.Sort(twice), 0.5)-middle)
	}
	width := func(s quantile.Sorted) float64 {
		return math.Log(quantile.Quantile(s, 0.84) / quantile.Quantile(s, 0.16))
	}
	all := quantile.Sort(m.Completion)
	wide, narrow := width(all), width(own)
	share := 0.0
	if wide > 0 {
		share = math.Sqrt(max(0, 1-narrow*narrow/(wide*wide)))
	}
	typical := math.Log(quantile.Quantile(all, 0.5))
	m.Slowness = make([]float64, len(m.Completion))
	for i, t := range m.Completion {
		t = math.Exp(typical + share*(math.Log(t)-typical))
		m.Slowness[i] = min(mostSlowness, max(1/float64(mostSlowness), 1+(t-middle)/scaled))
	}
	return nil
}

// slownesses derives Slowness from the factors of past runs' tasks, for jobs in which no run has a completion time.
func (m *Model) slownesses(p *modelfile.Plan) {
	var past []law.Run
	for i := range p.RunFactors {
		past = append(past, law.Run{Submit: math.NaN(), Seconds: p.RunFactors[i].Factor,
			InputBytes: math.NaN(), Tokens: math.NaN(), Expected: math.NaN(), Extra: extra(&p.RunFactors[i])})
	}
	f, ok := law.Predict(past, law.Next{Submit: math.NaN(), InputBytes: math.NaN(), Tokens: math.NaN(),
		Expected: math.NaN()}, law.DefaultPrior())
	if !ok {
		return
	}
	m.Slowness = f.Times(slownesses, &law.Standards{})
	middle := quantile.Quantile(quantile.Sort(m.Slowness), 0.5)
	for i := range m.Slowness {
		m.Slowness[i] = min(mostSlowness, max(1/float64(mostSlowness), m.Slowness[i]/middle))
	}
}

// Bounds of Slowness, and the least share of a run's time that scales with it.
const (
	mostSlowness = 100
	leastScaled  = 0.1
)
