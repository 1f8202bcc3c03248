package jobmodel

import (
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/models/deadlines/internal/law"
	"racecard/models/deadlines/sim"
)

// waiting tells how long runs of a job wait before their first stage begins, where most of their difference comes from
// that: a cluster may admit one job after the other. Waits follow neither tokens nor input. On tokens that past runs
// did not hold they are forecast apart. As a factor of the whole run, a wait would make its tasks take as much longer.
type waiting struct {
	runs  []law.Run // past ones, after their waits
	waits []law.Run // the same, with their wait and added as their time
	added float64   // seconds: the law is of logarithms, and a run may wait for no time
}

// Most of the difference of runs comes from their waits if three things hold. There are leastWaiting runs. The longest
// and the shortest wait differ by leastWait of the time after a wait. The forecast of the next wait is mostlyWaits
// times as wide as the forecast of the time after it. addedWait is [waiting].added as a share of that time: of 1, a
// fifth and a twentieth, the last was best on the jobs of `just kinds`.
const (
	mostlyWaits  = 2
	leastWait    = 0.1
	leastWaiting = 4
	addedWait    = 0.05
)

// newWaiting returns the waits of past runs. It is nil where the wait of a run is not known, or most of the difference
// of runs has other causes. Times after the waits are compared for one input and number of tokens.
func newWaiting(past []pastRun) *waiting {
	w := &waiting{runs: make([]law.Run, len(past)), waits: make([]law.Run, len(past))}
	var after, inputs, tokens []float64
	low, high := math.Inf(1), 0.
	for i, r := range past {
		w.runs[i] = r.untimed()
		if r.CompletionS == nil {
			continue
		}
		if r.StartUpS == nil || !(*r.CompletionS > *r.StartUpS) {
			return nil
		}
		w.runs[i].Seconds = *r.CompletionS - *r.StartUpS
		low, high = min(low, *r.StartUpS), max(high, *r.StartUpS)
		after, inputs, tokens = append(after, w.runs[i].Seconds), append(inputs, w.runs[i].InputBytes),
			append(tokens, w.runs[i].Tokens)
	}
	median := func(of []float64) float64 {
		return quantile.Quantile(quantile.Sort(slices.DeleteFunc(of, math.IsNaN)), 0.5)
	}
	typical := median(after)
	if len(after) < leastWaiting || high-low < leastWait*typical {
		return nil
	}
	w.added = addedWait * typical
	for i, r := range w.runs {
		r.InputBytes, r.Tokens, r.Plan = math.NaN(), math.NaN(), like.Plan
		if !math.IsNaN(r.Seconds) {
			r.Seconds = w.added + *past[i].StartUpS
		}
		w.waits[i] = r
	}
	next := like
	next.InputBytes, next.Tokens, next.Plan = median(inputs), median(tokens), past[len(past)-1].plan
	if spread(w.waits, like) > mostlyWaits*spread(w.runs, next) {
		return w
	}
	return nil
}

// spread returns the seconds between p5 and p95 of a next run.
func spread(past []law.Run, next law.Next) float64 {
	f, ok := law.Predict(past, next, law.DefaultPrior())
	if !ok {
		return 0
	}
	times := f.Times(slownesses, &law.Standards{})
	return times[slownesses*19/20] - times[slownesses/20]
}

// of returns the wait of a past run in seconds: 0 where waits do not matter.
func (w *waiting) of(r pastRun) float64 {
	if w == nil || r.StartUpS == nil {
		return 0
	}
	return *r.StartUpS
}

// next returns equally likely waits of the next run in seconds, ascending.
func (w *waiting) next(j *Job, o Options) []float64 {
	next := like
	next.Submit = o.Submit
	f, ok := j.laws.Predict(w.waits, next, law.DefaultPrior())
	if !ok {
		return make([]float64, slownesses)
	}
	return lists.Map(f.Times(slownesses, &j.standards), func(s float64) float64 { return max(0, s-w.added) })
}

// startUp returns these waits for simulation.
func (w *waiting) startUp(j *Job, o Options) (sim.Dist, error) {
	return sim.Empirical(lists.Map(w.next(j, o), func(seconds float64) int64 {
		return simulatedDuration(1e6 * seconds)
	}))
}

// afterWaits returns equally likely sums of waits and the times after them, ascending: as many as there are of each.
func afterWaits(waits, times []float64) []float64 {
	sums := make([]float64, 0, len(waits)*len(times)/someWaits)
	for i := someWaits / 2; i < len(waits); i += someWaits {
		for _, t := range times {
			sums = append(sums, waits[i]+t)
		}
	}
	slices.Sort(sums)
	out := make([]float64, len(times))
	for q := range out {
		out[q] = sums[(2*q+1)*len(sums)/(2*len(out))]
	}
	return out
}

// someWaits is of how many equally likely waits one is added to all times.
const someWaits = 4
