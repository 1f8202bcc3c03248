package page

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// JockeyTables returns the tables of a comparison: policies, disturbances, jobs, missed deadlines, and
// parameters of the loop. Tables without rows are left out.
func JockeyTables(j *result.Jockey) []table {
	var out []table
	for _, of := range []func(*result.Jockey) table{policiesTable, scenariosTable, jockeyJobsTable, missesTable,
		settingsTable} {
		if t := of(j); len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func policiesTable(j *result.Jockey) table {
	t := table{ID: "table-jockey-policies", Title: "Policies",
		Note: "Missed: share of deadlines, below it its 95% interval (Wilson). Above oracle: mean over runs of the " +
			"share of the requested token-time above work / time " +
			"to the deadline. Completion / deadline: both count from the submission. Warned: missed deadlines that " +
			"the policy had warned of. Tokens: mean over a run, median over runs. All runs are in jockey.parquet.",
		Columns: []column{{Name: "Policy"}, minor(number("Runs")), number("Missed"), number("Above oracle"),
			minor(number("Times oracle")), minor(number("Completion / deadline")), number("Latest"),
			minor(number("Warned")), minor(number("Tokens"))}}
	for _, name := range j.Names() {
		p := j.Policies[name]
		row := cells(words.Shorten(name, 40), words.Count(p.Runs), missedOf(&p.JockeyScore), above(&p.JockeyScore),
			words.Fixed(p.RatioToOracle.Mean, 2), words.Fixed(p.JCTOverDeadline.P50, 2), "in time",
			words.Count(p.Warned), words.Number(p.Allocation.P50))
		row[0].Sub = words.Printable(p.About)
		row[2].Sub = "[" + words.PercentRange(p.MissedLow, p.MissedHigh) + "]"
		row[3].Bar = min(max(finiteOr(p.AllocationAboveOracle.Mean, 0), 0), 1)
		row[5].Sub = "p99 " + words.Fixed(p.JCTOverDeadline.P99, 2)
		if late := p.LatenessS.Max; late > 0 {
			row[6].Text = words.Seconds(late)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func scenariosTable(j *result.Jockey) table {
	t := table{ID: "table-jockey-scenarios", Title: "Deadlines missed, by fault", Note: "Below the share missed: the " +
		"share of the requested token-time above the oracle.", Columns: []column{{Name: "Scenario"}}}
	names := j.Names()
	for i, name := range names {
		t.Columns = append(t.Columns, column{Name: words.Shorten(name, 40), Number: true, Minor: i > 2})
	}
	for _, s := range j.Scenarios {
		row := []cell{{Text: words.Shorten(s.Name, 40), Sub: words.Printable(s.About)}}
		for _, name := range names {
			c := cell{Text: words.None}
			if x := j.Policies[name].ByScenario[s.Name]; x != nil && x.Runs > 0 {
				c = cell{Text: missedOf(x), Sub: above(x)}
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func jockeyJobsTable(j *result.Jockey) table {
	t := table{ID: "table-jockey-jobs", Title: "Jobs and their deadlines", Folded: true, All: "jockey.json",
		Note: "Critical path: median run time with a token per task. Earliest deadline: that the loop promises at " +
			"the start. Raised: to what 95% of undisturbed runs meet with 60% of the tokens.",
		Columns: []column{{Name: "Job"}, minor(number("Stages")), number("Tasks"), minor(number("Work, token-seconds")),
			number("Critical path"), number("Earliest deadline"), number("Deadlines")}}
	for i := range j.Jobs {
		x := &j.Jobs[i]
		text := ""
		for k, d := range x.Deadlines {
			text += words.When(k > 0, ", ")
			text += words.Seconds(d)
			text += words.When(k < len(x.Raised) && x.Raised[k], " (raised)")
		}
		t.Row(name(x.Job), words.Count(x.Stages), words.Count(x.Tasks), words.Number(x.WorkS),
			words.Seconds(x.CriticalS), words.Seconds(x.EarliestS), text)
	}
	return t
}

func missesTable(j *result.Jockey) table {
	t := table{ID: "table-jockey-misses", Title: "Deadlines that the loop missed, and why", Folded: true,
		All:  "jockey.json",
		Note: "Most tokens: that were requested, and when they first were, as a share of the deadline.",
		Columns: []column{{Name: "Job"}, {Name: "Scenario"}, minor(number("Deadline")), number("Late by"),
			minor(number("Most tokens")), {Name: "Why"}}}
	why := map[string]string{result.MissedByAll: "all tokens from the start would have missed it, too",
		result.MissedByBound:      "so did the loop that knows the remaining time",
		result.MissedByPrediction: "remaining times were underestimated"}
	for i := range j.Misses {
		m := &j.Misses[i]
		t.Row(name(m.Job), words.Shorten(m.Scenario, 40), words.Seconds(m.DeadlineS), words.Seconds(m.LateS),
			fmt.Sprintf("%s, at %s", words.Count(m.Most), words.Percent(m.MostAtS/m.DeadlineS)), why[m.Why])
	}
	return t
}

func settingsTable(j *result.Jockey) table {
	t := table{ID: "table-jockey-settings", Title: "The loop with other parameters", Folded: true, All: "jockey.json",
		Note: "One parameter is changed at a time, on the same runs.",
		Columns: []column{{Name: "Parameter"}, number("Value"), number("Missed"), number("Above oracle"),
			minor(number("Completion / deadline")), minor(number("Tokens"))}}
	for i := range j.Sensitive {
		x := &j.Sensitive[i]
		parameter, value := words.Shorten(x.Parameter, 40), words.Shorten(x.Value, 40)
		switch {
		case x.Parameter == "":
			parameter, value = "the defaults", ""
		case x.Base:
			value += " (default)"
		}
		row := cells(parameter, value, missedOf(&x.JockeyScore), above(&x.JockeyScore),
			words.Fixed(x.JCTOverDeadline.P50, 2), words.Number(x.Allocation.P50))
		row[0].Inner = i > 0 && x.Parameter == j.Sensitive[i-1].Parameter
		t.Rows = append(t.Rows, row)
	}
	return t
}
