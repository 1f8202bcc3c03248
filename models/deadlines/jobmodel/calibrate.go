package jobmodel

import (
	"errors"
	"math"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/seed"
	"racecard/models/deadlines/internal/law"
	"racecard/models/deadlines/sim"
)

// slownesses is the number of equally likely times, or factors, that represent the differences between runs.
const slownesses = 256

// Runs simulated to estimate the time of a plan: simulatedRuns, or as many as have mostSimulated tasks together, but at
// least fewestRuns. Their spread without Slowness takes more: spreadRuns, or as many as have mostSpread tasks.
const (
	simulatedRuns = 32
	fewestRuns    = 8
	spreadRuns    = 128
	mostSpread    = 1_000_000
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

// runs returns how many runs are simulated to estimate the time of the plan.
func (m *Model) runs() int64 {
	return max(fewestRuns, min(simulatedRuns, mostSimulated/max(1, m.Plan.Tasks())))
}

// times simulates so many runs at a scale, and returns their times in seconds, after their wait where that is forecast
// apart.
func (m *Model) times(tokens int32, scale float64, runs int64) ([]float64, error) {
	plan := m.Plan
	if m.waits {
		plan.StartUp = sim.Dist{}
	}
	c, err := sim.Compile(plan)
	if err != nil {
		return nil, err
	}
	runner := sim.NewRunner(c)
	o := sim.Options{Allocation: []sim.Step{{Tokens: tokens}}, Machine: m.Machine, Scale: scale}
	out := make([]float64, runs)
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

// spread chooses Slowness such that simulated runs take the given times, equally likely and ascending, after the waits
// that are forecast apart: then whole times have the distribution Completion. Simulated runs already differ by the
// draws of their tasks; that spread is subtracted. So is time that does not scale, such as the driver's.
func (m *Model) spread(p *modelfile.Plan, o Options, times []float64) error {
	m.Slowness = []float64{1}
	if len(times) == 0 {
		m.slownesses(p)
		return nil
	}
	tokens, runs := m.held(p, o), max(m.runs(), min(spreadRuns, mostSpread/max(1, m.Plan.Tasks())))
	once, err := m.times(tokens, 1, runs)
	if errors.Is(err, sim.ErrTooLong) { // the simulation reports it
		return nil
	}
	if err != nil {
		return err
	}
	twice, err := m.times(tokens, 2, runs)
	if err != nil && !errors.Is(err, sim.ErrTooLong) {
		return err
	}
	if err != nil {
		twice = nil
	}
	m.Slowness = slownessOf(once, twice, times)
	return nil
}

// slownessOf returns equally likely factors, ascending, with which simulated runs take the times given, which are
// ascending and equally likely as well. once and twice are the times of simulated runs without a factor, and with a
// factor of two; twice is nil where these take too long.
//
// A run's time is taken to be linear in its factor. At first, factors spread by as much less than the times as
// simulated runs spread themselves, on a logarithmic scale. Each step then moves the factors by the distance of the
// quantiles of simulated runs from the times, as P. H. van Cittert deconvolves spectra (1931). A few steps follow the
// shape of the distribution, and not the noise of a hundred simulated runs. Where simulated runs spread by more than
// the times, factors that would have to fall become one.
func slownessOf(once, twice, times []float64) []float64 {
	out := make([]float64, len(times))
	for i := range out {
		out[i] = 1
	}
	own := quantile.Sort(once)
	middle := quantile.Quantile(own, 0.5)
	if !(middle > 0) {
		return []float64{1}
	}
	scaled := middle // the time that grows with the scale
	if twice != nil {
		scaled = max(leastScaled*middle, quantile.Quantile(quantile.Sort(twice), 0.5)-middle)
	}
	width := func(s quantile.Sorted) float64 {
		return math.Log(quantile.Quantile(s, 0.84) / quantile.Quantile(s, 0.16))
	}
	all := quantile.Sort(times)
	wide, narrow := width(all), width(own)
	share := 0.0
	if wide > 0 {
		share = math.Sqrt(max(0, 1-narrow*narrow/(wide*wide)))
	}
	typical := math.Log(quantile.Quantile(all, 0.5))
	for i, t := range times {
		t = math.Exp(typical + share*(math.Log(t)-typical))
		out[i] = inBounds(1 + (t-middle)/scaled)
	}
	mixed := make([]float64, 0, len(once)*(len(times)/someFactors+1))
	for range spreadSteps {
		mixed = mixed[:0]
		for k, t := range once {
			by := t
			if twice != nil {
				by = twice[k] - t
			}
			for i := k / 2 % someFactors; i < len(out); i += someFactors { // both runs of a pair have the same factors
				mixed = append(mixed, t+(out[i]-1)*by)
			}
		}
		simulated := quantile.Sort(mixed)
		for i, t := range times {
			p := (float64(i) + 0.5) / float64(len(times))
			out[i] = inBounds(out[i] + (t-quantile.Quantile(simulated, p))/scaled)
		}
		lists.Ascend(out, nil)
	}
	return out
}

// inBounds keeps a factor of Slowness within its bounds.
func inBounds(factor float64) float64 { return min(mostSlowness, max(1/float64(mostSlowness), factor)) }

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
		m.Slowness[i] = inBounds(m.Slowness[i] / middle)
	}
}

// Bounds of Slowness, and the least share of a run's time that scales with it.
const (
	mostSlowness = 100
	leastScaled  = 0.1
)

// spreadSteps is how often factors are moved. Each simulated run has one in someFactors of them.
const (
	spreadSteps = 8
	someFactors = 4
)
