package live_test

import (
	"fmt"
	"io/fs"
	"testing"

	"racecard/pipeline/internal/livetest"
	"racecard/pipeline/live"
)

// folder opens a folder of one synthetic table; a scheduler calls live.Open with the path of its own.
func folder() *live.Tables {
	files := livetest.Files(&testing.T{}, nil, livetest.Table("nightly-index", 1, 1, 2, 4, 8))
	t, err := live.OpenFS(func() (fs.FS, error) { return files, nil })
	if err != nil {
		panic(err)
	}
	return t
}

// A look-up of the remaining time, which neither locks nor allocates.
func ExampleTable_Remaining() {
	tables := folder()
	t := tables.Current().Table("nightly-index")
	fmt.Printf("%.1f s with 4 tokens, %.1f s with 6\n", t.Remaining(0.5, 4, 0.9), t.Remaining(0.5, 6, 0.9))
	// Output: 17.5 s with 4 tokens, 13.1 s with 6
}

// A run with a deadline of 80 s is observed three times. It is twice as slow as runs before it, and gets more tokens.
func ExampleRun_Decide() {
	run, err := folder().Current().Table("nightly-index").NewRun(live.Goal{DeadlineS: 80, MaxTokens: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seen := range []struct {
		nowS float64
		done []float64
	}{{0, []float64{0, 0}}, {20, []float64{0.2, 0}}, {40, []float64{0.5, 0}}} {
		d := run.Decide(live.Observation{NowS: seen.nowS, Held: 2, Done: seen.done})
		fmt.Printf("%2.0f s: progress %.2f, request %d tokens; ends at %.0f to %.0f s, risk %.0f%%\n",
			d.NowS, d.Progress, d.Tokens, d.EarlyS, d.LateS, 100*d.Risk)
	}
	// Output:
	//  0 s: progress 0.00, request 2 tokens; ends at 30 to 70 s, risk 0%
	// 20 s: progress 0.12, request 3 tokens; ends at 46 to 82 s, risk 14%
	// 40 s: progress 0.30, request 7 tokens; ends at 82 to 138 s, risk 93%
}
