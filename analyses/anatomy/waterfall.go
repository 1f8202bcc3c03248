package anatomy

import (
	"math"
	"slices"
)

// Kind is a cause of a difference between a run and the usual run.
type Kind string

// The kinds.
const (
	Queueing    Kind = "queueing"    // it waited longer before it started
	Cores       Kind = "cores"       // it held other cores
	Input       Kind = "input"       // it read more or less
	Driver      Kind = "driver"      // start-up, gaps between stages, wind-down
	Slower      Kind = "stage"       // tasks of a stage took more core-seconds than input explains
	Skew        Kind = "skew"        // the longest task of a stage lasted longer while the stage's work did not
	Failures    Kind = "failures"    // attempts failed, were lost or killed, or were speculative copies
	Contention  Kind = "contention"  // all stages took longer alike
	Unexplained Kind = "unexplained" // waves of tasks, waiting for other stages, and everything else
)

// Part is a part of a difference, in seconds; positive where the run took longer.
type Part struct {
	Kind    Kind
	Stage   string // "" where the part is not of one stage
	Seconds float64
}

// alike is the least number of stages for which a common slowdown is estimated.
const alike = 3

// waterfall divides the difference between a run and the usual run: the parts sum to run.Seconds - usual.Seconds, up to
// rounding. Earlier causes are accounted for first. The stages of the usual run are given the run's cores, in whole
// waves of tasks; then its input; then its further work. The median of that further work over stages, if there are
// three, counts as contention; then come failures. The remaining idle time is skew if the longest task is longer than
// all this explains, and retries if attempts failed. If the longest task of a stage is longer because of the stage's
// further work, idle time counts as that work where the task outlasts it: a stage of one task takes 20 s longer if its
// task does, though other stages ran on the idle cores before. Parts come in the order of Kind, then of stages.
func waterfall(run *Run, usual *Usual) []Part {
	parts := []Part{{Kind: Queueing, Seconds: run.Queued - usual.Queued}, {Kind: Cores}, {Kind: Input},
		{Kind: Driver, Seconds: run.Driver - usual.Driver}, {Kind: Contention}, {Kind: Failures}}
	cores, input, contention, failures := &parts[1].Seconds, &parts[2].Seconds, &parts[4].Seconds, &parts[5].Seconds
	common := commonFactor(run, usual)
	var stages, skews []Part
	for i := range usual.Stages {
		before := &usual.Stages[i]
		was := before.Seconds(usual.Cores)
		now := run.find(before.Name)
		if now == nil {
			stages = append(stages, Part{Slower, before.Name, -was})
			continue
		}
		grown := usual.grown(run, before.Name)
		level := before.on(run.Cores, usual.Cores)
		*cores += level - was
		*input += level * (grown - 1)
		level *= grown
		slower := 1.0
		if before.Work > 0 && now.Work > 0 {
			slower = now.Work / before.Work / grown
		}
		*contention += level * (common - 1)
		work := level * (slower - common)
		level *= slower
		lost := (now.Failed - before.Failed*grown*slower) / run.Cores
		*failures += lost
		level += lost
		rest := now.Seconds(run.Cores) - level
		skew := between(rest, now.Longest-before.Longest*grown*slower)
		if skew != 0 {
			skews = append(skews, Part{Skew, before.Name, skew})
		}
		rest -= skew
		again := between(rest, lost*run.Cores)
		*failures += again
		if longest := now.Longest - before.Longest*grown*common - skew; longest*work > 0 {
			work += between(rest-again, outlasts(longest, work))
		}
		stages = append(stages, Part{Slower, before.Name, work})
	}
	for i := range run.Stages {
		if s := &run.Stages[i]; usual.find(s.Name) == nil {
			stages = append(stages, Part{Slower, s.Name, s.Seconds(run.Cores)})
		}
	}
	parts = slices.Concat(parts, stages, skews)
	rest := run.Seconds - usual.Seconds
	for _, p := range parts {
		rest -= p.Seconds
	}
	return append(parts, Part{Kind: Unexplained, Seconds: rest})
}

// outlasts returns by how much the first of two times of one sign is the longer; 0 where it is not.
func outlasts(x, y float64) float64 {
	if math.Abs(x) <= math.Abs(y) {
		return 0
	}
	return x - y
}

// between returns the part of x that lies between 0 and bound.
func between(x, bound float64) float64 {
	if bound > 0 {
		return min(max(x, 0), bound)
	}
	return max(min(x, 0), bound)
}

// on returns the time of a stage of the usual run on another number of cores. It is the sum of its work spread over the
// cores, of idle time in the last wave of tasks of equal length, and of the other idle time, during which all cores but
// one are idle.
func (s *Stage) on(cores, usual float64) float64 {
	work := (s.Work + s.Failed) / cores
	if s.Tasks == 0 || cores == usual {
		return work + s.Idle
	}
	n := float64(s.Tasks)
	mean := s.Work / n
	wave := func(c float64) float64 { return (math.Ceil(n/c) - n/c) * mean }
	if known := wave(usual); known > 0 && s.Idle < known {
		return work + wave(cores)*s.Idle/known
	}
	rest := s.Idle - wave(usual)
	if usual > 1 {
		rest *= (1 - 1/cores) / (1 - 1/usual)
	}
	return work + wave(cores) + rest
}

// commonFactor returns the median, over stages, of the ratio of their work to the work that the input explains; 1 for
// too few stages.
func commonFactor(run *Run, usual *Usual) float64 {
	var factors []float64
	for i := range usual.Stages {
		before := &usual.Stages[i]
		if now := run.find(before.Name); now != nil && now.Work > 0 && before.Work > 0 {
			factors = append(factors, now.Work/before.Work/usual.grown(run, before.Name))
		}
	}
	if len(factors) < alike {
		return 1
	}
	slices.Sort(factors)
	return factors[(len(factors)-1)/2]
}
