package workload

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/digest"
	"racecard/analyses/distfit"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// microseconds and counts are the units of digests.
const (
	microseconds = 1e6
	count        = 1
)

// maxDistinct bounds the different values of a curve or a fit; beyond it, bins of 0.1% are used.
const maxDistinct = 100_000

// maxOpen is the same bound for values that had not ended. A fit evaluates the survival function at each of them
// repeatedly.
const maxOpen = 2000

func (p *Partial) durationStats() result.Durations {
	d := result.Durations{
		Header: p.header(partDurations), Completion: p.completion.Summary(microseconds), Unknown: p.unknownEnd,
		Unsuccessful: p.unsuccessful.Summary(microseconds), Wait: p.wait.Summary(microseconds), Censored: p.censored,
		Extremes: append(p.longest.runs("longest completion time, s", microseconds),
			p.waited.runs("longest wait for its start, s", microseconds)...),
	}
	d.Top1 = topShare(p.completion, microseconds)
	return d
}

func (p *Partial) taskStats() result.TasksPerJob {
	t := result.TasksPerJob{
		Header: p.header(partTasks), Tasks: p.tasks.Summary(count), Total: p.tasks.Sum(),
		Extremes: p.most.runs("most tasks", count),
	}
	t.Top1 = topShare(p.tasks, count)
	return t
}

func (p *Partial) taskDurationStats() result.TaskDurations {
	d := result.TaskDurations{
		Header: p.header(partTaskDurations), Duration: p.duration.Summary(microseconds),
		Unsuccessful: p.lost.Summary(microseconds),
		Censored:     p.attempts[trace.Running], Missing: p.untimed,
		Extremes: p.longestTask.attempts("longest attempt, s", microseconds),
	}
	if !p.duration.Exact() || !p.lost.Exact() {
		d.Error = digest.RelativeError
	}
	d.Top1 = topShare(p.duration, microseconds)
	return d
}

// topShare returns the share of the sum that the largest 1% of the values hold; NaN for fewer than a hundred values.
func topShare(d *digest.Digest, unit float64) result.Number {
	if d.N() < 100 || d.Sum() == 0 {
		return unknown()
	}
	values, counts := d.Table(maxDistinct, unit)
	left, sum := math.Ceil(float64(d.N())/100), 0.0
	for i := len(values) - 1; i >= 0 && left > 0; i-- {
		n := min(left, float64(counts[i]))
		sum += n * values[i]
		left -= n
	}
	return result.Number(min(1, sum*unit/d.Sum()))
}

// Steps of a curve: a point is kept when it is this share of the logarithmic width or height away from the last one
// kept.
const curveStep = 1.0 / 150

// curve returns the share of a sample that is at least x, for every positive value, thinned to the points that a
// figure with logarithmic axes needs. values ascend; the values of the sample that are missing or not positive
// lie below all others.
func curve(values []float64, counts []int64, of *distfit.Sample) []result.Point {
	out := []result.Point{}
	for len(values) > 0 && values[0] <= 0 {
		values, counts = values[1:], counts[1:]
	}
	if len(values) == 0 {
		return out
	}
	below := float64(of.N())
	for _, c := range counts {
		below -= float64(c)
	}
	shares := of.Above(values, counts, max(0, below))
	last := len(values) - 1
	wide, high := math.Log(values[last]/values[0]), math.Log(float64(of.N()))
	for i, x := range values {
		if k := len(out) - 1; k >= 0 && i != last && math.Log(x/out[k].X) < curveStep*wide &&
			math.Log(out[k].Share/shares[i]) < curveStep*high {
			continue
		}
		out = append(out, result.Point{X: x, Share: shares[i]})
	}
	return out
}

// intervals returns bootstrap intervals of samples with one value per run. Attempts of one run are alike, and so
// are successive gaps. Intervals that assume independence would be too narrow for them, so there are none.
func (p *Partial) intervals() result.Intervals {
	all := quantile.NewIntervals()
	quantile.AddIntervals(&all, "completion_s", p.completion.Sorted(microseconds), p.opts.Seed)
	quantile.AddIntervals(&all, "tasks_per_job", p.tasks.Sorted(count), p.opts.Seed)
	return all
}

// summary describes concurrency: exactly where every event is known, else from bins.
func (l *load) result() *result.Concurrent {
	if l.series.n == 0 {
		return nil
	}
	s := &l.series
	c := &result.Concurrent{
		N: s.n, Without: l.without, FromS: seconds(s.from), ToS: seconds(s.to), Mean: s.mean(1), Series: s.means(1),
	}
	if l.events.exact() {
		swept := l.events.sweep()
		levels := make([]quantile.Weighted, len(swept.at))
		for k, t := range swept.at {
			levels[k] = quantile.Weighted{Value: float64(k), Weight: t}
		}
		c.Peak, c.PeakAtS, c.Weighted = float64(swept.peak), seconds(swept.peakAt), quantile.ByWeight(levels).Summary()
		c.Weighted.N = int(s.n) // the size of the sample, not the number of levels
		c.Idle = float64(swept.at[0]) / float64(s.to-s.from)
		return c
	}
	c.PeakError = "there are too many attempts to keep: the peak, the idle time and the percentiles are those of " +
		"means over bins"
	values := make([]float64, len(c.Series.Values))
	copy(values, c.Series.Values)
	idle := 0
	for i, v := range values {
		if v > c.Peak {
			c.Peak, c.PeakAtS = v, c.Series.FromS+float64(i)*c.Series.BinS
		}
		if v == 0 {
			idle++
		}
	}
	c.Weighted = quantile.Summarize(quantile.Sort(values))
	c.Weighted.N = int(s.n)
	c.Idle = float64(idle) / float64(len(values))
	return c
}

// concurrencyStats compares running attempts with the tokens that runs held, or, if no tokens are known, with the
// capacity of machines. Tokens are preferred since their ends are known; tables of machines often lack them.
func (p *Partial) concurrencyStats() result.Concurrency {
	c := result.Concurrency{
		Header: p.header(partConcurrency), Tasks: p.taskLoad.result(), Runs: p.runLoad.result(),
		Utilization: []result.Utilization{},
	}
	if u, ok := utilization(&p.holding, &p.tokens, 1); ok {
		u.Resource, u.What = "tokens", "tokens of attempts under way / tokens held, over runs whose tokens are known"
		c.Utilization = append(c.Utilization, u)
		return c
	}
	for r, name := range [numResources]string{cpu: "cpu", gpu: "gpu"} {
		used := &p.used[r]
		there := p.capacity(resources[r], used)
		if u, ok := utilization(used, &there, millionths); ok {
			u.Resource, u.What = name, "demand of running attempts / capacity of the machines"
			c.Utilization = append(c.Utilization, u)
		}
	}
	return c
}

// capacity integrates the capacity of machines in a resource over the period of use. A machine is present from
// the start of the period, or its arrival, until it leaves, it is listed anew, or the period ends.
func (p *Partial) capacity(kind trace.Resource, used *series) series {
	var there series
	machines := slices.Clone(p.opts.Machines)
	slices.SortStableFunc(machines, func(a, b trace.Machine) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From)) // an unknown beginning comes first
	})
	for i := range machines {
		m := &machines[i]
		has := [trace.NumResources]float64{trace.CPU: m.CPU, trace.GPU: m.GPU}[kind]
		if used.n == 0 || !(has > 0 && has <= 1e6) {
			continue
		}
		from, to := used.from, used.to
		if m.From.Known() {
			from = max(from, int64(m.From))
		}
		if m.To.Known() {
			to = min(to, int64(m.To))
		} else if i+1 < len(machines) && machines[i+1].Name == m.Name && machines[i+1].From.Known() {
			to = min(to, int64(machines[i+1].From))
		}
		there.add(from, to, int64(math.Round(has*millionths)))
	}
	return there
}

// utilization compares usage with capacity. ok is false if either is unknown.
func utilization(used, there *series, unit float64) (u result.Utilization, ok bool) {
	if used.n == 0 || there.n == 0 || there.total(unit) == 0 {
		return u, false
	}
	used.align(there)
	used.cover(there.from, there.to)
	used.align(there)
	there.cover(used.from, used.to)
	u.Share = used.total(unit) / there.total(unit)
	u.Used, u.There = used.means(unit), there.means(unit)
	var shares []float64
	for i := range u.Used.Values {
		if have := u.There.Values[i]; have > 0 {
			shares = append(shares, u.Used.Values[i]/have)
		}
	}
	u.ByBin = quantile.Summarize(quantile.Sort(shares))
	return u, true
}
