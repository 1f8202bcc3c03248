package page

import (
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
)

// aboutCarbyne reports how schedulers compare on the same jobs.
func (s *section) aboutCarbyne(c *result.Carbyne, t *result.Table, source figure.Source) {
	s.Notes = append(append(s.Notes, carbyneReplayed(c)), carbyneDrawn(c)...)
	s.altruism(c)
	s.draw(figure.CarbyneBars(c, source), figure.CarbyneCompletion(c, t, source))
	if len(c.Improvement) > 0 {
		s.draw(figure.CarbyneImprovement(c, t, source))
	}
	if figure.HasDAGPS(c) {
		s.draw(figure.CarbyneDAGPS(c, t, source))
	}
	if slices.ContainsFunc(c.Experiments, func(x result.CarbyneExperiment) bool { return x.Axis != "" }) {
		s.draw(figure.CarbyneSweeps(c, source))
	}
	s.draw(figure.CarbyneOverTime(c, source))
	s.Tables = append(s.Tables, CarbyneTable(c))
	for i := range c.Experiments {
		s.Tables = append(s.Tables, carbyneExperimentTable(&c.Experiments[i], i))
	}
}

// carbyneReplayed describes the replayed jobs, their arrivals and the cluster.
func carbyneReplayed(c *result.Carbyne) string {
	w := &c.Workload
	text := "Simulated: " + words.Of(w.Jobs, "job", "jobs")
	text += words.When(w.Sampled, ", drawn with replacement from those of the trace,")
	switch w.Arrivals {
	case "offline":
		text += " arrive all at once"
	case "poisson":
		text += " arrive " + words.FineSeconds(w.InterarrivalS) + " apart on average (Poisson)"
	default:
		text += " arrive as in the trace"
	}
	text += " on " + words.Of(c.Cluster.Machines, "machine", "machines")
	text += words.When(c.Cluster.Total["cpu"] > 0, ", %s cores in all", words.Number(c.Cluster.Total["cpu"]))
	text += ". Tasks take as long as in the trace, wherever they run."
	if rs := c.Resources(); len(rs) == 1 {
		text += " Of resources only " + figure.ResourceTitle(rs[0]) + " is modelled: DRF then gives every job the " +
			"same part of it, as far as the job can use that."
	}
	return text
}

// carbyneDrawn lists the values that the trace lacks.
func carbyneDrawn(c *result.Carbyne) (notes []string) {
	var drawn []string
	for _, r := range c.Resources() {
		if c.Workload.DrawnDemands[r] > 0 {
			drawn = append(drawn, figure.ResourceTitle(r))
		}
	}
	if len(drawn) > 0 {
		notes = append(notes, fmt.Sprintf("The trace does not record demands of tasks for %s: they were drawn, %s, "+
			"times %s.", words.List(drawn),
			words.Printable(c.Workload.DemandDistribution), words.Number(c.Workload.DemandScale)))
	}
	if n := c.Workload.MeanTasks; n > 0 {
		notes = append(notes, fmt.Sprintf("%s the mean of their stage: the trace has no durations of them.",
			words.Of(n, "task takes", "tasks take")))
	}
	if text := result.SkippedStages(c.Workload.SkippedStages); text != "" {
		notes = append(notes, text+".")
	}
	if n := c.Workload.StageDurations; n > 0 {
		notes = append(notes, fmt.Sprintf("All tasks of %s take as long as the stage did: the trace has no durations "+
			"of them.", words.Of(n, "stage", "stages")))
	}
	if c.Workload.DrawnDurations > 0 {
		notes = append(notes, fmt.Sprintf("The durations of %s were drawn, %s.", words.Of(c.Workload.DrawnDurations,
			"stage", "stages"), words.Printable(c.Workload.DurationDistribution)))
	}
	if x := float64(c.Workload.Stretch); known(x) {
		notes = append(notes, fmt.Sprintf("All durations were multiplied by %s, for the work to be %s of the "+
			"machines’ capacity while jobs arrive.", words.Number(x), words.Percent(c.Workload.Load)))
	}
	return notes
}

// carbyneScore is the score of a scheduler.
type carbyneScore struct{ mean, makespan, jain float64 }

// carbyneScores returns the scores of schedulers, over seeds if the comparison was repeated, and the number of seeds.
func carbyneScores(c *result.Carbyne) (scores map[string]carbyneScore, seeds int) {
	scores = map[string]carbyneScore{}
	if x := c.Seeds(); x != nil && x.Point("carbyne") != nil && x.Point("drf") != nil {
		for _, p := range x.Points {
			scores[p.Scheduler] = carbyneScore{float64(p.JCT.Median), float64(p.Makespan.Median),
				float64(p.Jain.Median)}
		}
		return scores, len(x.Seeds)
	}
	for name, p := range c.Schedulers {
		scores[name] = carbyneScore{p.JCT.Mean, p.MakespanS, p.Jain.Mean}
	}
	return scores, 1
}

// carbyneOf names the seeds of a time, if there are several.
func carbyneOf(c *result.Carbyne, seeds int) string {
	if seeds > 1 {
		return fmt.Sprintf(" (medians of %s)", words.Of(seeds, "seed", "seeds"))
	}
	if len(c.Experiments) > 0 {
		return fmt.Sprintf(" (seed %d)", c.Seed)
	}
	return ""
}

// altruism states the gain of jobs from altruism, and its cost.
func (s *section) altruism(c *result.Carbyne) {
	scores, seeds := carbyneScores(c)
	own, fair := scores["carbyne"], scores["drf"]
	over, ok := c.Improvement["drf"]
	if !ok || over.N == 0 || !(own.mean > 0) || !(fair.mean > 0) {
		return
	}
	factor := [...]float64{over.Mean, over.P50, over.P95, float64(c.Slowed["drf"].Below1),
		float64(c.Slowed["drf"].Below08)}
	if seeds > 1 {
		f := c.Seeds().Point("carbyne").Improvement["drf"] // as the comparison of the first seed has one
		factor = [...]float64{float64(f.Mean.Median), float64(f.P50.Median), float64(f.P95.Median),
			float64(f.Below1.Median), float64(f.Below08.Median)}
	}
	text := fmt.Sprintf("Under Carbyne jobs would take %s on average, under DRF %s%s", words.FineSeconds(own.mean),
		words.FineSeconds(fair.mean), carbyneOf(c, seeds))
	gain := 1 - own.mean/fair.mean
	if gain >= 0.005 {
		text += fmt.Sprintf(": altruism would end them %s sooner", words.Percent(gain))
	} else if gain <= -0.005 {
		text += fmt.Sprintf(": altruism would end them %s later", words.Percent(-gain))
	}
	detail := ""
	if seeds > 1 {
		detail = fmt.Sprintf("Every number here is the median of %s; the table and the curves show seed %d. ",
			words.Of(seeds, "seed", "seeds"), c.Seed)
	}
	detail += fmt.Sprintf("Makespan %s against %s, Jain’s index of fairness %s against %s. ",
		words.FineSeconds(own.makespan), words.FineSeconds(fair.makespan), words.Fixed(own.jain, 2),
		words.Fixed(fair.jain, 2))
	detail += fmt.Sprintf("Per job DRF takes %s times as long on average, %s at the median, %s at the 95th "+
		"percentile; %s of the jobs are slower under Carbyne, %s by more than a quarter.", words.Fixed(factor[0], 2),
		words.Fixed(factor[1], 2), words.Fixed(factor[2], 2), words.Percent(factor[3]), words.Percent(factor[4]))
	detail += " n = " + words.Of(over.N, "job", "jobs") + "."
	mean, p95, slower := papers.CarbyneImprovement()
	detail += fmt.Sprintf(" Published (Carbyne, OSDI 2016, TPC-DS on a cluster): %s on average, %s at the 95th percentile; "+
		"%s of jobs slower.", words.Fixed(mean, 2), words.Fixed(p95, 2), words.Percent(slower))
	s.find(Finding{ID: "altruism", See: "fig-carbyne-schedulers", N: over.N, Text: text + ".", Detail: detail,
		Numbers: map[string]float64{"mean_jct_s": own.mean, "drf_mean_jct_s": fair.mean, "improvement_mean": factor[0],
			"improvement_p50": factor[1], "improvement_p95": factor[2], "slower": factor[3], "gain": gain}})
	s.Notes = append(s.Notes, text+". "+carbyneBest(c.Order, scores))
}

// carbyneBest names the best schedulers by each measure, and the distance of Carbyne from them.
func carbyneBest(order []string, scores map[string]carbyneScore) string {
	var names []string
	for _, n := range order {
		if _, ok := scores[n]; ok {
			names = append(names, n)
		}
	}
	own := scores["carbyne"]
	part := func(what string, of func(carbyneScore) float64, better func(x, y float64) bool, write func(float64) string,
		off func(best float64) string) string {
		first := leaders(len(names), func(i int) float64 { return of(scores[names[i]]) }, better, write)
		if len(first) == 0 {
			return ""
		}
		if len(first) == len(names) && len(names) > 1 {
			return fmt.Sprintf("%s: all alike, %s", what, write(of(scores[names[0]])))
		}
		var best []string
		carbyne := false
		for _, i := range first {
			best = append(best, words.Shorten(names[i], 40))
			carbyne = carbyne || names[i] == "carbyne"
		}
		text := fmt.Sprintf("%s: %s, %s", what, words.List(best), write(of(scores[names[first[0]]])))
		if !carbyne {
			text += fmt.Sprintf(" (carbyne %s)", off(of(scores[names[first[0]]])))
		}
		return text
	}
	later := func(x float64) func(float64) string {
		return func(best float64) string { return words.Percent(x/best-1) + " more" }
	}
	fixed := func(x float64) string { return words.Fixed(x, 2) }
	return "Best of all schedulers. " + strings.Join([]string{
		part("Mean completion time", func(s carbyneScore) float64 { return s.mean }, less, words.FineSeconds,
			later(own.mean)),
		part("Makespan", func(s carbyneScore) float64 { return s.makespan }, less, words.FineSeconds,
			later(own.makespan)),
		part("Jain’s index of fairness", func(s carbyneScore) float64 { return s.jain }, more, fixed,
			func(float64) string { return fixed(own.jain) }),
	}, "; ") + "."
}

// CarbyneTable returns the completion times, makespans and fairness under every scheduler.
func CarbyneTable(c *result.Carbyne) table {
	t := table{ID: "table-carbyne-schedulers", Title: "Schedulers",
		Note: fmt.Sprintf("%s, %s, on %s. Improvement: completion time of a job under the scheduler / under carbyne, "+
			"mean over jobs, below it the median, the 75th and the 95th percentile. Jain’s index: mean over windows "+
			"of a minute; below it the same, capped: resources beyond a job’s share do not count. No schedule has a "+
			"makespan of less than %s: longest paths, and work over all machines. Used: of the resource that is used "+
			"most. Steps: jobs, stages and machines looked at per arrival or end of a task. All jobs are in "+
			"carbyne.parquet.", words.Of(c.Workload.Jobs, "job", "jobs"), words.Of(c.Workload.Tasks, "task", "tasks"),
			words.Of(c.Cluster.Machines, "machine", "machines"), words.Seconds(c.Workload.MakespanBoundS)) +
			figure.OfSeed(c),
		Columns: []column{{Name: "Scheduler"}, number("Completion"), number("Makespan"), number("Jain’s index"),
			number("Improvement"), minor(number("Used")), minor(number("Steps / event"))}}
	for _, name := range c.Order {
		p := c.Schedulers[name]
		if p == nil {
			continue
		}
		used := 0.0
		for _, r := range c.Resources() {
			used = max(used, finiteOr(float64(p.Utilization[r]), 0))
		}
		row := cells(words.Shorten(name, 40), words.FineSeconds(p.JCT.Mean), words.FineSeconds(p.MakespanS),
			words.Fixed(p.Jain.Mean, 2), "", words.Percent(used),
			words.Number(float64(p.Steps)/float64(max(p.Events, 1))))
		row[3].Sub = words.Fixed(p.JainCapped.Mean, 2)
		row[1].Sub = "p50 " + words.FineSeconds(p.JCT.P50) + ", p95 " + words.FineSeconds(p.JCT.P95)
		if x, ok := c.Improvement[name]; ok {
			row[4].Text, row[4].Sub = words.Fixed(x.Mean, 2), words.Fixed(x.P50, 2)+", "+words.Fixed(x.P75, 2)+", "+
				words.Fixed(x.P95, 2)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// carbyneExperimentTable lists the points of the k-th experiment.
func carbyneExperimentTable(x *result.CarbyneExperiment, k int) table {
	t := table{ID: fmt.Sprintf("table-carbyne-experiment-%d", k), Title: "Experiment: " + words.Shorten(x.Name, 40),
		Folded: true,
		Note: fmt.Sprintf("Medians of %s, below them the least and the most. Improvement: mean completion time "+
			"under the other scheduler / under this one.", words.Of(len(x.Seeds), "seed", "seeds")),
		Columns: []column{{Name: "Scheduler"}, number("Mean completion"), number("Makespan"), number("Jain’s index")}}
	var others []string
	for _, p := range x.Points {
		for _, q := range x.Points {
			if _, ok := p.Improvement[q.Scheduler]; ok && !slices.Contains(others, q.Scheduler) {
				others = append(others, q.Scheduler)
			}
		}
	}
	for _, name := range others {
		t.Columns = append(t.Columns, minor(number("over "+words.Shorten(name, 30))))
	}
	between := func(s result.Spread, write func(float64) string) cell {
		return cell{Text: write(float64(s.Median)), Sub: write(float64(s.Low)) + "–" + write(float64(s.High))}
	}
	fixed := func(v float64) string { return words.Fixed(v, 2) }
	for _, p := range x.Points {
		about := words.Shorten(p.Series, 40)
		if x.Axis != "" {
			about = words.Shorten(x.Axis, 40) + " " + words.Number(p.X) + " " + about
		}
		row := []cell{{Text: words.Shorten(p.Scheduler, 40), Sub: about}, between(p.JCT, words.FineSeconds),
			between(p.Makespan, words.FineSeconds), between(p.Jain, fixed)}
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
