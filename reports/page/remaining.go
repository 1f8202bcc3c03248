package page

import (
	"fmt"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
)

// aboutRemaining reports the remaining time of a job's runs, and the quality of progress indicators.
func (s *section) aboutRemaining(r *result.Remaining, source figure.Source) {
	if n := len(r.At); n > 0 {
		first, last := &r.At[0], &r.At[n-1]
		text := fmt.Sprintf("A run of %s takes %s with %s.", words.Printable(r.Job), words.Seconds(first.S[2][0]),
			words.Of(first.Tokens, "token", "tokens"))
		if n > 1 {
			text = fmt.Sprintf("A run of %s takes %s with %s and %s with %s.", words.Printable(r.Job),
				words.Seconds(first.S[2][0]), words.Of(first.Tokens, "token", "tokens"), words.Seconds(last.S[2][0]),
				words.Of(last.Tokens, "token", "tokens"))
		}
		s.find(Finding{ID: "remaining", See: "fig-remaining", N: r.Runs, Text: text,
			Detail: fmt.Sprintf("Medians of %s; nine in ten take %s and %s. The model is fitted to %s.",
				words.Of(r.Simulated, "simulated run", "simulated runs"),
				words.Range(first.S[0][0], first.S[4][0], words.Seconds), words.Range(last.S[0][0], last.S[4][0],
					words.Seconds), words.Of(r.Runs, "past run", "past runs")),
			Numbers: map[string]float64{"fewest_tokens": float64(first.Tokens), "fewest_tokens_p50_s": first.S[2][0],
				"most_tokens": float64(last.Tokens), "most_tokens_p50_s": last.S[2][0]}})
	}
	s.draw(figure.Remaining(r, source))
	if len(r.Indicators) > 0 {
		s.indicators(r)
		s.draw(figure.Indicators(r, source))
		s.Tables = append(s.Tables, indicatorsTable(r))
	}
}

func (s *section) indicators(r *result.Remaining) {
	first := leaders(len(r.Indicators), func(i int) float64 { return r.Indicators[i].Off }, less, words.Percent)
	if len(first) == 0 {
		return
	}
	best := &r.Indicators[first[0]]
	text := fmt.Sprintf("Of the progress indicators, %s predicts the end of a run of %s best: it is off by %s of a run.", best.Name, words.Printable(r.Job), words.Percent(best.Off))
	if len(first) > 1 {
		names := lists.Map(first, func(i int) string { return r.Indicators[i].Name })
		text = fmt.Sprintf("The progress indicators %s predict the end of a run of %s equally well: they "+
			"are off by %s of a run.", words.List(names), words.Printable(r.Job), words.Percent(best.Off))
		if len(first) == len(r.Indicators) {
			text = fmt.Sprintf("All %s predict the end of a run of %s equally well: they are off by %s of a run.",
				words.Of(len(first), "progress indicator", "progress indicators"), words.Printable(r.Job),
				words.Percent(best.Off))
		}
	}
	s.find(Finding{ID: "indicators", See: "table-indicators", N: r.Tried, Text: text,
		Detail: fmt.Sprintf("Mean absolute error of the predicted end over %s on %s; Jockey uses totalworkWithQ.",
			words.Of(r.Tried, "simulated run", "simulated runs"), words.Of(r.Tokens, "token", "tokens")),
		Numbers: map[string]float64{"error": best.Off}})
}

func indicatorsTable(r *result.Remaining) table {
	t := table{ID: "table-indicators", Title: "Progress indicators", Note: "Shares of a run's duration, means over " +
		"simulated runs. ΔT: how much the predicted end moves from one " +
		"hundredth of a run to the next; longest standstill: time in which the indicator does not move. In small " +
		"print, what Jockey published for its jobs (§5.4).",
		Columns: []column{{Name: "Indicator"}, number("Error of the end"), number("ΔT"), number("Longest standstill")}}
	for i := range r.Indicators {
		u := &r.Indicators[i]
		row := cells(u.Name, words.Percent(u.Off), words.Percent(u.Jumps), words.Percent(u.Still))
		if p, ok := papers.JockeyIndicators()[u.Name]; ok {
			row[2].Sub, row[3].Sub = words.Percent(p[0]), words.Percent(p[1])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
