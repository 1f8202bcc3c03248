package cluster

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"racecard/datasets/trace"
)

// Refused remembers demands that fit on no machine. A demand at least as large in every resource need not be
// searched for, until machines have more room: see [Refused.Gave]. It forgets demands beyond a small number, so
// that asking costs less than a search. The zero Refused has none.
type Refused struct {
	demands []refusal
	by      [trace.NumResources]amounts
	known   int64 // how often Has knew the answer
}

// refusal is a demand that fits on no machine, but on some that had room since.
type refusal struct {
	demand Vector
	but    []int32
	used   int64 // known, when it was last the answer
}

// amounts sorts the demands for one resource. It holds them ascending, with the largest number in all places that are
// left. For every n, below[n] is the set of the first n demands: a bit for each.
type amounts struct {
	of    [manyRefused]int64
	below [manyRefused + 1]uint64
	any   bool // some demand is not 0
}

// manyRefused is the most demands that are remembered: for upTo a power of two less one, and fewer than a set has bits.
// manyBut is the most machines on which one of them fits after all.
const manyRefused, manyBut = 63, 32

// upTo returns the set of demands that demand at most x. The loop has no branch that depends on amounts.
func (a *amounts) upTo(x int64) uint64 {
	n := 0
	for step := (manyRefused + 1) / 2; step > 0; step /= 2 {
		if a.of[n+step-1] <= x {
			n += step
		}
	}
	return a.below[n]
}

// Has reports whether it knows that a demand, which is not negative, fits on no machine.
func (r *Refused) Has(m *Machines, demand *Vector) bool {
	set := uint64(1)<<len(r.demands) - 1
	for i := range r.by {
		if r.by[i].any {
			set &= r.by[i].upTo(demand[i])
		}
	}
	for ; set != 0; set &= set - 1 {
		x := &r.demands[bits.TrailingZeros64(set)]
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
	r.sort()
}

// sort computes the amounts by resource.
func (r *Refused) sort() {
	order := make([]int, len(r.demands))
	for k := range r.by {
		a := &r.by[k]
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.demands[i].demand[k], r.demands[j].demand[k]) })
		a.any = false
		for n := range a.of {
			a.of[n] = math.MaxInt64
			if n < len(order) {
				a.of[n] = r.demands[order[n]].demand[k]
				a.below[n+1] = a.below[n] | 1<<order[n]
				a.any = a.any || a.of[n] != 0
			}
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
	free := m.Free(machine)
	for i := range r.demands {
		x := &r.demands[i]
		if x.demand.Fits(free) && !slices.Contains(x.but, machine) {
			x.but = append(slices.DeleteFunc(x.but, func(k int32) bool { return !x.demand.Fits(m.Free(k)) }), machine)
		}
	}
	before := len(r.demands)
	r.demands = slices.DeleteFunc(r.demands, func(x refusal) bool { return len(x.but) > manyBut })
	if len(r.demands) < before {
		r.sort()
	}
}
