package indexed

import (
	"slices"
	"testing"
)

func TestJoin(t *testing.T) {
	type entry struct{ job, from string }
	before := []entry{{"a", "old"}, {"c", "old"}, {"d", "old"}}
	all, kept := Join([]entry{{"d", "new"}, {"b", "new"}}, before, func(e entry) string { return e.job })
	if want := []entry{{"a", "old"}, {"b", "new"}, {"c", "old"}, {"d", "new"}}; !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	if want := []entry{{"a", "old"}, {"c", "old"}}; !slices.Equal(kept, want) || before[2].from != "old" {
		t.Errorf("kept %v of %v, want %v", kept, before, want)
	}
}
