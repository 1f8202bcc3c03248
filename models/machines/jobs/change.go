package jobs

import (
	"fmt"
	"math"
	"math/rand/v2"

	"racecard/datasets/seed"
)

// Offline returns copies of jobs that all arrive at 0.
func Offline(all []*Job) []*Job {
	return change(all, func(_ int, j *Job) { j.Arrival = 0 })
}

// Poisson returns copies of jobs that arrive in their order, the first at 0, with exponential gaps of a mean in
// seconds.
func Poisson(all []*Job, meanS float64, root uint64) ([]*Job, error) {
	if !(meanS > 0 && meanS <= 1e9) {
		return nil, fmt.Errorf("interarrival %v: want more than 0 s, at most 1e9", meanS)
	}
	rng := rand.New(seed.Stream(root, "gaps between arrivals", 0))
	at := 0.0
	return change(all, func(i int, j *Job) {
		if i > 0 {
			at += rng.ExpFloat64() * meanS * 1e6
		}
		j.Arrival = int64(math.Round(at))
	}), nil
}

// FromStart returns copies of jobs with the first arriving at 0.
func FromStart(all []*Job) []*Job {
	first := int64(math.MaxInt64)
	for _, j := range all {
		first = min(first, j.Arrival)
	}
	return change(all, func(_ int, j *Job) { j.Arrival -= first })
}

func change(all []*Job, f func(i int, j *Job)) []*Job {
	out := make([]*Job, len(all))
	for i, j := range all {
		c := *j
		f(i, &c)
		out[i] = &c
	}
	return out
}

// Error describes the errors of a scheduler's estimates: PAPERS C9.
type Error struct {
	// Share X makes the estimated demand 1+X times the true one, for X in (-1, ∞).
	Share float64
	// Random draws each stage's X evenly from [-|Share|, |Share|].
	Random bool
	// Durations multiplies durations by the factor too; otherwise they are divided by it, which keeps the work the
	// same.
	Durations bool
	// Some is the share of stages with wrong estimates, drawn at random; 1 is all.
	Some float64
	Seed uint64
}

// Misestimate returns copies of jobs whose estimates are wrong.
func Misestimate(all []*Job, e Error) ([]*Job, error) {
	if !(e.Share > -1 && e.Share <= 100) || !(e.Some >= 0 && e.Some <= 1) {
		return nil, fmt.Errorf("estimates wrong by %v in %v of all stages; want more than -1, and 0 to 1", e.Share,
			e.Some)
	}
	return change(all, func(_ int, j *Job) {
		rng := rand.New(seed.Stream(e.Seed, "estimates", uint64(j.Seq)))
		j.Stages = append([]Stage(nil), j.Stages...)
		for i := range j.Stages {
			s := &j.Stages[i]
			hit, u := rng.Float64() < e.Some, rng.Float64()
			if !hit {
				continue
			}
			f := 1 + e.Share
			if e.Random {
				f = 1 + math.Abs(e.Share)*(2*u-1)
			}
			for r := range s.Seen {
				s.Seen[r] = s.Demand[r] * f
			}
			if e.Durations {
				s.Estimate = int64(math.Round(float64(s.Estimate) * f))
			} else {
				s.Estimate = int64(math.Round(float64(s.Estimate) / f))
			}
		}
	}), nil
}
