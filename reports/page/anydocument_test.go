package page

import (
	"testing"

	"racecard/datasets/result"
)

// Numbers, texts and Summaries come out, those of embedded and inner structs too; empty texts and the header do not.
func TestAnyTables(t *testing.T) {
	d := &result.CoV{}
	d.Recurring, d.CoV = 3, result.Summary{N: 2, Mean: 0.5}
	found := map[string][]string{}
	for _, table := range AnyTables(d) {
		for _, row := range table.Rows {
			found[row[0].Text] = []string{row[1].Text, row[len(row)-1].Text}
		}
	}
	if found["recurring"] == nil || found["recurring"][0] != "3" || found["cov"] == nil || found["cov"][0] != "2" ||
		found["available"] != nil {
		t.Errorf("%v", found)
	}
	w := &result.Waste{}
	w.HeldCoreH = 7
	found = map[string][]string{}
	for _, table := range AnyTables(w) {
		for _, row := range table.Rows {
			found[row[0].Text] = []string{row[1].Text}
		}
	}
	if found["held core h"] == nil || found["held core h"][0] != "7" || found["store"] != nil {
		t.Errorf("%v", found)
	}
}
