package figuretest

import (
	"math"

	"racecard/datasets/result"
)

// allocation guarantees every run tokens, some too many and some too few, and sets its parallelism.
func allocation(runs []run) *result.Allocation {
	r := source(13)
	a := &result.Allocation{Header: result.Header{Available: true,
		Needs:   []string{"jobs.guaranteed", "tasks.start", "tasks.end"},
		LeftOut: map[string]int64{"without a guarantee": 2}}, Jobs: len(runs),
		ByBasis:    map[string]int{"attempts": len(runs)},
		SpareShare: result.Number(math.NaN()), SpareShareByRun: summarise(nil)}
	users := map[string]int{}
	below, above := 0, 0
	var ratios, lasting, most, unused, beyond []float64
	for i, x := range runs {
		u := result.RunUse{JobID: x.id, Name: x.app.Name, User: []string{"ann", "bob", "cleo"}[i%3], Basis: "attempts",
			Seconds: x.seconds}
		u.MaxParallelism = int64(1 + 7*math.Exp(0.9*r.NormFloat64()))
		u.Sustained = max(1, int64(float64(u.MaxParallelism)*(0.4+0.6*r.Float64())))
		u.Guaranteed = int64(max(1, float64(u.MaxParallelism)*math.Exp(1.4*r.NormFloat64())/2))
		u.Unused = max(0.02, 1-0.6*min(1, u.Ratio()))
		u.Beyond = max(0, 1-1.2/u.Ratio())
		if u.Ratio() < 1 {
			below++
		}
		if u.Ratio() > 10 {
			above++
		}
		a.Runs.Add(&u)
		ratios, most = append(ratios, u.Ratio()), append(most, float64(u.MaxParallelism))
		lasting = append(lasting, u.SustainedRatio())
		unused, beyond = append(unused, u.Unused), append(beyond, u.Beyond)
		ask(a, users, &u)
	}
	n := float64(len(runs))
	a.ShareBelowGuarantee, a.ShareAbove10x = result.Number(float64(below)/n), result.Number(float64(above)/n)
	a.SustainedRatio = summarise(lasting)
	a.Ratio, a.MaxParallelism, a.Unused, a.Beyond = summarise(ratios), summarise(most), summarise(unused),
		summarise(beyond)
	a.Intervals = result.Intervals{Level: 0.95, Method: "bootstrap percentile", Resamples: 200,
		Of: map[string]map[string]result.Interval{}}
	if len(ratios) < 2000 {
		a.Intervals.Of["sustained_ratio"] = intervals(r, lasting)
		a.Intervals.Of["ratio"], a.Intervals.Of["unused_guarantee"] = intervals(r, ratios), intervals(r, unused)
	}
	return a
}

// ask adds a run to the runs of its user.
func ask(a *result.Allocation, users map[string]int, u *result.RunUse) {
	i, ok := users[u.User]
	if !ok {
		i = len(a.Users)
		users[u.User] = i
		a.Users = append(a.Users, result.Asking{Who: u.User, P50: 1})
	}
	w := &a.Users[i]
	w.Runs++
	switch {
	case u.Ratio() < 1:
		w.Over++
	case u.Ratio() > 1:
		w.Under++
	}
	if u.Ratio() > 10 {
		w.Above10++
	}
	w.GuaranteedTokenS += u.Seconds * float64(u.Guaranteed)
	w.UnusedTokenS += u.Unused * u.Seconds * float64(u.Guaranteed)
}
