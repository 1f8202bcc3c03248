package page

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
)

// aboutLeftover reports the leftover of runs. runs is the analysis's table, units are the trace's own units.
func (s *section) aboutLeftover(l *result.Leftover, runs *result.Table, units map[string]string, source figure.Source) {
	names := heldResources(l)
	s.leftover(l, names)
	s.mostLeftover(l, names, units)
	s.leftoverShape(l)
	s.draw(figure.Leftover(l, units, source), figure.LeftoverShares(l, source))
	if l.Correlation["stages"].N > 1 {
		s.draw(figure.LeftoverShape(l, runs, source))
	}
	s.Tables = append(s.Tables, leftoverTable(l, units))
	if len(names) > 0 {
		s.Tables = append(s.Tables, correlationTable(l, names[0]))
	}
	for _, name := range names {
		if len(l.Resources[name].Extremes) > 0 {
			s.Tables = append(s.Tables, leftoverRunsTable(l, name, units[name]))
			break
		}
	}
}

// heldResources returns the resources that some run held, in the order of the columns.
func heldResources(l *result.Leftover) []string {
	var names []string
	for _, name := range l.Names() {
		if r := l.Resources[name]; r.Available && known(r.Share) {
			names = append(names, name)
		}
	}
	return names
}

// heldOf names the held amount of a resource: CPU over time.
func heldOf(resource string) string {
	return words.Either(resource == "cpu", "CPU time", figure.ResourceTitle(resource))
}

// leftover states the leftover of the first known resource.
func (s *section) leftover(l *result.Leftover, names []string) {
	if len(names) == 0 {
		s.find(Finding{ID: "leftover", See: "table-leftover", Text: "The runs held nothing that is recorded."})
		return
	}
	r := l.Resources[names[0]]
	f := Finding{ID: "leftover", See: "fig-leftover", N: l.Runs, Text: fmt.Sprintf("%s of the %s held was slack%s.",
		words.Percent(r.Share), heldOf(names[0]), words.When(broken(l) == 0,
			"; none of these runs would have ended later without it")), Numbers: map[string]float64{}}
	if r.Share == 0 {
		f.Text = fmt.Sprintf("None of the %s held was slack: every task was needed when it ran.", heldOf(names[0]))
	}
	f.Detail = fmt.Sprintf("Median slack over %s: %s, over time: %s", words.Of(r.EventWeighted.N, "event", "events"),
		words.Percent(r.EventWeighted.P50), words.Percent(r.TimeWeighted.P50))
	for _, name := range names {
		of := l.Resources[name]
		f.Numbers[name+"_share"], f.Numbers[name+"_event_p50"], f.Numbers[name+"_time_p50"] = float64(of.Share),
			of.EventWeighted.P50, of.TimeWeighted.P50
		f.Detail += words.When(name != names[0], "; %s %s", figure.ResourceTitle(name), words.Percent(of.Share))
	}
	f.Detail += "; " + sample(l.Runs, "run", "runs") + " Published for Microsoft (Carbyne), at the median event: " +
		printedMedian(papers.CarbyneLeftover("cpu"), words.Percent) + " of the CPU, " +
		printedMedian(papers.CarbyneLeftover("mem"), words.Percent) + " of the memory."
	s.find(f)
}

// mostLeftover names the run with the most leftover of the first resource.
func (s *section) mostLeftover(l *result.Leftover, names []string, units map[string]string) {
	if len(names) == 0 || len(l.Resources[names[0]].Extremes) == 0 || l.Runs < 2 {
		return
	}
	r := l.Resources[names[0]]
	x := &r.Extremes[0]
	s.find(Finding{ID: "most-leftover", See: "table-leftover-runs",
		Text: fmt.Sprintf("%s had most slack: %s, %s of the amount it held.", name(x.Name),
			held(x.Spare, names[0], units[names[0]]), words.Percent(x.Spare/x.Allocated)),
		Detail: fmt.Sprintf("Run %s. That is %s of the slack of all runs.", name(x.JobID),
			words.Percent(x.Spare/float64(r.Spare))),
		Numbers: map[string]float64{"spare": x.Spare, "allocated": x.Allocated,
			"share_of_all": x.Spare / float64(r.Spare)}})
}

// leastToCorrelate is the least number of runs for a sentence on a correlation.
const leastToCorrelate = 10

// leftoverShape names the measure of the graph with the strongest correlation with leftover.
func (s *section) leftoverShape(l *result.Leftover) {
	best, with := math.NaN(), ""
	for _, m := range [][2]string{{"stages", "more stages"}, {"barriers", "more barriers"},
		{"critical_path_stages", "a longer critical path"}, {"disjoint_paths", "more disjoint paths"}} {
		if r := float64(l.Correlation[m[0]].Pearson); known(r) && l.Correlation[m[0]].N > 0 &&
			!(math.Abs(best) >= math.Abs(r)) {
			best, with = r, m[1]
		}
	}
	n := l.Correlation["stages"].N
	if with == "" || n < leastToCorrelate {
		return
	}
	correlation := func(measure string) string {
		x, _ := papers.CarbyneCorrelation(measure)
		return words.Fixed(x, 2)
	}
	f := Finding{ID: "leftover-shape", See: "fig-leftover-shape", N: n, Numbers: map[string]float64{"pearson": best},
		Text: fmt.Sprintf("Runs with %s have more slack: correlation %s.", with, words.Fixed(best, 2)),
		Detail: fmt.Sprintf("The strongest of four; %s Published (Carbyne): barriers %s, critical path %s, stages %s, "+
			"disjoint paths %s.", sample(n, "run", "runs"), correlation("barriers"),
			correlation("critical_path_stages"), correlation("stages"), correlation("disjoint_paths"))}
	switch {
	case math.Abs(best) < 0.3:
		f.Text = "Slack of a run is nearly independent of the shape of its graph."
	case best < 0:
		f.Text = fmt.Sprintf("Runs with %s have less slack, unlike in the paper: correlation %s.", with,
			words.Fixed(best, 2))
	}
	s.find(f)
}

// held writes an amount of a resource over time, in unit x seconds.
func held(x float64, resource, unit string) string {
	switch unit {
	case "cores", "GPUs":
		one := map[string]string{"cores": "core", "GPUs": "GPU"}[unit]
		if x >= 2*3600 {
			return words.Number(x/3600) + " " + one + "-hours"
		}
		return words.Number(x) + " " + one + "-seconds"
	case "bytes":
		return words.Bytes(x/3600) + " for an hour"
	case "bytes/s":
		return words.Bytes(x)
	}
	return words.Number(x/3600) + " " + figure.ResourceTitle(resource) + "-hours"
}

func leftoverTable(l *result.Leftover, units map[string]string) table {
	t := table{ID: "table-leftover", Title: "Slack per resource",
		Note: "Slack: share of all that was held. Median event, median over time: of the share at one instant. " +
			"Published: median over events at Microsoft, Carbyne (OSDI 2016). " + checked(l),
		Columns: []column{{Name: "Resource"}, {Name: "Held"}, number("Slack"), number("Median event"),
			number("Median over time"), minor(number("95th pct over time")), number("Published")}}
	for _, name := range l.Names() {
		r, printed := l.Resources[name], published(papers.CarbyneLeftover(name), words.Percent)
		title := words.Capital(figure.ResourceTitle(name))
		if !r.Available {
			row := cells(title, "not available", words.None, words.None, words.None, words.None, printed)
			row[1].Sub = "lacks " + strings.Join(r.Missing, ", ")
			t.Rows = append(t.Rows, row)
			continue
		}
		row := cells(title, held(float64(r.Allocated), name, units[name]), words.Percent(r.Share),
			words.Percent(r.EventWeighted.P50),
			words.Percent(r.TimeWeighted.P50), words.Percent(r.TimeWeighted.P95), printed)
		if known(r.Share) {
			row[2].Bar = min(max(float64(r.Share), 0), 1)
		}
		if all := r.Attempts + r.Unknown; r.Unknown > 0 {
			row[1].Sub = "demand known of " + words.Percent(float64(r.Attempts)/float64(all)) + " of the attempts"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// broken counts the faults of the packed schedules: if it is not 0, some run may end later.
func broken(l *result.Leftover) int64 {
	c := &l.Check
	return int64(c.EndsLater) + int64(c.Above) + int64(c.BeforeChild) + int64(c.Earlier)
}

// checked states the outcome of checking the schedules.
func checked(l *result.Leftover) string {
	c := l.Check
	if broken(l) > 0 {
		return fmt.Sprintf("Of %s checked, some break a rule: see the notes above.",
			words.Of(c.Runs, "packed schedule", "packed schedules"))
	}
	return fmt.Sprintf("%s checked: no run ends later or holds more at once, no attempt starts earlier or "+
		"before a parent ends.", words.Of(c.Runs, "packed schedule was", "packed schedules were"))
}

func correlationTable(l *result.Leftover, resource string) table {
	t := table{ID: "table-leftover-shape", Title: "Slack and the shape of the graphs",
		Note: "Correlation, and in brackets that of the ranks. Over runs: of a run's slack, the mean over its " +
			"resources. Over time: of the cluster's slack of " + figure.ResourceTitle(resource) +
			" with the mean among the runs that run, weighted by time. Published: Carbyne (OSDI 2016).",
		Columns: []column{{Name: "Measure"}, minor(number("Runs")), number("Over runs"), number("Over time"),
			number("Published")}}
	write := func(c result.Correlation) cell {
		out := cell{Text: words.Fixed(c.Pearson, 2)}
		if known(c.Spearman) {
			out.Sub = "[" + words.Fixed(c.Spearman, 2) + "]"
		}
		return out
	}
	for _, m := range [][2]string{{"stages", "Stages"}, {"barriers", "Barriers"},
		{"critical_path_stages", "Critical path"}, {"disjoint_paths", "Disjoint paths"}, {"width", "Width"}} {
		c := l.Correlation[m[0]]
		printed, ok := papers.CarbyneCorrelation(m[0])
		row := cells(m[1], words.Count(c.N), "", "", words.When(ok, "%s", words.Fixed(printed, 2)))
		row[2], row[3] = write(c.Correlation), cell{Text: words.None}
		if over, ok := c.OverTime[resource]; ok {
			row[3] = write(over)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func leftoverRunsTable(l *result.Leftover, resource, unit string) table {
	title := figure.ResourceTitle(resource)
	t := table{ID: "table-leftover-runs", Title: "Runs that had most slack " + title,
		Note: "Share: of the amount that the run held. Over time: the time-weighted mean of its share at its events. " +
			"All runs are in leftover.parquet.",
		Columns: []column{{Name: "Job"}, {Name: "Run"}, number("Slack"), number("Share"), minor(number("Over time"))}}
	for i := range l.Resources[resource].Extremes {
		x := &l.Resources[resource].Extremes[i]
		row := cells(name(x.Name), name(x.JobID), held(x.Spare, resource, unit), words.Percent(x.Spare/x.Allocated),
			words.Percent(x.Leftover))
		row[3].Bar = min(max(finiteOr(x.Spare/x.Allocated, 0), 0), 1)
		t.Rows = append(t.Rows, row)
	}
	return t
}
