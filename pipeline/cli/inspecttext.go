package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"racecard/datasets/arrowtab"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/words"
	"racecard/reports/page"
)

// inspect prints an inspection: tables, times, the account of records, and, last to stay in sight, the oddities.
func (e *env) inspect(i *Inspection) {
	e.overview(i)
	e.tables(i)
	if i.Health != nil {
		e.times(i.Health)
		e.ranges(i.Health)
	}
	e.records(i)
	if i.Health != nil {
		e.diagnoses(i.Findings)
	}
}

// heading begins a section.
func (e *env) heading(format string, args ...any) {
	e.printf("\n%s\n", e.stdout.paint(bold, fmt.Sprintf(format, args...)))
}

func (e *env) overview(i *Inspection) {
	kind := ""
	if i.Synthetic {
		kind = " (SYNTHETIC: generated, not measured)"
	}
	e.printf("format %s%s, %s, %s in %s\n", i.Format, kind, words.Of(len(i.Sources), "source file", "source files"),
		words.Bytes(i.Bytes), words.Of(i.Parts, "part", "parts"))
	if i.Note != "" {
		e.printf("note: %s\n", i.Note)
	}
	if i.From != nil && i.Health == nil {
		e.printf("time: %s to %s\n", e.instant(*i.From, i.TimeBase), e.instant(*i.To, i.TimeBase))
	}
	e.printf("records: %s read = %s used + %s ignored + %s rejected\n", words.Count(i.Records.Read),
		words.Count(i.Records.Used), words.Count(lists.Total(i.Records.Ignored)), words.Count(i.Rejected))
}

func (e *env) tables(i *Inspection) {
	e.heading("tables")
	head := []string{"  TABLE", "ROWS", "COLUMNS WITH VALUES (share of rows, where not all)"}
	var rows [][]string
	for _, t := range arrowtab.Tables() {
		if n := i.Rows[t.String()]; n > 0 {
			columns := wrapped(held(t, i.Columns[t.String()]), width-30)
			rows = append(rows, []string{"  " + t.String(), words.Count(n), columns[0]})
			for _, more := range columns[1:] {
				rows = append(rows, []string{"", "", more})
			}
		}
	}
	e.rows(head, rows)
}

// held lists the columns of a table that hold values.
func held(t arrowtab.Table, share map[string]float64) string {
	var text []string
	for _, f := range arrowtab.Fields(t) {
		switch x := share[f.Name]; {
		case x == 0:
			continue
		case x < 1:
			text = append(text, f.Name+"\u00a0"+words.Percent(x))
		default:
			text = append(text, f.Name)
		}
	}
	return strings.Join(text, ", ")
}

// instant writes a time for people.
func (e *env) instant(us int64, base source.TimeBase) string {
	return page.When(string(base), float64(us)/1e6, e.runs.location())
}

// times shows when the trace was active.
func (e *env) times(h *result.Health) {
	c := &h.Coverage
	e.heading("time")
	if h.Clock.Instants == 0 {
		e.printf("  no time is known\n")
		return
	}
	when := func(s float64) string { return page.When(c.Base, s, e.runs.location()) }
	e.printf("  %s, from %s to %s", words.Seconds(c.ToS-c.FromS), when(float64(c.FromS)), when(float64(c.ToS)))
	if r := float64(h.Clock.ResolutionS); !math.IsNaN(r) {
		e.printf("; the clock ticks every %s", words.Seconds(r))
	}
	e.printf("\n")
	var arrivals, runs, attempts []float64
	for _, b := range c.Bins {
		arrivals, runs, attempts = append(arrivals, float64(b.Arrivals)), append(runs, b.Runs),
			append(attempts, b.Attempts)
	}
	line := func(what string, values []float64, sum bool, most string) {
		cells, per := resample(values, sparkWidth, sum)
		if peak := slices.Max(cells); peak > 0 {
			e.printf("  %-16s  %s  at most %s %s %s\n", what, sparkline(cells), words.Number(peak), most,
				words.Seconds(float64(per)*float64(c.WidthS)))
		}
	}
	line("runs arriving", arrivals, true, "in")
	line("runs in progress", runs, false, "on average over")
	line("attempts running", attempts, false, "on average over")
	if c.GapCount > 0 {
		e.printf("  %s with no arrival", words.Of(c.GapCount, "stretch", "stretches"))
		if x := float64(c.IdleShare); !math.IsNaN(x) {
			e.printf(" and no run in progress, %s of the time", words.Percent(x))
		}
		e.printf("; the longest:\n")
		for _, g := range c.Gaps {
			e.printf("    %s, from %s\n", words.Seconds(g.Seconds), when(g.FromS))
		}
	}
}

// ranges shows the range of every column of numbers.
func (e *env) ranges(h *result.Health) {
	if len(h.Values) == 0 {
		return
	}
	e.heading("values")
	head := []string{"  COLUMN", "KNOWN", "ZERO", "LEAST", "LARGEST", "UNIT"}
	e.rows(head, lists.Map(h.Values, func(v result.HealthValues) []string {
		write, unit := words.Number[float64], v.Unit
		switch v.Unit {
		case "bytes":
			write, unit = words.Bytes, ""
		case "s":
			write, unit = words.Seconds, ""
		}
		zeros := words.Percent(float64(v.Zeros) / float64(v.N))
		return []string{"  " + v.Column, words.Count(v.N), zeros, write(float64(v.Min)), write(float64(v.Max)), unit}
	}))
}

// records shows the numbers of used, ignored and rejected records, and the warnings of the import.
func (e *env) records(i *Inspection) {
	e.counts("ignored records", i.Records.Ignored, nil)
	e.counts("rejected records", i.Rejects, func(reason string) {
		for _, r := range i.Examples {
			if r.Reason == reason {
				e.reject(&r)
			}
		}
	})
	e.counts("repaired values", i.Repairs, func(kind string) { e.paragraph("      ", i.Explanations[kind]) })
	if len(i.Warnings) > 0 {
		e.heading("warnings of the import")
		for _, w := range i.Warnings {
			e.paragraph("  ", words.Printable(w))
		}
	}
}

// counts shows counts, the largest first, each with an explanation.
func (e *env) counts(title string, counts map[string]int64, more func(string)) {
	if len(counts) == 0 {
		return
	}
	e.heading("%s", title)
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		e.printf("  %s: %s\n", words.Printable(k), words.Count(counts[k]))
		if more != nil {
			more(k)
		}
	}
}

func (e *env) reject(r *RejectExample) {
	where := words.Printable(r.File)
	if r.Line > 0 {
		where += fmt.Sprintf(":%d", r.Line)
	}
	if r.Field != "" {
		where += fmt.Sprintf(", field %q", r.Field)
	}
	e.printf("      %s", where)
	if r.Detail != "" {
		e.printf(": %s", words.Shorten(r.Detail, 200))
	}
	e.printf("\n")
	if r.Raw != "" {
		e.printf("        %.100q\n", r.Raw)
	}
}

// diagnoses prints the oddities.
func (e *env) diagnoses(all []page.Diagnosis) {
	e.heading("findings: %s", verdict(all))
	for _, d := range all {
		label := e.stdout.paint(colours()[d.Severity], fmt.Sprintf("%-4s", d.Severity))
		for i, line := range wrapped(d.Text, width-8) {
			if i > 0 {
				label = "    "
			}
			e.printf("  %s  %s\n", label, line)
		}
		e.paragraph("        ", d.Means)
		if len(d.Examples) > 0 {
			e.paragraph("        ", "such as "+strings.Join(d.Examples, ", "))
		}
	}
}

// verdict counts findings by severity.
func verdict(all []page.Diagnosis) string {
	if len(all) == 0 {
		return "nothing is odd"
	}
	n := map[string]int64{}
	for _, d := range all {
		n[d.Severity]++
	}
	var parts []string
	for _, s := range []struct{ severity, what string }{{result.HealthBad, "bad"}, {result.HealthWarn, "warning"},
		{result.HealthInfo, "note"}} {
		if n[s.severity] > 0 {
			what := s.what
			if s.severity != result.HealthBad {
				what = words.Noun(n[s.severity], s.what, s.what+"s")
			}
			parts = append(parts, words.Count(n[s.severity])+" "+what)
		}
	}
	return strings.Join(parts, ", ")
}

// width is the largest number of characters in a line of text that can be broken.
const width = 110

// paragraph prints text, broken into indented lines; nothing for no text.
func (e *env) paragraph(indent, text string) {
	for _, line := range wrapped(text, width-len(indent)) {
		if line != "" {
			e.printf("%s%s\n", indent, line)
		}
	}
}

// wrapped breaks text at blanks into lines of at most n characters, except for longer words. Numbers stay with their
// units.
func wrapped(text string, n int) []string {
	const together, hold = "\u00a0", "\x00" // hold is no blank, unlike the former
	lines := []string{""}
	text = strings.ReplaceAll(words.Bind(text), "\u2060", "")
	for _, word := range strings.Fields(strings.ReplaceAll(text, together, hold)) {
		word = strings.ReplaceAll(word, hold, " ")
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= n:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
