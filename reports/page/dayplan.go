package page

import (
	"cmp"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutPlan reports whether jobs that share tokens meet their deadlines.
func (s *section) aboutPlan(a *result.Agenda, source figure.Source) {
	f := Finding{ID: "plan", See: "fig-plan", Text: words.Capital(PlanAnswer(a)) + ".", Numbers: map[string]float64{
		"tokens": float64(a.Tokens), "fewest_tokens": float64(a.Fewest)}}
	for i := range a.Jobs {
		if j := &a.Jobs[i]; known(j.Chance) && float64(j.Chance) < a.Sure {
			f.Stake = max(f.Stake, 1-float64(j.Chance))
			f.Detail += name(j.Job) + " ends by " + j.Deadline + " on " + words.Percent(j.Chance) + " of the days. "
		}
	}
	f.Detail += words.Of(a.Days, "day", "days") + " simulated from past runs."
	s.find(f)
	s.draw(figure.DayPlan(a, source))
	t := table{ID: "table-plan", Title: "The jobs of the day", All: "plan.parquet", Columns: []column{{Name: "Job"},
		number("Starts"), number("Half end by"), number("95% by"), number("Deadline"), number("Chance"),
		{Name: "Waits for", Minor: true}}}
	for i := range a.Jobs {
		j := &a.Jobs[i]
		t.Row(name(j.Job), j.Start, j.P50End, j.P95End, cmp.Or(j.Deadline, words.None),
			words.Percent(j.Chance), words.Printable(words.List(j.After)))
	}
	s.filled(t)
}

// PlanAnswer states whether all deadlines of a plan are met.
func PlanAnswer(a *result.Agenda) string {
	if !a.Due() {
		return words.When(a.On != "", "on %s ", a.On) + "when jobs end that share " + words.Of(a.Tokens, a.Unit(), a.Unit()+"s") +
			": none has a deadline"
	}
	text := words.When(a.On != "", "on %s ", a.On) + words.When(!a.Fits, "not ") + "every deadline is met"
	text += " with a chance of " + words.Percent(a.Sure) + " on " + words.Of(a.Tokens, a.Unit(), a.Unit()+"s")
	switch {
	case a.Fewest == 0:
		text += "; no number of " + a.Unit() + "s would do"
	case a.Fewest != a.Tokens:
		text += "; " + words.Of(a.Fewest, "suffices", "suffice")
	}
	return text
}
