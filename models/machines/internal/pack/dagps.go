package pack

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/replay"
)

// DAGPS returns the order in which DAGPS, also known as Graphene, serves the stages of a whole job inside an allowance
// (R. Grandl et al., "GRAPHENE: Packing and Dependency-Aware Scheduling for Data-Parallel Clusters", OSDI 2016; PAPERS
// 6.3): a rank of each, lowest first.
//
// Troublesome stages, whose tasks are long or hard to pack, are placed first, in empty space and time. Stages between
// two troublesome ones are troublesome, too. Then come their ancestors, backward from them, their descendants, forward,
// and all others, in the four orders without a dead end. This is repeated for several thresholds. Every placement gives
// an order, by the first starts of stages; breadth first and the critical path are candidates as well. The order whose
// [Planner.Forward] ends first wins, the first among equal ones.
func (p *Planner) DAGPS(s *replay.State, j *replay.Job, within *cluster.Vector) []int32 {
	p.Load(s, j, within, true)
	var best []int32
	bestEnd := int64(Unlimited)
	for _, ranks := range p.Candidates(j) {
		for i := range p.stages {
			p.stages[i].rank = ranks[i]
		}
		if end, ok := p.Forward(bestEnd); ok && (end < bestEnd || best == nil) {
			best, bestEnd = ranks, end
		}
	}
	if best == nil { // the replay is stopped
		return replay.BreadthFirst(j)
	}
	return best
}

// Candidates returns the orders that [Planner.DAGPS] chooses from, of a job that was loaded.
func (p *Planner) Candidates(j *replay.Job) [][]int32 {
	out := [][]int32{replay.BreadthFirst(j), p.criticalPath()}
	g := p.graph()
	var seen [][]bool
	for _, t := range p.troublesome(g) {
		if p.halted() {
			break
		}
		if slices.ContainsFunc(seen, func(u []bool) bool { return slices.Equal(t, u) }) {
			continue
		}
		seen = append(seen, t)
		for _, order := range [...]string{"TOCP", "TOPC", "TPOC", "TCOP"} {
			out = append(out, p.placed(g, t, order))
		}
	}
	return out
}

// criticalPath ranks stages by the longest path that begins with them, longest first.
func (p *Planner) criticalPath() []int32 {
	below := make([]int64, len(p.stages))
	for i := len(below) - 1; i >= 0; i-- {
		for _, c := range p.stages[i].children {
			below[i] = max(below[i], below[c.Stage])
		}
		below[i] += p.stages[i].duration
	}
	return ranks(len(below), func(a, b int32) int { return cmp.Compare(below[b], below[a]) })
}

// ranks numbers n stages in an order, ties by number.
func ranks(n int, order func(a, b int32) int) []int32 {
	out := make([]int32, n)
	for rank, i := range lists.Order(n, order) {
		out[i] = int32(rank)
	}
	return out
}

// set is a set of stages.
type set []uint64

func (s set) has(i int32) bool { return s[i/64]>>(i%64)&1 == 1 }

// relations are the ancestors and descendants of every stage.
type relations struct{ above, below []set }

func (p *Planner) graph() relations {
	n := len(p.stages)
	words := (n + 63) / 64
	g := relations{make([]set, n), make([]set, n)}
	for i := range n {
		g.above[i], g.below[i] = make(set, words), make(set, words)
		st := &p.stages[i]
		for _, list := range [...][]int32{st.parents, st.pairs} {
			for _, q := range list {
				g.above[i][q/64] |= 1 << (q % 64)
				for w := range words {
					g.above[i][w] |= g.above[q][w]
				}
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		for _, c := range p.stages[i].children {
			g.below[i][c.Stage/64] |= 1 << (c.Stage % 64)
			for w := range words {
				g.below[i][w] |= g.below[c.Stage][w]
			}
		}
	}
	return g
}

// troublesome returns sets of stages, one per pair of thresholds. The thresholds are on task duration, relative to the
// longest task of the job, and on how well a stage packs: the least time of its work, relative to the time of its waves
// of tasks.
func (p *Planner) troublesome(g relations) [][]bool {
	longest := int64(1)
	for i := range p.stages {
		longest = max(longest, p.stages[i].duration)
	}
	long, frag := make([]float64, len(p.stages)), make([]float64, len(p.stages))
	for i := range p.stages {
		st := &p.stages[i]
		long[i] = float64(st.duration) / float64(longest)
		least := 0.0
		for r, x := range st.demand {
			if x > 0 {
				least = max(least, float64(st.left)*float64(x)/float64(p.within[r]))
			}
		}
		if n := st.demand.Times(&p.within, int64(st.left)); n > 0 {
			frag[i] = min(1, least/float64((int64(st.left)+n-1)/n))
		}
	}
	var out [][]bool
	for _, l := range [...]float64{1, 0.8, 0.6, 0.4, 0.2} {
		for _, f := range [...]float64{0, 0.5, 0.8} {
			t := make([]bool, len(p.stages))
			for i := range t {
				t[i] = long[i] >= l || frag[i] <= f
			}
			out = append(out, g.close(t))
		}
	}
	return out
}

// close adds the stages that lie on a path between two members.
func (g relations) close(t []bool) []bool {
	within := func(s set) bool {
		for i, in := range t {
			if in && s.has(int32(i)) {
				return true
			}
		}
		return false
	}
	out := slices.Clone(t)
	for i := range t {
		out[i] = t[i] || within(g.above[i]) && within(g.below[i])
	}
	return out
}

// placed ranks stages by their first start when sets of them are placed in an order.
func (p *Planner) placed(g relations, t []bool, order string) []int32 {
	sets := map[byte][]int32{}
	for i := range p.stages {
		related := func(s set) bool {
			return slices.ContainsFunc(p.members(t), func(m int32) bool { return s.has(m) })
		}
		kind := byte('O')
		switch {
		case t[i]:
			kind = 'T'
		case related(g.below[i]):
			kind = 'P' // a troublesome stage comes after it
		case related(g.above[i]):
			kind = 'C'
		}
		sets[kind] = append(sets[kind], int32(i))
	}
	sp := newSpace(p)
	for k := range order {
		stages := sets[order[k]]
		switch {
		case order[k] == 'P', order[k] == 'O' && order == "TCOP": // what it needs is not placed, what needs it is
			for i := len(stages) - 1; i >= 0; i-- {
				sp.backward(stages[i])
			}
		case order[k] == 'O' && order != "TPOC": // either way: the more compact one
			other := sp.clone()
			for _, i := range stages {
				sp.forward(i)
			}
			for i := len(stages) - 1; i >= 0; i-- {
				other.backward(stages[i])
			}
			if other.span() < sp.span() {
				sp = other
			}
		default:
			for _, i := range stages {
				sp.forward(i)
			}
		}
	}
	return ranks(len(p.stages), func(a, b int32) int { return cmp.Compare(sp.start[a], sp.start[b]) })
}

func (p *Planner) members(t []bool) (out []int32) {
	for i, in := range t {
		if in {
			out = append(out, int32(i))
		}
	}
	return out
}
