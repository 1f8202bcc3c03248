package recurrence

import (
	"math"

	"racecard/analyses/internal/extreme"
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// summarize fills in the figures over all recurring jobs, and returns the variation within the segments of each.
func (p *Partial) summarize(r *result.Recurrence, jobs []*job) quantile.Sorted {
	var values []float64
	for i := range r.Jobs {
		d := &r.Jobs[i].Drift
		values = appendKnown(values, float64(d.CoVWithin))
		if d.Drifting {
			r.Drifting++
		}
	}
	within := quantile.Sort(values)
	r.CoVWithin = quantile.Summarize(within)
	r.Causes = overall(r.Jobs)
	var all result.Stragglers
	var excess, work, worst float64
	for _, j := range jobs {
		s := &j.stragglers
		all.Attempts, all.Stragglers = all.Attempts+s.Attempts, all.Stragglers+s.Stragglers
		excess += orZero(float64(s.ExcessS))
		work += j.work
		if j.worst > worst {
			worst, all.WorstRun = j.worst, s.WorstRun
		}
	}
	r.Stragglers = settled(all, excess, work)
	return within
}

// overall summarises the shares of causes over jobs.
func overall(rows []result.RecurringJob) []result.Cause {
	divided := 0
	var rest []float64
	for i := range rows {
		if share := float64(rows[i].Causes.Rest); !math.IsNaN(share) {
			divided++
			rest = append(rest, share)
		}
	}
	mean := func(shares []float64) result.Number {
		return result.Number(lists.Sum(shares) / float64(divided))
	}
	var out []result.Cause
	for _, c := range causes {
		var shares []float64
		why := map[string]int{}
		for i := range rows {
			s := &rows[i].Causes
			if share, ok := s.Of[c.name]; ok {
				shares = append(shares, float64(share))
			} else if reason := s.NotExamined[c.name]; reason != "" {
				why[reason]++
			}
		}
		out = append(out, result.Cause{Cause: c.name, Jobs: len(shares), Mean: mean(shares),
			Share: quantile.Summarize(quantile.Sort(shares)), NotExamined: why})
	}
	return append(out, result.Cause{Cause: result.Rest, Jobs: divided, Mean: mean(rest),
		Share: quantile.Summarize(quantile.Sort(rest))})
}

// numScales is the number of scales for extreme runs.
const numScales = 3

// scales returns the scales for the runs of a job.
func scales(runs []observed) [numScales]extreme.Scale[observed] {
	var sum float64
	for i := range runs {
		sum += runs[i].seconds
	}
	mean := sum / float64(len(runs))
	type scale = extreme.Scale[observed]
	return [...]scale{
		{What: "slowest against the mean of its job", Of: func(r *observed) float64 { return r.seconds / mean }},
		{What: "longest in the queue, in seconds", Of: func(r *observed) float64 { return r.queued }},
		{What: "most task-seconds in stragglers beyond the median", Of: func(r *observed) float64 {
			if r.attempts == 0 {
				return math.NaN()
			}
			return r.excess
		}},
	}
}

// ends returns the largest value of a job's runs on each scale; -Inf if none has one.
func ends(runs []observed) (most [numScales]float64) {
	for k, s := range scales(runs) {
		most[k] = math.Inf(-1)
		for i := range runs {
			if x := s.Of(&runs[i]); x > most[k] { // not for NaN
				most[k] = x
			}
		}
	}
	return most
}

// extremes returns the runs of recurring jobs at the ends of the scales.
func extremes(jobs []*job) []result.ExtremeRun {
	out := []result.ExtremeRun{}
	for k := range numScales {
		var of *job
		most := math.Inf(-1)
		for _, j := range jobs {
			if j.ends[k] > most {
				of, most = j, j.ends[k]
			}
		}
		if of != nil {
			runs := of.runs()
			out = append(out, extreme.Runs(runs, func(r *observed) (string, string) {
				return r.id, of.Name
			}, scales(runs)[k])...)
		}
	}
	return out
}
