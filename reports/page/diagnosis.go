package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// Diagnosis is a finding of a check of a trace's health, in words.
type Diagnosis struct {
	ID       string        `json:"id"`
	Severity string        `json:"severity"` // info, warn or bad
	Text     string        `json:"text"`     // one sentence: what, how many of how many
	Means    string        `json:"means"`    // for which analysis, and what to do about it
	Count    int64         `json:"count"`
	Of       int64         `json:"of"`
	Share    result.Number `json:"share"`
	Examples []string      `json:"examples,omitempty"` // job_id/stage/task/attempt and by how much
}

// Diagnose returns the findings of the checks, the worst first: by severity, then by the odd share. Dates are in a time
// zone.
func Diagnose(h *result.Health, zone *time.Location) []Diagnosis {
	out, dates, wordings := []Diagnosis{}, calendar{h.Coverage.Base, zone}, diagnoses()
	for i := range h.Checks {
		c := &h.Checks[i]
		if c.Severity == result.HealthOK || c.Severity == result.HealthUnchecked {
			continue
		}
		w := wordings[c.ID]
		d := Diagnosis{ID: c.ID, Severity: c.Severity, Text: w.sentence(h, c, dates), Means: w.means, Count: c.Count,
			Of: c.Of, Share: c.Share}
		if c.Count < c.Of || c.Of <= int64(len(c.Examples)) { // examples are useless if all cases are odd
			for _, e := range c.Examples {
				d.Examples = append(d.Examples, exampleText(dates, c, &e))
			}
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b Diagnosis) int {
		// unknown shares last
		return cmp.Or(cmp.Compare(gravity(b.Severity), gravity(a.Severity)), cmp.Compare(b.Share, a.Share))
	})
	return out
}

func gravity(severity string) int {
	return slices.Index([]string{result.HealthInfo, result.HealthWarn, result.HealthBad}, severity)
}

// diagnosis is the wording of a check.
type diagnosis struct {
	what      string // the sentence up to its numbers
	one, many string // noun of the counted cases; empty if say writes the whole sentence
	say       sentenceOf
	means     string
}

// sentence states a finding, such as "what: 20 of 12,996 attempts (0.15%), in 3 runs, by up to 6 min 46 s".
func (w *diagnosis) sentence(h *result.Health, c *result.HealthCheck, dates calendar) string {
	if w.say != nil {
		return w.say(h, c, dates)
	}
	text := w.what + ": "
	switch {
	case c.Count == c.Of && c.Of > 1:
		text += "all " + words.Count(c.Of) + " " + w.many
	default:
		text += fmt.Sprintf("%s of %s (%s)", words.Count(c.Count), words.Of(c.Of, w.one, w.many),
			words.Percent(c.Share))
	}
	text += words.When(c.Runs > 0 && !strings.HasPrefix(w.one, "run") && c.Count > 1, ", in %s",
		words.Of(c.Runs, "run", "runs"))
	text += words.When(len(c.Names) > 0, ": %s", listed(c.Names))
	text += words.When(known(c.Largest), ", by up to %s", amountOf(dates, c.Unit, float64(c.Largest)))
	return text + "."
}

// listed joins names from a trace.
func listed(names []string) string {
	out := lists.Map(names, func(n string) string { return words.Shorten(n, 60) })
	return words.List(out)
}

// amountOf writes a value of a check.
func amountOf(dates calendar, unit string, x float64) string {
	switch unit {
	case "s":
		return words.Seconds(x)
	case "instant":
		return dates.when(x)
	case "bytes":
		return words.Bytes(x)
	default:
		return words.Number(x) + " " + unit
	}
}

// When writes an instant, in seconds of a time base, in a time zone.
func When(base string, seconds float64, zone *time.Location) string {
	switch text := words.InstantIn(seconds, zone); {
	case base == "unix" && text != words.None:
		return text
	case seconds < 0:
		return words.Seconds(-seconds) + " before the start of the trace"
	default:
		return words.Seconds(seconds) + " after the start of the trace"
	}
}

// exampleText names a row: its place, its reference, and its value.
func exampleText(dates calendar, c *result.HealthCheck, e *result.HealthExample) string {
	text := words.Shorten(e.JobID, 80)
	for _, n := range []*int32{e.Stage, e.Task, e.Attempt} {
		if n != nil {
			text += fmt.Sprintf("/%d", *n)
		}
	}
	var in []string
	if e.Name != "" {
		in = append(in, words.Shorten(e.Name, 60))
	}
	if known(e.Value) {
		in = append(in, amountOf(dates, c.Unit, float64(e.Value)))
	}
	text += words.When(len(in) > 0, " (%s)", listed(in))
	return text
}

// health reports oddities: those that make numbers wrong as findings, all of them in a table, and the activity
// of the trace.
func (s *section) health(h *result.Health, source figure.Source) {
	found := Diagnose(h, cmp.Or(source.Zone, time.UTC))
	counts := map[string]float64{result.HealthBad: 0, result.HealthWarn: 0, result.HealthInfo: 0}
	for _, d := range found {
		counts[d.Severity]++
		if d.Severity == result.HealthBad {
			s.find(Finding{ID: "health-" + d.ID, Urgent: 2, See: "table-health", Text: d.Text, Detail: d.Means,
				Numbers: map[string]float64{"count": float64(d.Count), "of": float64(d.Of)}})
		}
	}
	f := Finding{ID: "health", See: "table-health", Numbers: counts, Text: "Nothing is odd about the trace."}
	if n := int64(counts[result.HealthBad] + counts[result.HealthWarn]); n > 0 {
		f.Urgent = 1
		f.Text = fmt.Sprintf("%s: check %s before relying on these numbers.",
			words.Of(n, "data-quality warning", "data-quality warnings"), words.Noun(n, "it", "them"))
	} else if len(found) > 0 {
		f.Text = "Nothing is odd about the trace that affects an analysis."
	} else {
		f.See = "fig-activity"
	}
	f.Detail = fmt.Sprintf("%s looked for: times out of order, clocks, coverage, ids, units and statuses.",
		words.Of(len(h.Checks), "kind was", "kinds were"))
	s.find(f)
	s.draw(figure.Activity(h, source))
	if len(found) > 0 {
		s.Tables = append(s.Tables, healthTable(found))
	}
}

// healthTable lists the oddities.
func healthTable(found []Diagnosis) table {
	t := table{ID: "table-health", Title: "What is odd about the trace, the worst first", All: "health.json",
		Note: "bad: numbers computed from this would be wrong; warn: some analysis is affected; info: good to know. " +
			"Examples are job/stage/task/attempt; health.json has more.",
		Columns: []column{{Name: "Severity"}, {Name: "Finding, and its consequence"}, {Name: "Such as", Minor: true}}}
	for _, d := range found {
		row := cells(d.Severity, d.Text, strings.Join(d.Examples[:min(len(d.Examples), 1)], ""))
		row[1].Sub = d.Means
		t.Rows = append(t.Rows, row)
	}
	return t
}
