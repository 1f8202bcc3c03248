package pack

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/models/machines/internal/cluster"
)

// slowly is fill, looking at all ready stages before every group.
func slowly(p *Planner, t int64) bool {
	for {
		free := p.free
		best, tasks, score := -1, int64(0), 0.0
		for k, c := range p.ready {
			st := &p.stages[c.stage]
			n := st.demand.Times(&free, int64(st.allowed))
			if n > 0 && p.backward {
				rest := free
				rest.Add(p.heldAt(p.end-t-st.duration), -1)
				n = st.demand.Times(&rest, n)
			}
			if n == 0 {
				continue
			}
			left := floats(&free)
			x := p.score(st, &left)
			if best < 0 || cluster.Above(x, score) || !cluster.Above(score, x) &&
				p.first(c.stage, p.ready[best].stage) {
				best, tasks, score = k, n, x
			}
		}
		if best < 0 {
			return true
		}
		if !p.start(best, int32(tasks), t) {
			return false
		}
	}
}

// drawn draws a planner in the middle of a plan, with stages that wait for nothing.
func drawn(t *rapid.T) *Planner {
	p := &Planner{backward: rapid.Bool().Draw(t, "backward"), byRank: rapid.Bool().Draw(t, "by rank"), end: 20}
	vector := func(low, high int64) (v cluster.Vector) {
		for r := range 3 {
			v[r] = rapid.Int64Range(low, high).Draw(t, "amount")
		}
		return v
	}
	p.within = vector(0, 12)
	p.free = p.within
	used := vector(0, 6)
	p.free.Add(&used, -1)
	for i := range int32(rapid.IntRange(1, 8).Draw(t, "stages")) {
		left := rapid.Int32Range(1, 5).Draw(t, "tasks")
		st := stage{demand: vector(0, 4), duration: rapid.Int64Range(1, 5).Draw(t, "duration"), left: left, unplaced: left,
			rank: rapid.Int32Range(0, 3).Draw(t, "rank"), depth: rapid.Int32Range(0, 3).Draw(t, "depth")}
		for r, x := range st.demand {
			st.weight[r] = float64(x)
		}
		p.longest = max(p.longest, st.duration)
		p.stages = append(p.stages, st)
		p.offer(i)
	}
	for range rapid.IntRange(0, 3).Draw(t, "groups") {
		p.running = append(p.running, group{rapid.Int64Range(0, 25).Draw(t, "end"),
			rapid.Int32Range(0, int32(len(p.stages)-1)).Draw(t, "stage"), 1})
	}
	slices.SortFunc(p.running, func(a, b group) int { return cmp.Compare(a.end, b.end) })
	p.hold()
	return p
}

// clone copies what place changes.
func (p *Planner) clone() *Planner {
	c := *p
	c.stages, c.ready, c.demands = slices.Clone(p.stages), slices.Clone(p.ready), slices.Clone(p.demands)
	c.starts, c.ends, c.fitting = slices.Clone(p.starts), slices.Clone(p.ends), nil
	return &c
}

// TestFillAgainstSlow compares the groups that are placed, twice, with more room the second time.
func TestFillAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fast := drawn(t)
		slow := fast.clone()
		for at := range int64(2) {
			_, got := fast.fill(at)
			want := slowly(slow, at)
			if got != want || !slices.Equal(fast.starts, slow.starts) || fast.free != slow.free {
				t.Fatalf("%v: %v, want %v: %v", got, fast.starts, want, slow.starts)
			}
			if !got {
				return
			}
			more := cluster.Vector{rapid.Int64Range(0, 6).Draw(t, "freed"), rapid.Int64Range(0, 6).Draw(t, "freed"), 1}
			fast.free.Add(&more, 1)
			slow.free.Add(&more, 1)
		}
	})
}
