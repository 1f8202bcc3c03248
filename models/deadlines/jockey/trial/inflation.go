package trial

import (
	"fmt"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
)

// response is how long whole runs of a job take on some numbers of tokens, by the law of its past runs.
type response struct {
	tokens  []int32
	seconds []float64
}

// newResponse asks the law of a profile for up to most tokens.
func newResponse(p *modelfile.Profile, most int) (*response, error) {
	r, job := &response{tokens: grid(1, most)}, jobmodel.NewJob(p)
	for _, a := range r.tokens {
		o := jobmodel.DefaultOptions()
		o.Tokens, o.Simulated = float64(a), 0
		m, err := job.Model(o)
		if err != nil {
			return nil, err
		}
		s, err := median(m.Plan, sim.Options{Allocation: []sim.Step{{Tokens: a}}, Machine: m.Machine})
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", p.Job, err)
		}
		if len(m.Completion) > 0 {
			s = quantile.Quantile(quantile.Sort(m.Completion), 0.5)
		}
		if !(s > 0) {
			return nil, fmt.Errorf("job %s: its tasks take no time", p.Job)
		}
		r.seconds = append(r.seconds, s)
	}
	return r, nil
}

// at returns the seconds of a run, linear between the allocations that the law was asked for.
func (r *response) at(tokens float64) float64 {
	k, found := slices.BinarySearch(r.tokens, int32(math.Ceil(min(tokens, math.MaxInt32))))
	switch {
	case k == len(r.tokens):
		return r.seconds[k-1]
	case found || k == 0:
		return r.seconds[k]
	}
	low, high := float64(r.tokens[k-1]), float64(r.tokens[k])
	return r.seconds[k-1] + (tokens-low)/(high-low)*(r.seconds[k]-r.seconds[k-1])
}

// Bounds of a factor of inflation.
const (
	leastInflation = 0.05
	mostInflation  = 1000
)

// inflation returns factors on the run times of the tasks of a plan, for [sim.Options].Inflation: on each number of
// tokens, runs of the plan take so many times as long as on the tokens it held, as whole runs of the job do. The plan
// takes its own time where it held them. Where the tokens that it held are not known (0), runs take as long as the
// response says. Between the allocations of the response factors are linear.
func (r *response) inflation(p sim.Plan, held, scale float64, machine int32) ([]float64, error) {
	c, err := sim.Compile(p)
	if err != nil {
		return nil, err
	}
	runner := sim.NewRunner(c)
	end := func(tokens int32, factor float64) (float64, error) {
		return medianOf(runner, sim.Options{Allocation: []sim.Step{{Tokens: tokens}}, Machine: machine,
			Scale: scale * factor})
	}
	unit := 1.0
	if held > 0 {
		own, err := end(int32(math.Ceil(held)), 1)
		if err != nil {
			return nil, err
		}
		unit = own / r.at(held)
	}
	factors := make([]float64, len(r.tokens))
	for k, a := range r.tokens {
		want, failed := unit*r.seconds[k], error(nil)
		factors[k] = math.Exp(bisect(math.Log(leastInflation), math.Log(mostInflation), func(x float64) bool {
			s, err := end(a, math.Exp(x))
			if err != nil {
				failed = err
			}
			return s < want
		}))
		if failed != nil {
			return nil, failed
		}
	}
	out := make([]float64, 0, r.tokens[len(r.tokens)-1])
	for k, f := range factors {
		if k == 0 {
			out = append(out, f)
			continue
		}
		for a := r.tokens[k-1] + 1; a <= r.tokens[k]; a++ {
			share := float64(a-r.tokens[k-1]) / float64(r.tokens[k]-r.tokens[k-1])
			out = append(out, factors[k-1]+share*(f-factors[k-1]))
		}
	}
	if held > 0 {
		out[min(len(out), int(math.Ceil(held)))-1] = 1
	}
	return out, nil
}

// median returns the median end of some runs of a plan, in seconds, with the same random numbers for any options.
func median(p sim.Plan, o sim.Options) (float64, error) {
	c, err := sim.Compile(p)
	if err != nil {
		return 0, err
	}
	return medianOf(sim.NewRunner(c), o)
}

func medianOf(runner *sim.Runner, o sim.Options) (float64, error) {
	var ends []float64
	for k := range responseRuns {
		res, err := runner.Run(&o, fixed(k*(math.MaxUint64/responseRuns)+1))
		if err != nil {
			return 0, err
		}
		ends = append(ends, float64(res.End)/second)
	}
	return quantile.Quantile(quantile.Sort(ends), 0.5), nil
}

// responseRuns is how many runs are simulated to see how long a plan takes.
const responseRuns = uint64(9)
