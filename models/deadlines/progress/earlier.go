package progress

import "math"

// During returns the fraction of the tasks of each stage that is done at a relative time in [0, 1] of the earlier run,
// as if tasks of a stage ended evenly between its begin and its end.
func (p *Plan) During(at float64) []float64 {
	done := make([]float64, len(p.stages))
	for i := range p.stages {
		s := &p.stages[i]
		switch {
		case at >= s.End:
			done[i] = 1
		case at > s.Begin:
			done[i] = (at - s.Begin) / (s.End - s.Begin)
		}
	}
	return done
}

// Path is S_t, the longest path through the remaining stages, in seconds: 0 if all is done, and NaN as At.
func (p *Plan) Path(done []float64) float64 {
	if len(done) != len(p.stages) {
		return math.NaN()
	}
	path := 0.0
	for i, f := range done {
		if !(f >= 0 && f <= 1) {
			return math.NaN()
		}
		if f < 1 {
			path = max(path, (1-f)*p.stages[i].LongestS+p.after[i])
		}
	}
	return path
}

// Work returns P_t, the time that tasks still execute, in seconds: the sum over stages of (1-f_s) T_s. It is NaN as At.
func (p *Plan) Work(done []float64) float64 {
	if len(done) != len(p.stages) {
		return math.NaN()
	}
	left := 0.0
	for i, f := range done {
		if !(f >= 0 && f <= 1) {
			return math.NaN()
		}
		left += (1 - f) * p.stages[i].WorkS
	}
	return left
}
