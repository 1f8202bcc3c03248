package backtest

import (
	"math"
	"slices"
)

// split returns the past runs from which the k-th run of a job is predicted, or the reason why it is not predicted.
func (o *Options) split(j *job, k int) (past []past, leftOut string) {
	run := &j.runs[k]
	switch {
	case !(run.completionS > 0):
		return nil, "no submission or end"
	case o.LeaveOut == Tokens && !(run.tokens > 0):
		return nil, "number of tokens not known"
	case o.LeaveOut == Tokens && len(o.AtTokens) > 0 && !slices.Contains(o.AtTokens, run.tokens):
		return nil, "another number of tokens than asked for"
	case o.LeaveOut == Tokens:
		past = j.atOther(run.tokens, o.FromTokens)
	default:
		past = j.before(k)
	}
	if len(past) < o.After {
		if o.LeaveOut == Tokens {
			return nil, "too few of its job with other numbers of tokens"
		}
		return nil, "too few of its job had ended before"
	}
	return past, ""
}

// atOther returns the runs with other numbers of tokens than tokens: one of from, unless that is empty.
func (j *job) atOther(tokens float64, from []float64) []past {
	var out []past
	for _, p := range j.runs {
		if p.completionS > 0 && p.tokens > 0 && p.tokens != tokens &&
			(len(from) == 0 || slices.Contains(from, p.tokens)) {
			out = append(out, p)
		}
	}
	return out
}

// replayed gives runs without times the time that their tasks take on their tokens, and returns how many runs got one.
func (j *job) replayed() int {
	n := 0
	for i := range j.runs {
		p := &j.runs[i]
		if !math.IsNaN(p.completionS) {
			continue
		}
		if p.completionS = p.replay(p.tokens); !math.IsNaN(p.completionS) {
			p.driverS, p.replayed = 0, true
			n++
		}
	}
	return n
}

// sort puts runs in the order in which they were submitted, those without a time in the order in which they were added.
func (j *job) sort() {
	if slices.ContainsFunc(j.runs, func(p past) bool { return !p.from.Known() || !p.to.Known() }) {
		return
	}
	slices.SortStableFunc(j.runs, func(a, b past) int { return int(min(1, max(-1, a.from.Since(b.from)))) })
}

// before returns the runs that had ended when the k-th was submitted, in the order in which they ended. Without times,
// those that were added before it.
func (j *job) before(k int) []past {
	if slices.ContainsFunc(j.runs, func(p past) bool { return !p.from.Known() || !p.to.Known() }) {
		return j.runs[:k]
	}
	var out []past
	for _, p := range j.runs[:k] {
		if p.to <= j.runs[k].from {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b past) int { return int(min(1, max(-1, a.to.Since(b.to)))) })
	return out
}
