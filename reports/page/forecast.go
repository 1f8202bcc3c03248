package page

import (
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutForecast reports the predicted times of the next run of a job by tokens.
func (s *section) aboutForecast(d *result.Forecast, source figure.Source) {
	if len(d.Tokens) == 0 {
		return
	}
	first, last := &d.Tokens[0], &d.Tokens[len(d.Tokens)-1]
	f := Finding{ID: "forecast", See: "fig-forecast", N: d.Runs, Numbers: map[string]float64{"p95_s": first.P95S,
		"tokens": float64(first.Tokens), "deadline_s": float64(d.DeadlineS)}}
	f.Text = "On " + words.Of(first.Tokens, d.Unit(), d.Unit()+"s") + " 95% of runs of " + name(d.Job) + " end in " +
		words.Seconds(first.P95S)
	f.Text += words.When(last != first, ", on %s in %s", words.Count(last.Tokens), words.Seconds(last.P95S))
	f.Text += "."
	if known(d.DeadlineS) {
		f.Detail = ForecastDeadline(d) + "."
	}
	f.Detail += " Simulated from " + words.Of(d.Runs, "past run", "past runs") + "."
	for _, c := range d.Tokens {
		if c.Extrapolated {
			f.Detail += " " + words.Capital(d.Unit()) + "s or inputs that past runs did not have are extrapolated."
			break
		}
	}
	for _, note := range ForecastNotes(d) {
		f.Detail += " " + words.Capital(note) + "."
	}
	s.find(f)
	s.draw(figure.Forecast(d, source))
	t := table{ID: "table-forecast", Title: "The next run by its " + d.Unit() + "s", All: "forecast.parquet", Columns: []column{
		{Name: words.Capital(d.Unit()) + "s"}, number("Half end in"), number("90% in"), number("95% in"), number("Core-hours"),
		number("Chance of the deadline"), {Name: "", Minor: true}}}
	for _, c := range d.Tokens {
		t.Row(words.Count(c.Tokens), words.Seconds(c.P50S), words.Seconds(c.P90S), words.Seconds(c.P95S),
			words.Number(c.CoreH), words.Percent(c.Chance), words.When(c.Extrapolated, "extrapolated"))
	}
	s.filled(t)
}

// ForecastNotes explains the tokens of a forecast, and why its times differ from past runs.
func ForecastNotes(d *result.Forecast) (notes []string) {
	if size := tokenSize(d); size != "" {
		notes = append(notes, size)
	}
	if by := float64(d.Grown); by > 0 && math.Abs(by-1) >= apparentGrowth {
		notes = append(notes, "all jobs of the store take "+words.Percent(math.Abs(by-1))+
			words.Either(by > 1, " longer", " less")+" now than when these runs ended; the forecast counts that")
	}
	return notes
}

// apparentGrowth is the least relative change of the times of all jobs that is told.
const apparentGrowth = 0.02

// tokenSize tells the cores of a token of a forecast; "" where it is one core.
func tokenSize(d *result.Forecast) string {
	switch {
	case d.Unit() == "core":
		return ""
	case d.PerToken > 0:
		return "a token is " + words.Number(d.PerToken) + " cores"
	}
	return "the trace does not state the cores of a token: core-hours count it as one"
}

// ForecastDeadline states the number of tokens that meet the deadline of a forecast.
func ForecastDeadline(d *result.Forecast) string {
	in := words.Either(d.Start != "", "Submitted at "+d.Start+", by "+d.Deadline, "In "+words.Seconds(d.DeadlineS))
	if !d.KnowsTokens() && len(d.Tokens) > 0 {
		return in + ": a chance of " + words.Percent(d.Tokens[0].Chance) +
			"; what other " + d.Unit() + "s would do is not known"
	}
	c := d.Fewest
	if c == nil {
		return in + ": no number of " + d.Unit() + "s that was tried has a chance of " + words.Percent(d.Sure)
	}
	text := in + ": " + words.Of(c.Tokens, d.Unit()+" suffices", d.Unit()+"s suffice") + " with a chance of " +
		words.Percent(c.Chance) + " (95% end in " + words.Seconds(c.P95S) + ")"
	text += words.When(c.Extrapolated, ", extrapolated")
	return text
}
