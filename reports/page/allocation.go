package page

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
)

// aboutAllocation compares guarantees with use. runs is the analysis's table.
func (s *section) aboutAllocation(a *result.Allocation, runs *result.Table, source figure.Source) {
	if a.Jobs == 0 {
		s.find(Finding{ID: "guarantee", See: "table-guarantees", Text: "No run has both a guarantee and a known use " +
			"of it.", Detail: "Guarantee and use cannot be compared."})
		s.Tables = append(s.Tables, guaranteeTable(a))
		return
	}
	s.guarantee(a)
	s.unused(a)
	s.spare(a)
	s.draw(figure.Guarantee(a, runs, source))
	s.Tables = append(s.Tables, guaranteeTable(a))
	s.filled(askingTable("user", a.Users), askingTable("group", a.Groups),
		extremesTable("table-guarantee-extremes", "allocation.json", a.Extremes))
}

// guarantee states the number of runs that never reach their guarantee, and of runs that exceed it by far.
func (s *section) guarantee(a *result.Allocation) {
	below, above := float64(a.ShareBelowGuarantee), float64(a.ShareAbove10x)
	of := "runs with a guarantee"
	text := fmt.Sprintf("%s of the %s %s never ran as many tasks at once as they were guaranteed, and %s ran more "+
		"than ten times as many.", words.Percent(below), words.Count(a.Jobs), of, words.Percent(above))
	switch {
	case a.Jobs == 1 && below > 0:
		text = "The one run with a guarantee never ran as many tasks at once as it was guaranteed."
	case a.Jobs == 1:
		text = fmt.Sprintf("The one run with a guarantee ran %s times as many tasks at once as it was guaranteed.",
			words.Number(a.Ratio.P50))
	case below == 0 && a.Ratio.Max == 1:
		text = fmt.Sprintf("Each of the %s %s ran exactly as many tasks at once as it was guaranteed.",
			words.Count(a.Jobs), of)
	case below == 0 && above == 0:
		text = "Every run with a guarantee reached it, and none exceeded it tenfold."
	}
	neverReach, tenfold := papers.JockeyGuarantee()
	s.find(Finding{ID: "guarantee", See: "fig-guarantee", N: a.Jobs, Text: text,
		Detail: fmt.Sprintf("The median run ran %s times as many tasks at once as it was guaranteed%s, and %s "+
			"times but for the busiest twentieth of its time; %s Published for jobs at Microsoft (Jockey): %s "+
			"never reach it, %s exceed it tenfold.", words.Number(a.Ratio.P50), interval(a.Intervals,
			"ratio", "p50", words.Number), words.Number(a.SustainedRatio.P50), sample(a.Jobs, "run", "runs"),
			words.Percent(neverReach), words.Percent(tenfold)),
		Numbers: map[string]float64{"share_below_guarantee": below, "share_above_10x": above,
			"ratio_p50": a.Ratio.P50, "sustained_ratio_p50": a.SustainedRatio.P50}})
}

// unused states the idle share of guarantees, and by whom.
func (s *section) unused(a *result.Allocation) {
	if a.Unused.N == 0 {
		return
	}
	f := Finding{ID: "unused-guarantee", See: "fig-guarantee", N: a.Unused.N,
		Text: fmt.Sprintf("While it ran, the median run left %s of its guaranteed tokens idle.",
			words.Percent(a.Unused.P50)),
		Detail: fmt.Sprintf("Share of guaranteed token-time, from the start of a run to its end%s; %s",
			interval(a.Intervals, "unused_guarantee", "p50", words.Percent), sample(a.Unused.N, "run", "runs")),
		Numbers: map[string]float64{"unused_guarantee_p50": a.Unused.P50}}
	if a.Unused.N == 1 {
		f.Text = fmt.Sprintf("While it ran, the one run left %s of its guaranteed tokens idle.",
			words.Percent(a.Unused.P50))
	}
	var all float64
	for i := range a.Users {
		all += a.Users[i].UnusedTokenS
	}
	if len(a.Users) > 1 && all > 0 {
		f.See = "table-users"
		f.Detail += fmt.Sprintf(" %s of it lies with user %s.", words.Percent(a.Users[0].UnusedTokenS/all),
			name(a.Users[0].Who))
	}
	s.find(f)
}

// spare states the share of work on spare tokens.
func (s *section) spare(a *result.Allocation) {
	share := float64(a.SpareShare)
	switch {
	case known(share):
		s.find(Finding{ID: "spare", See: "table-guarantees", N: a.SpareShareByRun.N,
			Text: fmt.Sprintf("%s of the task attempts ran on spare tokens.", words.Percent(share)),
			Detail: fmt.Sprintf("Within a run %s at the 10th and 90th percentile; %s Published for jobs at "+
				"Microsoft (Jockey): %s.", words.PercentRange(a.SpareShareByRun.P10, a.SpareShareByRun.P90),
				sample(a.SpareShareByRun.N, "run", "runs"), words.PercentRange(papers.JockeySpare())),
			Numbers: map[string]float64{"spare_share": share}})
	case a.Beyond.N > 0 && a.SustainedRatio.P90 > 1: // otherwise overlaps are too short to matter
		s.find(Finding{ID: "beyond-guarantee", See: "table-guarantees", N: a.Beyond.N,
			Text: fmt.Sprintf("At the 90th percentile, a run did %s of its work beyond its guarantee.",
				words.Percent(a.Beyond.P90)),
			Detail: "The trace does not mark tasks that ran on spare tokens; work above the guarantee must have" +
				interval(a.Intervals, "beyond_guarantee", "p90", words.Percent) + "; " +
				sample(a.Beyond.N, "run", "runs"), Numbers: map[string]float64{"beyond_guarantee_p90": a.Beyond.P90}})
	}
}

func guaranteeTable(a *result.Allocation) table {
	t := table{ID: "table-guarantees", Title: "Guarantees and use in numbers",
		Note: "Over runs with a guarantee and known use; in brackets the 95% interval of the percentile, where it " +
			"differs from it. Published: Jockey (EuroSys 2012).",
		Columns: []column{{Name: "Metric"}, minor(number("Runs")), number("10th pct"), number("Median"),
			number("90th pct"), number("Largest"), minor(number("Published"))}}
	below, above := papers.JockeyGuarantee()
	printed := map[string]string{"ratio": words.Percent(below) + " < 1; " + words.Percent(above) + " > 10",
		"spare_share_by_run": words.PercentRange(papers.JockeySpare())}
	for _, m := range []metric{
		{"ratio", "Tasks at once / tokens guaranteed", a.Ratio, words.Number[float64]},
		{"sustained_ratio", "… but for the busiest 5% of the time", a.SustainedRatio, words.Number[float64]},
		{"max_parallelism", "Most tasks at once", a.MaxParallelism, words.Number[float64]},
		{"unused_guarantee", "Guarantee left idle", a.Unused, words.Percent[float64]},
		{"beyond_guarantee", "Work beyond the guarantee", a.Beyond, words.Percent[float64]},
		{"spare_share_by_run", "Attempts on spare tokens", a.SpareShareByRun, words.Percent[float64]},
	} {
		t.Rows = append(t.Rows, append(m.cells(a.Intervals, "p10", "p50", "p90", "max"), cell{Text: printed[m.key]}))
	}
	return t
}

// askingTable compares the guarantees of users or groups with their use.
func askingTable(who string, rows []result.Asking) table {
	t := table{ID: "table-" + who + "s", Title: "Asking too much and too little, by " + who, All: "allocation.json",
		Note: "Too much: runs that never used all of their guarantee. Too little: runs that used more for over 5% of " +
			"the time. Idle: guaranteed token-time that was not used, and its share of the guarantee; the most idle first.",
		Columns: []column{{Name: words.Capital(who)}, number("Runs"), number("Too much"), number("Too little"),
			minor(number("Tenfold")), minor(number("Median ratio")), number("Idle")}}
	most := 0.0
	for i := range rows {
		most = max(most, finiteOr(rows[i].UnusedTokenS, 0))
	}
	for i := range rows {
		a := &rows[i]
		share := func(n int) string { return words.Percent(float64(n) / float64(a.Runs)) }
		row := cells(name(a.Who), words.Count(a.Runs), share(a.Over), share(a.Under), share(a.Above10),
			words.Number(a.P50), words.Seconds(a.UnusedTokenS))
		if a.GuaranteedTokenS > 0 {
			row[6].Sub = words.Percent(a.UnusedTokenS / a.GuaranteedTokenS)
		} else {
			row[6].Text = words.None
		}
		if most > 0 {
			row[6].Bar = min(1, max(0, finiteOr(a.UnusedTokenS, 0)/most))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
