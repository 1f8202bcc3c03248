package measure

import "racecard/datasets/trace"

// Series is usage over time, in bins of equal width. There are at most maxBins: as time goes on, pairs are
// merged.
type Series struct {
	width int64 // microseconds
	bins  []bin
}

const maxBins = 512

// bin holds integrals over its time, in µs.
type bin struct {
	used  [trace.NumResources]float64
	tasks float64
}

// add adds usage from one instant to another, in microseconds.
func (s *Series) add(from, to int64, used *[trace.NumResources]float64, tasks float64) {
	for to > s.width*maxBins {
		half := (len(s.bins) + 1) / 2
		for k := range half {
			b := s.bins[2*k]
			if 2*k+1 < len(s.bins) {
				b.plus(&s.bins[2*k+1].used, s.bins[2*k+1].tasks, 1)
			}
			s.bins[k] = b
		}
		s.bins = s.bins[:half]
		s.width *= 2
	}
	for from < to {
		k := int(from / s.width)
		end := min(to, (int64(k)+1)*s.width)
		for len(s.bins) <= k {
			s.bins = append(s.bins, bin{})
		}
		s.bins[k].plus(used, tasks, float64(end-from))
		from = end
	}
}

func (b *bin) plus(used *[trace.NumResources]float64, tasks, times float64) {
	for r, x := range used {
		b.used[r] += x * times
	}
	b.tasks += tasks * times
}

// Width returns the width of the bins in seconds.
func (s *Series) Width() float64 { return float64(s.width) / 1e6 }

// Used returns the mean share of a resource that is used in every bin.
func (s *Series) Used(r trace.Resource) []float64 {
	return s.means(func(b *bin) float64 { return b.used[r] })
}

// Tasks returns the mean number of tasks that run in every bin.
func (s *Series) Tasks() []float64 { return s.means(func(b *bin) float64 { return b.tasks }) }

func (s *Series) means(of func(b *bin) float64) []float64 {
	out := make([]float64, len(s.bins))
	for k := range s.bins {
		out[k] = of(&s.bins[k]) / float64(s.width)
	}
	return out
}
