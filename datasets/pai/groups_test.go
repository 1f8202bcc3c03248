package pai

import (
	"slices"
	"testing"
)

// A unit of the second wave finds the first tag of an inst_id in the order of the processes, and refuses tags that are
// out of order.
func TestGroupsOfProcesses(t *testing.T) {
	var forms []groupsForm
	for _, tags := range [][2]string{{"a", "one"}, {"b", "two"}, {"a", "three"}, {"c", "four"}} {
		g := newGroups()
		g.add([]byte(tags[0]), []byte(tags[1]))
		g.add([]byte("all"), []byte(tags[1]))
		forms = append(forms, g.form())
	}
	all := newGroups()
	for _, f := range forms {
		if !all.merge(f) {
			t.Fatalf("%v is not merged", f)
		}
	}
	for id, want := range map[string]string{"a": "one", "b": "two", "c": "four", "all": "one", "d": ""} {
		if got := all.of([]byte(id)); got != want {
			t.Errorf("tag of %s: %q, want %q", id, got, want)
		}
	}
	bad := forms[0]
	half := len(bad.Keys) / 2
	bad.Keys = slices.Concat(bad.Keys[half:], bad.Keys[:half])
	if all.merge(bad) || all.merge(groupsForm{Names: []string{"x"}, Keys: make([]byte, len(hash{})), Tags: []int32{1}}) {
		t.Error("damaged tags are merged")
	}
}
