package figure

import (
	"fmt"
	"math"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// clockTime writes seconds from midnight as the time of a clock, to the nearest minute.
func clockTime(s float64) string {
	return time.Unix(60*int64(math.Round(s/60)), 0).UTC().Format("15:04")
}

// endTime writes the minute by which something that ends then has ended, as the text of a plan does.
func endTime(s float64) string { return clockTime(60 * math.Ceil((s-0.5)/60)) }

// DayPlan draws the day of several jobs: the start, end and deadline of each, and the tokens in use.
func DayPlan(a *result.Agenda, source Source) *Figure {
	c := &chart{about: "Jobs over the time of a day", nothing: "no job was simulated"}
	from, to := math.Inf(1), math.Inf(-1)
	jobs := lists.Kept(a.Jobs, func(j result.AgendaJob) bool {
		return finite(j.StartS, j.P50EndS, j.P95EndS) && j.StartS <= j.P50EndS && j.P50EndS <= j.P95EndS
	})
	for _, j := range jobs {
		from, to = min(from, j.StartS), max(to, j.P95EndS)
		if finite(j.DeadlineS) {
			to = max(to, float64(j.DeadlineS))
		}
	}
	use := lists.Kept(a.Use, func(u result.AgendaUse) bool {
		return finite(u.FromS, u.ToS, u.Mean, u.P95) && u.FromS > from-daySeconds && min(u.Mean, u.P95) >= 0
	})
	for _, u := range use {
		from = min(from, u.FromS)
	}
	if len(jobs) > 0 {
		room := max(60, (to-from)*0.02)
		x := between(from-room, to+room).in(clockTime).labelled("time of the day")
		x.steps = every(x.min, x.max, max(60, timeStep((x.max-x.min)/8)))
		tokens := given(len(use) > 0, tokensPanel(use, a))
		c.panels = stacked(append([]panel{ganttPanel(jobs, a.Sure)}, tokens...), x)
	}
	return c.figure("plan", "Whether jobs meet their clock times on "+words.Of(a.Tokens, a.Unit(), a.Unit()+"s"),
		dayPlanCaption(a), source, Value{"days", "n", float64(a.Days)}, Value{"tokens", "shared", float64(a.Tokens)},
		Value{"tokens", "fewest that suffice", float64(a.Fewest)})
}

// ganttPanel draws a bar for every job, from its start to its end.
func ganttPanel(jobs []result.AgendaJob, sure float64) panel {
	half := newBars("until half of the days have ended", lookAt(0).solid(), 15)
	most := newBars("until 95% have", lookAt(0).solid().faded(0.4), 15)
	due := newMarks("deadline", look{colour: style.Ink(), shape: diamond})
	late := newMarks("deadline that is missed too often", look{colour: style.Alert(), shape: diamond})
	n := panel{rowHeight: 24, upright: true, layers: []layer{due, late, half, most}}
	for i, j := range jobs {
		half.bar(i, j.StartS, j.P50EndS)
		most.bar(i, j.P50EndS, j.P95EndS)
		end := "95% by " + endTime(j.P95EndS)
		half.values = append(half.values, Value{j.Job, "start_s", j.StartS}, Value{j.Job, "p50_end_s", j.P50EndS},
			Value{j.Job, "p95_end_s", j.P95EndS})
		if at := float64(j.DeadlineS); finite(at) {
			marks := due
			if float64(j.Chance) < sure {
				marks = late
			}
			marks.points = append(marks.points, point{at, rowAt(i)})
			end += fmt.Sprintf(", due %s: %s", j.Deadline, words.Percent(j.Chance))
			half.values = append(half.values, Value{j.Job, "deadline_s", at}, Value{j.Job, "chance", float64(j.Chance)})
		}
		n.row(category{name: words.Shorten(j.Job, 40)}, end)
		if i == 0 {
			half.says = words.Shorten(j.Job, 40) + " starts at " + j.Start + ", " + end
		}
	}
	return n
}

// tokensPanel draws the tokens in use over the day.
func tokensPanel(use []result.AgendaUse, a *result.Agenda) panel {
	unit := a.Unit() + "s"
	mean := newArea(unit+" in use, on average", lookAt(0).faded(0.55))
	p95 := newLine("on all but 5% of the days", lookAt(1).thin(1.4))
	for _, u := range use {
		mean.step(u.FromS, u.ToS, 0, u.Mean)
		p95.add(u.FromS, u.P95)
		p95.add(u.ToS, u.P95)
	}
	n := panel{title: unit + " in use", y: counts(), high: 110, upright: true, layers: []layer{p95, mean}}
	most := largest(n.ys()...)
	mean.says = fmt.Sprintf("at most %s %s are in use on 95%% of the days", words.Number(most), unit)
	if shared := float64(a.Tokens); shared <= 3*most {
		n.layers = append(n.layers, across(unit+" that they share", dashedLook(style.Muted()), shared))
	} else {
		n.notes = []string{"of " + words.Count(a.Tokens) + " that they share"}
	}
	return n
}

func dayPlanCaption(a *result.Agenda) string {
	text := fmt.Sprintf("%s on %s, %s simulated: every day each job repeats one of its past runs.",
		words.Of(len(a.Jobs), "job", "jobs"), words.Of(a.Tokens, "shared "+a.Unit(), "shared "+a.Unit()+"s"),
		words.Of(a.Days, "day", "days"))
	if !a.Due() {
		return text + " No job has a deadline."
	}
	text += words.Either(a.Fits, " Every deadline is met with a chance of at least ",
		" Not every deadline is met with a chance of ") + words.Percent(a.Sure)
	return text + "; " + words.Either(a.Fewest > 0, words.Of(a.Fewest, a.Unit()+" suffices", a.Unit()+"s suffice"),
		"no number of "+a.Unit()+"s suffices") + " for all."
}
