package cluster

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/trace"
)

// Machines are the machines of a cluster and their free resources. A tournament tree over them holds, in every
// node, the maximum free amount of each resource on the machines below it. So taking and giving cost O(log
// machines), and a search passes over machines without room for a task.
type Machines struct {
	space    *Space
	capacity []Vector
	kinds    []Vector                      // distinct capacities
	inverse  [][trace.NumResources]float64 // 1 / capacity², per machine; 0 where there is none
	total    Vector
	largest  Vector
	share    [trace.NumResources]float64 // 1 / total
	leaves   int
	tree     []Vector // node i has children 2i and 2i+1, machine m is node leaves+m
}

// New makes machines of the given capacities, all free.
func New(capacities []trace.Demand) (*Machines, error) {
	if len(capacities) == 0 {
		return nil, fmt.Errorf("a cluster of no machines")
	}
	space, err := newSpace(capacities)
	if err != nil {
		return nil, err
	}
	m := &Machines{space: space, leaves: 1}
	for m.leaves < len(capacities) {
		m.leaves *= 2
	}
	m.tree = make([]Vector, 2*m.leaves)
	for i := range capacities {
		v := space.Quanta(&capacities[i])
		m.capacity = append(m.capacity, v)
		var inverse [trace.NumResources]float64
		for r, x := range v {
			if x > 0 {
				inverse[r] = 1 / (float64(x) * float64(x))
			}
		}
		m.inverse = append(m.inverse, inverse)
		m.total.Add(&v, 1)
		m.largest.Raise(&v)
		if !slices.Contains(m.kinds, v) {
			m.kinds = append(m.kinds, v)
		}
	}
	for r, x := range m.total {
		if x > 0 {
			m.share[r] = 1 / float64(x)
		}
	}
	m.Reset()
	return m, nil
}

// Reset frees everything.
func (m *Machines) Reset() {
	clear(m.tree)
	copy(m.tree[m.leaves:], m.capacity)
	for i := m.leaves - 1; i > 0; i-- {
		m.tree[i] = m.tree[2*i]
		m.tree[i].Raise(&m.tree[2*i+1])
	}
}

// Len returns the number of machines.
func (m *Machines) Len() int { return len(m.capacity) }

// Space returns the modelled resources.
func (m *Machines) Space() *Space { return m.space }

// Total returns the capacity of all machines.
func (m *Machines) Total() *Vector { return &m.total }

// Largest returns the largest capacity of any machine, per resource.
func (m *Machines) Largest() *Vector { return &m.largest }

// Capacity returns the capacity of a machine, which must not be modified.
func (m *Machines) Capacity(machine int32) *Vector { return &m.capacity[machine] }

// Free returns the free resources of a machine. The result is valid until the next Take or Give and must not be
// modified.
func (m *Machines) Free(machine int32) *Vector { return &m.tree[m.leaves+int(machine)] }

// MostFree returns the most that is free of each resource on any machine, as Free does.
func (m *Machines) MostFree() *Vector { return &m.tree[1] }

// Take takes v, which must fit, from a machine.
func (m *Machines) Take(machine int32, v *Vector) {
	i := m.leaves + int(machine)
	m.tree[i].Add(v, -1)
	m.update(i)
}

// Give gives v back to a machine.
func (m *Machines) Give(machine int32, v *Vector) {
	i := m.leaves + int(machine)
	m.tree[i].Add(v, 1)
	m.update(i)
}

func (m *Machines) update(i int) {
	for i > 1 {
		most := m.tree[i]
		most.Raise(&m.tree[i^1])
		i /= 2
		if m.tree[i] == most {
			return
		}
		m.tree[i] = most
	}
}

// First returns the first machine with a number of at least from on which v fits, -1 if there is none.
func (m *Machines) First(v *Vector, from int32) int32 {
	if int(from) >= m.Len() {
		return -1
	}
	return m.first(1, 0, m.leaves, v, int(from))
}

// first searches below node i, which spans width machines beginning at base.
func (m *Machines) first(i, base, width int, v *Vector, from int) int32 {
	if base+width <= from || !v.Fits(&m.tree[i]) {
		return -1
	}
	if width == 1 {
		if base >= m.Len() {
			return -1
		}
		return int32(base)
	}
	if found := m.first(2*i, base, width/2, v, from); found >= 0 {
		return found
	}
	return m.first(2*i+1, base+width/2, width/2, v, from)
}

// Alignment is Tetris' score of a task on a machine: the dot product of its demand and the free resources, both
// divided by the capacity of the machine (Tetris, §3.2).
func (m *Machines) Alignment(machine int32, v *Vector) float64 {
	free, inverse := m.Free(machine), &m.inverse[machine]
	sum := 0.0
	for r, x := range v {
		sum += float64(x) * float64(free[r]) * inverse[r]
	}
	return sum
}

// Above reports whether an alignment is above another by more than rounding: equal alignments are a tie.
func Above(a, b float64) bool { return a > b+1e-12*math.Abs(b) }

// Dominant returns the dominant share of v, as in DRF: its largest share of the cluster over resources.
func (m *Machines) Dominant(v *Vector) float64 {
	most := 0.0
	for r, x := range v {
		most = max(most, float64(x)*m.share[r])
	}
	return most
}

// Shares returns v as shares of the cluster, per resource.
func (m *Machines) Shares(v *Vector) (shares [trace.NumResources]float64) {
	for r, x := range v {
		shares[r] = float64(x) * m.share[r]
	}
	return shares
}

// Clamp lowers v to the capacity of a machine if it fits on none, and reports whether it did: a task that is too large
// gets the machine that holds most of it.
func (m *Machines) Clamp(v *Vector) bool {
	best, most := 0, -1.0
	for k := range m.kinds {
		held := 0.0
		for r, x := range v {
			if x > 0 {
				held += float64(min(x, m.kinds[k][r])) / float64(x)
			}
		}
		if v.Fits(&m.kinds[k]) {
			return false
		}
		if held > most {
			best, most = k, held
		}
	}
	v.Lower(&m.kinds[best])
	return true
}
