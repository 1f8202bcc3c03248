package page

import (
	"fmt"
	"slices"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/style"
)

// carbyneSection reports how schedulers compare on the same jobs.
func carbyneSection(c *result.Carbyne, t *result.Table, source figure.Source) *section {
	s := newSection("carbyne", "Schedulers", c.Head())
	if s.Missing != nil {
		return s
	}
	s.Notes = append(s.Notes, "Simulated: tasks take as long as in the trace, wherever they run.")
	s.Notes = append(s.Notes, carbyneDrawn(c)...)
	s.altruism(c)
	s.Figures = append(s.Figures, figure.CarbyneBars(c, source), figure.CarbyneCompletion(c, t, source))
	if len(c.Improvement) > 0 {
		s.Figures = append(s.Figures, figure.CarbyneImprovement(c, t, source))
	}
	if figure.HasDAGPS(c) {
		s.Figures = append(s.Figures, figure.CarbyneDAGPS(c, t, source))
	}
	if slices.ContainsFunc(c.Experiments, func(x result.CarbyneExperiment) bool { return x.Axis != "" }) {
		s.Figures = append(s.Figures, figure.CarbyneSweeps(c, source))
	}
	s.Figures = append(s.Figures, figure.CarbyneOverTime(c, source))
	s.Tables = append(s.Tables, carbyneTable(c))
	for i := range c.Experiments {
		s.Tables = append(s.Tables, carbyneExperimentTable(&c.Experiments[i], i))
	}
	return s
}

// carbyneDrawn says what the trace does not hold.
func carbyneDrawn(c *result.Carbyne) (notes []string) {
	var drawn []string
	for _, r := range c.Resources() {
		if c.Workload.DrawnDemands[r] > 0 {
			drawn = append(drawn, figure.ResourceTitle(r))
		}
	}
	if len(drawn) > 0 {
		notes = append(notes, fmt.Sprintf("The trace does not say what tasks hold of %s: demands were drawn, %s, times %s.", style.List(drawn),
			style.Printable(c.Workload.DemandDistribution), style.Number(c.Workload.DemandScale)))
	}
	if c.Workload.DrawnDurations > 0 {
		notes = append(notes, fmt.Sprintf("The durations of %s were drawn, %s.", style.Of(c.Workload.DrawnDurations, "stage", "stages"),
			style.Printable(c.Workload.DurationDistribution)))
	}
	if x := float64(c.Workload.Stretch); known(x) {
		notes = append(notes, fmt.Sprintf("All durations were multiplied by %s, for the work to be %s of what the machines can do while jobs arrive.", style.Number(x),
			style.Percent(float64(c.Workload.Load))))
	}
	return notes
}

// altruism says what altruism does for jobs.
func (s *section) altruism(c *result.Carbyne) {
	carbyne := c.Schedulers["carbyne"]
	drf, ok := c.Improvement["drf"]
	fair := c.Schedulers["drf"]
	if carbyne == nil || fair == nil || !ok || drf.N == 0 {
		return
	}
	slow := c.Slowed["drf"]
	s.find(Finding{ID: "altruism", See: "fig-carbyne-schedulers", N: drf.N,
		Text: fmt.Sprintf("Under Carbyne jobs take %s on average, under DRF %s.", style.Seconds(carbyne.JCT.Mean), style.Seconds(fair.JCT.Mean)),
		Detail: fmt.Sprintf("Per job DRF takes %s times as long on average, %s at the median, %s at the 95th percentile; %s of the jobs are slower under Carbyne, %s by more than a "+
			"quarter. Makespan %s against %s, Jain’s index %s against %s, or %s against %s where what jobs hold beyond their share does not count. Published (Carbyne, OSDI 2016, TPC-DS on a cluster): 1.36 on average, 1.88 at the 95th percentile; 16%% of "+
			"jobs slower.", style.Fixed(drf.Mean, 2), style.Fixed(drf.P50, 2), style.Fixed(drf.P95, 2), style.Percent(float64(slow.Below1)), style.Percent(float64(slow.Below08)),
			style.Seconds(carbyne.MakespanS), style.Seconds(fair.MakespanS), style.Fixed(carbyne.Jain.Mean, 2), style.Fixed(fair.Jain.Mean, 2),
			style.Fixed(carbyne.JainCapped.Mean, 2), style.Fixed(fair.JainCapped.Mean, 2)),
		Numbers: map[string]float64{"mean_jct_s": carbyne.JCT.Mean, "drf_mean_jct_s": fair.JCT.Mean, "improvement_mean": drf.Mean, "improvement_p50": drf.P50, "improvement_p95": drf.P95,
			"slower": float64(slow.Below1)}})
}

func carbyneTable(c *result.Carbyne) table {
	t := table{ID: "table-carbyne-schedulers", Title: "Schedulers",
		Note: fmt.Sprintf("%s, %s, on %s. Improvement: completion time of a job under the scheduler / under carbyne, mean over jobs, below it the median, the 75th and the 95th percentile. "+
			"Jain’s index: mean over windows of a minute; below it the same, capped: what a job holds beyond its share does not count. No schedule has a makespan of less than %s: "+
			"longest paths, and work over all machines. Used: of the resource that is used most. Steps: jobs, stages and machines looked at per arrival or end of a task. All jobs "+
			"are in carbyne.parquet.", style.Of(int64(c.Workload.Jobs), "job", "jobs"), style.Of(c.Workload.Tasks, "task", "tasks"), style.Of(int64(c.Cluster.Machines), "machine", "machines"),
			style.Seconds(c.Workload.MakespanBoundS)),
		Columns: []column{{Name: "Scheduler"}, {Name: "Completion", Number: true}, {Name: "Makespan", Number: true}, {Name: "Jain’s index", Number: true}, {Name: "Improvement", Number: true},
			{Name: "Used", Number: true, Minor: true}, {Name: "Steps / event", Number: true, Minor: true}}}
	for _, name := range c.Order {
		p := c.Schedulers[name]
		if p == nil {
			continue
		}
		used := 0.0
		for _, r := range c.Resources() {
			used = max(used, finiteOr(float64(p.Utilization[r]), 0))
		}
		row := plain(style.Shorten(name, 40), style.Seconds(p.JCT.Mean), style.Seconds(p.MakespanS), style.Fixed(p.Jain.Mean, 2), "", style.Percent(used),
			style.Number(float64(p.Steps)/float64(max(p.Events, 1))))
		row[3].Sub = style.Fixed(p.JainCapped.Mean, 2)
		row[1].Sub = "p50 " + style.Seconds(p.JCT.P50) + ", p95 " + style.Seconds(p.JCT.P95)
		if x, ok := c.Improvement[name]; ok {
			row[4].Text, row[4].Sub = style.Fixed(x.Mean, 2), style.Fixed(x.P50, 2)+", "+style.Fixed(x.P75, 2)+", "+style.Fixed(x.P95, 2)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// carbyneExperimentTable lists the points of the k-th experiment.
func carbyneExperimentTable(x *result.CarbyneExperiment, k int) table {
	t := table{ID: fmt.Sprintf("table-carbyne-experiment-%d", k), Title: "Experiment: " + style.Shorten(x.Name, 40), Folded: true,
		Note:    fmt.Sprintf("Medians of %s, below them the least and the most. Improvement: mean completion time under the other scheduler / under this one.", style.Of(int64(len(x.Seeds)), "seed", "seeds")),
		Columns: []column{{Name: "Scheduler"}, {Name: "Mean completion", Number: true}, {Name: "Makespan", Number: true}, {Name: "Jain’s index", Number: true}}}
	var others []string
	for _, p := range x.Points {
		for _, q := range x.Points {
			if _, ok := p.Improvement[q.Scheduler]; ok && !slices.Contains(others, q.Scheduler) {
				others = append(others, q.Scheduler)
			}
		}
	}
	for _, name := range others {
		t.Columns = append(t.Columns, column{Name: "over " + style.Shorten(name, 30), Number: true, Minor: true})
	}
	between := func(s result.Spread, write func(float64) string) cell {
		return cell{Text: write(float64(s.Median)), Sub: write(float64(s.Low)) + "–" + write(float64(s.High))}
	}
	fixed := func(v float64) string { return style.Fixed(v, 2) }
	for _, p := range x.Points {
		about := style.Shorten(p.Series, 40)
		if x.Axis != "" {
			about = style.Shorten(x.Axis, 40) + " " + style.Number(p.X) + " " + about
		}
		row := []cell{{Text: style.Shorten(p.Scheduler, 40), Sub: about}, between(p.JCT, style.Seconds), between(p.Makespan, style.Seconds), between(p.Jain, fixed)}
		for _, name := range others {
			if f, ok := p.Improvement[name]; ok {
				row = append(row, between(f.OfMeans, fixed))
			} else {
				row = append(row, cell{})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
