package page

import (
	"math"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/style"
)

// explainSection reports why a run took as long as it did.
func explainSection(e *result.Explanation, source figure.Source) *section {
	s := newSection("explain", "Why one run took as long as it did", e.Head())
	if s.Missing != nil {
		return s
	}
	f := Finding{ID: "explain", See: "fig-explain", N: e.UsualRuns, Text: ExplainAnswer(e) + ".",
		Numbers: map[string]float64{"took_s": e.TookS, "usual_s": e.UsualS}}
	f.Detail = "The usual is the median of " + style.Of(int64(e.UsualRuns), "other run", "other runs") + " of the job; 8 of 10 took " +
		style.Range(e.UsualFrom, e.UsualTo, style.Seconds) + "."
	for i := range e.Signs {
		f.Detail += " " + capital(SignAnswer(&e.Signs[i])) + "."
	}
	s.find(f)
	s.Figures = append(s.Figures, figure.Explained(e, source))
	t := table{ID: "table-explain-slowest", Title: "The slowest tasks of the run", Columns: []column{{Name: "Stage"},
		{Name: "Task", Number: true}, {Name: "Took", Number: true}, {Name: "Median of the stage", Number: true},
		{Name: "Machine", Minor: true}, {Name: "Status", Minor: true}}}
	for i := range e.Slowest {
		x := &e.Slowest[i]
		machine := style.Shorten(x.Machine, 40)
		if machine == "" {
			machine = style.None
		}
		t.Rows = append(t.Rows, cells(name(x.Stage), style.Count(int64(x.Task)), style.Seconds(x.Seconds),
			style.Seconds(x.MedianS), machine, style.Printable(x.Status)))
	}
	s.filled(t)
	return s
}

// SignAnswer says what was worse than usual in a stage.
func SignAnswer(x *result.Sign) string {
	text := "stage " + name(x.Stage)
	switch x.What {
	case "gc":
		return text + " spent " + style.Percent(x.Value) + " of its task time in garbage collection, usually " + style.Percent(x.Usual)
	case "spill":
		return text + " spilled " + style.Bytes(x.Value) + " to disk, usually " + style.Bytes(x.Usual)
	}
	return text + ": its largest task read " + style.Number(x.Value) + " times the median, usually " + style.Number(x.Usual)
}

// ExplainAnswer says by how much a run differs from its usual, and the largest reason.
func ExplainAnswer(e *result.Explanation) string {
	beyond := e.TookS - e.UsualS
	text := "Run " + name(e.Run)
	if e.Job != "" && e.Job != e.Run {
		text += " of " + name(e.Job)
	}
	text += " took " + style.Seconds(e.TookS) + ", "
	switch {
	case beyond > 0:
		text += style.Seconds(beyond) + " longer than usual"
	case beyond < 0:
		text += style.Seconds(-beyond) + " less than usual"
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
