package page

import (
	"cmp"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutExplanation reports the parts of a run's difference from usual.
func (s *section) aboutExplanation(e *result.Explanation, source figure.Source) {
	f := Finding{ID: "explain", See: "fig-explain", N: e.UsualRuns, Text: explainAnswer(e) + ".",
		Numbers: map[string]float64{"took_s": e.TookS, "usual_s": e.UsualS}}
	f.Detail = "The usual is the median of " + words.Of(e.UsualRuns, "other run", "other runs") +
		" of the job; 8 of 10 took " + words.Range(e.UsualFrom, e.UsualTo, words.Seconds) + "."
	for i := range e.Signs {
		f.Detail += " " + words.Capital(SignAnswer(&e.Signs[i])) + "."
	}
	for i := range e.Stages[:min(len(e.Stages), mostQueries)] {
		f.Detail += " " + words.Capital(QueryAnswer(&e.Stages[i])) + "."
	}
	s.find(f)
	s.draw(figure.Explained(e, source))
	t := table{ID: "table-explain-slowest", Title: "The slowest tasks of the run",
		Columns: []column{{Name: "Stage"}, number("Task"), number("Took"), number("Median of the stage"),
			{Name: "Machine", Minor: true}, {Name: "Status", Minor: true}}}
	for i := range e.Slowest {
		x := &e.Slowest[i]
		t.Row(name(x.Stage), words.Count(x.Task), words.Seconds(x.Seconds), words.Seconds(x.MedianS),
			cmp.Or(words.Shorten(x.Machine, 40), words.None), words.Printable(x.Status))
	}
	s.filled(t)
}

// mostQueries bounds the stages whose query operators are described.
const mostQueries = 3

// QueryAnswer describes the query operators of a stage.
func QueryAnswer(q *result.SlowStage) string {
	text := "stage " + name(q.Stage)
	text += words.When(q.Plan != "", " executes %s", words.Shorten(q.Plan, 120))
	text += words.When(q.Description != "", " of the query %s", words.Shorten(q.Description, 60))
	return text
}

// SignAnswer describes the conditions that were worse than usual in a stage.
func SignAnswer(x *result.Sign) string {
	text := "stage " + name(x.Stage)
	switch x.What {
	case "gc":
		return text + " spent " + words.Percent(x.Value) + " of its task time in garbage collection, usually " +
			words.Percent(x.Usual)
	case "spill":
		return text + " spilled " + words.Bytes(x.Value) + " to disk, usually " + words.Bytes(x.Usual)
	}
	return text + ": its largest task read " + words.Number(x.Value) + " times the median, usually " +
		words.Number(x.Usual)
}

// explainAnswer states the difference between a run and its usual time, and the largest cause.
func explainAnswer(e *result.Explanation) string {
	beyond := e.TookS - e.UsualS
	text := "Run " + name(e.Run)
	text += words.When(e.Job != "" && e.Job != e.Run, " of %s", name(e.Job))
	text += " took " + words.Seconds(e.TookS) + ", "
	switch {
	case beyond > 0:
		text += words.Seconds(beyond) + " longer than usual"
	case beyond < 0:
		text += words.Seconds(-beyond) + " less than usual"
	default:
		return text + "as usual"
	}
	for _, p := range e.Parts { // largest first
		if (p.Seconds > 0) == (beyond > 0) && math.Abs(p.Seconds) > 0.1*math.Abs(beyond) && p.What != "unexplained" {
			return text + "; the largest reason is " + figure.PartName(p) + " (" + figure.SignedSeconds(p.Seconds) + ")"
		}
	}
	return text + "; no recorded cause stands out"
}
