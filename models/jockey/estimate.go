package jockey

import (
	"math"

	"racecard/models/progress"
)

// Amdahl estimates the remaining time of a run from what is done of each of its stages: the longest path through what is
// left, and the work that is left shared by the tokens, S + P/a, in the manner of Amdahl's law (Jockey, section 4.1). All its
// quantiles are the same. It is for one goroutine at a time.
type Amdahl struct {
	plan       *progress.Plan
	path, left float64
}

// NewAmdahl makes the estimator of a job that has done nothing yet, by what so many stages took in earlier runs.
func NewAmdahl(p *progress.Plan, stages int) *Amdahl {
	a := &Amdahl{plan: p}
	a.Observe(make([]float64, stages))
	return a
}

// Observe says which fraction of the tasks of each stage is done. What is not of this plan makes the remaining time unknown.
func (a *Amdahl) Observe(done []float64) { a.path, a.left = a.plan.Path(done), a.plan.Work(done) }

// Remaining implements [Estimator].
func (a *Amdahl) Remaining(_, tokens, _ float64) float64 { return a.path + a.left/tokens }

// Blend is the weighted mean of two estimators.
type Blend struct {
	First, Second Estimator
	Weight        float64 // of Second, in [0, 1]
}

// Remaining implements [Estimator].
func (b Blend) Remaining(progress, tokens, quantile float64) float64 {
	first := b.First.Remaining(progress, tokens, quantile)
	return first + b.Weight*(b.Second.Remaining(progress, tokens, quantile)-first)
}

// Dwell is an estimator by progress, such as a table, that knows how long a run has been where it is. A table says what is
// left from the first instant at some progress; of a run that has stood there since, that much less is left, but never less
// than at the next step. It is for one goroutine at a time.
type Dwell struct {
	Of   Estimator
	Step float64 // of progress that Of tells apart

	level  float64 // steps of progress at the last observation
	sinceS float64 // it has been that
	nowS   float64
}

// Observe says how far the run is at an instant, in seconds since its start. Instants do not fall.
func (d *Dwell) Observe(nowS, progress float64) {
	const noise = 1e-9 // of a division
	if level := math.Floor(progress/d.Step + noise); level != d.level {
		d.level, d.sinceS = level, nowS
	}
	d.nowS = nowS
}

// Remaining implements [Estimator].
func (d *Dwell) Remaining(progress, tokens, quantile float64) float64 {
	here := d.Of.Remaining(progress, tokens, quantile)
	if waited := d.nowS - d.sinceS; waited > 0 {
		return max(here-waited, d.Of.Remaining(min(1, progress+d.Step), tokens, quantile))
	}
	return here
}
