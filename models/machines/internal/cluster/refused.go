package cluster

import "slices"

// Refused remembers demands that fit on no machine. A demand at least as large in every resource need not be
// searched for, until machines have more room: see [Refused.Gave]. It forgets demands beyond a small number, so
// that asking costs less than a search. The zero Refused has none.
type Refused struct{ demands []refusal }

// refusal is a demand that fits on no machine, but on some that had room since.
type refusal struct {
	demand Vector
	but    []int32
}

// manyRefused is the most demands that are remembered, manyBut the most machines on which one of them fits after all.
const manyRefused, manyBut = 64, 32

// Has reports whether it knows that a demand fits on no machine.
func (r *Refused) Has(m *Machines, demand *Vector) bool {
	for i := range r.demands {
		x := &r.demands[i]
		if x.demand.Fits(demand) && !slices.ContainsFunc(x.but, func(k int32) bool { return demand.Fits(m.Free(k)) }) {
			r.demands[i/2], r.demands[i] = *x, r.demands[i/2] // move useful demands to the front
			return true
		}
	}
	return false
}

// Add remembers the least such demand as [Least] finds, in place of one that fits on no machine. It costs a search
// through the machines per resource.
func (r *Refused) Add(m *Machines, demand Vector) {
	demand = Least(m, demand, func(v *Vector, from int32) int32 { return m.First(v, from) })
	if len(r.demands) == manyRefused {
		r.demands = r.demands[:manyRefused-1]
	}
	r.demands = append(r.demands, refusal{demand: demand})
}

// Least lowers one resource of a demand after the other, from the last on, as long as it still fits on none of some
// machines. next returns the first of them, at or after from, on which a demand fits, -1 if there is none.
func Least(m *Machines, demand Vector, next func(demand *Vector, from int32) int32) Vector {
	for i := len(demand) - 1; i >= 0; i-- {
		if demand[i] == 0 {
			continue
		}
		demand[i] = 0
		for k := next(&demand, 0); k >= 0; k = next(&demand, k+1) {
			demand[i] = m.Free(k)[i] + 1
		}
	}
	return demand
}

// Gave records that a machine has more room than before. It must be called before the next Has or Add.
func (r *Refused) Gave(m *Machines, machine int32) {
	free := m.Free(machine)
	for i := range r.demands {
		x := &r.demands[i]
		if x.demand.Fits(free) && !slices.Contains(x.but, machine) {
			x.but = append(slices.DeleteFunc(x.but, func(k int32) bool { return !x.demand.Fits(m.Free(k)) }), machine)
		}
	}
	r.demands = slices.DeleteFunc(r.demands, func(x refusal) bool { return len(x.but) > manyBut })
}
