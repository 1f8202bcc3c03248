package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutEagle reports the effect of schedulers on short and on long jobs.
func (s *section) aboutEagle(e *result.Eagle, source figure.Source) {
	source.Synthetic = source.Synthetic || e.Synthetic
	note := "Simulated: jobs are bags of tasks; " + words.Either(e.Options.Slots > 1 || e.Options.SlotsMost > 1,
		figure.EagleCluster(&e.Options)+" run a task in every slot.", "a worker runs one task at a time.")
	note += words.When(e.Options.Compat == "epfl", " Decides as the simulator that was published with Eagle.")
	s.Notes = append(s.Notes, note)
	s.shortJobs(e)
	s.behindLong(e)
	s.draw(figure.EagleCompletion(e, source))
	waits := false
	for _, name := range e.Names() {
		waits = waits || e.Schedulers[name].ShortWait != nil
	}
	if waits {
		s.draw(figure.EagleWaits(e, source))
	}
	s.slow(e, source)
	s.wrongEstimates(e)
	s.Tables = append(s.Tables, EagleTable(e))
	for i := range e.Experiments {
		x := &e.Experiments[i]
		switch x.Name { // also the names of figures
		case result.EagleSweep:
			s.sizes(x, &e.Workload, figure.TraceName(source.Store), source.Synthetic, "fig-eagle-sweep")
			s.draw(figure.EagleSweep(x, source))
		case "ablation", "seeds":
			s.draw(figure.EagleAblation(x, source))
		default:
			s.draw(figure.EagleExperiment(x, source))
		}
		s.Tables = append(s.Tables, eagleExperimentTable(x))
	}
}

// slowStages bounds the drawn stages of a slow run.
const slowStages = 4

// slow draws the explained jobs, each under all schedulers. Of a run with many stages it draws the ones with the
// longest wait.
func (s *section) slow(e *result.Eagle, source figure.Source) {
	var all [][]result.EagleSlow // by job, or stage
	for from := 0; from < len(e.Slow); {
		to := from + 1
		for to < len(e.Slow) && e.Slow[to].Name() == e.Slow[from].Name() {
			to++
		}
		all, from = append(all, e.Slow[from:to]), to
	}
	if len(all) > slowStages && e.Slow[0].Stage > 0 {
		waits, order := make([]float64, len(all)), make([]int, len(all)) // the longest mean of any scheduler
		for k, of := range all {
			order[k] = k
			for i := range of {
				waits[k] = max(waits[k], finiteOr(of[i].QueuedS, 0)/float64(max(1, of[i].All)))
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(waits[b], waits[a]) })
		order = slices.Sorted(slices.Values(order[:slowStages]))
		s.Notes = append(s.Notes,
			fmt.Sprintf("Job %[2]s has %[1]s. The figures show the stages whose tasks wait longest on average; "+
				"eagle.json has all.", words.Of(len(all), "stage", "stages"), words.Shorten(e.Slow[0].JobID, 40)))
		for k, i := range order {
			all[k] = all[i]
		}
		all = all[:slowStages]
	}
	for k, of := range all {
		name := "eagle-slow"
		if k > 0 {
			name = fmt.Sprintf("eagle-slow-%d", k+1)
		}
		s.draw(figure.EagleSlow(name, of, source))
	}
}

// shortJobs compares Eagle with Hawk.
func (s *section) shortJobs(e *result.Eagle) {
	a, b := e.Schedulers["eagle"], e.Schedulers["hawk"]
	if a == nil || b == nil || a.Short.N == 0 || !(a.Short.P50 > 0) || !(a.Short.P90 > 0) || !known(b.Short.P50) {
		return
	}
	f := Finding{ID: "eagle-short", See: "fig-eagle-completion", N: a.Short.N,
		Text: fmt.Sprintf("Under Eagle the median short job takes %s, under Hawk %s.", words.Seconds(a.Short.P50),
			words.Seconds(b.Short.P50)),
		Detail: fmt.Sprintf("At the 90th percentile %s against %s, at the 99th %s against %s; long jobs %s against "+
			"%s at the median.", words.Seconds(a.Short.P90), words.Seconds(b.Short.P90), words.Seconds(a.Short.P99),
			words.Seconds(b.Short.P99), words.Seconds(a.Long.P50), words.Seconds(b.Long.P50)),
		Numbers: map[string]float64{"eagle_short_p50_s": a.Short.P50, "hawk_short_p50_s": b.Short.P50,
			"over_p50": a.Short.P50 / b.Short.P50, "over_p90": a.Short.P90 / b.Short.P90}}
	if c := e.Schedulers["srpt"]; c != nil && c.Short.P50 > 0 {
		f.Detail += fmt.Sprintf(" One queue for all, shortest job first and without messages, would take %s.",
			words.Seconds(c.Short.P50))
	}
	s.find(f)
}

// behindLong states the share of waiting behind long tasks.
func (s *section) behindLong(e *result.Eagle) {
	names := e.Names()
	first := leaders(len(names), func(i int) float64 {
		if w := e.Schedulers[names[i]].ShortWait; w != nil {
			return w.MeanBehindLongS
		}
		return math.NaN()
	}, more, words.Seconds)
	if len(first) != 1 || !(e.Schedulers[names[first[0]]].ShortWait.MeanBehindLongS > 0) {
		return // nobody waits, or several alike
	}
	worst := names[first[0]]
	w := e.Schedulers[worst].ShortWait
	f := Finding{ID: "behind-long", See: "fig-eagle-waits", N: e.Schedulers[worst].Short.N,
		Text: fmt.Sprintf("Short jobs wait most behind long tasks under %s: %s per task, of %s in queues.",
			words.Shorten(worst, 40), words.Seconds(w.MeanBehindLongS), words.Seconds(w.MeanS)),
		Detail:  fmt.Sprintf("%s of the short jobs have a task that does.", words.Count(w.JobsBehindLong)),
		Numbers: map[string]float64{"mean_behind_long_s": w.MeanBehindLongS, "mean_s": w.MeanS}}
	if a := e.Schedulers["eagle"]; a != nil && worst != "eagle" && a.ShortWait != nil {
		f.Detail += fmt.Sprintf(" Under Eagle it is %s per task, in %s.", words.Seconds(a.ShortWait.MeanBehindLongS),
			words.Of(a.ShortWait.JobsBehindLong, "job", "jobs"))
	}
	s.find(f)
}

// atEnd returns the point of a scheduler with the least or the largest value of an experiment; nil where there is none.
func atEnd(e *result.Eagle, experiment, scheduler string, largest bool) *result.EaglePoint {
	var end *result.EaglePoint
	for i := range e.Experiments {
		x := &e.Experiments[i]
		for k := range x.Points {
			p := &x.Points[k]
			if x.Name == experiment && p.Scheduler == scheduler && (end == nil || largest == (p.X > end.X)) {
				end = p
			}
		}
	}
	return end
}

// wrongEstimates states the effect of wrong estimates on short jobs, and whether it comes from long jobs taken
// for short.
func (s *section) wrongEstimates(e *result.Eagle) {
	const m = "short_p90"
	from, to := atEnd(e, "misestimation", "eagle", false), atEnd(e, "misestimation", "eagle", true)
	other, at := atEnd(e, "misestimation", "hawk", false), atEnd(e, "misestimation", "hawk", true)
	if from == nil || other == nil || !(from.S[m].Median > 0) || !(other.S[m].Median > 0) {
		return
	}
	write := func(p *result.EaglePoint) string { return words.Seconds(p.S[m].Median) }
	f := Finding{ID: "wrong-estimates", See: "fig-eagle-misestimation",
		Text: fmt.Sprintf("With estimates off by up to %s, the 90th percentile of short jobs goes from %s to %s "+
			"under Eagle, from %s to %s under Hawk.", words.Percent(to.X), write(from), write(to),
			write(other), write(at)), Numbers: map[string]float64{"eagle_exact_s": float64(from.S[m].Median),
			"eagle_wrong_s": float64(to.S[m].Median), "hawk_exact_s": float64(other.S[m].Median),
			"hawk_wrong_s": float64(at.S[m].Median)}}
	f.Detail = fmt.Sprintf("With the wrong estimates of one seed or another it is %s to %s under Eagle.",
		words.Seconds(to.S[m].Low), words.Seconds(to.S[m].High))
	if known, hawk := atEnd(e, "known-classes", "eagle", true), atEnd(e, "known-classes", "hawk", true); known != nil &&
		hawk != nil {
		f.Detail += fmt.Sprintf(" Where schedulers know which jobs are long, it is %s under Eagle, %s under Hawk.",
			write(known), write(hawk))
		f.Detail += words.When(known.S[m].Median < to.S[m].Median/2, " The cause is long jobs that are taken for "+
			"short ones: no worker is marked as running their tasks, and they may run on the workers for short jobs "+
			"alone.")
		f.Numbers["eagle_known_classes_s"] = float64(known.S[m].Median)
	}
	f.Detail += " Published (Eagle): suffers less from wrong estimates."
	s.find(f)
}

// EagleTable returns the completion times under every scheduler.
func EagleTable(e *result.Eagle) table {
	t := table{ID: "table-eagle", Title: "Schedulers",
		Note: "Percentiles of completion times, from the submission to the end of the last task. Busy: share of " +
			"workers, over time up to the last submission. All jobs are in eagle.parquet.",
		Columns: []column{{Name: "Scheduler"}, number("Short p50"), number("p90"), minor(number("p99")),
			number("Long p50"), minor(number("p90")), minor(number("p99")), minor(number("Busy")),
			minor(number("Makespan")), minor(number("Rejected, stolen, stuck"))}}
	for _, name := range e.Names() {
		r := e.Schedulers[name]
		row := cells(words.Shorten(name, 40), words.Seconds(r.Short.P50), words.Seconds(r.Short.P90),
			words.Seconds(r.Short.P99), words.Seconds(r.Long.P50), words.Seconds(r.Long.P90),
			words.Seconds(r.Long.P99), words.Percent(r.Utilization), words.Seconds(r.MakespanS),
			words.Count(r.Counts.Rejected)+", "+words.Count(r.Counts.Stolen)+", "+words.Count(r.Counts.Stuck))
		row[0].Sub = words.Printable(r.About)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// eagleExperimentTable returns the points of an experiment.
func eagleExperimentTable(x *result.EagleExperiment) table {
	t := table{ID: "table-eagle-" + figure.Slug(x.Name), Title: "Experiment: " + words.Printable(x.About), Folded: true,
		Note:    "Medians over seeds; below them the least and the largest.",
		Columns: []column{{Name: words.Capital(words.Printable(x.Axis))}, {Name: "Scheduler"}}}
	for i, m := range result.EagleMeasures {
		t.Columns = append(t.Columns, column{Name: words.Capital(strings.ReplaceAll(m, "_", " ")), Number: true,
			Minor: i > 1})
	}
	for i := range x.Points {
		p := &x.Points[i]
		row := cells(words.Number(p.X), words.Shorten(p.Scheduler, 40))
		for _, m := range result.EagleMeasures {
			v := p.S[m]
			c := cell{Text: words.Seconds(v.Median), Sub: words.Seconds(v.Low) + " to " + words.Seconds(v.High)}
			if x.Base != "" && p.Scheduler != x.Base {
				o := p.Over[m]
				c = cell{Text: words.Fixed(o.Median, 2), Sub: words.Fixed(o.Low, 2) + " to " + words.Fixed(o.High, 2)}
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note += words.When(x.Base != "", " Times over those of %s, which are times.", words.Shorten(x.Base, 40))
	return t
}
