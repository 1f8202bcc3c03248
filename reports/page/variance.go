package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// causeWords are causes as they stand in a sentence.
func causeWords(cause string) string {
	known := map[string]string{"input": "input size", "tokens": "the number of tokens", "queueing": "queueing",
		"spare": "spare tokens", "failures": "failures", "hour": "the hour of the day",
		"weekday": "the day of the week", "drift": "drift", result.Rest: "no known cause"}
	return cmp.Or(known[cause], words.Shorten(cause, 30))
}

// causes states the causes of the variance, the largest first.
func (s *section) causes(r *result.Recurrence, source figure.Source) {
	var known []result.Cause
	divided, rest := 0, 0.0
	for _, c := range r.Causes {
		switch {
		case c.Cause == result.Rest:
			divided, rest = c.Jobs, float64(c.Mean)
		case c.Jobs > 0:
			known = append(known, c)
		}
	}
	if divided == 0 || len(known) == 0 {
		return
	}
	s.draw(figure.Causes(r, source))
	s.Tables = append(s.Tables, causesTable(r))
	slices.SortStableFunc(known, func(a, b result.Cause) int { return compareDown(float64(a.Mean), float64(b.Mean)) })
	f := Finding{ID: "causes", See: "fig-causes", N: divided, Numbers: map[string]float64{"rest": rest}}
	var parts []string
	for _, c := range known {
		f.Numbers[c.Cause] = float64(c.Mean)
		if float64(c.Mean) >= 0.01 {
			parts = append(parts, causeWords(c.Cause)+" "+words.Percent(c.Mean))
		}
	}
	on := words.Noun(divided, "In the one job that has enough runs", "On average over the jobs")
	if len(parts) == 0 {
		f.Text = on + ", no cause that the trace records explains why completion times vary."
	} else {
		f.Text = fmt.Sprintf("%s, %s explains %s of the variance of completion times; %s stays unexplained.", on,
			causeWords(known[0].Cause), words.Percent(known[0].Mean), words.Percent(rest))
	}
	if len(parts) > 1 {
		f.Detail = "Shares: " + words.List(parts) + ". "
	}
	f.Detail += "By regression of the logarithm of the completion time; " +
		sample(divided, "recurring job", "recurring jobs")
	s.find(f)
}

func causesTable(r *result.Recurrence) table {
	t := table{ID: "table-causes", Title: "Causes of the variance of completion times", Folded: true,
		Note: "Mean: over all jobs whose variance was divided, the same that the figure shows; these shares add up " +
			"to 1. Percentiles: over the jobs in which the cause was examined.",
		Columns: []column{{Name: "Cause"}, number("Jobs"), number("Mean"), number("Median"), number("90th pct"),
			{Name: "Not examined", Minor: true}}}
	for i := range r.Causes {
		c := &r.Causes[i]
		row := cells(words.Capital(causeWords(c.Cause)), words.Count(c.Jobs), words.Percent(c.Mean),
			words.None, words.None, "")
		if c.Share.N > 0 {
			row[3].Text, row[4].Text = words.Percent(c.Share.P50), words.Percent(c.Share.P90)
		}
		why := lists.Map(slices.Sorted(maps.Keys(c.NotExamined)), func(reason string) string {
			return words.Of(c.NotExamined[reason], "job", "jobs") + ": " + words.Printable(reason)
		})
		row[5].Text = words.List(why)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// changesNamed bounds the jobs that the sentence about lasting changes names, the largest changes first.
const changesNamed = 5

// drift names the jobs that became slower or faster for good, since when, and the coinciding changes.
func (s *section) drift(r *result.Recurrence, why *changed, dates calendar, source figure.Source) {
	examined := 0
	var changes []lasting
	for i := range r.Jobs {
		if known(r.Jobs[i].Drift.TrendP) {
			examined++
		}
		if l, ok := lastingChange(&r.Jobs[i]); ok {
			changes = append(changes, l)
		}
	}
	if examined == 0 {
		return
	}
	if len(r.Shown) > 0 {
		s.draw(figure.Drift(r, source))
	}
	slices.SortStableFunc(changes, func(a, b lasting) int { return compareDown(a.size(), b.size()) })
	f := Finding{ID: "drift", See: "fig-drift", N: examined,
		Numbers: map[string]float64{"drifting": float64(r.Drifting),
			"cov_within_p50": r.CoVWithin.P50, "cov_p50": r.CoV.P50},
		Text: fmt.Sprintf("None of the %s became slower or faster for good.",
			words.Of(examined, "recurring job", "recurring jobs")),
		Detail: "No change of level of completion time is found, nor a trend; " +
			sample(examined, "recurring job", "recurring jobs")}
	if len(r.Shown) == 0 {
		f.See = "table-jobs"
	}
	if why != nil {
		why.find(&f, dates)
		f.Detail += "; " + sample(why.doc.Compared, "job", "jobs")
		s.find(f)
		return
	}
	switch {
	case examined == 1 && r.Drifting == 0:
		f.Text = "The one recurring job did not become slower or faster for good."
	case len(changes) > 0:
		f.Text = changeWords(&changes[0], dates) + "."
		f.Numbers["largest_change"], f.Numbers["slower_share"] = changes[0].to/changes[0].from-1, slowerShare(r.Jobs)
		f.Detail = fmt.Sprintf("%s of %s changed for good. ", words.Count(r.Drifting),
			words.Of(examined, "recurring job", "recurring jobs"))
		for i := 1; i < min(len(changes), changesNamed); i++ {
			f.Detail += changeWords(&changes[i], dates) + ". "
		}
		f.Detail += fmt.Sprintf("Without these changes the median CoV is %s%s, against %s; %s",
			words.Percent(r.CoVWithin.P50), interval(r.Intervals, "cov_within", "p50", words.Percent),
			words.Percent(r.CoV.P50), sample(examined, "recurring job", "recurring jobs"))
	case r.Drifting > 0:
		f.Text = fmt.Sprintf("%s of %s changed for good.", words.Count(r.Drifting),
			words.Of(examined, "recurring job", "recurring jobs"))
		f.Detail = sample(examined, "recurring job", "recurring jobs")
	}
	s.find(f)
}

// slowerShare estimates the share of the time of all recurring jobs that is due to jobs that became slower for good, as
// if all of their runs took the longer time.
func slowerShare(jobs []result.RecurringJob) float64 {
	var all, lost float64
	for i := range jobs {
		j := &jobs[i]
		took := float64(j.Runs) * finiteOr(j.MeanS, 0)
		if all += took; j.Drift.Drifting {
			if l, ok := lastingChange(j); ok && l.to > l.from {
				lost += took * (1 - l.from/l.to)
			}
		}
	}
	if !(all > 0) {
		return 0
	}
	return lost / all
}

// changeWords describes a lasting change: the job, the times before and after, the date, and the coinciding
// changes.
func changeWords(l *lasting, dates calendar) string {
	text := fmt.Sprintf("%s became %s,%s from %s to %s", name(l.job.Name), words.Either(l.to < l.from, "faster", "slower"),
		words.When(l.since == nil, " by trend"), words.Seconds(l.from), words.Seconds(l.to))
	if l.since != nil {
		text += fmt.Sprintf(", with run %s (%s)", name(l.since.JobID), dates.when(l.since.AtS))
	}
	if why := l.reason(); why != "" {
		text += "; " + why
	}
	return text
}

// stragglers states the time spent on stragglers.
func (s *section) stragglers(r *result.Recurrence) {
	all := &r.Stragglers
	share, excess := float64(all.Share), float64(all.ExcessShare)
	if all.Attempts == 0 || !known(share) {
		return
	}
	f := Finding{ID: "straggler-share", See: "table-jobs", N: int(min(all.Attempts, 1<<31-1)),
		Text: fmt.Sprintf("%s of the task attempts lasted more than 1.5 times the median of their stage.",
			words.Percent(share)), Detail: "In the runs of recurring jobs " + well(r) + "; " +
			sample(int(min(all.Attempts, 1<<31-1)), "attempt", "attempts"),
		Numbers: map[string]float64{"straggler_share": share, "straggler_excess_share": excess}}
	switch {
	case share == 0:
		f.Text = "No task attempt lasted more than 1.5 times the median of its stage."
	case known(excess):
		f.Text = fmt.Sprintf("%s of the task attempts lasted more than 1.5 times the median of their stage; the "+
			"excess is %s of all task time.", words.Percent(share), words.Percent(excess))
	}
	f.Detail += words.When(all.WorstRun != "", " Most of it in run %s.", name(all.WorstRun))
	s.find(f)
}

// impact names the job with the most costly variation, if it is notable.
func (s *section) impact(r *result.Recurrence) {
	best := -1
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if x := float64(j.Impact); known(x) && x > 0 && steady(j) >= notable &&
			(best < 0 || x > float64(r.Jobs[best].Impact)) {
			best = i
		}
	}
	if best < 0 || len(r.Jobs) < 2 {
		return
	}
	j := &r.Jobs[best]
	detail := "Impact is the relative variance of the completion time, without drift, times the cost. "
	switch cause, share := mainCause(&j.Causes); {
	case share == "":
	case cause == notKnown:
		detail += fmt.Sprintf("For %s of its variance no cause is known; ", share)
	default:
		detail += fmt.Sprintf("The largest part of its variance, %s, is put down to %s; ", share, cause)
	}
	s.find(Finding{ID: "impact", See: "table-jobs", N: j.Runs,
		Text: fmt.Sprintf("Stabilising %s would help most: it varies by %s and its runs took %s of %s.", name(j.Name),
			words.Percent(steady(j)), words.Seconds(j.Cost), costWords(r.CostBasis)),
		Detail:  detail + sampleOfJob(r, j),
		Numbers: map[string]float64{"impact": float64(j.Impact), "cost": float64(j.Cost), "cov_within": steady(j)}})
}

func costWords(basis string) string {
	switch basis {
	case "task_seconds":
		return "task time"
	case "token_seconds":
		return "guaranteed token time"
	}
	return "time"
}

// notKnown stands for the cause of variance that none explains.
const notKnown = "not known"

// mainCause writes the cause with the largest share of a job's variance, and its share; nothing if none was examined.
func mainCause(c *result.Shares) (cause, share string) {
	if !known(c.Rest) {
		return words.None, ""
	}
	best, most := "", float64(c.Rest)
	for _, k := range slices.Sorted(maps.Keys(c.Of)) {
		if x := float64(c.Of[k]); x > most {
			best, most = k, x
		}
	}
	if best == "" {
		return notKnown, words.Percent(most)
	}
	return causeWords(best), words.Percent(most)
}
