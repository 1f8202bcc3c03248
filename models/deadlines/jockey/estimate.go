package jockey

import (
	"math"

	"racecard/datasets/remaining"
	"racecard/models/deadlines/progress"
)

// Amdahl estimates the remaining time of a run from the completed share of each of its stages: the longest
// remaining path, and the remaining work shared by the tokens, S + P/a, after Amdahl's law (Jockey, section
// 4.1). All its quantiles are equal. It is for one goroutine at a time.
type Amdahl struct {
	// Inflation, unless empty, multiplies run times by a factor for the tokens held, as tasks that share machines slow
	// each other down: the i-th factor is for i+1 tokens, and the last for more. Tokens that only slow the run down
	// count as not used.
	Inflation []float64

	plan       *progress.Plan
	path, left float64
}

// NewAmdahl makes the estimator of a job that has done nothing yet, by what so many stages took in earlier runs.
func NewAmdahl(p *progress.Plan, stages int) *Amdahl {
	a := &Amdahl{plan: p}
	a.Observe(make([]float64, stages))
	return a
}

// Observe says which fraction of the tasks of each stage is done. What is not of this plan makes the remaining time
// unknown.
func (a *Amdahl) Observe(done []float64) { a.path, a.left = a.plan.Path(done), a.plan.Work(done) }

// Remaining implements [Estimator].
func (a *Amdahl) Remaining(_, tokens, _ float64) float64 {
	n := len(a.Inflation)
	if n == 0 {
		return a.path + a.left/tokens
	}
	least := math.Inf(1)
	for i := 1; i <= n && float64(i) <= tokens; i++ {
		least = min(least, a.Inflation[i-1]*(a.path+a.left/float64(i)))
	}
	held := int(min(float64(n), max(1, math.Ceil(tokens))))
	return min(least, a.Inflation[held-1]*(a.path+a.left/tokens))
}

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

// Aged is a table that takes the age of a run into account, and the time since its last progress: it answers
// with [remaining.Table.Conditioned]. It is for one goroutine at a time.
type Aged struct {
	Table *remaining.Table

	state remaining.State
}

// Observe says how far the run is at an instant, in seconds since its start. Instants do not fall.
func (a *Aged) Observe(nowS, progress float64) {
	if remaining.Step(progress) != remaining.Step(a.state.Progress) {
		a.state.SinceS = nowS
	}
	a.state.ElapsedS, a.state.Progress = nowS, progress
}

// Remaining implements [Estimator]. For a progress other than the last one observed it answers as at the first
// instant with that progress.
func (a *Aged) Remaining(progress, tokens, quantile float64) float64 {
	s := a.state
	switch {
	case progress >= 1:
		return a.Table.Remaining(progress, tokens, quantile)
	case progress != s.Progress:
		s.Progress, s.SinceS = progress, s.ElapsedS
	}
	return a.Table.Conditioned(s, tokens, quantile)
}

// Staged is a table of remaining times, blended with Amdahl's law for the stages as they are now ([Blend]). It asks the
// table alone until a task has ended, as Amdahl's law knows no start-up, and where the state of the stages is not
// known. It is for one goroutine at a time.
type Staged struct {
	Table  Estimator
	Stages *Amdahl // nil: the table alone
	Weight float64 // of Amdahl's law, in [0, 1]

	begun bool
}

// Observe says which fraction of the tasks of each stage is done; nil where that is not known.
func (s *Staged) Observe(done []float64) {
	s.begun = false
	if s.Stages == nil || done == nil {
		return
	}
	s.Stages.Observe(done)
	for _, f := range done {
		s.begun = s.begun || f > 0
	}
}

// Remaining implements [Estimator].
func (s *Staged) Remaining(progress, tokens, quantile float64) float64 {
	if !s.begun || s.Weight == 0 {
		return s.Table.Remaining(progress, tokens, quantile)
	}
	return Blend{First: s.Table, Second: s.Stages, Weight: s.Weight}.Remaining(progress, tokens, quantile)
}

// DefaultBlend is the weight of Amdahl's law in [Staged] with which, in package trial, runs missed fewer deadlines than
// with the table alone: a run that held more tokens at first and fewer later is in another state than the runs that the
// table knows at the same progress.
const DefaultBlend = 0.6
