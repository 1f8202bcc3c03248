package law

import (
	"fmt"
	"math"
)

// Prior holds the probabilities of hypotheses before a job is seen, one list per part of a hypothesis. Each list sums
// to 1.
type Prior struct {
	Input  []float64 `json:"input"`  // slopes of the input: see slopes
	Tokens []float64 `json:"tokens"` // slopes of tokens
	// slopes of tokens if a simulation predicts their effect: relative to the simulated time, or without it
	Simulated []float64 `json:"simulated"`
	Local     []float64 `json:"local"`
	Drift     []float64 `json:"drift"`
	Plan      []float64 `json:"plan"`    // how much plans differ
	Scatter   []float64 `json:"scatter"` // whether the noise grows with tokens
	Period    []float64 `json:"period"`  // whether the time of the day or of the week matters
	Scale     []float64 `json:"scale"`   // sizes of the noise
	Sure      []float64 `json:"sure"`    // how sure that size is

	Change  float64 `json:"change"`  // that the level changed before any of the newest runs
	Gentle  float64 `json:"gentle"`  // that a gentle trend begins at any of the newest runs
	Steep   float64 `json:"steep"`   // that a steep one does
	Outlier float64 `json:"outlier"` // that any of the very newest runs is an outlier
	Modes   float64 `json:"modes"`   // that runs have one of two levels at random
}

// slope is a hypothesis of an effect on logarithmic scales: its mean, its standard deviation in units of the noise, by
// how much it bends (0 for a line), and whether it is relative to the simulated time.
type slope struct {
	mean, spread, bend float64
	expected           bool
}

// Spreads. A slope without a spread is for jobs so loud that a spread in units of the noise would allow any slope.
const (
	tight = 2
	free  = 10
)

// More tokens help less and less: the slope grows by twice bent per e-fold of tokens; bentSpread is the standard
// deviation of bent in units of the noise. Amdahl's law bends by at most 1/8; runs on few machines may also lack
// memory. Beyond straight e-folds from the mean of past runs the slope is constant. From the jobs of C3O; the TPC-H
// queries of ../shared confirm it.
const (
	bent       = 0.25
	bentSpread = 1.5
	straight   = 2
)

// bend returns the coefficient of an effect's bend at a distance from the mean, in e-folds.
func bend(x float64) float64 {
	x = math.Abs(x)
	if x > straight {
		return straight * (2*x - straight)
	}
	return x * x
}

// alike reports whether hypotheses share a covariance.
func (x slope) alike(y slope) bool { return x.spread == y.spread && (x.bend == 0) == (y.bend == 0) }

var (
	byInput = []slope{{mean: 0, spread: tight}, {mean: 1, spread: tight}, {mean: 0.6, spread: free}, {mean: 0},
		{mean: 1}}
	byTokens = []slope{{mean: 0, spread: tight}, {mean: -0.5, spread: tight}, {mean: -1, spread: tight},
		{mean: -0.5, spread: free}, {mean: 0, spread: tight, bend: bent}, {mean: -0.5, spread: tight, bend: bent},
		{mean: -1, spread: tight, bend: bent}, {mean: 0}, {mean: -0.5}, {mean: -1}}
	bySimulated = append([]slope{{mean: 0, spread: tight, expected: true}, {mean: 0, spread: free, expected: true},
		{mean: 0, expected: true}}, byTokens...)
	none = []slope{{}}
)

// local is a hypothesis about the similarity of runs with similar inputs and tokens. Distances are e-folds. The last is
// for loud jobs, where a larger amplitude would take queueing for an effect of the input, as in the runs of GridMix.
type local struct {
	kind      localKind
	amplitude float64 // in units of the noise
	reach     float64
}

type localKind int

const (
	noLocal localKind = iota
	rough             // exponential in the distance by both
	apart             // the sum of exponentials in the distances by each
	smooth            // Matérn 3/2 in the distance by both
)

var locals = []local{{}, {rough, 8, 4}, {rough, 30, 4}, {apart, 8, 4}, {apart, 30, 4}, {smooth, 12, 3}, {rough, 3, 4}}

// drifts are hypotheses about the similarity of consecutive runs: the amplitude in units of the noise and the reach in
// runs, or the standard deviation of a trend in units of the noise per run.
// The last is for jobs that change steadily and much, as where an input grows that is not known. Where the noise is
// above loudest, a drift or a trend in units of it is implausible.
var drifts = []struct{ amplitude, reach, trend, loudest float64 }{{loudest: math.Inf(1)}, {0.7, 2, 0, 1.5},
	{0.7, 10, 0, 1.5}, {2, 10, 0, 0.5}, {0, 0, 0.1, 1}, {0, 0, 0.4, 0.25}, {8, 10, 2, 0.2}}

// byPlan are hypotheses about the differences between the levels of plans, in units of the noise.
var byPlan = []float64{0, 10}

// byScatter are hypotheses about the noise of runs on other tokens: the same, or the luck of tasks (see [Run.Scatter]).
var byScatter = []bool{false, true}

// Hypotheses about the noise: scales are standard deviations of the logarithm of a time, and sure the number of runs
// that such a scale is worth.
var (
	scales = []float64{0.003, 0.01, 0.03, 0.1, 0.3, 0.8}
	sure   = []float64{1, 4}
)

// DefaultPrior returns the prior for recurring jobs in the traces that racecard was tuned on: about the mean over
// corpora of the shares that expectation maximisation of the likelihood finds in each. A prior per store was tried
// instead and did not improve predictions.
func DefaultPrior() Prior {
	return Prior{
		Input:  []float64{0.243, 0.549, 0.12, 0.027, 0.061},
		Tokens: []float64{0.1188, 0.126, 0.0576, 0.064, 0.2, 0.2, 0.2, 0.0132, 0.014, 0.0064},
		Simulated: []float64{0.6795, 0.1, 0.0755, 0.0225, 0.0225, 0.027, 0.055, 0.003, 0.003, 0.004, 0.0025, 0.0025,
			0.003},
		Local:   []float64{0.119, 0.0765, 0.0935, 0.204, 0.0595, 0.2975, 0.15},
		Drift:   []float64{0.288, 0.144, 0.1536, 0.1152, 0.1152, 0.144, 0.04},
		Plan:    []float64{0.5, 0.5},
		Scatter: []float64{0.2, 0.8},
		Period:  []float64{0.8, 0.05, 0.05, 0.05, 0.05},
		Scale:   []float64{0.03, 0.06, 0.49, 0.18, 0.21, 0.03},
		Sure:    []float64{0.18, 0.82},
		Change:  changeChance, Gentle: gentleChance, Steep: steepChance, Outlier: outlierChance, Modes: modesChance,
	}
}

// ReplayPrior returns the prior for times that are replays of recorded tasks: they include neither queueing nor driver
// time, their noise is smaller, and a simulation tells more of them. It comes from the TPC-H queries of ../shared.
func ReplayPrior() Prior {
	p := DefaultPrior()
	p.Scale = []float64{0.4, 0.4, 0.15, 0.03, 0.01, 0.01}
	p.Simulated = []float64{0.546, 0.32, 0.084, 0.0078, 0.0078, 0.0093, 0.019, 0.001, 0.001, 0.0014, 0.0009, 0.0009,
		0.0009}
	p.Drift = []float64{0.298, 0.149, 0.158, 0.119, 0.119, 0.149, 0.008}
	p.Local = []float64{0.54, 0.05, 0.06, 0.12, 0.04, 0.18, 0.01}
	return p
}

// PlainPrior returns the prior for runs that differ by noise alone.
func PlainPrior() Prior {
	p := DefaultPrior()
	for _, part := range Parts() {
		p = p.Without(part)
	}
	return p
}

// lists returns the lists of a prior and how long each must be.
func (p *Prior) lists() []struct {
	name string
	of   *[]float64
	n    int
} {
	return []struct {
		name string
		of   *[]float64
		n    int
	}{
		{"input", &p.Input, len(byInput)}, {"tokens", &p.Tokens, len(byTokens)}, {"simulated", &p.Simulated,
			len(bySimulated)},
		{"local", &p.Local, len(locals)}, {"drift", &p.Drift, len(drifts)}, {"plan", &p.Plan, len(byPlan)},
		{"scatter", &p.Scatter, len(byScatter)}, {"period", &p.Period, len(periods)},
		{"scale", &p.Scale, len(scales)}, {"sure", &p.Sure, len(sure)},
	}
}

// Validate reports the first list that is no distribution.
func (p *Prior) Validate() error {
	for _, l := range p.lists() {
		if len(*l.of) != l.n {
			return fmt.Errorf("prior of %s: %d probabilities, want %d", l.name, len(*l.of), l.n)
		}
		sum := 0.0
		for _, x := range *l.of {
			if !(x > 0 && x <= 1) {
				return fmt.Errorf("prior of %s: a probability of %v, want it above 0 and at most 1", l.name, x)
			}
			sum += x
		}
		if math.Abs(sum-1) > 1e-6 {
			return fmt.Errorf("prior of %s: probabilities sum to %v, want 1", l.name, sum)
		}
	}
	return nil
}
