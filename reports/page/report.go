package page

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// report is the content of a report on a bundle, independent of its output form.
type report struct {
	title      string
	subtitle   string
	provenance *result.Provenance
	recurrence *result.Recurrence // nil when not among the documents or not available
	sections   []*section
	quality    *section
	faults     []result.Fault
	findings   []Finding
	summaries  map[string]summary
	labels     map[string]string // id of a figure or table -> "Figure 1", "Table 2"
}

// summary is a [result.Summary] with the intervals of its percentiles.
type summary struct {
	result.Summary
	Intervals map[string][2]result.Number
}

func newReport(b *result.Bundle, o Options) *report {
	r := &report{provenance: b.Provenance, summaries: map[string]summary{}, labels: map[string]string{}}
	if r.provenance == nil {
		r.provenance = &result.Provenance{}
	}
	p := r.provenance
	if len(b.Faults) > 0 {
		r.faults = b.Faults
		r.sections = append(r.sections, faultSection(b.Faults))
	}
	source := figure.Source{Store: p.Store, Format: p.Format, Synthetic: p.Synthetic, Zone: p.Location()}
	if d, ok := b.Documents["recurrence"].(*result.Recurrence); ok && d.Available {
		r.recurrence = d
	}
	for _, t := range topics() {
		d := b.Documents[t.analysis]
		if d == nil {
			continue
		}
		s := newSection(t.id, t.title, d.Head())
		if s.Missing == nil {
			r.about(b, d, s, source)
			r.summarise(d)
		}
		r.sections = append(r.sections, s)
	}
	r.sections = append(r.sections, otherSections(b)...)
	health, _ := b.Documents["health"].(*result.Health)
	r.quality = qualitySection(p, health, source)
	r.number()
	for _, s := range append(r.sections, r.quality) {
		r.findings = append(r.findings, s.Findings...)
	}
	rank(r.findings)
	r.title = words.Shorten(o.Title, 200)
	if o.Title == "" {
		r.title = words.Either(simulated(p), "What policies do for the jobs of "+name(p.Store),
			"How the jobs of "+name(p.Store)+" behave")
	}
	r.subtitle = subtitle(p, r.recurrence)
	return r
}

// otherSections returns the sections of documents that are no topic. The quality of the trace is last on the page, and
// recurrence has what cov has.
func otherSections(b *result.Bundle) (out []*section) {
	done := []string{"health"}
	for _, t := range topics() {
		done = append(done, t.analysis)
	}
	if _, whole := b.Documents["recurrence"]; whole {
		done = append(done, "cov")
	}
	for _, analysis := range slices.Sorted(maps.Keys(b.Documents)) {
		if d := b.Documents[analysis]; d != nil && !slices.Contains(done, analysis) {
			out = append(out, anySection(d))
		}
	}
	return out
}

// number gives figures and tables their labels, in the order of the page.
func (r *report) number() {
	f, t := 0, 0
	for _, s := range append(r.sections, r.quality) {
		for _, fig := range s.Figures {
			f++
			r.labels["fig-"+fig.Name] = fmt.Sprintf("Figure %d", f)
		}
		for i := range s.Tables {
			t++
			r.labels[s.Tables[i].ID] = fmt.Sprintf("Table %d", t)
		}
	}
}

// figures returns the figures in the order of the page.
func (r *report) figures() (out []*figure.Figure) {
	for _, s := range append(r.sections, r.quality) {
		out = append(out, s.Figures...)
	}
	return out
}

// figureFiles returns the names of the files that hold a figure.
func figureFiles(f *figure.Figure) (svg, png string) {
	return "figures/" + f.Name + ".svg", "figures/" + f.Name + ".png"
}

// summarise keeps the summaries of a document, each by the analysis and its own name.
func (r *report) summarise(d result.Document) {
	all, of := summariesOf(d)
	for key, s := range of {
		out := summary{Summary: s, Intervals: map[string][2]result.Number{}}
		for percentile, i := range all.Of[key] {
			if known(i[0], i[1]) {
				out.Intervals[percentile] = [2]result.Number{result.Number(i[0]), result.Number(i[1])}
			}
		}
		r.summaries[d.Analysis()+"."+key] = out
	}
}

// simulated reports whether the results are of simulated jobs only, without a trace.
func simulated(p *result.Provenance) bool { return p.Format == "" && len(p.Rows) == 0 && p.Note != "" }

// subtitle describes the trace of the report in one sentence.
func subtitle(p *result.Provenance, r *result.Recurrence) string {
	runs := p.Rows["jobs"]
	if runs == 0 && r != nil {
		runs = int64(r.Runs)
	}
	if simulated(p) {
		return words.Printable(p.Note)
	}
	text := words.Of(runs, "run", "runs")
	if r != nil && r.Recurring > 0 {
		text += " (" + words.Of(r.Recurring, "recurring job", "recurring jobs") + ")"
	}
	text += words.When(p.Rows["tasks"] > 0, " and %s", words.Of(p.Rows["tasks"], "task attempt", "task attempts"))
	text += " from " + formatName(p.Format)
	from, to := float64(p.From), float64(p.To)
	switch {
	case !known(from, to) || to < from:
	case p.TimeBase == "unix":
		text += fmt.Sprintf(", %s (%s)", words.SpanIn(from, to, p.Location()), words.Seconds(to-from))
		text += words.When(p.Zone != "" && p.Zone != "UTC", ", in the time zone %s", words.Shorten(p.Zone, 40))
	default:
		text += ", over " + words.Seconds(to-from)
	}
	return text + "."
}

// formatName returns the name of a format for people.
func formatName(format string) string {
	names := map[string]string{"spark": "Spark event logs", "jsonl": "racecard JSON Lines",
		"tr": "a task-duration trace (.tr)", "swim": "a SWIM trace"}
	if n, ok := names[format]; ok {
		return n
	}
	if format == "" {
		return "a trace of unknown format"
	}
	return "a trace in " + words.Shorten(format, 40) + " format"
}

// calendar writes instants, given in seconds of a time base, in a time zone.
type calendar struct {
	base string // of the trace, "" where it is not known
	zone *time.Location
}

// calendarOf returns the calendar of a bundle.
func calendarOf(b *result.Bundle) calendar {
	if b.Provenance == nil {
		return calendar{zone: time.UTC}
	}
	return calendar{b.Provenance.TimeBase, b.Provenance.Location()}
}

func (c calendar) when(seconds float64) string { return When(c.base, seconds, c.zone) }
