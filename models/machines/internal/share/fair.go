// Package share computes the fair share of each job: Dominant Resource Fairness (Ghodsi et al., NSDI 2011) in the
// closed form of Parkes, Procaccia and Shah ("Beyond Dominant Resource Fairness", EC 2012) for divisible tasks.
//
// A job i of weight w_i wants amounts W_ir, as shares of the cluster. Its dominant share is D_i = max_r W_ir,
// its direction d_ir = W_ir / D_i. All jobs are filled along their directions at the same level x, in units of
// weight, until they are satisfied or a resource is full:
//
//	A_ir = min(w_i·x, D_i)·d_ir,  x the largest with Σ_i A_ir ≤ 1 for all r
//
// so x = 1 / max_r Σ_i w_i·d_ir if no job is satisfied. When a resource is full, the jobs that want any of it
// keep their level, and the others are filled on: "extended DRF", which zero demands need.
//
// [Fair] keeps the jobs in a balanced tree by the level D_i / w_i at which they are satisfied, with sums below
// every node, so that a change costs O(log jobs), and no other job is visited.
package share

import (
	"math"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/order"
)

// Shares are shares of the cluster's capacity, per resource.
type Shares [trace.NumResources]float64

// sums adds up, over a set of jobs, their demand (want) and their growth per unit of fair-share level (weight).
type sums struct{ want, weight Shares }

// Join adds b.
func (a *sums) Join(b *sums) {
	for r := range a.want {
		a.want[r] += b.want[r]
		a.weight[r] += b.weight[r]
	}
}

// Fair is DRF over a changing set of jobs. The zero Fair has none.
type Fair struct {
	groups  []*group
	jobs    []member // by id
	changed bool     // since the last Solve
}

// group are the jobs that want the same set of resources.
type group struct {
	mask  uint
	tree  order.Tree[sums, *sums]
	level float64
}

type member struct {
	group     *group // nil when not in
	direction Shares
	want      float64 // dominant share
	weight    float64
}

// Set sets the demand of job id, at least 0, and its weight, more than 0. A job without demand has no share.
// Greedy jobs want all they can get, in the direction of want.
func (f *Fair) Set(id int32, want *Shares, weight float64, greedy bool) {
	f.changed = true
	for len(f.jobs) <= int(id) {
		f.jobs = append(f.jobs, member{})
	}
	m := member{weight: weight}
	mask := uint(0)
	for r, x := range want {
		m.want = max(m.want, x)
		if x > 0 {
			mask |= 1 << r
		}
	}
	if mask == 0 {
		f.Remove(id)
		return
	}
	value := sums{want: *want}
	for r, x := range want {
		m.direction[r] = x / m.want
		value.weight[r] = weight * m.direction[r]
	}
	if greedy {
		m.want, value.want = math.Inf(1), Shares{}
	}
	m.group = f.group(mask)
	if old := f.jobs[id].group; old != nil && old != m.group {
		old.tree.Remove(id)
	}
	m.group.tree.Set(id, m.want/weight, &value)
	f.jobs[id] = m
}

// group returns the group of jobs that want a set of resources.
func (f *Fair) group(mask uint) *group {
	for _, g := range f.groups {
		if g.mask == mask {
			return g
		}
	}
	g := &group{mask: mask}
	f.groups = append(f.groups, g)
	return g
}

// Remove forgets a job.
func (f *Fair) Remove(id int32) {
	if int(id) < len(f.jobs) && f.jobs[id].group != nil {
		f.changed = true
		f.jobs[id].group.tree.Remove(id)
		f.jobs[id] = member{}
	}
}

// Solve computes the levels in a handful of iterations, each O(log jobs) per set of resources that some jobs want. It
// reports whether any job was set or removed since the last time: otherwise the levels are as they were.
func (f *Fair) Solve() (changed bool) {
	if !f.changed {
		return false
	}
	f.changed = false
	open := 0
	for _, g := range f.groups {
		g.level = math.NaN()
		if g.tree.Len() > 0 {
			open++
		}
	}
	var frozen Shares // of groups whose level is known
	for x := 0.0; open > 0; {
		x = f.rise(x, &frozen)
		full := f.full(x, &frozen)
		for _, g := range f.groups {
			if !math.IsNaN(g.level) || g.tree.Len() == 0 || g.mask&full == 0 && !math.IsInf(x, 1) {
				continue
			}
			g.level = x
			open--
			used, _ := g.at(x)
			for r := range frozen {
				frozen[r] += used[r]
			}
		}
	}
	return true
}

// rise returns the level, at least x, at which the groups with unknown levels first fill a resource. Usage is piecewise
// linear and concave in the level, so Newton's method from below never overshoots, and ends after a few pieces.
func (f *Fair) rise(x float64, frozen *Shares) float64 {
	for {
		used, slope := f.open(x, frozen)
		step := math.Inf(1)
		for r, s := range slope {
			if s > 0 {
				step = min(step, max(0, 1-used[r])/s)
			}
		}
		if x += step; step <= 1e-15*x || math.IsInf(x, 1) {
			return x
		}
	}
}

// open returns the usage, and its growth per unit of level, if the groups with unknown levels are at x.
func (f *Fair) open(x float64, frozen *Shares) (used, slope Shares) {
	used = *frozen
	for _, g := range f.groups {
		if !math.IsNaN(g.level) || g.tree.Len() == 0 {
			continue
		}
		u, s := g.at(x)
		for r := range used {
			used[r] += u[r]
			slope[r] += s[r]
		}
	}
	return used, slope
}

// full returns the resources that are full at level x.
func (f *Fair) full(x float64, frozen *Shares) (mask uint) {
	if math.IsInf(x, 1) {
		return 0
	}
	used, slope := f.open(x, frozen)
	for r, u := range used {
		if slope[r] > 0 && u >= 1-1e-12 {
			mask |= 1 << r
		}
	}
	return mask
}

// at returns the usage of the group at level x, and its growth per unit of level.
func (g *group) at(x float64) (used, slope Shares) {
	if math.IsInf(x, 1) { // all have what they want
		return g.tree.Node(g.tree.Root()).Sum.want, slope
	}
	for i := g.tree.Root(); i != 0; {
		n := g.tree.Node(i)
		if n.Key <= x {
			plus(&used, &n.Value.want, 1)
			if n.Left != 0 {
				plus(&used, &g.tree.Node(n.Left).Sum.want, 1)
			}
			i = n.Right
			continue
		}
		plus(&slope, &n.Value.weight, 1)
		if n.Right != 0 {
			plus(&slope, &g.tree.Node(n.Right).Sum.weight, 1)
		}
		i = n.Left
	}
	plus(&used, &slope, x)
	return used, slope
}

func plus(a, b *Shares, times float64) {
	for r, x := range b {
		a[r] += times * x
	}
}

// Level returns the fair dominant share of a job as of the last Solve, in units of its weight; 0 if it has none.
func (f *Fair) Level(id int32) float64 {
	if int(id) >= len(f.jobs) || f.jobs[id].group == nil {
		return 0
	}
	m := &f.jobs[id]
	return min(m.group.level, m.want/m.weight)
}

// Height returns the dominant share that a job would be entitled to, in units of its weight, if it wanted more:
// the level of the jobs that want the same resources; +Inf if these are satisfied, or it wants nothing.
func (f *Fair) Height(id int32) float64 {
	if int(id) >= len(f.jobs) || f.jobs[id].group == nil {
		return math.Inf(1)
	}
	return f.jobs[id].group.level
}

// Top returns the highest level of any unsatisfied job, +Inf if all are satisfied.
func (f *Fair) Top() float64 {
	top := 0.0
	for _, g := range f.groups {
		if g.tree.Len() > 0 {
			top = max(top, g.level)
		}
	}
	return top
}

// Lowest returns the lowest level of a group of jobs, +Inf if all are satisfied.
func (f *Fair) Lowest() float64 {
	low := math.Inf(1)
	for _, g := range f.groups {
		if g.tree.Len() > 0 {
			low = min(low, g.level)
		}
	}
	return low
}

// Reach returns a lower bound on the level from which on the fair share of a job covers v.
func (f *Fair) Reach(id int32, v *cluster.Vector, m *cluster.Machines) float64 {
	if int(id) >= len(f.jobs) || f.jobs[id].group == nil {
		return 0
	}
	j := &f.jobs[id]
	level := 0.0
	for r, x := range m.Shares(v) {
		if v[r] > 1 {
			level = max(level, x*(1-1/float64(v[r]))/(j.weight*j.direction[r])) // [Fair.Of] rounds
		}
	}
	return level * (1 - 1e-12)
}

// Of returns the fair share of a job, rounded to quanta of a cluster of total capacity.
func (f *Fair) Of(id int32, total *cluster.Vector) (v cluster.Vector) {
	level := f.Level(id)
	if level == 0 {
		return v
	}
	m := &f.jobs[id]
	for r, x := range total {
		v[r] = int64(math.Round(level * m.weight * m.direction[r] * float64(x)))
	}
	return v
}
