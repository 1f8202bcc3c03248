package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// The newer runs of a store are executed on the tokens that policies ask for; without a store, or without enough runs, it is said why
// there are none.
func TestRecordedWorld(t *testing.T) {
	t.Parallel()
	if status, _, stderr := call(t, "simulate", "jockey", "--world", "recorded"); status != ExitUsage || !strings.Contains(stderr, "none was named") {
		t.Errorf("without a store: exit status %d, %s", status, stderr)
	}
	lone := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+"\n")
	if status, _, stderr := call(t, "simulate", "jockey", lone, "--world", "recorded"); status != ExitFailed || !strings.Contains(stderr, "no job has 10 runs") {
		t.Errorf("of one run: exit status %d, %s", status, stderr)
	}
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	status, stdout, stderr := call(t, "simulate", "jockey", sampleStore(t), "--world", "recorded", "--job", "sales-rollup-2026-11-03", "--max-tokens", "8",
		"--deadline", "2x", "--replicates", "1", "--bound", "0", "--json")
	var got result.Jockey
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
		t.Fatal(status, err, stderr)
	}
	if got.World != "recorded" || len(got.Jobs) != 1 || got.Policies["jockey"].Runs != 9 {
		t.Errorf("world %q, %d jobs, %d runs", got.World, len(got.Jobs), got.Policies["jockey"].Runs)
	}
}
