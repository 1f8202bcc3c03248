package health

import (
	"cmp"
	"slices"

	"racecard/analyses/internal/uint128"
)

// maxBins bounds the bins in use, so that memory does not grow with the number or span of instants.
const maxBins = 4096

// activity is a histogram over time. A bin spans 2^shift microseconds and begins at a multiple of that; only bins with
// instants in them exist, so that one instant far away does not coarsen the others. The width doubles when more than
// maxBins exist. It is the least for which all instants fit, whatever their order and partition.
type activity struct {
	shift uint
	bins  []bin
	index map[int64]int // key -> place in bins
	last  int           // place that place returned last
	past  int           `partial:"-"` // another one, from before: starts and ends of attempts take turns
}

// bin counts the events in a stretch of time with at least one instant.
type bin struct {
	key         int64 // start >> shift
	first, last int64 // instants, in microseconds
	instants    int64
	arrivals    int64
	runs        flow
	attempts    flow
}

// flow counts intervals that begin and end in a bin.
type flow struct {
	begins, ends int64
	// sums of the distances of begins and ends from the start of the bin, in microseconds
	beginsAfter, endsOff uint128.Sum
}

func newActivity() activity { return activity{index: map[int64]int{}} }

// at returns the place of the bin of an instant, which is counted. The place holds until the next call.
func (a *activity) at(t int64) int {
	i := a.place(t)
	b := &a.bins[i]
	b.instants++
	b.first, b.last = min(b.first, t), max(b.last, t)
	return i
}

// place returns the place of the bin that spans t, which is made when there is none.
func (a *activity) place(t int64) int {
	key := t >> a.shift
	if a.last < len(a.bins) && a.bins[a.last].key == key {
		return a.last
	}
	if a.past < len(a.bins) && a.bins[a.past].key == key {
		a.last, a.past = a.past, a.last
		return a.last
	}
	i, ok := a.index[key]
	if !ok {
		i = len(a.bins)
		a.bins = append(a.bins, bin{key: key, first: t, last: t})
		a.index[key] = i
		if len(a.bins) > maxBins {
			a.fit()
			return a.place(t)
		}
	}
	a.last, a.past = i, a.last
	return i
}

// begin and end count an end of an interval at t, in the bin at a place.
func (a *activity) begin(f *flow, t int64) {
	f.begins++
	f.beginsAfter.Add(a.offset(t))
}

func (a *activity) end(f *flow, t int64) {
	f.ends++
	f.endsOff.Add(a.offset(t))
}

// offset returns the distance of t from the start of its bin.
func (a *activity) offset(t int64) uint64 { return uint64(t - t>>a.shift<<a.shift) }

// fit doubles the width until no more than maxBins exist.
func (a *activity) fit() {
	for len(a.bins) > maxBins {
		a.coarsen()
	}
}

// coarsen doubles the width.
func (a *activity) coarsen() {
	old := a.bins
	a.bins = a.bins[:0]
	clear(a.index)
	for _, b := range old {
		if b.key&1 == 1 { // the right half of its new bin
			b.shift(uint64(1) << a.shift)
		}
		b.key >>= 1
		a.join(b)
	}
	a.shift++
	a.last = 0
}

// shift moves the start of a bin to an earlier time.
func (b *bin) shift(by uint64) {
	for _, f := range []*flow{&b.runs, &b.attempts} {
		f.beginsAfter.AddProduct(uint64(f.begins), by)
		f.endsOff.AddProduct(uint64(f.ends), by)
	}
}

// join adds a bin of the same width.
func (a *activity) join(b bin) {
	i, ok := a.index[b.key]
	if !ok {
		a.index[b.key] = len(a.bins)
		a.bins = append(a.bins, b)
		return
	}
	a.bins[i].add(&b)
}

// add adds the counts of another bin with the same start.
func (b *bin) add(c *bin) {
	b.first, b.last = min(b.first, c.first), max(b.last, c.last)
	b.instants += c.instants
	b.arrivals += c.arrivals
	b.runs.add(&c.runs)
	b.attempts.add(&c.attempts)
}

func (f *flow) add(g *flow) {
	f.begins += g.begins
	f.ends += g.ends
	f.beginsAfter.AddSum(g.beginsAfter)
	f.endsOff.AddSum(g.endsOff)
}

// merge adds the bins of b, which must not be used afterwards.
func (a *activity) merge(b *activity) {
	for a.shift < b.shift {
		a.coarsen()
	}
	for b.shift < a.shift {
		b.coarsen()
	}
	for _, c := range b.bins {
		a.join(c)
	}
	a.fit()
}

// sorted returns the bins in the order of time.
func (a *activity) sorted() []bin {
	out := slices.Clone(a.bins)
	slices.SortFunc(out, func(x, y bin) int { return cmp.Compare(x.key, y.key) })
	return out
}
