package anatomy

import (
	"slices"
	"testing"

	"racecard/datasets/result"
)

// Stages of one line of the program are one part, unless one took longer and the other less long, or no line is known.
func TestPartsByLine(t *testing.T) {
	part := func(what, stage string, seconds float64) result.CausePart {
		return result.CausePart{What: what, Stage: stage, Seconds: seconds}
	}
	got := byLine([]result.CausePart{
		part("stage", "distinct at /a.py:7", 3), part("stage", "groupByKey at /a.py:7", 2),
		part("stage", "sum at /a.py:7", -1), part("skew", "sum at /a.py:7", 1), part("stage", "map at /a.py:7", 1),
		part("cores", "", 5), part("stage", "count at Native.java:0", 1), part("stage", "save at Native.java:0", 1),
	})
	want := []result.CausePart{
		part("stage", "distinct, groupByKey, map at /a.py:7", 6), part("stage", "sum at /a.py:7", -1),
		part("skew", "sum at /a.py:7", 1), part("cores", "", 5),
		part("stage", "count at Native.java:0", 1), part("stage", "save at Native.java:0", 1),
	}
	want[0].Stages = []string{"distinct at /a.py:7", "groupByKey at /a.py:7", "map at /a.py:7"}
	same := func(a, b result.CausePart) bool {
		return a.What == b.What && a.Stage == b.Stage && a.Seconds == b.Seconds && slices.Equal(a.Stages, b.Stages)
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
}

// A part of several stages has the tasks of all of them, and none where those of one are not known.
func TestTasksOfPartsByLine(t *testing.T) {
	part := func(stage string, usual, here float64) result.CausePart {
		p := result.CausePart{What: "stage", Stage: stage, Seconds: 1}
		if usual > 0 {
			p.Usual, p.Here = &usual, &here
		}
		return p
	}
	got := byLine([]result.CausePart{part("map at /a.py:7", 4, 6), part("sum at /a.py:7", 1, 3),
		part("map at /b.py:7", 4, 6), part("sum at /b.py:7", 0, 0)})
	if len(got) != 2 || got[0].Usual == nil || *got[0].Usual != 5 || *got[0].Here != 9 || got[1].Usual != nil ||
		got[1].Here != nil {
		t.Errorf("%+v", got)
	}
}
