package distfit

import "math"

// least bounds probabilities from below, so that a single value that is impossible under a fit does not make a distance
// infinite.
const least = 1e-300

// distances are the distances of a distribution from a sample.
//
// ks is D of Kolmogorov and Smirnov: the largest difference between the cumulative distributions. ad is A² of T. W.
// Anderson and D. A. Darling, "A Test of Goodness of Fit", Journal of the American Statistical Association 49, 1954:
// their squared difference, integrated with weight n / (F (1-F)). A value that occurs c times counts as c values. For a
// Pareto distribution, A² leaves out values at the minimum, where F is 0, since the fit takes the minimum from the
// sample. If values stand for cells, cumulative distributions are compared at the ends of cells, and A² spreads the
// values of a cell over its probability.
func distances(d Dist, s *Sample) (ks, ad float64) {
	if s.coarse {
		return cellDistances(d, s)
	}
	first := atMinimum(d, s)
	// Of A² = -n - sum (2i-1) (ln F(x_i) + ln (1 - F(x_(n+1-i)))) / n, the terms of a value that takes the places a+1
	// .. b add up to (b²-a²) ln F + ((n-a)²-(n-b)²) ln (1-F).
	n, below, sum := s.n-first, 0.0, 0.0
	for i, x := range s.x {
		p := placeOf(d, x)
		f, above := p.below, p.above
		ks = max(ks, f-below/s.n, (below+s.count[i])/s.n-f)
		if below >= first {
			a, b := below-first, below-first+s.count[i]
			sum += (b-a)*(b+a)*math.Log(max(f, least)) + (b-a)*(2*n-a-b)*math.Log(max(above, least))
		}
		below += s.count[i]
	}
	return ks, -n - sum/n
}

// atMinimum returns the number of values that are no part of A².
func atMinimum(d Dist, s *Sample) float64 {
	if p, ok := d.(Pareto); ok && len(s.x) > 0 && s.x[0] == p.Min {
		return s.count[0]
	}
	return 0
}

// closer reports whether both distances of a distribution from a sample are surely below ks and ad. It may say no where
// they are. It looks at every stride-th value only: F rises, so that these bound it in between.
func closer(d Dist, s *Sample, ks, ad float64) bool {
	const (
		stride = 8
		slack  = 1e-6 // far more than the rounding of F
	)
	if s.coarse {
		return false
	}
	var low place // of the value before i; of the first two values themselves, as F of a Pareto distribution begins at 0
	first := atMinimum(d, s)
	n, below, sum := s.n-first, 0.0, 0.0
	for i, next := 0, 1; i < len(s.x); i, next = next, min(next+min(next, stride), len(s.x)) {
		high := placeOf(d, s.x[next-1])
		if i < 2 {
			low = high
		}
		through := below
		for _, count := range s.count[i:next] {
			through += count
		}
		if !(max(high.below-below/s.n, through/s.n-low.below) < ks-slack) {
			return false
		}
		if a, b := below-first, through-first; a >= 0 {
			sum += (b-a)*(b+a)*math.Log(max(low.below, least)) + (b-a)*(2*n-a-b)*math.Log(max(high.above, least))
		}
		below, low = through, high
	}
	return -n-sum/n < ad-slack*n
}

// cellDistances computes distances for a sample of cells. Across a cell, the cumulative share of the sample rises
// linearly from a to b in the probability u of the distribution; between cells, a = b. Cells that are narrow compared
// with their values count as their middles.
func cellDistances(d Dist, s *Sample) (ks, ad float64) {
	sum, n, share := 0.0, 0.0, 0.0
	last := place{0, 1}
	move := func(to place, next float64) {
		sum += last.integral(to, share-last.below, next-to.below)
		last, share = to, next
	}
	for i, x := range s.x {
		from, to := s.cell(x)
		if i >= s.mid.from {
			from, to = (from+to)/2, (from+to)/2
		}
		begin := placeOf(d, from)
		end := begin
		if to > from {
			end = placeOf(d, to)
		}
		n += s.count[i]
		ks = max(ks, math.Abs(begin.below-share), math.Abs(end.below-n/s.n))
		move(begin, share)
		move(end, n/s.n)
	}
	move(place{1, 0}, 1)
	return ks, s.n * sum
}

// placeOf returns the place of x. Survival is called in the tail only, where 1 - CDF loses digits: it is slow for gamma
// distributions.
func placeOf(d Dist, x float64) place {
	p := place{below: d.CDF(x)}
	if p.above = 1 - p.below; p.above < 0.1 {
		p.above = d.Survival(x)
	}
	return p
}

// place is a place of a distribution: the probability below and above it.
type place struct{ below, above float64 }

// integral returns the integral of e(u)² / (u (1-u)) from p to q, u being the probability below, where e runs from a to
// b in a straight line. With e = c + m u, the integrand is c²/u + (c+m)²/(1-u) - m².
func (p place) integral(q place, a, b float64) float64 {
	width := q.below - p.below
	if width <= 0 {
		return 0
	}
	m := (b - a) / width
	c := a - m*p.below
	sum := -m * m * width
	if p.below > 0 || a != 0 { // at the left end e is 0, and so is c
		sum += c * c * math.Log(q.below/max(p.below, least))
	}
	if q.above > 0 || b != 0 { // at the right end c + m is 0
		sum += (c + m) * (c + m) * math.Log(p.above/max(q.above, least))
	}
	return max(sum, 0)
}
