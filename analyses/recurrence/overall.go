package recurrence

import (
	"math"

	"racecard/analyses/extreme"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
)

// summarize fills in what holds over all recurring jobs, and returns the variation within the segments of each.
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
		s := stragglers(j.runs)
		all.Attempts, all.Stragglers = all.Attempts+s.Attempts, all.Stragglers+s.Stragglers
		excess += orZero(float64(s.ExcessS))
		for i := range j.runs {
			work += orZero(j.runs[i].work)
			if x := j.runs[i].excess; x > worst {
				worst, all.WorstRun = x, j.runs[i].id
			}
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
		var sum float64
		for _, s := range shares {
			sum += s
		}
		return result.Number(sum / float64(divided))
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
		out = append(out, result.Cause{Cause: c.name, Jobs: len(shares), Mean: mean(shares), Share: quantile.Summarize(quantile.Sort(shares)), NotExamined: why})
	}
	return append(out, result.Cause{Cause: result.Rest, Jobs: divided, Mean: mean(rest), Share: quantile.Summarize(quantile.Sort(rest))})
}

// extremes returns the runs of recurring jobs at the ends of the scales.
func extremes(jobs []*job) []result.ExtremeRun {
	type named struct {
		*observed
		name string
		mean float64
	}
	var runs []named
	for _, j := range jobs {
		var sum float64
		for i := range j.runs {
			sum += j.runs[i].seconds
		}
		for i := range j.runs {
			runs = append(runs, named{&j.runs[i], j.Name, sum / float64(len(j.runs))})
		}
	}
	type scale = extreme.Scale[named]
	return extreme.Runs(runs, func(r *named) (string, string) { return r.id, r.name },
		scale{What: "slowest against the mean of its job", Of: func(r *named) float64 { return r.seconds / r.mean }},
		scale{What: "longest in the queue, in seconds", Of: func(r *named) float64 { return r.queued }},
		scale{What: "most task-seconds in stragglers beyond the median", Of: func(r *named) float64 {
			if r.attempts == 0 {
				return math.NaN()
			}
			return r.excess
		}})
}
