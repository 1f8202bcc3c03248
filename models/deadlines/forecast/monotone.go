package forecast

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/words"
)

// mostAnchors is how many numbers of tokens of past runs are anchors.
const mostAnchors = 16

// anchor is a number of tokens that past runs held, and the times that are predicted on it.
type anchor struct {
	tokens  int
	runs    float64   // past runs that held it
	times   []float64 // equally likely, ascending
	segment int       // more tokens are slower from one segment to the next
}

// anchors predicts on the numbers of tokens that past runs held. To keep chance from predicting longer times on more
// tokens, the times of anchors are pooled until each quantile falls with the tokens ([lists.Ascend]), weighted by past
// runs. A median on some anchor above
// the 90th percentile on one with fewer tokens is more than chance: runs that share machines or the network do take
// longer on more tokens. There a new segment begins, each segment is pooled for itself, and a warning says so.
func (f *Forecaster) anchors() ([]anchor, error) {
	if f.seen != nil || len(f.past.Tokens) == 0 {
		return f.seen, nil
	}
	var all []anchor
	for i, n := range f.past.Tokens {
		if i > 0 && f.past.Tokens[i-1] == n {
			all[len(all)-1].runs++
		} else {
			all = append(all, anchor{tokens: n, runs: 1})
		}
	}
	for i := 0; len(all) > mostAnchors; i = (i + 2) % (len(all) - 1) { // the first and the last stay
		all[i].runs += all[i+1].runs
		all = slices.Delete(all, i+1, i+2)
	}
	fastest := -1
	for i := range all {
		times, err := f.simulated(all[i].tokens)
		if err != nil {
			return nil, err
		}
		all[i].times = slices.Clone(times)
		if i > 0 {
			all[i].segment = all[i-1].segment
		}
		switch {
		case fastest < 0:
			fastest = i
		case at(all[i].times, 0.5) > at(all[fastest].times, 0.9):
			f.doc.Warnings = append(f.doc.Warnings, fmt.Sprintf("past runs took longer on %s %ss than on %s "+
				"(medians of %s and %s are predicted)",
				words.Count(all[i].tokens), f.doc.Unit(), words.Count(all[fastest].tokens),
				words.Seconds(at(all[i].times, 0.5)), words.Seconds(at(all[fastest].times, 0.5))))
			all[i].segment++
			fastest = i
		case at(all[i].times, 0.5) < at(all[fastest].times, 0.5):
			fastest = i
		}
	}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].segment == all[from].segment {
			to++
		}
		pool(all[from:to])
		from = to
	}
	f.seen = all
	return all, nil
}

func at(times []float64, p float64) float64 {
	return times[min(len(times)-1, int(p*float64(len(times))))]
}

// pool makes each quantile of anchors fall with their tokens: successive ones that rise are replaced by their mean,
// until none does. As all quantiles are pooled alike, they stay in order.
func pool(all []anchor) {
	runs := lists.Map(all, func(a anchor) float64 { return a.runs })
	falling := make([]float64, len(all))
	for q := range all[0].times {
		for i := range all {
			falling[i] = -all[i].times[q]
		}
		lists.Ascend(falling, runs)
		for i := range all {
			all[i].times[q] = -falling[i]
		}
	}
}

// predicted returns the times on so many tokens, equally likely and ascending. Between two anchors they lie between the
// times on these. On more tokens than any anchor, a forecast is less certain but not slower: a run may leave tokens
// unused. On fewer, it is less certain but not faster.
func (f *Forecaster) predicted(tokens int) ([]float64, error) {
	anchors, err := f.anchors()
	if err != nil {
		return nil, err
	}
	i, known := slices.BinarySearchFunc(anchors, tokens, func(a anchor, n int) int { return a.tokens - n })
	if known {
		return anchors[i].times, nil
	}
	times, err := f.simulated(tokens)
	if err != nil {
		return nil, err
	}
	times = slices.Clone(times)
	switch {
	case len(anchors) == 0:
	case i == 0:
		raise(times, anchors[0].times)
		for n := anchors[0].tokens / 2; n > tokens; n /= 2 {
			more, err := f.simulated(n)
			if err != nil {
				return nil, err
			}
			raise(times, more)
		}
	case i == len(anchors):
		lower(times, anchors[i-1].times)
		for n := anchors[i-1].tokens + 1; n < tokens; n = nextStep(n) {
			fewer, err := f.simulated(n)
			if err != nil {
				return nil, err
			}
			lower(times, fewer)
		}
	default:
		for q := range times {
			a, b := anchors[i-1].times[q], anchors[i].times[q]
			times[q] = min(max(times[q], min(a, b)), max(a, b))
		}
	}
	return times, nil
}

// nextStep returns the number of tokens after n on the ladder on which more tokens are not slower.
func nextStep(n int) int { return max(n+1, n*3/2) }

// rises reports whether the time of past runs rises anywhere between two numbers of tokens.
func (f *Forecaster) rises(fewer, more int) bool {
	first, last := math.MaxInt, math.MinInt
	for i, a := range f.seen { // the anchors around both
		if i+1 < len(f.seen) && f.seen[i+1].tokens <= fewer || i > 0 && f.seen[i-1].tokens >= more {
			continue
		}
		first, last = min(first, a.segment), max(last, a.segment)
	}
	return first < last
}

// raise makes no time less than another, lower makes none more.
func raise(times, least []float64) {
	for q := range times {
		times[q] = max(times[q], least[q])
	}
}

func lower(times, most []float64) {
	for q := range times {
		times[q] = min(times[q], most[q])
	}
}

// simulated returns the times that the model of the job predicts on so many tokens, independent of other numbers of
// tokens.
func (f *Forecaster) simulated(tokens int) ([]float64, error) {
	if times, ok := f.times[tokens]; ok {
		return times, nil
	}
	of, err := f.model.Complete(f.modelled(tokens))
	if err != nil {
		return nil, err
	}
	if of.Times.Len() == 0 {
		return nil, ErrUnknown
	}
	if f.guess == "" && of.Warning != "" {
		f.guess = of.Warning
		f.doc.Warnings = append(f.doc.Warnings, f.guess)
	}
	f.times[tokens] = of.Times.Values()
	return of.Times.Values(), nil
}
