package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// Four tasks of 1, 1, 1 and 5 s, then two of 2 s: on one token 12 s. The run says nothing of a driver.
func TestWhatIf(t *testing.T) {
	s := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"start_s":0,"end_s":8,"stages":[{"durations_s":[1,1,1,5]},{"durations_s":[2,2],"parents":[0]}]}`)
	out := filepath.Join(t.TempDir(), "w")
	status, stdout, stderr := call(t, "whatif", s, "--run", "r", "--allocations", "1,4", "--json", "--out", out)
	var doc result.WhatIf
	if err := json.Unmarshal([]byte(stdout), &doc); status != ExitDone || err != nil {
		t.Fatalf("status %d, %v\n%s", status, err, stderr)
	}
	if len(doc.Points) != 2 || doc.Points[0].TimeS != 12 || doc.Points[1].TimeS != 7 || doc.Points[1].SkewS != 3 ||
		doc.Recommended.Tokens != 4 {
		t.Errorf("got %+v", doc)
	}
	if file, err := os.ReadFile(filepath.Join(out, "whatif.json")); err != nil ||
		!strings.Contains(string(file), `"recommended"`) {
		t.Errorf("file %s, %v", file, err)
	}
	if status, stdout, _ := call(t, "whatif", s, "--run", "r"); status != ExitDone ||
		!strings.Contains(stdout, "within 10% of the shortest on the numbers of tokens tried") ||
		!strings.Contains(stdout, " (recommended) ") || !strings.Contains(stdout, "token-seconds: ") {
		t.Errorf("status %d, %s", status, stdout)
	}
	s = importJSONL(t, `{"id":"r","submit_s":0,"start_s":0,"end_s":20,"guaranteed":40,"stages":[{"tasks":80,"duration_s":10}]}`)
	if status, stdout, _ := call(t, "whatif", s, "--run", "r"); status != ExitDone ||
		!strings.Contains(stdout, "It took 20 s on up to 40 tokens; simulated so, 20 s.") {
		t.Errorf("status %d, %s", status, stdout)
	}
	for want, args := range map[string][]string{
		"want --run ID": {"whatif", s}, `no run "q"; the nearest names are r`: {"whatif", s, "--run", "q"},
		"want ascending": {"whatif", s, "--run", "r", "--allocations", "4,1"},
	} {
		if status, _, stderr := call(t, args...); status == ExitDone || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %q, want %q", args, status, stderr, want)
		}
	}
}
