package jobmodel

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

// levels are the levels of the times of all jobs of a store: on a busier cluster, all runs take longer. The level is a
// random walk, filtered from the times of runs as they end (R. E. Kalman, "A New Approach to Linear Filtering and
// Prediction Problems", 1960). How fast it walks is chosen among some speeds by how well times were foretold at the
// submissions of runs. [Surprises] choose whether the level counts. The zero value has no level.
type levels struct {
	ends   []trace.Instant // ascending
	jobs   []int           // different jobs among the first k runs
	walks  [][]known       // per speed, after each end
	scores []differences   // per speed, from those without a level
}

// speeds are standard deviations of the logarithm of the level after a day.
var speeds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5}

const (
	mostTelling   = 30_000 // the newest runs tell the level, at most
	slowestOwn    = 0.1    // the least weight of the newest run in the level of its job
	usualNoise    = 0.3    // standard deviation of the logarithms of the times of a job's runs, before any is seen
	weightOfUsual = 4      // in runs
	usualSlope    = 0.5    // of the logarithm of a time over that of the input, before any is seen
	sdOfSlope     = 0.5
	mostLevels    = 2000 // ends after which the level is told
)

// known is the mean and the variance of the logarithm of a level, as runs that had ended told it.
type known struct{ mean, variance float64 }

// moment is the submission or the end of a run.
type moment struct {
	at   trace.Instant
	ends bool
	run  int32
}

// newLevels filters the levels of jobs whose runs have the same tokens, as they have had so far. What their inputs
// explain is no level.
func newLevels(jobs []ending) *levels {
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
	runs = runs[max(0, len(runs)-mostTelling):]
	d := &levels{jobs: []int{0}}
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
	filter := func(speed float64) (levels []known, scores []float64) {
		w := walk{speed: speed, own: make([]ownLevel, len(jobs)), noise: usualNoise * usualNoise}
		levels, scores = make([]known, len(runs)), make([]float64, len(runs))
		for _, m := range moments {
			r := &runs[m.run]
			if w.to(m.at); !m.ends {
				levels[m.run].mean = w.foretell(r.job, r.input) // until the run ends
				continue
			}
			y := math.Log(r.seconds)
			scores[m.run] = w.score(y-levels[m.run].mean, r.job, r.input)
			w.learn(y, r.job, r.input)
			levels[m.run] = known{w.level, w.variance}
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
		d.walks, d.scores = append(d.walks, levels), append(d.scores, from)
	}
	return d
}

// alike returns the first runs of a job, until one has other tokens than the first, or only one of their inputs is
// known.
func alike(runs []peer) []peer {
	known := func(r peer) bool { return r.input > 0 }
	n := slices.IndexFunc(runs, func(r peer) bool {
		return known(r) != known(runs[0]) || r.tokens != runs[0].tokens && !(math.IsNaN(r.tokens) &&
			math.IsNaN(runs[0].tokens))
	})
	if n < 0 {
		n = len(runs)
	}
	return runs[:n]
}

// ownLevel is the level of the times of one job at its first input, after the level of all jobs is taken off, and their
// noise. An input that is e times as large makes the logarithm of a time larger by the slope.
type ownLevel struct {
	n, level, squares float64
	input, slope      float64
	// variances of the level and the slope, and their covariance, in variances of the noise
	ofLevel, ofSlope, both float64
}

// growth returns the logarithm of an input over the first one; 0 where inputs are not known.
func (o *ownLevel) growth(input float64) float64 {
	if o.input > 0 {
		return math.Log(input / o.input)
	}
	return 0
}

// variance returns the variance of the mean of the times of a job at an input, in variances of the noise.
func (o *ownLevel) variance(x float64) float64 {
	return o.ofLevel + 2*x*o.both + x*x*o.ofSlope
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
func (w *walk) foretell(job int, input float64) float64 {
	o := &w.own[job]
	if o.n == 0 {
		return math.NaN()
	}
	return o.level + o.slope*o.growth(input) + w.level
}

// noiseOf returns the variance of the logarithms of the times of a job.
func (w *walk) noiseOf(job int) float64 {
	o := &w.own[job]
	return max(1e-6, (weightOfUsual*w.noise+o.squares)/(weightOfUsual+max(0, o.n-1)))
}

// score returns the negative log-likelihood of an error under Student's t distribution with 4 degrees of freedom, less
// a constant.
func (w *walk) score(err float64, job int, input float64) float64 {
	o := &w.own[job]
	v := w.noiseOf(job)*(1+o.variance(o.growth(input))) + w.variance
	return math.Log(v)/2 + 2.5*math.Log1p(err*err/(4*v))
}

// learn learns from the logarithm of the time of a run that ended. Outliers count as three standard deviations.
func (w *walk) learn(y float64, job int, input float64) {
	o := &w.own[job]
	if o.n == 0 {
		*o = ownLevel{n: 1, level: y - w.level, input: input, slope: usualSlope, ofLevel: 1,
			ofSlope: sdOfSlope * sdOfSlope / w.noiseOf(job)}
		return
	}
	x, noise := o.growth(input), w.noiseOf(job)
	own := 1 + o.variance(x)
	sd := math.Sqrt(noise*own + w.variance)
	err := max(-3*sd, min(3*sd, y-o.level-o.slope*x-w.level))
	if o.n > 1 {
		gain := w.variance / (sd * sd)
		w.level += gain * err
		w.variance *= 1 - gain
	}
	o.squares += err * err
	w.seen++
	w.noise += (err*err - w.noise) / (weightOfUsual + w.seen)
	toLevel, toSlope := o.ofLevel+x*o.both, x*o.ofSlope+o.both
	left := y - o.level - o.slope*x - w.level
	o.level += left * toLevel / own
	o.slope += left * toSlope / own
	o.ofLevel = max(o.ofLevel-toLevel*toLevel/own, slowestOwn/(1-slowestOwn))
	o.ofSlope -= toSlope * toSlope / own
	o.both -= toLevel * toSlope / own
	o.n++
}

// until returns the level until an instant; nil where no level is apparent. An unknown instant is after all.
func (d *levels) until(t trace.Instant) *level {
	n := ended(d.ends, t)
	if n < enoughTold || d.jobs[n] < enoughJobs {
		return nil
	}
	best := smallest(d.scores, n)
	if !d.scores[best].apparent(n) {
		return nil
	}
	return &level{d.ends[:n], smooth(d.ends[:n], d.walks[best][:n], speeds[best])}
}

// smooth returns the level after each end, estimated from all ends, later ones too. The source is H. E. Rauch, F. Tung
// and C. T. Striebel, "Maximum Likelihood Estimates of Linear Dynamic Systems", 1965.
func smooth(ends []trace.Instant, levels []known, speed float64) []float64 {
	out := make([]float64, len(levels))
	next := levels[len(levels)-1].mean
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		if i+1 < len(ends) && l.variance > 0 {
			grown := speed * speed * ends[i+1].Since(ends[i]).Seconds() / (24 * 3600)
			next = l.mean + (next-l.mean)*l.variance/(l.variance+grown)
		}
		out[i] = next
	}
	return out
}

// level is the level of the times of all jobs until some instant.
type level struct {
	ends   []trace.Instant
	levels []float64
}

// at returns the logarithm of the level at an instant.
func (l *level) at(t trace.Instant) float64 {
	if n := ended(l.ends, t); n > 0 {
		return l.levels[n-1]
	}
	return l.levels[0]
}

// knots returns the level after some of the ends, evenly spread, the last among them.
func (l *level) knots() modelfile.Levels {
	if l == nil {
		return nil
	}
	n := len(l.ends)
	some := min(n, mostLevels)
	var out modelfile.Levels
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
