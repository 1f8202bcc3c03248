package trace

import (
	"math"
	"slices"
)

// HeldBasis is the evidence for the tokens that a run held.
type HeldBasis int

// The bases, in the order in which [Run.Held] prefers them.
const (
	HeldUnknown     HeldBasis = iota // nothing: neither of the columns below, nor attempts with a start and an end
	HeldAllocations                  // the allocations of the run
	HeldGuarantee                    // the guaranteed tokens, and its use beyond them
	HeldUse                          // the most attempts at once: it held at least as many
)

// HeldStep is a change of the tokens that a run holds.
type HeldStep struct {
	At     Instant // None for the first step: from the beginning
	Tokens int64   // until the next step
}

// Held is the tokens that a run held over time.
type Held struct {
	Basis      HeldBasis
	Most       int64      // the most at any time, at least 1; 0 where Basis is HeldUnknown
	PerMachine int64      // tokens of one machine, rounded; 0 where the trace does not say
	Steps      []HeldStep // the first from the beginning, then by ascending instants; none where Basis is HeldUnknown
}

// Stated reports whether the trace states the tokens. Where it does not, Most is a lower bound: tokens that were free
// leave no mark.
func (h *Held) Stated() bool { return h.Basis == HeldAllocations || h.Basis == HeldGuarantee }

// Held returns the tokens that the run held. This is the one rule for every analysis and model:
//
//  1. Where allocations state tokens, and more than none at some time, the run held those, spare ones included. It held
//     none before the first change. Changes at unknown times count for Most; when there are no others, the run held
//     Most throughout.
//  2. Otherwise, where the run was guaranteed tokens, it held them from beginning to end. While more attempts than that
//     ran at once, it held as many as ran: the others were spare tokens.
//  3. Otherwise the run held as many tokens throughout as the most attempts that ran at once.
//  4. Otherwise nothing is known.
//
// An attempt holds its token from its start up to its end, so that an attempt does not overlap one that starts
// at its end. An attempt without length counts at its instant. Attempts with a duration alone cannot be placed
// and do not count. Time O(n log n) for n attempts, O(n) for n allocations.
func (r *Run) Held() Held {
	if h := r.heldAllocations(); h.Basis != HeldUnknown {
		return h
	}
	if r.Guaranteed > 0 && r.Guaranteed >= int64(len(r.Attempts)) { // it used no more
		return Held{Basis: HeldGuarantee, Most: r.Guaranteed, Steps: []HeldStep{{None, r.Guaranteed}}}
	}
	running, most := r.running()
	switch {
	case r.Guaranteed > 0:
		held := running[:0] // no more steps, in their place
		for i, s := range running {
			if tokens := max(s.Tokens, r.Guaranteed); i == 0 || tokens != held[len(held)-1].Tokens {
				held = append(held, HeldStep{s.At, tokens})
			}
		}
		return Held{Basis: HeldGuarantee, Most: max(r.Guaranteed, most), Steps: held}
	case most > 0:
		return Held{Basis: HeldUse, Most: most, Steps: []HeldStep{{None, most}}}
	}
	return Held{}
}

// Used returns the most attempts that ran at once, 0 where no attempt has times. See [Run.Held].
func (r *Run) Used() int64 {
	_, most := r.running()
	return most
}

// TokensPerAttempt returns the tokens that an attempt of the run takes: 1, unless the run is one task that demands as
// many cores or GPUs as the most tokens that its allocations state, or as it was guaranteed where it has none. Such a
// run is a program on the processors of a supercomputer, or on the GPUs of a training: it takes all of them at once.
// It reads the demands of stages and of attempts.
func (r *Run) TokensPerAttempt() int64 {
	if len(r.Stages) > 1 {
		return 1
	}
	most := int64(0)
	for _, a := range r.Allocations {
		most = max(most, a.Tokens)
	}
	if len(r.Allocations) == 0 {
		most = r.Guaranteed
	}
	if most <= 1 {
		return 1
	}
	all := func(d *Demand) bool { return d[CPU] == float64(most) || d[GPU] == float64(most) }
	demanded := len(r.Stages) == 1 && all(&r.Stages[0].Demand)
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Stage != 0 || a.Task != 0 {
			return 1
		}
		demanded = demanded || all(&a.Demand)
	}
	if !demanded {
		return 1
	}
	return most
}

// heldAllocations is rule 1.
func (r *Run) heldAllocations() Held {
	h := Held{Steps: []HeldStep{{None, 0}}}
	var perMachine, machines int64
	for _, a := range r.Allocations {
		if a.Tokens == None {
			continue
		}
		tokens := a.Tokens + max(0, a.Spare)
		h.Most = max(h.Most, tokens)
		if a.Machines > 0 && a.Tokens > perMachine {
			perMachine, machines = a.Tokens, a.Machines
		}
		if !a.At.Known() {
			continue
		}
		if last := &h.Steps[len(h.Steps)-1]; last.At == a.At {
			last.Tokens = tokens
		} else {
			h.Steps = append(h.Steps, HeldStep{a.At, tokens})
		}
	}
	if h.Most <= 0 {
		return Held{}
	}
	if len(h.Steps) == 1 {
		h.Steps[0].Tokens = h.Most
	}
	if h.Basis = HeldAllocations; machines > 0 {
		h.PerMachine = max(1, (perMachine+machines/2)/machines)
	}
	return h
}

// running returns how many attempts run after each instant at which that changes, none from the beginning, and the most
// at any instant. At one instant ends come first, then attempts without length, then starts.
func (r *Run) running() (steps []HeldStep, most int64) {
	at := make([]Instant, 0, 3*len(r.Attempts)) // three sorted lists in one piece of memory
	starts, ends, moments := at[:0], at[len(r.Attempts):len(r.Attempts)], at[2*len(r.Attempts):2*len(r.Attempts)]
	for i := range r.Attempts {
		switch a := &r.Attempts[i]; {
		case !a.Start.Known() || !a.End.Known():
		case a.Start == a.End:
			moments = append(moments, a.Start)
		default:
			starts, ends = append(starts, a.Start), append(ends, a.End)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	slices.Sort(moments)
	steps = append(make([]HeldStep, 0, 1+len(starts)+len(ends)+len(moments)), HeldStep{At: None})
	var now int64
	for s, e, m := 0, 0, 0; s < len(starts) || e < len(ends) || m < len(moments); {
		next := min(first(starts[s:]), first(ends[e:]), first(moments[m:]))
		for ; e < len(ends) && ends[e] == next; e++ {
			now--
		}
		moment := now // attempts without length are over when others start
		for ; m < len(moments) && moments[m] == next; m++ {
			moment++
		}
		for ; s < len(starts) && starts[s] == next; s++ {
			now++
		}
		most = max(most, moment, now)
		steps = append(steps, HeldStep{next, now})
	}
	return steps, most
}

// first returns the first of some instants, and the last there can be where there is none.
func first(of []Instant) Instant {
	if len(of) == 0 {
		return math.MaxInt64
	}
	return of[0]
}
