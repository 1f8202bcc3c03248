package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	tables "racecard/reports/table"
)

// qualitySection reports the quality and completeness of the trace, and its oddities if they were examined: health may
// be nil.
func qualitySection(p *result.Provenance, health *result.Health, source figure.Source) *section {
	s := &section{ID: "quality", Title: "Data quality"}
	rejected, ignored, repaired := lists.Total(p.Rejected), lists.Total(p.Ignored), lists.Total(p.Repairs)
	s.records(p, rejected, ignored, repaired)
	if p.Read > 0 && p.Read != p.Used+ignored+rejected {
		s.Notes = append(s.Notes, fmt.Sprintf("The counts do not add up: %s read, but %s used, ignored or rejected.",
			words.Count(p.Read), words.Count(p.Used+ignored+rejected)))
	}
	for i, w := range p.Warnings {
		if i == tables.MostRows {
			s.Notes = append(s.Notes, fmt.Sprintf("And %s more.", words.Of(len(p.Warnings)-i, "warning", "warnings")))
			break
		}
		s.Notes = append(s.Notes, asSentence(words.Shorten(w, 300)))
	}
	if health != nil && health.Available {
		s.health(health, source)
	}
	s.Tables = append(s.Tables, recordsTable(p))
	if len(p.Columns) > 0 {
		s.Tables = append(s.Tables, completenessTable(p))
	}
	return s
}

func (s *section) records(p *result.Provenance, rejected, ignored, repaired int64) {
	if p.Read == 0 {
		return
	}
	f := Finding{ID: "records", See: "table-records",
		Numbers: map[string]float64{"read": float64(p.Read), "used": float64(p.Used), "ignored": float64(ignored),
			"rejected": float64(rejected), "repaired": float64(repaired)}}
	switch {
	case rejected > 0:
		f.Text = fmt.Sprintf("%s of %s were rejected, %s of them.", words.Count(rejected),
			words.Of(p.Read, "record", "records"), words.Percent(float64(rejected)/float64(p.Read)))
		if rejected == 1 {
			f.Text = fmt.Sprintf("1 of %s was rejected.", words.Of(p.Read, "record", "records"))
		}
	default:
		f.Text = fmt.Sprintf("No record was rejected, of %s read.", words.Count(p.Read))
	}
	parts := slices.DeleteFunc([]string{
		words.When(ignored > 0, "%s of kinds that no analysis needs were passed over", words.Count(ignored)),
		words.When(repaired > 0, "%s set to unknown",
			words.Of(repaired, "impossible value was", "impossible values were")),
		words.When(len(p.Warnings) > 0, "%s listed", words.Of(len(p.Warnings), "warning is", "warnings are")),
	}, func(part string) bool { return part == "" })
	f.Detail = words.When(len(parts) > 0, "%s.", words.Capital(words.List(parts)))
	s.find(f)
}

func recordsTable(p *result.Provenance) table {
	t := table{ID: "table-records", Title: "What became of the records", All: "provenance.json",
		Note: "A record is a line, an event, a JSON object or a Parquet row: read = used + ignored + rejected. " +
			"Repairs are values set to unknown in records that were used.",
		Columns: []column{{Name: "Records"}, number("Number"), number("Share")}}
	row := func(text string, n int64, inner bool) {
		cells := cells(text, words.Count(n), words.Percent(float64(n)/float64(p.Read)))
		cells[0].Inner = inner
		t.Rows = append(t.Rows, cells)
	}
	row("Read", p.Read, false)
	row("Used", p.Used, false)
	each := func(what string, counts map[string]int64) {
		row(what, lists.Total(counts), false)
		for _, reason := range byCount(counts) {
			row(words.Shorten(reason, 80), counts[reason], true)
		}
	}
	each("Ignored", p.Ignored)
	each("Rejected", p.Rejected)
	each("Values repaired", p.Repairs)
	for i := len(t.Rows) - 1 - len(p.Repairs); i < len(t.Rows); i++ {
		t.Rows[i][2].Text = "" // repairs are no share of the records
	}
	return t
}

// byCount returns the keys of counts, the most frequent first, then by name.
func byCount(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// completenessTable lists the columns with data of every canonical table.
func completenessTable(p *result.Provenance) table {
	t := table{ID: "table-columns", Title: "Which columns hold data",
		Columns: []column{{Name: "Table"}, number("Rows"), {Name: "Complete"}, {Name: "In part"}, {Name: "Absent"}}}
	for _, of := range slices.SortedFunc(maps.Keys(p.Columns), func(a, b string) int {
		return cmp.Or(cmp.Compare(tableRank(a), tableRank(b)), cmp.Compare(a, b))
	}) {
		var complete, part, absent []string
		for _, c := range slices.Sorted(maps.Keys(p.Columns[of])) {
			share, text := p.Columns[of][c], words.Shorten(c, 40)
			switch {
			case share >= 1:
				complete = append(complete, text)
			case share > 0:
				part = append(part, text+" "+words.Percent(share))
			default:
				absent = append(absent, text)
			}
		}
		t.Row(words.Shorten(of, 40), words.Count(p.Rows[of]), orNone(complete), orNone(part), orNone(absent))
	}
	return t
}

// tableRank orders the canonical tables as DESIGN does, others last.
func tableRank(name string) int {
	order := []string{"jobs", "stages", "edges", "tasks", "allocations", "io", "machines"}
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

func orNone(names []string) string {
	if len(names) == 0 {
		return words.None
	}
	return strings.Join(names, ", ")
}
