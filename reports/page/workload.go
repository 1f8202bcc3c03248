package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// aboutWorkload reports arrivals, durations, concurrency and failures.
func (s *section) aboutWorkload(w *result.Workload, source figure.Source) {
	s.workloadParts(w)
	if w.Arrivals.Available {
		s.arrivals(&w.Arrivals)
		s.draw(figure.Arrivals(w, source))
	}
	s.tails(w)
	if figure.HasTails(w) {
		s.draw(figure.Tails(w, source))
	}
	if w.Cutoff.Available {
		s.cutoff(&w.Cutoff)
		s.draw(figure.Cutoff(&w.Cutoff, source))
	}
	if w.Concurrency.Available {
		s.concurrency(&w.Concurrency)
		s.draw(figure.Concurrency(w, source))
	}
	if w.Failures.Available {
		s.failures(&w.Failures)
		if w.Failures.Bad > 0 {
			s.draw(figure.Failures(&w.Failures, source))
		}
	}
	s.Tables = append(s.Tables, loadTable(w))
	s.filled(fitsTable(w), cutoffTable(&w.Cutoff), reasonsTable(&w.Failures), suspectsTable(&w.Failures.Machines),
		extremesTable("table-load-extremes", "workload.json", w.Durations.Extremes, w.TasksPerJob.Extremes,
			w.TaskDurations.Extremes, w.Failures.Extremes))
}

// workloadParts notes the parts that are not available, and the exclusions of the others.
func (s *section) workloadParts(w *result.Workload) {
	for _, part := range []struct {
		name string
		head *result.Header
	}{
		{"arrivals", &w.Arrivals.Header}, {"durations of runs", &w.Durations.Header},
		{"tasks per run", &w.TasksPerJob.Header},
		{"durations of tasks", &w.TaskDurations.Header}, {"concurrency", &w.Concurrency.Header},
		{"failures", &w.Failures.Header},
		{"short and long jobs", &w.Cutoff.Header},
	} {
		if !part.head.Available {
			s.Notes = append(s.Notes, fmt.Sprintf("Not available: %s; the trace lacks %s.", part.name,
				words.Printable(strings.Join(part.head.Missing, ", "))))
			continue
		}
		for _, reason := range slices.Sorted(maps.Keys(part.head.LeftOut)) {
			if n := part.head.LeftOut[reason]; n > 0 {
				s.Notes = append(s.Notes,
					fmt.Sprintf("Left out of %s: %s (%s).", part.name, words.Count(n), words.Printable(reason)))
			}
		}
	}
}

func (s *section) arrivals(a *result.Arrivals) {
	if a.N < 2 {
		return
	}
	f := Finding{ID: "arrivals", See: "fig-arrivals", N: int(a.N),
		Text:    fmt.Sprintf("A run arrives every %s on average.", words.Seconds(a.Gap.Mean)),
		Numbers: map[string]float64{"per_hour": float64(a.PerHour), "interarrival_cov": float64(a.GapCoV)}}
	if x := widest(a.Index); x != nil {
		f.Numbers["index_of_dispersion"], f.Numbers["window_s"] = x.Index, x.WindowS
		window := words.Seconds(x.WindowS)
		switch {
		case x.Index > x.High:
			f.Text = fmt.Sprintf("A run arrives every %s on average, in bursts: counts per %s vary %s times as much "+
				"as independent arrivals would.", words.Seconds(a.Gap.Mean), window, words.Number(x.Index))
		case x.Index < x.Low:
			f.Text = fmt.Sprintf("A run arrives every %s on average, more evenly than by chance: counts per %s vary "+
				"%s times as much as independent arrivals would.",
				words.Seconds(a.Gap.Mean), window, words.Number(x.Index))
		default:
			f.Text = fmt.Sprintf("A run arrives every %s on average, as independent arrivals would, seen in windows "+
				"of %s.", words.Seconds(a.Gap.Mean), window)
		}
		f.Detail = fmt.Sprintf("Index of dispersion, variance / mean of counts; 95%% of Poisson processes have %s. "+
			"The busiest window has %s times the mean. ",
			words.Range(x.Low, x.High, words.Number), words.Number(x.PeakToMean))
	}
	f.Detail += fmt.Sprintf("Longest gap: %s; n = %s.", words.Seconds(a.Longest.Seconds),
		words.Of(a.N, "arrival", "arrivals"))
	s.find(f)
	r := a.Rhythm
	if r == nil || !known(r.P) {
		return
	}
	f = Finding{ID: "rhythm", See: "fig-arrivals", N: r.Days,
		Text: "Arrivals follow the hours of the day: the busiest has " +
			words.Number(r.PeakToMean) + " times the mean.",
		Detail: fmt.Sprintf("The mean day explains %s of the variance of hourly counts, more than it does with days "+
			"shifted at random (p = %s); autocorrelation at "+
			"24 hours: %s; n = %s.", words.Percent(r.ShareOfVariance), words.Number(r.P),
			words.Number(r.Lag24), words.Of(r.Days, "whole day", "whole days")),
		Numbers: map[string]float64{"p": float64(r.P), "share_of_variance": float64(r.ShareOfVariance),
			"autocorrelation_24h": float64(r.Lag24)}}
	if r.P > 0.05 {
		f.Text = "No daily rhythm is seen in the arrivals."
		f.Detail = strings.Replace(f.Detail, ", more than it does with days shifted at random",
			", no more than with days shifted at random", 1)
	}
	s.find(f)
}

// widest returns the index of dispersion at the widest window of up to an hour, or of the narrowest when there is none.
func widest(all []result.Index) *result.Index {
	var best *result.Index
	for i := range all {
		if x := &all[i]; known(x.Index, x.Low, x.High) && (best == nil || x.WindowS <= 3600) {
			best = x
		}
	}
	return best
}

// tails states durations and the distribution that describes them.
func (s *section) tails(w *result.Workload) {
	if d := &w.Durations; d.Available && d.Completion.N > 0 {
		f := Finding{ID: "completion", See: "table-load", N: d.Completion.N,
			Text: fmt.Sprintf("The median run took %s from submission to end, the 90th percentile %s.",
				words.Seconds(d.Completion.P50), words.Seconds(d.Completion.P90)),
			Detail: "Of runs that succeeded, or of whose end the trace says no more" +
				interval(w.Intervals, "completion_s", "p50", words.Seconds),
			Numbers: map[string]float64{"completion_s_p50": d.Completion.P50, "completion_s_p90": d.Completion.P90}}
		if tenth := interval(w.Intervals, "completion_s", "p90", words.Seconds); tenth != "" &&
			d.Completion.N >= style.SmallSample {
			f.Detail += " (of the 90th percentile" + tenth + ")"
		}
		f.Detail += "; " + sample(d.Completion.N, "run", "runs")
		if d.Completion.N < style.SmallSample {
			f.Text = fmt.Sprintf("The median run took %s from submission to end.", words.Seconds(d.Completion.P50))
		}
		s.find(f)
	}
	if d := &w.TaskDurations; d.Available && d.Duration.N > 0 {
		f := Finding{ID: "task-durations", See: "fig-tails", N: d.Duration.N,
			Text: fmt.Sprintf("The median task attempt took %s, the 99th percentile %s.", words.Seconds(d.Duration.P50),
				words.Seconds(d.Duration.P99)),
			Numbers: map[string]float64{"task_duration_s_p50": d.Duration.P50, "task_duration_s_p99": d.Duration.P99,
				"share_of_longest_1_percent": float64(d.Top1)}}
		if top := float64(d.Top1); known(top) {
			f.Text = fmt.Sprintf("The longest 1%% of the task attempts hold %s of the task time: the median takes "+
				"%s, the 99th percentile %s.",
				words.Percent(top), words.Seconds(d.Duration.P50), words.Seconds(d.Duration.P99))
		}
		f.Detail = fitted(w.Fits, "task_duration_s") + "n = " + words.Of(d.Duration.N, "attempt", "attempts") + "."
		if !figure.HasTails(w) {
			f.See = "table-load"
		}
		s.find(f)
	}
}

// fitted names the family that fits a set best, in a sentence; nothing if none was fitted.
func fitted(fits []result.Fitted, of string) string {
	for i := range fits {
		f := &fits[i]
		if f.Of != of || len(f.Families) == 0 {
			continue
		}
		best := &f.Families[0]
		text := fmt.Sprintf("Of five families the %s fits best (AIC)", figure.FamilyName(best.Family))
		var as []string
		for k := 1; k < len(f.Families) && f.Families[k].DeltaAIC < 2; k++ {
			as = append(as, figure.FamilyName(f.Families[k].Family))
		}
		text += words.When(len(as) > 0, ", the %s as well", words.List(as))
		switch p := float64(best.PKS); {
		case !known(p):
		case p < 0.05:
			text += fmt.Sprintf(", though it differs more than chance allows, by up to %s of the values",
				words.Percent(best.KS))
		default:
			text += fmt.Sprintf(", and differs no more than chance allows (p = %s)", words.Number(p))
		}
		return text + ". "
	}
	return ""
}

func (s *section) cutoff(c *result.Cutoff) {
	r := c.Suggested
	if r == nil {
		return
	}
	jobs := lists.Map(papers.HawkLong(), func(t papers.HawkTrace) float64 { return t.Jobs })
	time := lists.Map(papers.HawkLong(), func(t papers.HawkTrace) float64 { return t.Time })
	f := Finding{ID: "long-jobs", See: "fig-cutoff", N: int(c.Jobs),
		Text: fmt.Sprintf("Jobs divide into short and long at a mean task duration of %s: %s of them are long and "+
			"hold %s of the task-seconds.",
			words.Seconds(r.CutoffS), words.Percent(r.ShareOfJobs), words.Percent(r.ShareOfTime)),
		Detail: words.Capital(words.Printable(c.Reason)) + "; " + sample(int(c.Jobs), "job", "jobs") +
			" Published (Hawk): " + words.PercentRange(slices.Min(jobs), slices.Max(jobs)) + " of the jobs hold " +
			words.PercentRange(slices.Min(time), slices.Max(time)) + ".",
		Numbers: map[string]float64{"cutoff_s": r.CutoffS, "share_of_jobs": r.ShareOfJobs,
			"share_of_task_seconds": r.ShareOfTime}}
	if !c.Clear {
		f.Text = fmt.Sprintf("Jobs do not divide clearly into short and long: at the best cutoff, %s, %s of them "+
			"hold %s of the task-seconds.",
			words.Seconds(r.CutoffS), words.Percent(r.ShareOfJobs), words.Percent(r.ShareOfTime))
	}
	s.find(f)
}

func (s *section) concurrency(c *result.Concurrency) {
	of, one, many := c.Tasks, "task attempt", "task attempts"
	if of == nil {
		of, one, many = c.Runs, "run", "runs"
	}
	if of == nil {
		return
	}
	f := Finding{ID: "concurrency", See: "fig-concurrency", N: int(of.N),
		Text: fmt.Sprintf("%s %s at once on average, %s at most.", words.Capital(amount(of.Mean, one, many)),
			words.Either(of.Mean == 1, "runs", "run"), words.Number(of.Peak)),
		Detail: fmt.Sprintf("For 95%% of the time at most %s; for %s of the time none; n = %s.",
			words.Number(of.Weighted.P95), words.Percent(of.Idle), words.Of(of.N, one, many)),
		Numbers: map[string]float64{"mean": of.Mean, "peak": of.Peak, "p95": of.Weighted.P95, "share_idle": of.Idle}}
	f.Detail += words.When(of.PeakError != "", " %s.", words.Capital(words.Printable(of.PeakError)))
	s.find(f)
	for i := range c.Utilization {
		u := &c.Utilization[i]
		name := cmp.Or(map[string]string{"tokens": "tokens that runs held", "cpu": "cores of the machines",
			"gpu": "GPUs of the machines"}[u.Resource], words.Shorten(u.Resource, 30))
		s.find(Finding{ID: "utilization-" + u.Resource, See: "fig-concurrency",
			Text:   fmt.Sprintf("%s of the %s were in use, integrated over time.", words.Percent(u.Share), name),
			Detail: words.Capital(words.Printable(u.What)) + ".", Numbers: map[string]float64{"share": u.Share}})
	}
}

func (s *section) failures(f *result.Failures) {
	share := float64(f.Bad) / float64(max(f.Ended, 1))
	x := Finding{ID: "task-failures", See: "table-load", N: int(f.Ended),
		Numbers: map[string]float64{"unsuccessful": float64(f.Bad),
			"share": share, "wasted_task_seconds": f.WastedS, "wasted_share": float64(f.WastedShare)}}
	if f.Bad == 0 {
		x.Text = "Every task attempt that ended succeeded: " + words.Count(f.Ended) + "."
		s.find(x)
		return
	}
	x.See = "fig-failures"
	x.Text = fmt.Sprintf("%s of the task attempts did not succeed; they took %s of the task-seconds.",
		words.Percent(share), words.Percent(f.WastedShare))
	if len(f.Reasons) > 0 {
		r := &f.Reasons[0]
		why := nameOr(r.Reason, "none given, "+words.Shorten(r.Status, 20))
		x.Detail = fmt.Sprintf("Most frequent reason: %s (%s). ", why, words.Of(r.Attempts, "attempt", "attempts"))
	}
	x.Detail += fmt.Sprintf("%s of %s were tried more than once; n = %s.", words.Count(f.Retries.Retried),
		words.Of(f.Retries.Tasks, "task", "tasks"), words.Of(f.Ended, "attempt that ended", "attempts that ended"))
	s.find(x)
	m := &f.Machines
	if m.Machines < 2 || !known(m.Rate) {
		return
	}
	y := Finding{ID: "machines", See: "fig-failures", Numbers: map[string]float64{"machines": float64(m.Machines),
		"suspects": float64(len(m.Suspects)), "rate": float64(m.Rate)},
		Text: fmt.Sprintf("On none of %s do attempts fail more often than by chance.",
			words.Of(m.Machines, "machine", "machines")),
		Detail: fmt.Sprintf("Binomial tests against the rate of all machines, %s, with at most %s false discoveries "+
			"(Benjamini and Hochberg). Killed and evicted attempts do "+
			"not count as failures.", words.Percent(m.Rate), words.Percent(m.Discovery))}
	if n := len(m.Suspects); n > 0 {
		worst := &m.Suspects[0]
		y.See = "table-suspects"
		y.Text = fmt.Sprintf("Attempts fail more often than by chance on %s of %s: on %s, %s of %s.", words.Count(n),
			words.Of(m.Machines, "machine", "machines"), name(worst.Machine), words.Count(worst.Failed),
			words.Count(worst.Attempts))
	}
	s.find(y)
}
