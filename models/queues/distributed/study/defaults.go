package study

import (
	"math"

	"racecard/analyses/quantile"
	"racecard/models/queues/distributed"
)

// LongShare is the share of long jobs if no cutoff is given, as in the Google trace of the papers.
const LongShare = 0.1

// Cutoff returns the mean task duration that a tenth of the jobs exceed.
func Cutoff(w *distributed.Workload) int64 {
	means := make([]float64, len(w.Jobs))
	for i := range w.Jobs {
		means[i] = float64(w.Jobs[i].Estimate)
	}
	return int64(quantile.Quantile(quantile.Sort(means), 1-LongShare))
}

// General returns the share of task-seconds that belong to long jobs, in whole percent from 1 to 98: the size of the
// general partition under Hawk.
func General(w *distributed.Workload, cutoff int64) float64 {
	o := distributed.Options{Cutoff: cutoff, ReportCutoff: -1, Workers: 1}
	d := describe(w, &o)
	return min(98, max(1, math.Round(100*d.LongWorkS/d.WorkS)))
}
