package jockey

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Contract is a job that wants guaranteed tokens. All its times are on the clock of the cluster's plan, in seconds from
// now.
type Contract struct {
	Name     string
	Estimate Estimator
	Utility  Utility // of an end at a time on that clock
	ReleaseS float64 // when it can start; at or before 0 for one that can, or runs
	Progress float64 // it has made
}

// Grant is the promise to a contract: a number of tokens from one instant until its end, and none before. The
// job's control loop then asks for as many or fewer, unless the run is slower than any seen before.
type Grant struct {
	FromS, ToS float64
	Tokens     int
	Utility    float64 // of its end, with the dead zone that the loop plans for
	Late       bool    // it ends too late, by that
}

// Cluster is the capacity that contracts share.
type Cluster struct {
	Tokens  int     // that can be guaranteed at once
	Options Options // of the loops: slack, dead zone, statistic, and tokens of one job
	// Allocations are those that grants are chosen from; empty for the default: powers of √2 within the limits
	// of Options, and, for every job, the fewest with which it meets its deadline when it starts at once.
	Allocations []int
	// Budget bounds a search, in jobs that are put on a calendar; 0 for the default of ten million, a second or so.
	Budget int
}

// Admission answers whether one more job fits.
type Admission struct {
	Fits       bool    // all meet their deadlines
	Rearranged bool    // grants of the others had to change for that
	Grants     []Grant // of all contracts, the new one last; as they were where it does not fit, and then without it
	EarliestS  float64 // the earliest deadline that the new job can be promised beside the others' grants as they are
}

// Admit decides whether a job fits into the cluster next to the admitted ones, over time: with some allocation,
// from some instant on, it ends in time and the grants never exceed the capacity. It gets the fewest tokens that
// suffice, as early as possible. If it does not fit next to the current grants, all are rearranged with
// [Cluster.Arrange]; grants that begin in the past are first cut to their remainder. grants belong to admitted,
// in the same order.
func (c Cluster) Admit(ctx context.Context, admitted []Contract, grants []Grant, job Contract) (Admission, error) {
	if len(admitted) != len(grants) {
		return Admission{}, fmt.Errorf("%d grants of %d contracts", len(grants), len(admitted))
	}
	all := append(slices.Clone(admitted), job)
	modes, err := c.modes(all)
	if err != nil {
		return Admission{}, err
	}
	cal := newCalendar(c.Tokens)
	for i, g := range grants {
		from := max(0, g.FromS)
		if g.ToS > from && cal.earliest(from, g.ToS-from, g.Tokens) != from {
			return Admission{}, fmt.Errorf("grants: with %q more than %d tokens at once", admitted[i].Name, c.Tokens)
		}
		cal.take(from, g.ToS, g.Tokens)
	}
	a := Admission{Grants: grants, EarliestS: math.Inf(1)}
	release := job.begins()
	for _, m := range modes[len(admitted)] {
		g := c.grant(&job, cal, m)
		a.EarliestS = min(a.EarliestS, release+c.Options.earliest(g.ToS-release))
		if !g.Late && !a.Fits {
			a.Fits, a.Grants = true, append(slices.Clone(grants), g)
		}
	}
	if a.Fits {
		return a, nil
	}
	plan, err := c.Arrange(ctx, all)
	if err == nil && len(plan.GivenUp) == 0 {
		a.Fits, a.Rearranged, a.Grants = true, true, plan.Grants
	}
	return a, err
}

// mode is a way to run a job.
type mode struct {
	tokens int
	forS   float64
}

// modes returns the ways to run each job, by ascending tokens and descending time. Of ways that take as long, the one
// with fewest tokens counts.
func (c Cluster) modes(jobs []Contract) ([][]mode, error) {
	o := c.Options
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if c.Tokens < o.Min {
		return nil, fmt.Errorf("a cluster of %d tokens; want at least the %d that one job gets", c.Tokens, o.Min)
	}
	most := min(o.Max, c.Tokens)
	out := make([][]mode, len(jobs))
	for j := range jobs {
		job := &jobs[j]
		if math.IsNaN(job.ReleaseS) || math.IsInf(job.ReleaseS, 0) {
			return nil, fmt.Errorf("contract %q: released at %v s", job.Name, job.ReleaseS)
		}
		tokens := slices.Sorted(slices.Values(c.Allocations))
		if len(tokens) == 0 {
			tokens = c.allocations(job, most)
		}
		for _, a := range tokens {
			s := o.remaining(job.Estimate, job.Progress, a)
			if a < o.Min || a > most || math.IsInf(s, 1) || len(out[j]) > 0 && out[j][len(out[j])-1].forS <= s {
				continue
			}
			if !(s >= 0) {
				return nil, fmt.Errorf("contract %q: remaining time with %d tokens is not known", job.Name, a)
			}
			out[j] = append(out[j], mode{a, s})
		}
		if len(out[j]) == 0 {
			return nil, fmt.Errorf("contract %q: ends with none of the allocations %v", job.Name, tokens)
		}
	}
	return out, nil
}

// allocations returns the default choice for a job.
func (c Cluster) allocations(job *Contract, most int) []int {
	var out []int
	for x := float64(c.Options.Min); x < float64(most); x = max(x*math.Sqrt2, x+1) {
		out = append(out, int(x))
	}
	loop := Controller{o: c.Options, estimate: job.Estimate, utility: job.Utility, deadZone: c.deadZone(job),
		pace: pace{slower: 1}}
	loop.o.Max, loop.limit = most, most
	at := job.begins()
	out = append(out, most, loop.raw(at, job.Progress, loop.worth(at, job.Progress, most)))
	slices.Sort(out)
	return slices.Compact(out)
}

// grant returns the grant of a job in a mode, as early as possible, given the tokens already taken.
func (c Cluster) grant(job *Contract, cal *calendar, m mode) Grant {
	from := cal.earliest(job.begins(), m.forS, m.tokens)
	planned := from + m.forS + c.deadZone(job)
	return Grant{FromS: from, ToS: from + m.forS, Tokens: m.tokens, Utility: job.Utility.At(planned),
		Late: planned > job.Utility.Target()}
}

// deadZone is the dead zone of a job's loop.
func (c Cluster) deadZone(job *Contract) float64 {
	return c.Options.DeadZone(job.Utility.Target() - job.begins())
}

// begins is when a job can begin from now on.
func (job *Contract) begins() float64 { return max(0, job.ReleaseS) }
