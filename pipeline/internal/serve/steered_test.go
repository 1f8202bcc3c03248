package serve

import (
	"strings"
	"testing"

	"racecard/pipeline/live"
)

// TestReplay: the policy of the run itself decides as it did, a later deadline wants less.
func TestReplay(t *testing.T) {
	var journal memory
	r := newRig(t, func(o *Options) { o.Journal = &journal })
	var decided []int
	for k := range 6 {
		decided = append(decided, r.decision(t, step("x", float64(10*k), k)).Tokens)
	}
	r.ask(t, "DELETE", "/v1/apps/x", "")
	r.decision(t, step("x", 0, 0)) // the name again: another run
	runs, broken, err := ReadRuns(strings.NewReader("{\n" + journal.String()))
	if err != nil || broken != 1 || len(runs) != 2 || len(runs[0].Records) != 6 || !runs[0].Ended || runs[1].Ended {
		t.Fatalf("%d runs, %d broken lines, %v", len(runs), broken, err)
	}
	tables, err := live.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	same, err := runs[0].Replay(tables.Current().Table("a"), live.Goal{})
	if err != nil {
		t.Fatal(err)
	}
	later, err := runs[0].Replay(tables.Current().Table("a"), live.Goal{DeadlineS: 800})
	if err != nil {
		t.Fatal(err)
	}
	for i := range decided {
		if same[i].Tokens != decided[i] || later[i].Tokens > decided[i] || later[i].Tokens != 1 {
			t.Errorf(
				"decision %d: %d tokens again and %d with ten times the deadline, decided were %d",
				i,
				same[i].Tokens,
				later[i].Tokens,
				decided[i],
			)
		}
	}
	s := runs[0].Steered("j")
	if s.LastS != 50 || s.DeadlineS != 80 || !s.Ended || len(s.Steps) != 6 || s.Steps[5].Held != 2 {
		t.Errorf("%+v", s)
	}
}
