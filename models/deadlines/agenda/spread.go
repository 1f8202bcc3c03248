package agenda

import (
	"math"
	"math/rand/v2"
	"slices"

	"racecard/analyses/changepoint"
	"racecard/analyses/quantile"
)

// repeated is a past run as it is repeated on a simulated day.
type repeated struct {
	*Run
	at     int64   // submission, from midnight
	factor float64 // of all of its times
}

// times returns how long a part of the past run takes on the simulated day.
func (r *repeated) times(past int64) int64 {
	if r.factor == 1 {
		return past
	}
	return int64(math.Round(float64(past) * r.factor))
}

// exactly repeats a run as it was.
func exactly(r *Run) repeated { return repeated{r, r.At, 1} }

// spread is how much the runs of a job differ: few runs show less than that of what the next one may do. Days that
// repeat them as they were would be too much alike, and a deadline after the latest of four runs would be certain.
//
// A job that has changed, or grows, is repeated at its last level: the logarithms of its lengths follow the likeliest
// ramp from one level to another if that gains enough (package changepoint), one step farther if it still rises.
//
// The deviations of runs from their mean, in the logarithm of their length and in their time of submission, are made as
// wide as those of a prediction from n values: of Student's t with n-1 degrees of freedom, and of the variance of one
// value about the mean of n, s²(1 + 1/n), of which values drawn from the n have s²(1 - 1/n) themselves.
type spread struct {
	n            float64
	length, at   float64   // means: of logarithms of lengths; of submissions, in microseconds
	lengths, ats float64   // standard deviations
	logs         []float64 // of lengths, at the last level
	moved        []float64 // by which the logarithms were moved to it
}

// A ramp is followed if it gains more than leastGain ln n in units of the variance of the noise, and there are so many
// runs; at most so many places are tried for its ends.
const (
	leastGain  = 4.5
	leastRuns  = 8
	mostPlaces = 200
)

// toLastLevel returns by how much values, the last first, must be moved to the level of the next one.
func toLastLevel(values []float64) []float64 {
	n := len(values)
	out := make([]float64, n)
	if n < leastRuns {
		return out
	}
	inOrder := slices.Clone(values)
	slices.Reverse(inOrder)
	sd := changepoint.Noise(inOrder)
	r := changepoint.LikeliestRamp(changepoint.Clip(inOrder, sd), mostPlaces)
	if !(r.Gain > leastGain*math.Log(float64(n))*sd*sd) {
		return out
	}
	last := r.Rise
	if r.To == n-1 && r.To > r.From {
		last += r.Rise / float64(r.To-r.From+1)
	}
	for i := range out {
		out[i] = last - r.At(n-1-i)
	}
	return out
}

// Bounds of a draw: of the factor by which deviations grow, and of the logarithm of the factor of times.
const (
	mostWider  = 4
	mostFactor = math.Ln10
)

func spreadOf(runs []Run) spread {
	s := spread{n: float64(len(runs)), logs: make([]float64, len(runs))}
	ats := make([]float64, len(runs))
	for i := range runs {
		s.logs[i], ats[i] = math.Log(max(1, runs[i].length())), float64(runs[i].At)
	}
	s.moved = toLastLevel(s.logs)
	for i := range s.logs {
		s.logs[i] += s.moved[i]
	}
	s.length, s.lengths = quantile.Mean(s.logs), deviation(s.logs)
	s.at, s.ats = quantile.Mean(ats), deviation(ats)
	return s
}

// deviation returns the standard deviation of values; 0 of one, which shows none.
func deviation(values []float64) float64 {
	mean, sum := quantile.Mean(values), 0.0
	for _, x := range values {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(max(1, len(values)-1)))
}

// length returns the time of a run alone on its cores, with all of them busy, in microseconds.
func (r *Run) length() float64 {
	sum := float64(r.StartUp + r.WindDown)
	for i := range r.Stages {
		work := int64(0)
		for _, t := range r.Stages[i].Tasks {
			work += t
		}
		sum += float64(r.Stages[i].Delay) + float64(work)/float64(r.Cores)
	}
	return sum
}

// draw returns one of the runs, at random.
func (s *spread) draw(runs []Run, rng *rand.Rand) repeated {
	i := rng.IntN(len(runs))
	r := exactly(&runs[i])
	if s.lengths > 0 {
		if by := s.moved[i] + s.wider(s.logs[i]-s.length, s.lengths, rng) - (s.logs[i] - s.length); by != 0 {
			r.factor = math.Exp(min(max(by, -mostFactor), mostFactor))
		}
	}
	if s.ats > 0 {
		r.at = int64(math.Round(s.at + s.wider(float64(r.At)-s.at, s.ats, rng)))
	}
	return r
}

// wider returns the deviation of a prediction, for that of a past value. sd is the standard deviation of past values.
func (s *spread) wider(deviation, sd float64, rng *rand.Rand) float64 {
	squares := 0.0
	for range int(s.n) - 1 {
		z := rng.NormFloat64()
		squares += z * z
	}
	student := min(mostWider, math.Sqrt((s.n-1)/squares))
	return (deviation + sd*math.Sqrt(2/s.n)*rng.NormFloat64()) * student
}
