package cli

import (
	"cmp"
	"math"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/page"
)

// agenda prints a plan.
func (e *env) agenda(d *result.Agenda) {
	e.printf("%s%s (%s simulated)\n\n", page.PlanAnswer(d), marked(d.Synthetic), words.Of(d.Days, "day", "days"))
	head := []string{"JOB", "STARTS", "HALF END BY", "95% BY", "DEADLINE", "CHANCE", "WAITS FOR"}
	e.rows(head, lists.Map(d.Jobs, func(j result.AgendaJob) []string {
		return []string{words.Shorten(j.Job, 40), j.Start, j.P50End, j.P95End,
			cmp.Or(j.Deadline, words.None), words.Percent(j.Chance), words.List(j.After)}
	}))
	e.gantt(d)
	e.notes("note", d.Warnings)
}

// ganttWidth is the width of the chart of a day, in characters.
const ganttWidth = 60

// gantt draws when jobs run and how many tokens are in use.
func (e *env) gantt(d *result.Agenda) {
	from, to := math.Inf(1), math.Inf(-1)
	for i := range d.Jobs {
		j := &d.Jobs[i]
		from, to = min(from, j.StartS), max(to, j.P95EndS)
		if due := float64(j.DeadlineS); !math.IsNaN(due) {
			to = max(to, due)
		}
	}
	width := (to - from) / ganttWidth
	if !(width > 0) {
		return
	}
	column := func(s float64) int { return min(ganttWidth-1, max(0, int((s-from)/width))) }
	e.printf("\n%20s  %s to %s, %s a column: █ until half have ended, ░ until 95%% have, | deadline\n", "", clock(from),
		clock(to), words.Seconds(width))
	for i := range d.Jobs {
		j := &d.Jobs[i]
		line := []rune(strings.Repeat(" ", ganttWidth+1))
		for c := column(j.StartS); c <= column(j.P95EndS); c++ {
			line[c] = '░'
		}
		for c := column(j.StartS); c <= column(j.P50EndS); c++ {
			line[c] = '█'
		}
		if due := float64(j.DeadlineS); !math.IsNaN(due) {
			line[column(due)+1] = '|'
		}
		e.printf("%20s  %s\n", words.Shorten(j.Job, 20), strings.TrimRight(string(line), " "))
	}
	for _, of := range []struct {
		name string
		of   func(u *result.AgendaUse) float64
	}{{d.Unit() + "s, on average", func(u *result.AgendaUse) float64 { return u.Mean }}, {d.Unit() + "s, 95% of days",
		func(u *result.AgendaUse) float64 { return u.P95 }}} {
		line := []rune(strings.Repeat(" ", ganttWidth))
		most := 0.0
		for i := range d.Use {
			u := &d.Use[i]
			v := of.of(u)
			most = max(most, v)
			for c := column(u.FromS); c <= column(u.ToS-width/2) && u.ToS > from; c++ {
				level := min(7, int(8*v/float64(d.Tokens)))
				if v > 0.01 {
					line[c] = max(line[c], []rune("▁▂▃▄▅▆▇█")[level])
				}
			}
		}
		e.printf("%20s  %s  at most %s\n", of.name, string(line), words.Number(most))
	}
}
