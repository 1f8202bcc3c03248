package pack

import (
	"math"
	"slices"

	"racecard/models/machines/internal/cluster"
)

// space is the usage of the allowance over time, before and after 0, as stages are placed one by one: a step function
// with values from steps[k].at on.
type space struct {
	p          *Planner
	steps      []step
	start, end []int64 // of placed stages; none is not placed
	first      int64
	last       int64
}

type step struct {
	at   int64
	used cluster.Vector
}

const none = math.MinInt64

func newSpace(p *Planner) *space {
	sp := &space{p: p, steps: []step{{at: math.MinInt64 / 4}}, start: make([]int64, len(p.stages)),
		end: make([]int64, len(p.stages)), first: math.MaxInt64, last: math.MinInt64}
	for i := range sp.start {
		sp.start[i] = none
	}
	return sp
}

func (sp *space) clone() *space {
	c := *sp
	c.steps, c.start, c.end = slices.Clone(sp.steps), slices.Clone(sp.start), slices.Clone(sp.end)
	return &c
}

// span returns the time from the first start to the last end.
func (sp *space) span() int64 {
	if sp.last < sp.first {
		return 0
	}
	return sp.last - sp.first
}

// forward places the tasks of a stage as early as they fit after its placed parents. A stage without placed
// parents starts no earlier than the first start of all.
func (sp *space) forward(i int32) {
	from := int64(0)
	if sp.first != math.MaxInt64 {
		from = sp.first
	}
	st := &sp.p.stages[i]
	for _, list := range [...][]int32{st.parents, st.pairs} {
		for _, q := range list {
			if sp.start[q] != none {
				from = max(from, sp.end[q])
			}
		}
	}
	for left := int64(st.left); left > 0; {
		at, n := sp.fit(st, from, left, true)
		sp.take(i, at, n)
		left, from = left-n, at
	}
}

// backward places the tasks of a stage as late as they fit before its placed children. A stage without placed
// children ends no later than the last end of all.
func (sp *space) backward(i int32) {
	to := int64(0)
	if sp.last != math.MinInt64 {
		to = sp.last
	}
	st := &sp.p.stages[i]
	for _, c := range st.children {
		if sp.start[c.Stage] != none {
			to = min(to, sp.start[c.Stage])
		}
	}
	for left := int64(st.left); left > 0; {
		at, n := sp.fit(st, to, left, false)
		sp.take(i, at, n)
		left, to = left-n, at+st.duration
	}
}

// at returns the step that contains an instant.
func (sp *space) at(t int64) int {
	k, found := slices.BinarySearchFunc(sp.steps, t, func(s step, t int64) int {
		switch {
		case s.at < t:
			return -1
		case s.at > t:
			return 1
		}
		return 0
	})
	if !found {
		k--
	}
	return k
}

// fit returns the earliest start from an instant on, or the latest that ends by it, at which some of n tasks fit, and
// how many do. There always is one, as nothing is used before the first step and after the last.
func (sp *space) fit(st *stage, at, n int64, forward bool) (start, fits int64) {
	if st.duration == 0 {
		return at, n // tasks of no duration hold nothing
	}
	for {
		start = at
		if !forward {
			start -= st.duration
		}
		fits = n
		k := sp.at(start)
		for ; fits > 0; k++ {
			free := sp.p.within
			free.Add(&sp.steps[k].used, -1)
			fits = st.demand.Times(&free, fits)
			if fits > 0 && (k+1 == len(sp.steps) || sp.steps[k+1].at >= start+st.duration) {
				return start, fits
			}
		}
		if forward { // step k-1 has no room: any start before its end would reach into it
			at = sp.steps[k].at
		} else {
			at = sp.steps[k-1].at
		}
	}
}

// take uses what n tasks of a stage hold from an instant on.
func (sp *space) take(i int32, at, n int64) {
	st := &sp.p.stages[i]
	end := at + st.duration
	if sp.start[i] == none {
		sp.start[i], sp.end[i] = at, end
	}
	sp.start[i], sp.end[i] = min(sp.start[i], at), max(sp.end[i], end)
	sp.first, sp.last = min(sp.first, at), max(sp.last, end)
	from := sp.cut(at)
	to := sp.cut(end)
	for k := from; k < to; k++ {
		sp.steps[k].used.Add(&st.demand, n)
	}
}

// cut makes a step begin at an instant.
func (sp *space) cut(t int64) int {
	k := sp.at(t)
	if sp.steps[k].at == t {
		return k
	}
	sp.steps = slices.Insert(sp.steps, k+1, step{t, sp.steps[k].used})
	return k + 1
}
