package leftover

import (
	"math"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// account compares the held resources of a run with the needed ones. It adds the changes to the steps of the
// cluster, and returns the run's figures per known resource. The run must have been packed.
func (p *plan) account(to *steps) []result.LeftoverAmount {
	for _, r := range p.resources {
		to.room(r)
	}
	c := comparison{plan: p, to: to}
	i, need := 0, vector{}
	p.packed.each(func(at int64, held *vector) {
		for i < len(p.observed) && p.observed[i].at < at {
			c.step(p.observed[i].at, p.observed[i].events, &p.observed[i].held, &need)
			i++
		}
		need = *held
		switch {
		case i < len(p.observed) && p.observed[i].at == at:
			c.step(at, p.observed[i].events, &p.observed[i].held, &need)
			i++
		case i > 0:
			c.step(at, 0, &p.observed[i-1].held, &need)
		} // otherwise this is the first step of the profile
	})
	for ; i < len(p.observed); i++ {
		c.step(p.observed[i].at, p.observed[i].events, &p.observed[i].held, &need)
	}
	to.level()
	return c.amounts()
}

// comparison goes through the steps of a run in the order of time.
type comparison struct {
	*plan
	to           *steps
	at           int64 // the last step
	alloc, spare vector
	any          bool

	held, given [trace.NumResources]float64 // integrals, in the plan's quanta x microseconds
	share       [trace.NumResources]float64 // leftover at the last event; NaN when nothing was held
	since       int64                       // the last event
	weighted    [trace.NumResources]float64 // sum of share x time, and of the time
	time        [trace.NumResources]float64
}

// step advances to an instant from which on the run holds alloc and needs need.
func (c *comparison) step(at int64, events int32, alloc, need *vector) {
	if c.any {
		c.pass(at, events > 0)
	}
	changed := events > 0
	var spare vector
	for r := range c.resources {
		spare[r] = max(0, alloc[r]-need[r])
		changed = changed || alloc[r] != c.alloc[r] || spare[r] != c.spare[r]
	}
	if changed {
		c.to.at, c.to.events = append(c.to.at, at), append(c.to.events, uint32(events))
		for k, r := range c.resources {
			shift := uint(c.shift[k])
			c.to.alloc[r] = append(c.to.alloc[r], amountOf(alloc[k]-c.alloc[k], shift))
			c.to.spare[r] = append(c.to.spare[r], amountOf(spare[k]-c.spare[k], shift))
			c.alloc[k], c.spare[k] = alloc[k], spare[k]
		}
	}
	c.at, c.any = at, true
	if events > 0 {
		c.since = at
		for r := range c.resources {
			c.share[r] = float64(c.spare[r]) / float64(c.alloc[r]) // 0/0 is NaN
		}
	}
}

// pass adds the time since the last step, and since the last event when there is another.
func (c *comparison) pass(at int64, event bool) {
	for r := range c.resources {
		c.held[r] += float64(c.alloc[r]) * float64(at-c.at)
		c.given[r] += float64(c.spare[r]) * float64(at-c.at)
		if event && !math.IsNaN(c.share[r]) {
			c.weighted[r] += c.share[r] * float64(at-c.since)
			c.time[r] += float64(at - c.since)
		}
	}
}

// amounts returns the amounts that the run held and could give away.
func (c *comparison) amounts() []result.LeftoverAmount {
	out := make([]result.LeftoverAmount, len(c.resources))
	for k, r := range c.resources {
		scale := math.Ldexp(1, int(c.shift[k]))
		out[k] = result.LeftoverAmount{
			Resource: r, Most: units(float64(c.most[k]) * scale), Leftover: c.weighted[k] / c.time[k],
			Allocated: unitSeconds(c.held[k] * scale), Spare: unitSeconds(c.given[k] * scale),
		}
	}
	return out
}
