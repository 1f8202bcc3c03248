package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/models/queues/distributed"
	"racecard/models/workload"
	"racecard/reports/figure"
	"racecard/reports/page"
)

// remarks lists the parts of a trace that could not be used unchanged.
func remarks(k *distributed.Collector) []string {
	var all []string
	c := &k.Count
	if c.MeanTasks > 0 {
		all = append(all, words.Of(c.MeanTasks, "task takes", "tasks take")+" the mean of the stage: the trace has "+
			"no durations of them")
	}
	if c.Dropped > 0 {
		all = append(all, words.Of(c.Dropped, "task is", "tasks are")+" left out: the trace states neither their "+
			"durations nor the number of their stage")
	}
	if text := result.SkippedStages(c.Skipped); text != "" {
		all = append(all, text)
	}
	if n := c.Estimated[1]; n > 0 {
		all = append(all, words.Of(n, "task takes its estimate", "tasks take their estimates")+
			": the trace has no durations of them")
	}
	if n := c.StageTimes[1]; n > 0 {
		all = append(all, words.Of(n, "task takes", "tasks take")+" as long as the whole stage did, or its share of "+
			"that in waves on the tokens that the run held: the trace has no durations of them")
	}
	if n := c.Drawn; n[0] > 0 {
		all = append(all, fmt.Sprintf("the durations of %s (%s) are drawn, %s: the trace tells nothing of how long "+
			"they take",
			words.Of(n[0], "stage", "stages"), words.Of(n[1], "task", "tasks"), workload.DurationDistribution))
	}
	if k.Gap > 0 {
		all = append(all, fmt.Sprintf("submissions were drawn, with a mean gap of %s: when jobs come is synthetic",
			words.Seconds(float64(k.Gap)/distributed.Second)))
	}
	return all
}

// remedies names assumptions that would include runs that were left out.
func remedies(k *distributed.Collector) string {
	text := ""
	if k.Count.LeftOut[workload.NoSubmit] > 0 {
		text += "; --interarrival S draws submissions"
	}
	return text
}

// counted writes counts by reason.
func counted(counts map[string]int64) string {
	all := lists.Map(slices.Sorted(maps.Keys(counts)), func(why string) string {
		return fmt.Sprintf("%s: %s", why, words.Count(counts[why]))
	})
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, "; ")
}

// eagle prints the results of schedulers.
func (e *env) eagle(d *result.Eagle) error {
	w, o := &d.Workload, &d.Options
	e.printf("%s (%s long: %s of the work), %s; %s, %s of them for short jobs alone; cutoff %s; load %s\n",
		words.Of(w.Jobs, "job", "jobs"), words.Count(w.LongJobs), words.Percent(w.LongWorkS/w.WorkS), words.Of(w.Tasks,
			"task", "tasks"), figure.EagleCluster(o), words.Count(o.ShortOnly), words.Seconds(o.CutoffS),
		words.Number(w.Load))
	e.table(page.EagleTable(d))
	e.slowestJobs(d)
	for i := range d.Experiments {
		e.eagleExperiment(&d.Experiments[i])
	}
	if len(d.LeftOut) > 0 {
		e.printf("runs left out: %s\n", counted(d.LeftOut))
	}
	e.notes("warning", d.Warnings)
	if d.Synthetic {
		e.printf("SYNTHETIC: the trace was generated, not measured.\n")
	}
	return e.printJSON(d)
}

// slowestPrinted bounds the slowest jobs that are printed per scheduler.
const slowestPrinted = 3

// slowestJobs prints the slowest short jobs, if completion times of jobs are asked for, and the explained jobs.
func (e *env) slowestJobs(d *result.Eagle) {
	head := []string{"SCHEDULER", "JOB", "TASKS", "DONE AFTER", "QUEUED PER TASK", "BEHIND LONG", "REJECTED", "STUCK",
		"PASSED BY", "PASSES", "STOLEN"}
	row := func(scheduler, job string, tasks int, takes float64, m *result.EagleMet) []string {
		each := func(s float64) string { return words.Seconds(s / float64(max(1, tasks))) }
		return []string{scheduler, words.Shorten(job, 40), words.Count(tasks), words.Seconds(takes),
			each(m.QueuedS), each(m.BehindLongS), words.Count(m.Rejected),
			words.Count(m.Stuck), words.Count(m.Passed), words.Count(m.Bypassed), words.Count(m.Stolen)}
	}
	var rows [][]string
	for _, name := range d.Names() {
		s := d.Schedulers[name]
		for i := range s.Slowest[:min(len(s.Slowest), slowestPrinted)] {
			if x := &s.Slowest[i]; s.JCTByJob != nil {
				rows = append(rows, row(name, x.JobID, x.Tasks, x.JCTS, &x.EagleMet))
			}
		}
	}
	if len(rows) > 0 {
		e.printf("\nshort jobs that take longest beyond their longest task; --explain JOB says why\n")
		e.rows(head, rows)
	}
	rows = nil
	for i := range d.Slow {
		x := &d.Slow[i]
		rows = append(rows, row(x.Scheduler, x.Name(), x.All, x.JCTS, &x.EagleMet))
	}
	if len(rows) > 0 {
		e.printf("\nexplained: every task is in slow_jobs of --json, and in the figure of `racecard report`\n")
		e.rows(head, rows)
		return
	}
}

// spread writes half of the range over seeds, in percent of the median.
func spread(v result.EagleValue) string {
	half := float64(v.High-v.Low) / 2 / float64(v.Median)
	if !(half >= 0.005) { // also none
		return ""
	}
	return fmt.Sprintf(" ±%.0f%%", 100*half)
}

// eagleExperiment prints medians over seeds, with their spread: in seconds, or relative to the baseline.
func (e *env) eagleExperiment(x *result.EagleExperiment) {
	e.printf("\n%s: %s\n", x.Name, x.About)
	if len(x.Points) > 0 && x.Points[0].Runs > 1 {
		e.printf("medians of %s; ±: half of the range from the least to the largest, where it is 0.5%% of the median "+
			"or more\n", words.Of(x.Points[0].Runs, "seed", "seeds"))
	}
	head := []string{strings.ToUpper(x.Axis), "SCHEDULER", "SHORT P50", "P90", "P95", "P99", "LONG P50", "P90", "P95",
		"P99", "BUSY"}
	var rows [][]string
	for i := range x.Points {
		p := &x.Points[i]
		row := []string{words.Number(p.X), p.Scheduler}
		for _, m := range []string{"short_p50", "short_p90", "short_p95", "short_p99", "long_p50", "long_p90",
			"long_p95", "long_p99"} {
			if _, ok := p.S[m]; !ok { // of results from before it was kept
				row = append(row, words.None)
				continue
			}
			if x.Base != "" && p.Scheduler != x.Base {
				row = append(row, words.Number(p.Over[m].Median)+"x"+spread(p.Over[m]))
			} else {
				row = append(row, words.Seconds(p.S[m].Median)+spread(p.S[m]))
			}
		}
		rows = append(rows, append(row, words.Percent(p.Utilization.Median)+spread(p.Utilization)))
	}
	e.rows(head, rows)
}
