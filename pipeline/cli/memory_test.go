package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
)

// TestPassesDoNotMatter analyses the sample in one pass, and with memory for one analysis at a time.
func TestPassesDoNotMatter(t *testing.T) {
	s, err := store.Open(os.DirFS(sampleStore(t)))
	if err != nil {
		t.Fatal(err)
	}
	analyze := func(memory int64) map[string]any {
		done, of := 0, 0
		docs, err := local.Analyze(t.Context(), s, stage.Analyses(stage.DefaultOptions()),
			local.Options{Workers: 2, Memory: memory,
				Progress: func(d, n int, _ string) { done, of = d, n }})
		if err != nil {
			t.Fatal(err)
		}
		if passes := of / s.Parts(); done != of || (passes > 1) != (memory == 1) {
			t.Errorf("%d of %d parts are done, of %d passes, with %d bytes", done, of, passes, memory)
		}
		all := map[string]any{}
		for _, d := range docs {
			all[d.Analysis()] = []any{result.Form(d), fmt.Sprint(d.Table())}
		}
		return all
	}
	one, many := analyze(0), analyze(1)
	for name, want := range one {
		if got := inJSON(t, many[name]); got != inJSON(t, want) {
			t.Errorf("%s: many passes give another result", name)
		}
	}
}

func inJSON(t *testing.T, x any) string {
	t.Helper()
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
