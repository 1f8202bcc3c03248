package leftover

import (
	"sync/atomic"

	"racecard/datasets/trace"
)

// series is the amount that all runs so far hold, and their leftover, over time: exactly, as sorted steps, while
// they fit a memory budget, then as integrals in time bins. Whether they fit depends on the runs alone, not on
// their order.
type series struct {
	memory int64
	shared *shared  `partial:"-"` // what the partial results of an analysis know of each other; nil: nothing
	open   steps    // of the latest runs, as they came
	exact  []*steps // sorted, the longest first
	bins   *bins    // nil while the steps fit
}

// shared is 0 while the steps of all partial results fit, and then 1 more than the shift of the widest bins. No partial
// result needs narrower bins than another: merged, all are as wide as the widest.
type shared struct{ atomic.Int64 }

const (
	openSteps = 1 << 17 // rows of open steps before they are sorted
	maxBins   = 1 << 18 // time bins if the steps do not fit; fewer if the bins would not fit either
)

// rowBytes returns what a row takes: eight times its size, for the partitions that are read at once, merging and
// ranking.
func rowBytes(resources int) int64 { return 8 * (12 + 32*int64(resources)) }

// fits reports whether rows of a number of resources fit the budget, and can be numbered.
func (s *series) fits(rows, resources int) bool {
	return int64(rows)*rowBytes(resources) <= s.memory && rows <= number
}

// settle takes in the open steps when there are many.
func (s *series) settle() {
	if n := s.open.len(); n >= openSteps || !s.fits(n, s.open.resources()) {
		s.flush()
	}
}

// flush takes in the open steps.
func (s *series) flush() {
	switch {
	case s.open.len() == 0:
		return
	case s.binned():
		s.bins.pour(&s.open)
		s.share()
	default:
		s.put(s.open.sorted())
	}
	s.open.reset()
}

// binned reports whether there are bins, and makes them where the steps of other runs do not fit.
func (s *series) binned() bool {
	if s.bins == nil && s.shared != nil && s.shared.Load() > 0 {
		s.spill()
	}
	return s.bins != nil
}

// put adds sorted steps.
func (s *series) put(t *steps) {
	if s.binned() {
		s.bins.pour(t)
		return
	}
	s.exact = append(s.exact, t)
	rows, resources := 0, 0
	for _, e := range s.exact {
		rows, resources = rows+e.len(), max(resources, e.resources())
	}
	tight := !s.fits(rows, resources)
	for n := len(s.exact); n > 1 && (tight || s.exact[n-2].len() < 2*s.exact[n-1].len()); n-- {
		s.exact[n-2], s.exact[n-1] = merge(s.exact[n-2], s.exact[n-1]), nil
		s.exact = s.exact[:n-1]
	}
	if tight && !s.fits(s.exact[0].len(), s.exact[0].resources()) {
		s.spill()
	}
}

// spill pours the steps into bins.
func (s *series) spill() {
	if s.bins == nil {
		s.bins = &bins{most: int(max(64, min(maxBins, s.memory/512)))}
		if s.shared != nil {
			s.bins.shift = uint(max(0, s.shared.Load()-1))
		}
	}
	for _, t := range s.exact {
		s.bins.pour(t)
	}
	s.exact = nil
	s.share()
}

// share tells the other partial results how wide the bins are.
func (s *series) share() {
	if own := int64(s.bins.shift) + 1; s.shared != nil && s.shared.Load() < own {
		s.shared.Store(own) // of two at once the narrower may win: then bins become wider later
	}
}

// add adds the amounts of t. t must not be used afterwards.
func (s *series) add(t *series) {
	s.flush()
	t.flush()
	if t.bins != nil {
		s.spill()
		s.bins.add(t.bins)
		s.share()
	}
	if e := t.whole(); e != nil && e.len() > 0 {
		s.put(e)
	}
}

// whole returns the exact steps merged into one, nil if there are bins.
func (s *series) whole() *steps {
	s.flush()
	if s.bins != nil {
		return nil
	}
	all := &steps{}
	for i := len(s.exact) - 1; i >= 0; i-- {
		all = merge(s.exact[i], all)
		s.exact[i] = nil
	}
	s.exact = []*steps{all}
	return all
}

// Encodable merges the exact steps, which take the least space that way.
func (s *series) Encodable() error {
	s.flush()
	if s.bins == nil && len(s.exact) > 1 {
		s.whole()
	}
	return nil
}

// levels are sums of the changes so far.
type levels struct {
	alloc, spare [trace.NumResources]amount
}

// apply adds row i of steps.
func (l *levels) apply(s *steps, i int) {
	for r := range s.alloc {
		if s.alloc[r] != nil {
			l.alloc[r], l.spare[r] = l.alloc[r].plus(s.alloc[r][i]), l.spare[r].plus(s.spare[r][i])
		}
	}
}
