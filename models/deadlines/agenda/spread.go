package agenda

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

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

// width returns the tokens that a task of the run takes, of so many that there are.
func (r *Run) width(tokens int) int {
	if r.Together {
		return min(r.Tokens, tokens)
	}
	return 1
}

// onTokens returns how long a task takes on so many tokens: longer if it takes all of the run's, and these are fewer.
func (r *Run) onTokens(took int64, width int) int64 {
	if !r.Together || width == r.Tokens {
		return took
	}
	return int64(math.Ceil(float64(took) * float64(r.Tokens) / float64(width)))
}

// exactly repeats a run as it was.
func exactly(r *Run) repeated { return repeated{r, r.At, 1} }

// Next is the predicted next run of a job.
type Next struct {
	// Times are equally likely lengths in seconds, ascending, alone on its tokens. Where there are none, past runs are
	// repeated as they were.
	Times    []float64
	Tokens   int // that it holds at most; 0: as many as the past run
	Warnings []string
	// On returns Times of a run that holds fewer tokens, as the plan has no more; nil: the past run is slower by its work.
	On func(tokens int) ([]float64, error)
}

// spread holds the ways in which the next run of a job may differ from past ones. Its length is drawn from a forecast.
// A past run of about that length is repeated, with all of its times multiplied by one factor: alone on its tokens, it
// takes that length. The zero value repeats past runs as they were.
//
// The next run is submitted when that run was. The deviation from the mean is made as wide as in a prediction from n
// values: by Student's t with n-1 degrees of freedom, and the variance of one value about the mean of n, s²(1 + 1/n).
// Values drawn from the n have s²(1 - 1/n) themselves.
type spread struct {
	Next
	n       float64
	at, ats float64   // mean and standard deviation of submissions, in microseconds
	lengths []float64 // of past runs in seconds, repeated alone on the tokens of the next run, ascending
	of      []int     // the runs that have them
	apart   float64   // seconds between submissions of a job with several runs a day, where known; else 0
	every   float64   // the usual seconds between submissions; NaN where that is not known
}

// How many past runs of the nearest lengths the next run is drawn from, and the most by which a deviation is
// multiplied.
const (
	nearest   = 3
	mostWider = 4
)

// spreadOf learns from past runs, the newest first.
func spreadOf(runs []Run, next Next) spread {
	s := spread{Next: next, n: float64(len(runs))}
	ats, submits, lengths := make([]float64, len(runs)), []float64{}, make([]float64, len(runs))
	for i := range runs {
		ats[i] = float64(runs[i].At)
		if !math.IsNaN(runs[i].Submit) {
			submits = append(submits, runs[i].Submit)
		}
		if s.of = append(s.of, i); len(next.Times) > 0 {
			lengths[i] = runs[i].length(cmp.Or(next.Tokens, runs[i].Tokens))
		}
	}
	s.at, s.ats = quantile.Mean(ats), deviation(ats)
	slices.SortStableFunc(s.of, func(a, b int) int { return cmp.Compare(lengths[a], lengths[b]) })
	for _, i := range s.of {
		s.lengths = append(s.lengths, lengths[i])
	}
	if s.every = interval(submits); s.every < halfDay {
		s.apart = s.every
	}
	return s
}

// on returns the ways in which the next run may differ where a plan has so many tokens: on fewer than it would hold,
// its length is drawn from the forecast on these. How long a program takes on fewer than all of its tokens is not
// known.
func (j *Job) on(tokens int) (spread, error) {
	if !j.hasForecast(tokens) {
		return j.next, nil
	}
	next := j.next.Next
	var err error
	next.Times, err = next.On(tokens)
	next.Tokens = tokens
	return spreadOf(j.Runs, next), err
}

// hasForecast reports whether the length of the next run is drawn from a forecast on fewer tokens than it would hold.
func (j *Job) hasForecast(tokens int) bool {
	return j.next.On != nil && len(j.next.Times) > 0 && tokens < j.next.Tokens &&
		!slices.ContainsFunc(j.Runs, func(r Run) bool { return r.Together })
}

// halfDay is the interval between runs, in seconds, below which a job has more than one on a day.
const halfDay = 12 * 3600

// interval returns the median time from one submission to the next; NaN of one alone.
func interval(submits []float64) float64 {
	sorted := slices.Sorted(slices.Values(submits))
	var all []float64
	for i := 1; i < len(sorted); i++ {
		all = append(all, sorted[i]-sorted[i-1])
	}
	return quantile.Quantile(quantile.Sort(all), 0.5)
}

// deviation returns the standard deviation of values; 0 of one, which shows none.
func deviation(values []float64) float64 {
	mean, sum := quantile.Mean(values), 0.0
	for _, x := range values {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(max(1, len(values)-1)))
}

// length returns the time, in seconds, of a run alone on so many tokens; at least a microsecond.
func (r *Run) length(tokens int) float64 {
	alone := *r
	alone.At, alone.Tokens = 0, tokens
	_, end := simulate([]Job{{}}, []repeated{exactly(&alone)}, tokens, nil)
	return max(1, float64(end[0])) / 1e6
}

// atOnce returns the most tasks of a run that run at once if each has a token when it can start.
func (r *Run) atOnce() (most int) {
	alone, tasks := *r, 1
	for _, st := range r.Stages {
		tasks += len(st.Tasks)
	}
	alone.At, alone.Tokens = 0, tasks
	simulate([]Job{{}}, []repeated{exactly(&alone)}, tasks, func(_, _ int64, tokens int) { most = max(most, tokens) })
	return most
}

// draw returns the next run, at random, from past ones. Its length is the quantile of a share.
func (s *spread) draw(runs []Run, share float64, rng *rand.Rand) repeated {
	if len(s.Times) == 0 {
		return s.submitted(exactly(&runs[rng.IntN(len(runs))]), rng)
	}
	length := s.Times[int(share*float64(len(s.Times)))]
	from, to := s.near(length)
	k := from + rng.IntN(to-from)
	run := runs[s.of[k]]
	run.Tokens = cmp.Or(s.Tokens, run.Tokens)
	return s.submitted(repeated{&run, run.At, length / s.lengths[k]}, rng)
}

// submitted returns a repeated run with the submission of the next one.
func (s *spread) submitted(r repeated, rng *rand.Rand) repeated {
	if s.ats > 0 {
		r.at = int64(math.Round(s.at + s.wider(float64(r.At)-s.at, s.ats, rng)))
	}
	return r
}

// near returns where the runs with the nearest lengths begin and end, in the order of their lengths; all of those that
// are as near.
func (s *spread) near(length float64) (from, to int) {
	n := min(nearest, len(s.lengths))
	from, _ = slices.BinarySearch(s.lengths, length)
	from = min(max(0, from-n), len(s.lengths)-n)
	for from+n < len(s.lengths) && s.lengths[from+n]/length < length/s.lengths[from] {
		from++
	}
	to = from + n
	for from > 0 && s.lengths[from-1] == s.lengths[from] {
		from--
	}
	for to < len(s.lengths) && s.lengths[to] == s.lengths[to-1] {
		to++
	}
	return from, to
}

// wider returns the deviation of a prediction for the deviation of a past value. sd is the standard deviation of past
// values.
func (s *spread) wider(deviation, sd float64, rng *rand.Rand) float64 {
	squares := 0.0
	for range int(s.n) - 1 {
		z := rng.NormFloat64()
		squares += z * z
	}
	student := min(mostWider, math.Sqrt((s.n-1)/squares))
	return (deviation + sd*math.Sqrt(2/s.n)*rng.NormFloat64()) * student
}
