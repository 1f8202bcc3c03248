package page

import (
	"reflect"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// AnyTables returns the tables of a document without a dedicated section or text: its numbers and texts, and its
// Summaries, in the order of the fields of its type, named as in JSON. So an analysis is in reports and on the
// terminal as soon as it has a document.
func AnyTables(doc result.Document) []table {
	name := doc.Analysis()
	values := table{ID: name + "-values", Title: "Results of " + name,
		Columns: []column{{Name: "value"}, number("result")}}
	sums := table{ID: name + "-summaries", Title: "Distributions of " + name, Columns: []column{{Name: "metric"}}}
	for _, c := range []string{"n", "mean", "min", "p50", "p90", "p99", "max"} {
		sums.Columns = append(sums.Columns, number(c))
	}
	addFields("", reflect.Indirect(reflect.ValueOf(doc)), &values, &sums)
	return lists.Kept([]table{values, sums}, func(t table) bool { return len(t.Rows) > 0 })
}

// addFields adds the fields of a struct, and of the structs in it.
func addFields(prefix string, v reflect.Value, values, sums *table) {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		of, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && x.Kind() == reflect.Struct {
			if x.Type() != reflect.TypeFor[result.Header]() {
				addFields(prefix, x, values, sums)
			}
			continue
		}
		if !f.IsExported() || of == "" || of == "-" {
			continue
		}
		of = prefix + strings.ReplaceAll(of, "_", " ")
		switch s := x.Interface().(type) {
		case result.Intervals:
			continue
		case result.Summary:
			row := []string{of, words.Count(s.N)}
			for _, x := range []float64{s.Mean, s.Min, s.P50, s.P90, s.P99, s.Max} {
				row = append(row, words.Number(x))
			}
			sums.Rows = append(sums.Rows, cells(row...))
			continue
		}
		switch {
		case x.CanInt():
			values.Row(of, words.Count(x.Int()))
		case x.CanFloat():
			values.Row(of, words.Number(x.Float()))
		case x.Kind() == reflect.String && x.Len() > 0:
			values.Row(of, words.Printable(x.String()))
		case x.Kind() == reflect.Struct:
			addFields(of+", ", x, values, sums)
		}
	}
}

// anySection is the section of such a document.
func anySection(doc result.Document) *section {
	name := doc.Analysis()
	s := newSection(name, words.Capital(name), doc.Head())
	if s.Missing == nil {
		s.Tables = AnyTables(doc)
	}
	return s
}
