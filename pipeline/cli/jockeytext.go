package cli

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// comparison prints what became of policies.
func (e *env) comparison(doc *result.Jockey) error {
	if e.json {
		return e.printJSON(doc)
	}
	for _, part := range []func(*result.Jockey) [][]string{jockeyJobRows, policyRows, scenarioRows, missRows, settingRows} {
		rows := part(doc)
		if len(rows) < 2 {
			continue
		}
		if err := table(e.stdout, rows); err != nil {
			return err
		}
		e.printf("\n")
	}
	for _, w := range doc.Warnings {
		e.printf("warning: %s\n", style.Printable(w))
	}
	if doc.Generated {
		e.printf("SYNTHETIC: the jobs were made up after published statistics.\n")
	}
	e.printf("above oracle: share of the requested token-time that lies above work / time to the deadline, mean over runs\n")
	return nil
}

func jockeyJobRows(doc *result.Jockey) [][]string {
	rows := [][]string{{"JOB", "STAGES", "BARRIERS", "TASKS", "WORK", "CRITICAL PATH", "EARLIEST DEADLINE", "DEADLINES"}}
	for i := range doc.Jobs {
		j := &doc.Jobs[i]
		deadlines := ""
		for k, d := range j.Deadlines {
			if k > 0 {
				deadlines += ", "
			}
			deadlines += style.Seconds(d)
			if j.Raised[k] {
				deadlines += " (raised)"
			}
		}
		rows = append(rows, []string{style.Printable(j.Job), style.Count(int64(j.Stages)), style.Count(int64(j.Barriers)), style.Count(int64(j.Tasks)),
			style.Number(j.WorkS) + " token-s", style.Seconds(j.CriticalS), style.Seconds(j.EarliestS), deadlines})
	}
	return rows
}

// missedShare writes the share of deadlines that were missed.
func missedShare(s *result.JockeyScore) string {
	return style.Percent(float64(s.Missed) / float64(s.Runs))
}

func policyRows(doc *result.Jockey) [][]string {
	rows := [][]string{{"POLICY", "RUNS", "MISSED", "SHARE", "95% INTERVAL", "WARNED", "WORST LATENESS", "ABOVE ORACLE", "x ORACLE", "JCT/DEADLINE p50", "p99", "TOKENS p50"}}
	for _, name := range doc.Names() {
		p := doc.Policies[name]
		late := "none"
		if p.LatenessS.Max > 0 {
			late = style.Seconds(p.LatenessS.Max)
		}
		rows = append(rows, []string{name, style.Count(int64(p.Runs)), style.Count(int64(p.Missed)), missedShare(&p.JockeyScore),
			style.PercentRange(float64(p.MissedLow), float64(p.MissedHigh)), style.Count(int64(p.Warned)), late,
			style.Percent(p.AllocationAboveOracle.Mean), style.Fixed(p.RatioToOracle.Mean, 2), style.Fixed(p.JCTOverDeadline.P50, 2),
			style.Fixed(p.JCTOverDeadline.P99, 2), style.Number(p.Allocation.P50)})
	}
	return rows
}

// scenarioRows are a matrix: missed, and allocation above the oracle, by scenario and policy.
func scenarioRows(doc *result.Jockey) [][]string {
	rows := [][]string{append([]string{"MISSED, ABOVE ORACLE"}, doc.Names()...)}
	for _, s := range doc.Scenarios {
		row := []string{s.Name}
		for _, name := range doc.Names() {
			x := doc.Policies[name].ByScenario[s.Name]
			if x == nil {
				row = append(row, style.None)
				continue
			}
			row = append(row, missedShare(x)+", "+style.Percent(x.AllocationAboveOracle.Mean))
		}
		rows = append(rows, row)
	}
	return rows
}

// whyMissed says it in words.
func whyMissed(m *result.JockeyMiss) string {
	switch m.Why {
	case result.MissedByAll:
		return "all tokens from the start would have missed it, too"
	case result.MissedByBound:
		return "the loop with the true remaining time missed it, too"
	}
	return "remaining times were underestimated"
}

func missRows(doc *result.Jockey) [][]string {
	const most = 20
	rows := [][]string{{"MISSED BY JOCKEY", "SCENARIO", "DEADLINE", "LATE BY", "MOST TOKENS", "WHY"}}
	for i := range doc.Misses {
		m := &doc.Misses[i]
		if i == most {
			rows = append(rows, []string{"and " + style.Count(int64(len(doc.Misses)-most)) + " more", "", "", "", "", ""})
			break
		}
		rows = append(rows, []string{style.Printable(m.Job), m.Scenario, style.Seconds(m.DeadlineS), style.Seconds(m.LateS),
			fmt.Sprintf("%s, at %s of the time", style.Count(int64(m.Most)), style.Percent(m.MostAtS/m.DeadlineS)), whyMissed(m)})
	}
	return rows
}

func settingRows(doc *result.Jockey) [][]string {
	rows := [][]string{{"PARAMETER", "VALUE", "RUNS", "MISSED", "SHARE", "ABOVE ORACLE", "JCT/DEADLINE p50", "TOKENS p50"}}
	for i := range doc.Sensitive {
		s := &doc.Sensitive[i]
		value := s.Value
		if s.Base {
			value += " (base)"
		}
		rows = append(rows, []string{s.Parameter, value, style.Count(int64(s.Runs)), style.Count(int64(s.Missed)), missedShare(&s.JockeyScore),
			style.Percent(s.AllocationAboveOracle.Mean), style.Fixed(s.JCTOverDeadline.P50, 2), style.Number(s.Allocation.P50)})
	}
	return rows
}
