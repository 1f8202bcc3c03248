package page

import (
	"fmt"
	"strconv"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// aboutDAG reports the shapes of stage graphs. runs is the analysis's table.
func (s *section) aboutDAG(d *result.DAG, runs *result.Table, source figure.Source) {
	if d.Stages.N > 0 && d.Stages.Max <= 1 {
		s.find(Finding{ID: "no-graph", See: "table-shape", N: d.Stages.N, Text: "Every run is a single stage, as far " +
			"as the trace says.",
			Detail: "It holds no dependencies between the stages of a run; " + sample(d.Stages.N, "run", "runs")})
		s.criticalPath(d)
		s.Tables = append(s.Tables, shapeTable(d))
		return
	}
	s.largest(d.Largest)
	s.medianShape(d)
	s.criticalPath(d)
	s.plans(d)
	s.draw(figure.Shape(d, runs, source))
	if d.Plans.Distinct > 0 {
		s.draw(figure.PlanShapes(d, source))
	}
	if d.Largest != nil && len(d.Largest.Stages) > 0 {
		s.draw(figure.StageGraph(d.Largest, source))
	}
	s.Tables = append(s.Tables, shapeTable(d))
	if d.Largest != nil && len(d.Largest.Stages) > 0 {
		s.Tables = append(s.Tables, stagesTable(d.Largest))
	}
	s.filled(plansTable(&d.Plans), jobPlansTable(&d.Plans),
		extremesTable("table-shape-extremes", "dag.json", d.Extremes))
}

func (s *section) largest(g *result.StageGraph) {
	if g == nil || len(g.Stages) == 0 {
		return
	}
	parents := map[int]int{}
	all, driver := 0, 0
	for _, e := range g.Edges {
		switch e.Kind {
		case "driver":
			driver++
			continue
		case "all_to_all":
			all++
		}
		parents[e.Child]++
	}
	barriers, critical := 0, 0
	for i := range g.Stages {
		if parents[i] > 1 {
			barriers++
		}
		if g.Stages[i].Critical {
			critical++
		}
	}
	text := fmt.Sprintf("The largest graph, of %s, has %s", nameOr(g.Name, "run "+name(g.JobID)),
		words.Of(len(g.Stages), "stage", "stages"))
	text += words.Either(barriers == 0, " and no barrier.", ", "+words.Count(barriers)+" of which "+
		words.Noun(barriers, "is a barrier.", "are barriers."))
	detail := fmt.Sprintf("Run %s. ", name(g.JobID))
	detail += words.When(critical > 0, "%s on its critical path; ", words.Of(critical, "stage lies", "stages lie"))
	detail += words.Of(all, "edge exchanges", "edges exchange") + " data between all tasks"
	detail += words.When(driver > 0, "; the driver alone orders %s more",
		words.Of(driver, "pair of stages", "pairs of stages"))
	s.find(Finding{ID: "largest-graph", See: "fig-stage-graph", Text: text, Detail: detail + ".",
		Numbers: map[string]float64{"stages": float64(len(g.Stages)), "barriers": float64(barriers),
			"critical_path_stages": float64(critical),
			"all_to_all":           float64(all), "driver_edges": float64(driver)}})
}

func (s *section) medianShape(d *result.DAG) {
	if d.Stages.N == 0 {
		return
	}
	tail := words.When(d.Stages.N >= style.SmallSample, "; 95%% have at most %s",
		amount(d.Stages.P95, "stage", "stages"))
	shape := func(metric string) string { return printedMedian(papers.CarbyneShape(metric), words.Number) }
	s.find(Finding{ID: "median-shape", See: "fig-dag-shape", N: d.Stages.N,
		Text: fmt.Sprintf("At the median a run has %s, %s and a critical path of %s.",
			amount(d.Stages.P50, "stage", "stages"), amount(d.Barriers.P50, "barrier", "barriers"),
			amount(d.CriticalPathStages.P50, "stage", "stages")),
		Detail: fmt.Sprintf("Medians, each on its own%s; %s Published for jobs at Microsoft (Carbyne): %s stages, "+
			"%s barriers, a critical path of %s.", tail, sample(d.Stages.N, "run with stages", "runs with stages"),
			shape("stages"), shape("barriers"), shape("critical_path_stages")),
		Numbers: map[string]float64{"stages_p50": d.Stages.P50, "stages_p95": d.Stages.P95,
			"barriers_p50": d.Barriers.P50, "critical_path_stages_p50": d.CriticalPathStages.P50}})
}

func (s *section) criticalPath(d *result.DAG) {
	path, driver := d.CriticalPathS, d.CriticalPathDriverS
	if path.N == 0 || !known(path.P50) {
		return
	}
	f := Finding{ID: "critical-path", See: "table-shape", N: path.N,
		Numbers: map[string]float64{"critical_path_s_p50": path.P50, "critical_path_driver_s_p50": driver.P50,
			"by_stage_times": float64(d.PathsByStageTimes), "above_completion": float64(d.PathsAboveCompletion)}}
	who := words.Noun(path.N, "the one run", "the median run")
	f.Text = fmt.Sprintf("With any number of machines %s would take at least %s.", who, words.Seconds(path.P50))
	f.Detail = "The critical path, with tasks as long as they were"
	if d.PathsByStageTimes > 0 || d.PathsAboveCompletion > 0 { // then it is no lower bound
		f.Text = fmt.Sprintf("The critical path of %s lasted %s.", who, words.Seconds(path.P50))
		f.Detail = "The longest path through the stages of a run"
	}
	if path.N > 1 {
		f.Detail += interval(d.Intervals, "critical_path_s", "p50", words.Seconds)
	}
	f.Detail += "; " + sample(path.N, "run", "runs")
	f.Detail += words.When(d.PathsByStageTimes > 0, " In %s of these runs it holds a stage of which the trace has no "+
		"task times, only its own start and end: with more machines that may be shorter.",
		words.Count(d.PathsByStageTimes))
	f.Detail += words.When(d.PathsAboveCompletion > 0, " %s less time than the path: stages began before those that "+
		"they depend on had ended.", words.Of(d.PathsAboveCompletion, "run took", "runs took"))
	mean := d.CriticalPathMeanS
	f.Detail += words.When(mean.N > 0 && mean.P50 < path.P50*0.99, " If every task took the mean of its stage it "+
		"would be %s.", words.Seconds(mean.P50))
	f.Detail += words.When(driver.N > 0 && driver.P50 > path.P50*1.01, " With the order that the driver imposes it "+
		"is %s, %s more.", words.Seconds(driver.P50), words.Percent(driver.P50/path.P50-1))
	s.find(f)
}

func shapeTable(d *result.DAG) table {
	t := table{ID: "table-shape", Title: "Shape of the stage graphs in numbers",
		Note: "Over runs with at least one stage; in brackets the 95% interval of the percentile, where it differs " +
			"from it. Published: median; 95th percentile of jobs at Microsoft, Carbyne (OSDI 2016).",
		Columns: []column{{Name: "Metric"}, minor(number("Runs")), minor(number("10th pct")), number("Median"),
			number("95th pct"), number("Largest"), minor(number("Published"))}}
	for _, m := range []metric{
		{"stages", "Stages", d.Stages, words.Number[float64]},
		{"barriers", "Barriers", d.Barriers, words.Number[float64]},
		{"synchronisations", "Synchronisations", d.Synchronisations, words.Number[float64]},
		{"critical_path_stages", "Critical path, stages", d.CriticalPathStages, words.Number[float64]},
		{"critical_path_s", "Critical path, time", d.CriticalPathS, words.Seconds[float64]},
		{"critical_path_mean_s", "… with mean tasks", d.CriticalPathMeanS, words.Seconds[float64]},
		{"critical_path_driver_s", "… with the driver's order", d.CriticalPathDriverS, words.Seconds[float64]},
		{"disjoint_paths", "Disjoint paths", d.DisjointPaths, words.Number[float64]},
		{"width", "Width", d.Width, words.Number[float64]},
		{"level_stages_mean", "Stages per level", d.LevelStagesMean, words.Number[float64]},
		{"level_stages_max", "… on the widest", d.LevelStagesMax, words.Number[float64]},
		{"level_tasks_mean", "Tasks per level", d.LevelTasksMean, words.Number[float64]},
		{"level_tasks_max", "… on the widest", d.LevelTasksMax, words.Number[float64]},
		{"input_work", "Input work", d.InputWork, words.Percent[float64]},
	} {
		t.Rows = append(t.Rows, append(m.cells(d.Intervals, "p10", "p50", "p95", "max"), cell{Text: published(papers.CarbyneShape(m.key), m.write)}))
	}
	return t
}

func stagesTable(g *result.StageGraph) table {
	t := table{ID: "table-stages", Title: "Stages of the largest run, " + name(g.Name), Folded: true, All: "dag.json",
		Note: "Level: edges on the longest path from a stage without parents. Longest: the longest successful attempt.",
		Columns: []column{{Name: "Stage"}, minor(number("Level")), number("Tasks"), number("Longest"),
			minor(number("Task time")), {Name: "Critical"}}}
	for i := range g.Stages {
		s := &g.Stages[i]
		t.Row(strconv.Itoa(i)+"  "+name(s.Name), words.Count(s.Level), countOrNone(s.Tasks),
			words.Seconds(s.Seconds), words.Seconds(s.TaskSeconds), words.When(s.Critical, "yes"))
	}
	return t
}

// countOrNone writes a number, or a dash for 0, which means unknown.
func countOrNone[N ~int | ~int64](n N) string {
	if n <= 0 {
		return words.None
	}
	return words.Count(n)
}
