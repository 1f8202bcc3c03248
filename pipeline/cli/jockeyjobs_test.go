package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// The newer runs of a store are executed on the tokens that policies ask for; without a store, or without enough runs,
// it is said why there are none.
func TestRecordedWorld(t *testing.T) {
	t.Parallel()
	if status, _, stderr := call(t, "simulate", "jockey", "--world", "recorded"); status != ExitUsage ||
		!strings.Contains(stderr, "none was named") {
		t.Errorf("without a store: exit status %d, %s", status, stderr)
	}
	lone := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+
		"\n")
	bare := importJSONL(t, `{"id":"r","name":"a","submit_s":0,"end_s":9}`+"\n")
	if status, _, stderr := call(t, "simulate", "jockey", bare, "--job", "a"); status != ExitFailed ||
		!strings.Contains(stderr, "0 did not succeed, 1 has no stages") {
		t.Errorf("a run without stages: status %d, %s", status, stderr)
	}
	if status, _, stderr := call(t, "simulate", "jockey", lone, "--world", "recorded"); status != ExitFailed ||
		!strings.Contains(stderr, "no job has 10 runs") {
		t.Errorf("of one run: exit status %d, %s", status, stderr)
	}
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	status, stdout, stderr := call(t, "simulate", "jockey", sampleStore(t), "--world", "recorded", "--deadline", "2x",
		"--replicates", "2", "--bound", "0", "--json")
	var got result.Jockey
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
		t.Fatal(status, err, stderr)
	}
	loop, constant, all := got.Policies["jockey"], got.Policies["no-adaptation"], got.Policies["max-allocation"]
	if got.World != "recorded" || len(got.Jobs) != 4 || loop.Runs != 72 {
		t.Errorf("world %q, %d jobs, %d runs", got.World, len(got.Jobs), loop.Runs)
	}
	// On the machine of the sample, which has two cores, more than two tokens make runs longer: all tokens miss nearly
	// every deadline. The loop must not add any then, nor miss more than an allocation that is never changed.
	if loop.Missed > constant.Missed || loop.Missed > 9 || loop.Allocation.Mean > 4 || all.Missed < 60 {
		t.Errorf("missed: the loop %d with %.1f tokens, a constant allocation %d, all tokens %d", loop.Missed,
			loop.Allocation.Mean, constant.Missed, all.Missed)
	}
}
