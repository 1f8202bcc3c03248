package law

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// points is the number of equally likely values that represent a t distribution.
const points = 64

// Standards caches values of Student's t distribution, which take long to compute, for forecasts of one job. The zero
// value is empty; several goroutines may use it at once.
type Standards struct {
	mutex sync.Mutex
	of    map[float64][]float64 // by degrees of freedom
}

// values returns equally likely values of Student's t distribution, ascending.
func (s *Standards) values(df float64) []float64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.of == nil {
		s.of = map[float64][]float64{}
	}
	if s.of[df] == nil {
		s.of[df] = standard(df)
	}
	return s.of[df]
}

// standard returns equally likely values of Student's t distribution.
func standard(df float64) []float64 {
	out := make([]float64, points)
	t := distuv.StudentsT{Sigma: 1, Nu: df}
	for i := range points / 2 {
		x := t.Quantile((float64(i) + 0.5) / points)
		out[i], out[points-1-i] = x, -x
	}
	return out
}

// Components with a small weight, thousands of them, are represented by every eighth of their points, each by others
// than the one before.
const (
	small = 1. / 512
	fewer = 8
)

// stepOf returns the distance of the points that represent a component of some weight.
func stepOf(weight float64) int {
	if weight < small {
		return fewer
	}
	return 1
}

// margin is the distance, on the logarithmic scale, by which a time may exceed the differences of past runs from their
// mean before it shrinks.
const margin = 0.25

// near shrinks the distance of a time from the middle of its component, where no past run was as far from the mean: the
// part beyond margin becomes its logarithm. The times of a job have bounds. By the tails of a t distribution, three
// runs of 200 to 36,687 s would have a p95 of 28 days. From the logs of NASA and the LCG in ../shared.
func (f *Forecast) near(x float64) float64 {
	if far := x - f.longest - margin; far > 0 {
		return f.longest + margin + math.Log1p(far)
	}
	if far := f.shortest - margin - x; far > 0 {
		return f.shortest - margin - math.Log1p(far)
	}
	return x
}

// points appends the points that represent a forecast.
func (f *Forecast) points(all []point, s *Standards) []point {
	for k := range f.parts {
		c := &f.parts[k]
		of, step := s.values(c.df), stepOf(c.weight)
		for i := k % step; i < points; i += step {
			all = append(all, point{c.middle + f.near(c.spread*of[i]), c.weight / points * float64(step)})
		}
	}
	return all
}

// Times returns n equally likely times in seconds, ascending: quantiles of the distribution at the middles of equal
// shares.
func (f *Forecast) Times(n int, s *Standards) []float64 {
	w := sorting.Get().(*sorter)
	defer sorting.Put(w)
	all := w.sorted(f.points(w.all[:0], s))
	sum := f.sum()
	// The k-th point stands in the middle of its weight.
	out := make([]float64, n)
	k, below := 0, all[0].weight/2/sum
	for i := range out {
		p := (float64(i) + 0.5) / float64(n)
		for k < len(all)-1 && below < p {
			step := (all[k].weight + all[k+1].weight) / 2 / sum
			if below+step >= p {
				break
			}
			below += step
			k++
		}
		x := all[k].x
		if below < p && k < len(all)-1 {
			step := (all[k].weight + all[k+1].weight) / 2 / sum
			x += (all[k+1].x - all[k].x) * (p - below) / step
		}
		out[i] = math.Exp(x)
	}
	return out
}
