// Package rightsize finds the allocation of a recurring job that would have cost least without making it much slower:
// some of its runs are simulated again with fewer tokens, as package whatif does.
//
// The recommended tokens are those, at most the median of the tokens that the runs held, on which the runs would have
// cost least while none takes more than (1 + Within) of its time. The time of a run is its time, in simulation, on as
// many tokens as it used at once: tokens that it held and never used did not make it faster.
package rightsize

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
	"racecard/models/deadlines/whatif"
)

// Options of the search.
type Options struct {
	Within float64 // of the time on the tokens that were held: 0.1 is 10%
}

// Run is one of the runs that were simulated.
type Run struct {
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
	last := errors.New("no runs")
	var known []*recorded
	var candidates, tokens []int32
	for _, run := range runs {
		r, err := record(run)
		if err != nil {
			last = err
			continue
		}
		known, tokens, candidates = append(known, r), append(tokens, r.held), append(candidates, grid(r.used)...)
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	known = slices.DeleteFunc(known, func(r *recorded) bool {
		err := r.simulate(candidates)
		if err != nil {
			last = err
		}
		return err != nil
	})
	if len(known) == 0 {
		return nil, last
	}
	slices.Sort(tokens)
	a := &Advice{Current: tokens[len(tokens)/2]}
	a.Tokens, a.Runs = a.Current, on(math.MaxInt32, known) // as they were
	most := 0.0
	for _, c := range candidates {
		saved, late := 0.0, false
		then := on(c, known)
		for _, r := range then {
			saved += r.Saved
			late = late || r.TimeChange > o.Within
		}
		if c < a.Current && !late && saved > most {
			most, a.Tokens, a.Runs = saved, c, then
		}
	}
	return a, nil
}

// recorded is a run with the most tokens that it held and that it used, and its simulations.
type recorded struct {
	run        *trace.Run
	held, used int32
	seconds    map[int32]float64 // by tokens
}

// record returns a run with the tokens that it held and used.
func record(run *trace.Run) (*recorded, error) {
	h := run.Held()
	if !h.Stated() {
		return nil, ErrUnknown
	}
	if err := jobmodel.Elastic(run); err != nil {
		return nil, err
	}
	if h.Most > sim.MaxTokens {
		return nil, fmt.Errorf("run %q held %d tokens, more than can be simulated", run.ID, h.Most)
	}
	r := &recorded{run: run, held: int32(h.Most), used: int32(h.Most)}
	if used := run.Used(); used > 0 {
		r.used = min(r.used, int32(used))
	}
	return r, nil
}

// simulate runs r on each of the tokens, which hold those that it used.
func (r *recorded) simulate(tokens []int32) error {
	answer, err := whatif.Ask(r.run, whatif.Options{Allocations: tokens})
	if err != nil {
		return err
	}
	r.seconds = map[int32]float64{}
	for _, p := range answer.Points {
		r.seconds[p.Tokens] = p.TimeS
	}
	return nil
}

// on returns the runs on so many tokens. Those that held no more are as they were.
func on(tokens int32, runs []*recorded) []Run {
	var out []Run
	for _, r := range runs {
		var one Run
		if tokens < r.held {
			now, then := r.seconds[r.used], r.seconds[min(tokens, r.used)]
			one.TimeChange, one.Saved = then/now-1, 1-float64(tokens)*then/(float64(r.held)*now)
		}
		out = append(out, one)
	}
	return out
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
