package backtest

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// split returns the past runs from which the k-th run of a job is predicted, or the reason why it is not predicted.
func (o *Options) split(j *job, k int) (out []past, leftOut string) {
	if leftOut := o.leftOut(j, k); leftOut != "" {
		return nil, leftOut
	}
	for p := range o.pastOf(j, k) {
		out = append(out, *p)
	}
	return out, ""
}

// leftOut returns the reason why the k-th run of a job is not predicted, or nothing if it is.
func (o *Options) leftOut(j *job, k int) string {
	run := &j.runs[k]
	switch {
	case !(run.completionS > 0):
		return "no submission or end"
	case o.LeaveOut == Tokens && !(run.tokens > 0):
		return "number of tokens not known"
	case o.LeaveOut == Tokens && len(o.AtTokens) > 0 && !slices.Contains(o.AtTokens, run.tokens):
		return "another number of tokens than asked for"
	}
	missing := o.After
	for range o.pastOf(j, k) {
		if missing--; missing <= 0 {
			return ""
		}
	}
	if o.LeaveOut == Tokens {
		return "too few of its job with other numbers of tokens"
	}
	return "too few of its job had ended before"
}

// pastOf yields the runs from which the k-th run of a job may be predicted: those with other numbers of tokens, or
// those that had ended when it was submitted. Without times, those that were added before it.
func (o *Options) pastOf(j *job, k int) iter.Seq[*past] {
	run, runs := &j.runs[k], j.runs[:k]
	usable := func(p *past) bool { return !j.timed || p.to <= run.from }
	if o.LeaveOut == Tokens {
		runs = j.runs
		usable = func(p *past) bool {
			return p.completionS > 0 && p.tokens > 0 && p.tokens != run.tokens &&
				(len(o.FromTokens) == 0 || slices.Contains(o.FromTokens, p.tokens))
		}
	}
	return func(yield func(*past) bool) {
		for i := range runs {
			if p := &runs[i]; usable(p) && !yield(p) {
				return
			}
		}
	}
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
	j.timed = !slices.ContainsFunc(j.runs, func(p past) bool { return !p.from.Known() || !p.to.Known() })
	if j.timed {
		slices.SortStableFunc(j.runs, func(a, b past) int { return cmp.Compare(a.from, b.from) })
	}
}
