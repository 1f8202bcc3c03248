package jobmodel

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

// drifts are the levels of the times of all jobs of a store: on a busier cluster, all runs take longer. The level is a
// random walk, filtered from the times of runs as they end (R. E. Kalman, "A New Approach to Linear Filtering and
// Prediction Problems", 1960). How fast it walks is chosen among some speeds by how well times were foretold at the
// submissions of runs. [Surprises] choose whether the level counts. The zero value has no level.
type drifts struct {
	ends   []trace.Instant // ascending
	jobs   []int           // different jobs among the first k runs
	levels [][]float64     // per speed, after each end: logarithms
	scores []differences   // per speed, from those without a level
}

// speeds are standard deviations of the logarithm of the level after a day.
var speeds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5}

const (
	mostDrifting  = 30_000 // the newest runs tell the level, at most
	slowestOwn    = 0.1    // the least weight of the newest run in the level of its job
	usualNoise    = 0.3    // standard deviation of the logarithms of the times of a job's runs, before any is seen
	weightOfUsual = 4      // in runs
	mostLevels    = 2000   // ends after which the level is told
)

// moment is the submission or the end of a run.
type moment struct {
	at   trace.Instant
	ends bool
	run  int32
}

// newDrifts filters the levels of jobs whose runs have the same input and the same tokens, as they have had so far.
func newDrifts(jobs []ending) *drifts {
	type run struct {
		peer
		job int
	}
	var runs []run
	for j := range jobs {
		for _, r := range alike(jobs[j].runs) {
			runs = append(runs, run{r, j})
		}
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.to, b.to) })
	runs = runs[max(0, len(runs)-mostDrifting):]
	d := &drifts{jobs: []int{0}}
	if len(runs) == 0 {
		return d
	}
	moments := make([]moment, 0, 2*len(runs))
	seen := map[int]bool{}
	for i, r := range runs {
		moments = append(moments, moment{r.from, false, int32(i)}, moment{r.to, true, int32(i)})
		seen[r.job] = true
		d.ends, d.jobs = append(d.ends, r.to), append(d.jobs, len(seen))
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		if a.at == b.at && a.ends != b.ends { // what ended just then is known
			if a.ends {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.at, b.at)
	})
	filter := func(speed float64) (levels, scores []float64) {
		w := walk{speed: speed, own: make([]ownLevel, len(jobs)), noise: usualNoise * usualNoise}
		levels, scores = make([]float64, len(runs)), make([]float64, len(runs))
		for _, m := range moments {
			r := &runs[m.run]
			if w.to(m.at); !m.ends {
				levels[m.run] = w.foretell(r.job) // until the run ends
				continue
			}
			y := math.Log(r.seconds)
			scores[m.run] = w.score(y-levels[m.run], r.job)
			w.learn(y, r.job)
			levels[m.run] = w.level
		}
		return levels, scores
	}
	_, still := filter(0)
	for _, speed := range speeds {
		levels, scores := filter(speed)
		var from differences
		for i := range runs {
			if math.IsNaN(scores[i]) { // the first run of a job
				from.add(0)
			} else {
				from.add(scores[i] - still[i])
			}
		}
		d.levels, d.scores = append(d.levels, levels), append(d.scores, from)
	}
	return d
}

// alike returns the first runs of a job, until one has another input or other tokens than the first.
func alike(runs []peer) []peer {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	n := slices.IndexFunc(runs, func(r peer) bool {
		return !same(r.input, runs[0].input) || !same(r.tokens, runs[0].tokens)
	})
	if n < 0 {
		n = len(runs)
	}
	return runs[:n]
}

// ownLevel is the level of the times of one job, after the level of all jobs is taken off, and their noise.
type ownLevel struct {
	n, level, squares float64
}

// walk is the filter of a level.
type walk struct {
	speed           float64
	own             []ownLevel
	at              trace.Instant
	begun           bool
	level, variance float64
	noise           float64 // mean of the squares of the noise of all jobs
	seen            float64
}

// to goes on to an instant: the level is less certain the longer nothing was seen.
func (w *walk) to(at trace.Instant) {
	if w.begun {
		w.variance += w.speed * w.speed * (at - w.at).Seconds() / (24 * 3600)
	}
	w.at, w.begun = at, true
}

// foretell returns the logarithm of the time of a next run of a job, NaN for its first.
func (w *walk) foretell(job int) float64 {
	o := &w.own[job]
	if o.n == 0 {
		return math.NaN()
	}
	return o.level + w.level
}

// noiseOf returns the variance of the logarithms of the times of a job.
func (w *walk) noiseOf(job int) float64 {
	o := &w.own[job]
	return max(1e-6, (weightOfUsual*w.noise+o.squares)/(weightOfUsual+max(0, o.n-1)))
}

// score returns the negative log-likelihood of an error under Student's t distribution with 4 degrees of freedom, less
// a constant.
func (w *walk) score(err float64, job int) float64 {
	v := w.noiseOf(job)*(1+1/w.own[job].n) + w.variance
	return math.Log(v)/2 + 2.5*math.Log1p(err*err/(4*v))
}

// learn learns from the logarithm of the time of a run that ended. Outliers count as three standard deviations.
func (w *walk) learn(y float64, job int) {
	o := &w.own[job]
	if o.n > 0 {
		noise := w.noiseOf(job)
		sd := math.Sqrt(noise*(1+1/o.n) + w.variance)
		err := max(-3*sd, min(3*sd, y-o.level-w.level))
		if o.n > 1 {
			gain := w.variance / (sd * sd)
			w.level += gain * err
			w.variance *= 1 - gain
		}
		o.squares += err * err
		w.seen++
		w.noise += (err*err - w.noise) / (weightOfUsual + w.seen)
	}
	o.level += (y - w.level - o.level) * max(1/(o.n+1), slowestOwn)
	o.n++
}

// until returns the level until an instant; nil where no level is apparent. An unknown instant is after all.
func (d *drifts) until(t trace.Instant) *level {
	n := ended(d.ends, t)
	if n < enoughTold || d.jobs[n] < enoughJobs {
		return nil
	}
	best := smallest(d.scores, n)
	if !d.scores[best].apparent(n) {
		return nil
	}
	return &level{d.ends[:n], d.levels[best]}
}

// level is the level of the times of all jobs until some instant.
type level struct {
	ends   []trace.Instant
	levels []float64
}

// at returns the logarithm of the level at an instant, which was 0 at first.
func (l *level) at(t trace.Instant) float64 {
	if n := ended(l.ends, t); n > 0 {
		return l.levels[n-1]
	}
	return 0
}

// knots returns the level after some of the ends, evenly spread, the last among them.
func (l *level) knots() modelfile.Drift {
	if l == nil {
		return nil
	}
	n := len(l.ends)
	some := min(n, mostLevels)
	var out modelfile.Drift
	for i := range some {
		k := (i+1)*n/some - 1
		at := modelfile.Level{AtS: l.ends[k].Seconds(), Log: l.levels[k]}
		if n := len(out); n > 0 && out[n-1].AtS == at.AtS { // of runs that ended at once the last has seen all
			out[n-1] = at
			continue
		}
		out = append(out, at)
	}
	return out
}

// ended returns how many of some ends, ascending, are at most at an instant. An unknown instant is after all.
func ended(ends []trace.Instant, t trace.Instant) int {
	if !t.Known() {
		return len(ends)
	}
	n, _ := slices.BinarySearchFunc(ends, t, func(end, t trace.Instant) int {
		if end <= t {
			return -1
		}
		return 1
	})
	return n
}
