package figuretest

import (
	"math"

	"racecard/datasets/result"
)

// drift makes every third application slower by half from the middle of its runs on and every third steadily slower,
// gives its row the causes of its variance and its stragglers, and returns its runs for a figure.
func drift(job *result.RecurringJob, runs []run, number int) result.ShownJob {
	changes, trend := number%3 == 1 && len(runs) > 1, number%3 == 2 && len(runs) > 1
	shown := result.ShownJob{Name: job.Name, Drifting: changes || trend}
	for i, x := range runs {
		if x.status != "succeeded" || i >= result.MostPoints {
			continue
		}
		p := result.RunPoint{AtS: 1773324120 + 86400*float64(i) + 600*float64(number), Seconds: x.seconds}
		if changes && i >= len(runs)/2 {
			p.Seconds *= 1.5
		}
		if trend {
			p.Seconds *= 1 + float64(i)/float64(len(runs))
		}
		shown.Points = append(shown.Points, p)
	}
	job.Cost = result.Number(40 * job.MeanS * float64(job.Runs))
	nan := result.Number(math.NaN())
	d := result.Drift{Runs: job.Runs, Drifting: shown.Drifting, TrendP: 0.4, TrendOverSpan: 0.03, TrendFromS: nan,
		TrendToS: nan, CoVWithin: result.Number(job.CoV)}
	if shown.Drifting {
		d.CoVWithin, d.TrendP, d.TrendOverSpan = result.Number(0.6*job.CoV), 0.001, 0.5
	}
	if trend {
		d.TrendFromS, d.TrendToS = result.Number(job.P50S), result.Number(1.95*job.P50S)
	}
	if middle := len(shown.Points) / 2; changes && middle > 0 {
		d.Changes = []result.Change{{AtS: shown.Points[middle].AtS, JobID: runs[middle].id,
			Before: result.Number(job.P50S), After: result.Number(1.5 * job.P50S)}}
	}
	job.Drift = d
	job.Impact = job.Drift.CoVWithin * job.Drift.CoVWithin * job.Cost
	if job.Runs > 10 {
		tilt := math.Mod(float64(number)*0.37, 1) / 2
		job.Causes = result.Shares{Runs: job.Runs, Rest: result.Number(0.3 - 0.2*tilt), Of: map[string]result.Number{
			"input": result.Number(0.1 + tilt), "queueing": result.Number(0.4 - 0.8*tilt), "failures": 0.05,
			"hour": 0.02, "weekday": 0.03, "drift": 0.1}}
	} else {
		job.Causes = result.Shares{Runs: job.Runs, Rest: result.Number(math.NaN())}
	}
	work := float64(job.Cost)
	job.Stragglers = result.Stragglers{Attempts: int64(50 * job.Runs), Stragglers: int64(4 * job.Runs), Share: 0.08,
		ExcessS: result.Number(0.12 * work), ExcessShare: 0.12, WorstRun: job.SlowestRun}
	return shown
}

// divide averages the causes of jobs, and adds up their stragglers.
func divide(rec *result.Recurrence) {
	all := &rec.Stragglers
	for _, cause := range []string{"input", "tokens", "queueing", "spare", "failures", "hour", "weekday", "drift",
		result.Rest} {
		var shares []float64
		divided, sum := 0, 0.0
		for i := range rec.Jobs {
			c := &rec.Jobs[i].Causes
			if !math.IsNaN(float64(c.Rest)) {
				divided++
			}
			share, ok := c.Of[cause]
			if cause == result.Rest {
				share, ok = c.Rest, !math.IsNaN(float64(c.Rest))
			}
			if ok {
				shares = append(shares, float64(share))
				sum += float64(share)
			}
		}
		rec.Causes = append(rec.Causes, result.Cause{Cause: cause, Jobs: len(shares), Share: summarise(shares),
			Mean: result.Number(sum / float64(divided))})
	}
	var work float64
	for i := range rec.Jobs {
		s := &rec.Jobs[i].Stragglers
		all.Attempts, all.Stragglers = all.Attempts+s.Attempts, all.Stragglers+s.Stragglers
		all.ExcessS, work, all.WorstRun = all.ExcessS+s.ExcessS, work+float64(rec.Jobs[i].Cost), s.WorstRun
	}
	all.Share, all.ExcessShare = result.Number(float64(all.Stragglers)/float64(all.Attempts)),
		all.ExcessS/result.Number(work)
}
