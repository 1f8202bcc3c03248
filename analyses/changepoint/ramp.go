package changepoint

// Ramp is a change between two levels: level until one value, level from another on, and a straight line between. A
// step is a ramp whose ends are one value.
type Ramp struct {
	From, To int     // the first value above the first level, and the first on the second
	Rise     float64 // from the first level to the second
	Gain     float64 // by which it reduces the sum of squares about the mean
}

// At returns how far the ramp has risen at a value.
func (r Ramp) At(i int) float64 {
	return r.Rise * min(1, max(0, float64(i-r.From+1)/float64(r.To-r.From+1)))
}

// LikeliestRamp returns the ramp with the least sum of squares about it, of values in time order. At most so many
// places are tried for either end; 0 tries steps alone, at all places. Its rise is 0 if there is none. Time O(n +
// min(n, most)²).
func LikeliestRamp(values []float64, most int) Ramp {
	n := len(values)
	best := Ramp{From: 1, To: 1}
	mean := 0.0
	for _, v := range values {
		mean += v / float64(n)
	}
	sum, moment := make([]float64, n+1), make([]float64, n+1)
	for i, v := range values {
		sum[i+1], moment[i+1] = sum[i]+v-mean, moment[i]+float64(i)*(v-mean)
	}
	step := 1
	if most > 0 {
		step = (n + most - 1) / most
	}
	for from := 1; from < n; from += step {
		for to := from; to < n && (to == from || most > 0); to += step {
			// sums of the ramp of height 1, of its squares about their mean, and of its products with values
			w, m := float64(to-from+1), float64(to-from)
			h := m*(m+1)/2/w + float64(n-to)
			xx := m*(m+1)*(2*m+1)/6/(w*w) + float64(n-to) - h*h/float64(n)
			xy := (moment[to]-moment[from]-float64(from-1)*(sum[to]-sum[from]))/w + sum[n] - sum[to]
			if gain := xy * xy / xx; xx > 0 && gain > best.Gain {
				best = Ramp{from, to, xy / xx, gain}
			}
		}
	}
	return best
}
