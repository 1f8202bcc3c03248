// Package rightsize finds the allocation of a recurring job that would have cost least without making it much slower:
// some of its runs are simulated again with fewer tokens, as package whatif does.
//
// The tokens of a run that are recommended are the fewest on which it takes at most (1 + Within) of the time that it
// takes, in simulation, on the tokens it held. Those of the job are the most that any of its runs wants, so that every
// run keeps the promise, but never more than the runs hold in the median.
package rightsize

import (
	"errors"
	"fmt"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
	"racecard/models/deadlines/whatif"
)

// Options of the search.
type Options struct {
	Within float64 // of the time on the tokens that were held: 0.1 is 10%
}

// Run is one of the runs that were simulated.
type Run struct {
	Tokens     int32   // the most that it held
	TimeChange float64 // by which share it takes longer on the recommended tokens; below 0 where less
	Saved      float64 // share of its token-time that it saves on them; below 0 where it takes more
}

// Advice is the recommended allocation of a job.
type Advice struct {
	Current int32 // tokens: the median of the runs
	Tokens  int32 // recommended; at most Current
	Runs    []Run
}

// ErrUnknown says that the trace does not state the tokens that runs held.
var ErrUnknown = errors.New("the trace does not state the tokens that its runs held")

// Find returns the allocation for runs of one job. Runs that cannot be simulated are an error where none can.
func Find(runs []*trace.Run, o Options) (*Advice, error) {
	var last error
	var held []*recorded
	a := &Advice{}
	for _, run := range runs {
		r, err := ask(run, o.Within)
		if err != nil {
			last = err
			continue
		}
		held = append(held, r)
		a.Tokens = max(a.Tokens, r.wanted)
	}
	if len(held) == 0 {
		if last == nil {
			last = errors.New("no runs")
		}
		return nil, last
	}
	var tokens []int32
	for _, r := range held {
		tokens = append(tokens, r.tokens)
	}
	slices.Sort(tokens)
	a.Current = tokens[len(tokens)/2]
	a.Tokens = min(a.Tokens, a.Current) // more than they usually hold is no saving
	for _, r := range held {
		one := Run{Tokens: r.tokens}
		if a.Tokens < a.Current && a.Tokens < r.tokens {
			now, then, err := r.compare(a.Tokens)
			if err != nil {
				return nil, err
			}
			one.TimeChange, one.Saved = then.TimeS/now.TimeS-1, 1-then.CostS/now.CostS
		}
		a.Runs = append(a.Runs, one)
	}
	return a, nil
}

// recorded is a run with the tokens that it held and those that it wants.
type recorded struct {
	run            *trace.Run
	tokens, wanted int32
}

func ask(run *trace.Run, within float64) (*recorded, error) {
	h := run.Held()
	if !h.Stated() {
		return nil, ErrUnknown
	}
	if h.Most > sim.MaxTokens {
		return nil, fmt.Errorf("run %q held %d tokens, more than can be simulated", run.ID, h.Most)
	}
	tokens := int32(h.Most)
	answer, err := whatif.Ask(run, whatif.Options{Allocations: grid(tokens), Within: within})
	if err != nil {
		return nil, err
	}
	// Against the time on the tokens that it held, not against the shortest: an anomaly may make fewer tokens faster.
	r := &recorded{run: run, tokens: tokens, wanted: tokens}
	limit := answer.Points[len(answer.Points)-1].TimeS * (1 + within)
	for _, p := range answer.Points {
		if p.TimeS <= limit {
			r.wanted = p.Tokens
			break
		}
	}
	return r, nil
}

// compare returns the run on the tokens that it held and on others.
func (r *recorded) compare(tokens int32) (now, then whatif.Point, err error) {
	answer, err := whatif.Ask(r.run, whatif.Options{Allocations: []int32{tokens, r.tokens}, Within: 1e6})
	if err != nil {
		return now, then, err
	}
	for _, p := range answer.Points {
		if p.Tokens == r.tokens {
			now = p
		}
		if p.Tokens == tokens {
			then = p
		}
	}
	return now, then, nil
}

// grid returns allocations up to most, each about an eighth more than the last.
func grid(most int32) []int32 {
	var out []int32
	for x := float64(most); x >= 1; x /= 1.125 {
		if n := int32(x + 0.5); len(out) == 0 || n < out[len(out)-1] {
			out = append(out, n)
		}
	}
	if out[len(out)-1] > 1 {
		out = append(out, 1)
	}
	slices.Reverse(out)
	return out
}
