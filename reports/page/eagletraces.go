package page

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutEagleTraces reports the effect of the cluster size on several traces.
func (s *section) aboutEagleTraces(d *result.EagleTraces, source figure.Source) {
	s.Notes = append(s.Notes, "Simulated: jobs are bags of tasks; a worker runs one task at a time. Every size is "+
		"simulated with the same seeds under both schedulers.")
	for i := range d.Traces {
		t := &d.Traces[i]
		s.sizes(t.Sweep, &t.Workload, figure.TraceName(t.Store), t.Synthetic, "fig-eagle-traces")
	}
	s.draw(figure.EagleTraces(d, source))
	for i := range d.Traces {
		t := &d.Traces[i]
		of := eagleExperimentTable(t.Sweep)
		of.ID, of.Title = of.ID+"-"+fmt.Sprint(i+1), words.Printable(t.Store)+": "+of.Title
		s.Tables = append(s.Tables, of)
	}
}

// within is the largest difference from 1 at which a ratio counts as 1: the published times of long jobs under Eagle
// and Hawk are equal within 1%.
const within = 0.01

// ratios counts how ratios of percentiles compare with 1.
type ratios struct {
	n, below, equal int     // of all; below 1; within 1% of it
	worst, farthest float64 // the largest, and the one farthest from 1
	where, there    string
}

func (r *ratios) add(x float64, where string) {
	if !known(x) {
		return
	}
	r.n++
	if x <= 1 {
		r.below++
	}
	if x >= 1-within && x <= 1+within {
		r.equal++
	}
	if r.n == 1 || x > r.worst {
		r.worst, r.where = x, where
	}
	if r.n == 1 || math.Abs(x-1) > math.Abs(r.farthest-1) {
		r.farthest, r.there = x, where
	}
}

// sizes compares the results over cluster sizes with the published ones: Eagle at or below Hawk nearly
// everywhere, and long jobs as long.
func (s *section) sizes(x *result.EagleExperiment, w *result.EagleWorkload, name string, synthetic bool, see string) {
	var of [2]ratios
	var median []float64
	var first, last *result.EaglePoint
	other := ""
	for i := range x.Points {
		p := &x.Points[i]
		if p.Scheduler == x.Base || p.Over == nil || other != "" && p.Scheduler != other {
			continue
		}
		other = p.Scheduler
		if first == nil {
			first = p
		}
		last = p
		for k, m := range result.EagleMeasures {
			of[k/3].add(float64(p.Over[m].Median),
				fmt.Sprintf("%s workers, %s", words.Number(p.X), []string{"50th", "90th", "99th"}[k%3]+" percentile"))
		}
		median = append(median, float64(p.Over["short_p50"].Median))
	}
	if first == nil || of[0].n == 0 || of[1].n == 0 {
		return
	}
	this, that := words.Capital(words.Shorten(other, 40)), words.Capital(words.Shorten(x.Base, 40))
	over := func(v result.EagleValue) string { return words.Fixed(v.Median, 2) }
	text := fmt.Sprintf("On %s, short jobs take %s of the time of %s at the median on %s workers, "+
		"%s busy, and %s on %s.", name, over(first.Over["short_p50"]), that, words.Number(first.X),
		words.Percent(first.Utilization.Median), over(last.Over["short_p50"]), words.Number(last.X))
	text += words.When(synthetic, " SYNTHETIC.")
	detail := fmt.Sprintf("Under %s, %d of %d percentiles of short jobs are at or below those of %s, and %d of %d of "+
		"long jobs within 1%% of them.", this, of[0].below, of[0].n, that, of[1].equal, of[1].n)
	if of[0].worst > 1+within {
		detail += fmt.Sprintf(" Short jobs are worst at %s: %s. Where long tasks cover the general partition, all "+
			"probes that they reject share the few workers for short jobs alone, "+
			"whose tasks are not stolen: the tail is longer than under Hawk.", of[0].where, words.Fixed(of[0].worst, 2))
	}
	detail += words.When(of[1].equal < of[1].n, " Of long jobs the ratio farthest from 1 is %s, at %s.",
		words.Fixed(of[1].farthest, 3), of[1].there)
	if share := 1 - w.LongWorkS/w.WorkS; of[1].farthest < 1-within && share > 0.1 {
		detail += fmt.Sprintf(" Short jobs have %s of the work here: under Hawk, whose probes go to any worker, long "+
			"tasks wait behind more of them.", words.Percent(share))
	}
	detail += " Published (Figure 3.2 of the Eagle thesis): at or below 1 nearly everywhere; long jobs within " +
		words.Percent(within) + "."
	s.find(Finding{ID: "eagle-sizes-" + figure.Slug(name), See: see, Text: text, Detail: detail,
		Numbers: map[string]float64{"short_at_or_below_1": float64(of[0].below), "short": float64(of[0].n),
			"long_within_1_percent": float64(of[1].equal), "long": float64(of[1].n), "short_p50_first": median[0],
			"short_p50_last": median[len(median)-1], "short_worst": of[0].worst, "long_farthest": of[1].farthest}})
}
