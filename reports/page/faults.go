package page

import (
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// faultSection lists missing or damaged results, so that no topic is dropped silently.
func faultSection(faults []result.Fault) *section {
	s := &section{ID: "faults", Title: "Missing results"}
	t := table{ID: "table-faults", Title: "Results that are missing, damaged or out of date", All: "provenance.json",
		Note:    "The command computes the document again.",
		Columns: []column{{Name: "Document"}, {Name: "Condition"}, {Name: "File", Minor: true}, {Name: "Command"}}}
	var left, old []string
	for _, f := range faults {
		document := words.Shorten(f.Document, 80)
		t.Row(document, f.Condition, words.Shorten(f.File, 80), words.Shorten(f.Command, 300))
		into := &left
		if f.Condition == result.Changed {
			into = &old
		}
		if !slices.Contains(*into, document) {
			*into = append(*into, document)
		}
	}
	if n := int64(len(left)); n > 0 {
		s.find(Finding{ID: "faults", Urgent: 3, See: t.ID, Numbers: map[string]float64{"documents": float64(n)},
			Text: words.Of(n, "document is", "documents are") + " missing or damaged and left out of this report: " +
				words.List(left) + ".", Detail: "Their files were removed or changed after racecard wrote them."})
	}
	if n := int64(len(old)); n > 0 {
		s.find(Finding{ID: "faults-changed", Urgent: 3, See: t.ID, Numbers: map[string]float64{"documents": float64(n)},
			Text: words.Of(n, "document was", "documents were") + " computed before the store changed: " +
				words.List(old) + ".", Detail: "Other results in this report are of its later contents."})
	}
	s.Tables = append(s.Tables, t)
	return s
}
