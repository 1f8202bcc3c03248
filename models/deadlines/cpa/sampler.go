package cpa

import (
	"fmt"
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/datasets/seed"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// purpose names the random numbers of simulated runs. They depend on the number of the run, not on the
// allocation.
const purpose = "remaining time"

// sampler simulates runs on one allocation, one after the other, and samples them.
type sampler struct {
	runner   *sim.Runner
	meter    *progress.Meter
	slowness []float64
	options  sim.Options
	seed     uint64
	pairs    bool
	byTime   bool
	stepUS   int64

	reached [remaining.Steps]int64 // first instant at which each progress is reached
	next    int                    // the first one that is not
	peak    int32                  // tasks at once

	changes []change // of the progress in hundredths, by time
}

type change struct {
	at   int64
	step int
}

// newSampler makes a sampler of a setting. c is its plan, compiled.
func newSampler(s Setting, c *sim.Compiled, p *progress.Plan, tokens int32, o Options) (*sampler, error) {
	tasks := lists.Indexed(len(s.Plan.Stages), func(i int) int32 { return s.Plan.Stages[i].Tasks })
	meter, err := p.Meter(o.Indicator, tasks)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(meter.Value()) {
		return nil, unknown(o.Indicator)
	}
	r := &sampler{runner: sim.NewRunner(c), meter: meter, slowness: s.Slowness, options: s.Options, seed: o.Seed,
		pairs: o.Antithetic, byTime: o.Sampling == remaining.ByTime, stepUS: max(1, int64(o.StepS*1e6))}
	if s.Tokens > 0 {
		tokens = s.Tokens
	}
	r.options.Allocation = []sim.Step{{Tokens: tokens}}
	r.options.Done = r.observe
	return r, nil
}

// unknown is the error for indicators that are not defined because earlier runs spent no time in stages.
func unknown(k progress.Indicator) error {
	return fmt.Errorf("indicator %v tells nothing: tasks of earlier runs took no time; vertexfrac only counts them", k)
}

// run simulates the k-th run, and hands every sample, a time in microseconds at a progress in hundredths, to add.
func (r *sampler) run(k int, add func(step int, us int64)) error {
	number, flip := k, false
	if r.pairs {
		number, flip = k/2, k%2 == 1
	}
	stream := seed.Stream(r.seed, purpose, uint64(number))
	r.options.Antithetic = flip
	if len(r.slowness) > 0 {
		u := spread(number)
		if flip {
			u = 1 - u
		}
		r.options.Scale = r.slowness[min(int(u*float64(len(r.slowness))), len(r.slowness)-1)]
	}
	r.meter.Reset()
	r.next, r.changes = 1, r.changes[:0]
	r.reached[0] = 0
	res, err := r.runner.Run(&r.options, stream)
	if err != nil {
		return fmt.Errorf("run %d: %w", k, err)
	}
	r.peak = res.PeakRunning
	if r.byTime {
		r.sampleTimes(res.End, add)
		return nil
	}
	for i := range remaining.Steps - 1 {
		add(i, res.End-r.reached[i])
	}
	add(remaining.Steps-1, 0) // reached at the end, after all that the driver does
	return nil
}

// mostInstants bounds the instants of a run that are sampled by time: more add no information.
const mostInstants = 100_000

// spread returns the k-th number of a sequence that covers (0, 1) evenly and begins with 1/2: multiples of the
// golden ratio (L. Kuipers and H. Niederreiter, "Uniform Distribution of Sequences", 1974, 2.3). So even a few
// runs, in pairs or not, cover fast and slow ones.
func spread(k int) float64 {
	_, u := math.Modf(0.5 + float64(k)*(math.Phi-1))
	return u
}

// sampleTimes samples every instant from 0, before anything is done, to the end. A run is done at its end, and not
// before.
func (r *sampler) sampleTimes(end int64, add func(step int, us int64)) {
	step, i := 0, 0
	every := max(r.stepUS, end/mostInstants)
	for at := int64(0); at == 0 || at < end; at += every {
		for ; at > 0 && i < len(r.changes) && r.changes[i].at <= at; i++ {
			step = r.changes[i].step
		}
		add(min(step, remaining.Steps-2), end-at)
	}
	add(remaining.Steps-1, 0)
}

// observe follows the progress of the run. By progress a run is sampled only where a step is reached for the first
// time.
func (r *sampler) observe(now int64, stage, done int32) {
	r.meter.Set(stage, done)
	if !r.byTime {
		for r.next < remaining.Steps && r.meter.Reached(remaining.Progress(r.next)) {
			r.reached[r.next] = now
			r.next++
		}
		return
	}
	step := r.next - 1
	for step+1 < remaining.Steps && r.meter.Reached(remaining.Progress(step+1)) {
		step++
	}
	for step > 0 && !r.meter.Reached(remaining.Progress(step)) {
		step--
	}
	if step != r.next-1 {
		r.next = step + 1
		r.changes = append(r.changes, change{now, step})
	}
}
