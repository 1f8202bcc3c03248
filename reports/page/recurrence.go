package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// aboutRecurrence reports the variation of recurring jobs. changes lists lasting changes and their causes; it may be
// nil. dates is the calendar of the trace.
func (s *section) aboutRecurrence(r *result.Recurrence, changes *changed, dates calendar, source figure.Source) {
	s.variation(r)
	s.similarInput(r)
	if r.CoV.N > 0 {
		s.draw(figure.CoV(r, source))
	}
	if len(r.Jobs) > 0 {
		s.Tables = append(s.Tables, jobsTable(r))
	}
	s.causes(r, source)
	s.drift(r, changes, dates, source)
	s.stragglers(r)
	s.mostVariable(r)
	s.impact(r)
	s.outcomes(r)
	s.Tables = append(s.Tables, outcomesTable(r))
	s.filled(extremesTable("table-job-extremes", "recurrence.json", r.Extremes))
}

// well is a clause for the runs that count, such as "that succeeded".
func well(r *result.Recurrence) string { return result.Ended(r.Succeeded, r.Unstated) }

// sampleOfJob is the sample of a job's runs.
func sampleOfJob(r *result.Recurrence, j *result.RecurringJob) string {
	return sample(j.Runs, "run "+well(r), "runs "+well(r))
}

func (s *section) variation(r *result.Recurrence) {
	n := r.CoV.N
	if n == 0 {
		s.find(Finding{ID: "variation", See: "table-outcomes",
			Text: "No job recurs often enough to say how much it varies.",
			Detail: fmt.Sprintf("A job recurs when at least %[1]s of it %[2]s; the trace holds %[3]s, of which %[4]s %[2]s.",
				words.Of(r.MinRuns, "run", "runs"), strings.TrimPrefix(well(r), "that "), words.Of(r.Runs, "run", "runs"),
				words.Count(r.Succeeded+r.Unstated))})
		return
	}
	text := fmt.Sprintf("The %s recurring job varies by %s from run to run.", words.Noun(n, "one", "median"),
		words.Percent(r.CoV.P50))
	detail := "Standard deviation / mean of the completion time"
	if n > 1 {
		detail += interval(r.Intervals, "cov", "p50", words.Percent)
	}
	detail += words.When(n >= style.SmallSample, "; at the 90th percentile %s", words.Percent(r.CoV.P90))
	detail += "; " + sample(n, "recurring job", "recurring jobs")
	detail += words.When(known(r.ShareOfRuns), " They make up %s of the runs %s.",
		words.Percent(r.ShareOfRuns), well(r))
	printed, _ := papers.JockeyCoV()
	s.find(Finding{ID: "variation", See: "fig-cov", Text: text, Detail: detail + " Published for recurring jobs at " +
		"Microsoft (Jockey): " + printedMedian(printed, words.Percent) + ".", N: n,
		Numbers: map[string]float64{"cov_p50": r.CoV.P50, "cov_p90": r.CoV.P90,
			"share_of_runs": float64(r.ShareOfRuns)}})
}

// similarInput compares groups of runs with similar input to all runs. It makes no statement about causes: the groups
// come from some of the jobs only, so the two medians may be of different jobs.
func (s *section) similarInput(r *result.Recurrence) {
	n, all, similar := r.CoVSimilarInput.N, r.CoV.P50, r.CoVSimilarInput.P50
	if r.CoV.N == 0 {
		return
	}
	if n == 0 {
		s.find(Finding{ID: "similar-input", See: "fig-cov",
			Text:   "How much runs with similar input vary is not known.",
			Detail: "No recurring job has three runs with known inputs within 10% of each other."})
		return
	}
	text := fmt.Sprintf("Runs of one job with inputs within 10%% of each other vary by %s, all runs of a job by %s.",
		words.Percent(similar), words.Percent(all))
	ofJobs, ofGroups := papers.JockeyCoV()
	s.find(Finding{ID: "similar-input", See: "fig-cov", Text: text, N: n,
		Detail: fmt.Sprintf("Medians, the first over groups of at least three such runs%s; %s Published (Jockey): "+
			"%s and %s.", interval(r.Intervals, "cov_similar_input", "p50", words.Percent), sample(n, "group", "groups"),
			printedMedian(ofGroups, words.Percent), printedMedian(ofJobs, words.Percent)),
		Numbers: map[string]float64{"cov_similar_input_p50": similar, "cov_p50": all}})
}

// mostVariable names the job with the largest variation, if it is notable and no other is written the same.
func (s *section) mostVariable(r *result.Recurrence) {
	first := leaders(len(r.Jobs), func(i int) float64 { return steady(&r.Jobs[i]) }, more, words.Percent)
	if len(r.Jobs) < 2 || len(first) != 1 || !(steady(&r.Jobs[first[0]]) >= notable) {
		return
	}
	j := &r.Jobs[first[0]]
	apart := words.When(j.Drift.Drifting, ", lasting changes left out")
	s.find(Finding{ID: "most-variable", See: "table-jobs", N: j.Runs,
		Text: fmt.Sprintf("%s varies most from run to run, by %s%s: its median run took %s, the slowest %s.",
			name(j.Name), words.Percent(steady(j)), apart, words.Seconds(j.P50S), words.Seconds(j.MaxS)),
		Detail:  fmt.Sprintf("Slowest run: %s; %s", name(j.SlowestRun), sampleOfJob(r, j)),
		Numbers: map[string]float64{"cov": steady(j), "p50_s": j.P50S, "max_s": j.MaxS}})
}

// steady is the variation of a job's completion time without drift: a job that drifts is not called variable for that.
func steady(j *result.RecurringJob) float64 {
	if within := float64(j.Drift.CoVWithin); j.Drift.Drifting && known(within) {
		return within
	}
	return j.CoV
}

// unsuccessful are the ends of a run that are not success, with the words for them.
func unsuccessful() [][2]string {
	return [][2]string{{"failed", "failed"}, {"killed", "killed"}, {"evicted", "evicted"}, {"lost", "lost"}}
}

func (s *section) outcomes(r *result.Recurrence) {
	bad, parts := 0, []string(nil)
	for _, end := range unsuccessful() {
		if n := r.ByStatus[end[0]]; n > 0 {
			bad += n
			parts = append(parts, words.Count(n)+" "+end[1])
		}
	}
	open := r.ByStatus["running"] + r.ByStatus["unknown"]
	f := Finding{ID: "outcomes", See: "table-outcomes", N: r.Runs,
		Numbers: map[string]float64{"runs": float64(r.Runs), "unsuccessful": float64(bad)}}
	switch {
	case r.Runs == 0:
		return
	case r.Runs == 1 && bad == 1:
		f.Text = "The one run " + ended(parts[0], 1) + "."
	case r.Runs == 1 && open == 0:
		f.Text = "The one run succeeded."
	case bad == 0 && open == 0:
		f.Text = "Every run succeeded: " + words.Count(r.Succeeded) + " of " + words.Count(r.Runs) + "."
	case bad == 0 && open == r.Runs:
		f.Text = "The trace does not say how its runs ended."
	case bad == 0:
		f.Text = "No run is known to have failed."
	case len(parts) == 1:
		f.Text = fmt.Sprintf("%s of %s %s.", words.Count(bad), words.Of(r.Runs, "run", "runs"), ended(parts[0], bad))
	default:
		f.Text = fmt.Sprintf("%s of %s did not succeed: %s.", words.Count(bad), words.Of(r.Runs, "run", "runs"),
			words.List(parts))
	}
	if open > 0 && open < r.Runs {
		f.Detail = fmt.Sprintf("How %s ended is not known.", words.Of(open, "run", "runs"))
	}
	s.find(f)
}

// ended turns "3 failed" into "failed" and "1 killed" into "was killed".
func ended(part string, n int) string {
	verb := part[strings.LastIndexByte(part, ' ')+1:]
	if verb == "failed" {
		return verb
	}
	return words.Noun(n, "was", "were") + " " + verb
}

func jobsTable(r *result.Recurrence) table {
	t := table{ID: "table-jobs", Title: "Recurring jobs, those of the greatest impact first", All: "recurrence.parquet",
		Note: "Impact: the relative variance of the completion time, without drift, times the cost, which is the " +
			costWords(r.CostBasis) + " of all runs. CoV: standard deviation / mean of the completion time, over the runs " +
			well(r) + "; below it, for a job that drifts, what is left between its changes of level. Similar input: " +
			"the median over the job's groups of at least three runs with inputs within 10%.",
		Columns: []column{{Name: "Job"}, number("Runs"), number("CoV"), {Name: "Main cause", Minor: true},
			minor(number("Similar input")), number("Median"), minor(number("Cost")), minor(number("Stragglers")),
			{Name: "Slowest run"}}}
	jobs := slices.Clone(r.Jobs)
	slices.SortStableFunc(jobs, func(a, b result.RecurringJob) int {
		return compareDown(float64(a.Impact), float64(b.Impact))
	})
	largest := 0.0
	for i := range jobs {
		largest = max(largest, finiteOr(jobs[i].CoV, 0))
	}
	for i := range jobs {
		j := &jobs[i]
		cause, share := mainCause(&j.Causes)
		row := cells(name(j.Name), words.Count(j.Runs), words.Percent(j.CoV), cause, words.Percent(j.SimilarCoV),
			words.Seconds(j.P50S), words.Seconds(j.Cost), words.Percent(j.Stragglers.Share), words.Seconds(j.MaxS))
		if j.Failed > 0 {
			row[1].Sub = words.Count(j.Failed) + " failed"
		}
		if largest > 0 {
			row[2].Bar = finiteOr(j.CoV, 0) / largest
		}
		if j.Drift.Drifting {
			row[2].Sub = "drifts; " + words.Percent(j.Drift.CoVWithin)
		}
		row[3].Sub = share
		if known(j.MinInput) {
			row[4].Sub = words.Range(j.MinInput, j.MaxInput, words.Bytes)
		}
		row[5].Sub = "90% ≤ " + words.Seconds(j.P90S)
		row[8].Sub = name(j.SlowestRun)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// compareDown orders numbers from high to low, unknown ones last.
func compareDown(a, b float64) int {
	return cmp.Compare(finiteOr(b, math.Inf(-1)), finiteOr(a, math.Inf(-1)))
}

func finiteOr(x, otherwise float64) float64 {
	if known(x) {
		return x
	}
	return otherwise
}

func outcomesTable(r *result.Recurrence) table {
	t := table{ID: "table-outcomes", Title: "How runs ended",
		Columns: []column{{Name: "End"}, number("Runs"), number("Share")}}
	order := slices.Sorted(maps.Keys(r.ByStatus))
	slices.SortStableFunc(order, func(a, b string) int { return r.ByStatus[b] - r.ByStatus[a] })
	for _, status := range order {
		n := r.ByStatus[status]
		t.Row(words.Capital(words.Shorten(status, 40)), words.Count(n),
			words.Percent(float64(n)/float64(max(r.Runs, 1))))
	}
	t.Row("All runs", words.Count(r.Runs), "")
	return t
}
