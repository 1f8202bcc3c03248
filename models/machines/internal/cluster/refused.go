package cluster

import (
	"math/bits"
	"slices"

	"racecard/datasets/trace"
)

// Refused remembers demands that fit on no machine. A demand at least as large in every resource need not be
// searched for, until machines have more room: see [Refused.Gave]. It forgets demands beyond a small number, so
// that asking costs less than a search. The zero Refused has none.
type Refused struct {
	demands []refusal
	by      [trace.NumResources]classes
	known   int64 // how often Has knew the answer
}

// refusal is a demand that fits on no machine, but on some that had room since.
type refusal struct {
	demand Vector
	but    []int32
	used   int64 // known, when it was last the answer
}

// classes holds, for every class of amounts of a resource, the set of the demands of no higher class: a bit for each.
type classes [manyClasses]uint64

// manyRefused is the most demands that are remembered: as many as a set has bits, less one. manyBut is the most
// machines on which one of them fits after all.
const manyRefused, manyBut = 63, 32

// A class holds amounts with the same highest bits: the first one and classBits more. No machine has 2^amountBits: all
// that is more is in the last class.
const (
	amountBits  = 37
	classBits   = 3
	manyClasses = (amountBits - classBits + 1) << classBits
)

// class returns the class of an amount that is not negative.
func class(amount int64) int {
	x := uint64(min(amount, 1<<amountBits-1))
	shift := max(0, bits.Len64(x)-classBits-1)
	return shift<<classBits + int(x>>(shift&63))
}

// upTo returns a set of demands with all that v covers, and few others.
func (r *Refused) upTo(v *Vector) uint64 {
	set := uint64(1)<<len(r.demands) - 1
	for i := range r.by {
		set &= r.by[i][class(v[i])]
	}
	return set
}

// Has reports whether it knows that a demand, which is not negative, fits on no machine.
func (r *Refused) Has(m *Machines, demand *Vector) bool {
	for set := r.upTo(demand); set != 0; set &= set - 1 {
		x := &r.demands[bits.TrailingZeros64(set)]
		if !x.demand.Fits(demand) {
			continue
		}
		k := slices.IndexFunc(x.but, func(k int32) bool { return demand.Fits(m.Free(k)) })
		if k < 0 {
			r.known++
			x.used = r.known
			return true
		}
		x.but[0], x.but[k] = x.but[k], x.but[0] // the next demand is likely to fit there, too
	}
	return false
}

// Add remembers the least such demand as [Least] finds, in place of one that fits on no machine. It costs a search
// through the machines per resource. Of too many, it forgets the one that was of no use for longest.
func (r *Refused) Add(m *Machines, demand Vector) {
	demand = Least(m, demand, func(v *Vector, from int32) int32 { return m.First(v, from) })
	added := refusal{demand: demand, used: r.known}
	if len(r.demands) < manyRefused {
		r.demands = append(r.demands, added)
	} else {
		oldest := 0
		for i := range r.demands {
			if r.demands[i].used < r.demands[oldest].used {
				oldest = i
			}
		}
		r.demands[oldest] = added
	}
	r.classify()
}

// classify computes the sets of demands by class.
func (r *Refused) classify() {
	for i := range r.by {
		of := &r.by[i]
		clear(of[:])
		for k := range r.demands {
			of[class(r.demands[k].demand[i])] |= 1 << k
		}
		below := uint64(0)
		for k, set := range of {
			below |= set
			of[k] = below
		}
	}
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
	free, many := m.Free(machine), false
	for set := r.upTo(free); set != 0; set &= set - 1 {
		x := &r.demands[bits.TrailingZeros64(set)]
		if x.demand.Fits(free) && !slices.Contains(x.but, machine) {
			x.but = append(slices.DeleteFunc(x.but, func(k int32) bool { return !x.demand.Fits(m.Free(k)) }), machine)
			many = many || len(x.but) > manyBut
		}
	}
	if many {
		r.demands = slices.DeleteFunc(r.demands, func(x refusal) bool { return len(x.but) > manyBut })
		r.classify()
	}
}
