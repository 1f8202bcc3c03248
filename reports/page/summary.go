package page

import (
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
)

// metric is a row of a table of summaries.
type metric struct {
	key   string // of its intervals
	title string
	of    result.Summary
	write func(float64) string
}

// published writes published percentiles; nothing where there are none.
func published(all []papers.Percentile, write func(float64) string) string {
	return strings.Join(lists.Map(all, func(p papers.Percentile) string { return write(p.X) }), "; ")
}

// printedMedian writes the median of published percentiles.
func printedMedian(all []papers.Percentile, write func(float64) string) string {
	i := slices.IndexFunc(all, func(p papers.Percentile) bool { return p.What == "p50" })
	if i < 0 {
		return words.None
	}
	return write(all[i].X)
}

// cells returns the row: title, n and some percentiles, with their intervals in brackets where they differ from them.
func (m *metric) cells(all result.Intervals, percentiles ...string) []cell {
	row := cells(m.title, words.Count(m.of.N))
	for _, p := range percentiles {
		if m.of.N == 0 {
			row = append(row, cell{Text: words.None})
			continue
		}
		x := map[string]float64{"p10": m.of.P10, "p50": m.of.P50, "p90": m.of.P90, "p95": m.of.P95, "max": m.of.Max}[p]
		c := cell{Text: m.write(x)}
		if between := intervalIn(all, m.key, p, m.write); between != "" && between != c.Text {
			c.Sub = "[" + between + "]"
		}
		row = append(row, c)
	}
	return row
}

// extremesTable lists runs with extreme values; all are in the named file.
func extremesTable(id, file string, lists ...[]result.ExtremeRun) table {
	t := table{ID: id, Title: "Extreme cases, to go and look", Folded: true, All: file,
		Columns: []column{{Name: "What"}, number("Value"), {Name: "Run"}, {Name: "Job", Minor: true}}}
	for _, list := range lists {
		for _, e := range list {
			t.Row(words.Capital(words.Shorten(e.What, 90)), words.Number(e.Value), words.Shorten(e.JobID, 60),
				words.Shorten(e.Name, 60))
		}
	}
	return t
}
