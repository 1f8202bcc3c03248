package cli

import (
	"fmt"
	"strings"
	"testing"
)

// Dependencies worked by hand, through every layer: text, reader, store, analysis, JSON. Times in seconds.
//
//	load  0-600     of team in  writes log
//	clean 660-1200  of team in  reads log, writes table       gap 1 min
//	train 1500-3000 of team ads reads table                    gap 5 min
//	early 1000-1100 of team web reads table: clean has not ended, so the two overlap
//	apart 0-10      reads and writes nothing
//
// load is upstream of three runs in three teams, by a chain of two edges; clean of two in two.
func TestDependencyHandWorkedTrace(t *testing.T) {
	lines := `{"id":"load","group":"in","start_s":0,"end_s":600,"writes":["log"]}
{"id":"clean","group":"in","start_s":660,"end_s":1200,"reads":["log"],"writes":["table"]}
{"id":"train","group":"ads","start_s":1500,"end_s":3000,"reads":["table"]}
{"id":"early","group":"web","start_s":1000,"end_s":1100,"reads":["table"]}
{"id":"apart","start_s":0,"end_s":10}
`
	got := analyzeJSON(t, importJSONL(t, lines), "--only", "dependency")
	for _, c := range []struct {
		path string
		want float64
	}{
		{"dependency.jobs", 5}, {"dependency.share_with_dependency", 0.8}, {"dependency.overlapping", 1},
		{"dependency.gap_min.n", 2}, {"dependency.gap_min.min", 1}, {"dependency.gap_min.p50", 3},
		{"dependency.gap_min.max", 5},
		{"dependency.chain_length.n", 2}, {"dependency.chain_length.min", 1}, {"dependency.chain_length.max", 2},
		{"dependency.indirect_dependents.min", 2}, {"dependency.indirect_dependents.max", 3},
		{"dependency.dependent_groups.min", 2}, {"dependency.dependent_groups.max", 3},
	} {
		if x := dig(got, c.path); x < c.want-1e-9 || x > c.want+1e-9 {
			t.Errorf("%s is %v, want %v", c.path, x, c.want)
		}
	}
	if got["dependency"]["estimated"] != false {
		t.Errorf("estimated is %v", got["dependency"]["estimated"])
	}
}

// With too little memory numbers are estimates, the same with one reader of parts or several.
func TestDependencyEstimated(t *testing.T) {
	var lines strings.Builder
	for i := range 6000 { // a band: each run reads what the two runs wrote that lie 1 and 400 before it
		reads := ""
		if i >= 400 {
			reads = fmt.Sprintf(`"reads":["d%d","d%d"],`, i-1, i-400)
		}
		fmt.Fprintf(&lines, `{"id":"%d","start_s":%d,"end_s":%d,%s"writes":["d%d"]}`+"\n", i, i, i+1, reads, i)
	}
	store := importJSONL(t, lines.String())
	status, one, stderr := call(t, "analyze", "--json", "--only", "dependency", "--memory", "1MiB", "--workers", "1",
		store)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	if !strings.Contains(one, `"estimated": true`) || !strings.Contains(one, `"indirect_dependents": 0.0`) {
		t.Errorf("not estimated with 1 MiB, or no standard error: %.600s", one)
	}
	if _, many, _ := call(t, "analyze", "--json", "--only", "dependency", "--memory", "1MiB", "--workers", "5",
		store); many != one {
		t.Error("5 workers give another result")
	}
	if status, _, stderr := call(t, "analyze", "--memory", "few", store); status != ExitUsage ||
		!strings.Contains(stderr, "--memory") {
		t.Errorf("--memory few: exit status %d, %s", status, stderr)
	}
}
