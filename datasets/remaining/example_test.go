package remaining_test

import (
	"fmt"

	"racecard/datasets/remaining"
)

// A table says how long a run still takes, by its progress and its tokens. Here the median is (1-p) x 100 s / tokens.
func ExampleTable() {
	t := remaining.New(remaining.About{Job: "nightly-index", Method: remaining.Simulated}, []int32{1, 2, 4})
	for k, tokens := range t.Allocations {
		for i := range remaining.Steps {
			cell := k*remaining.Steps + i
			median := (1 - remaining.Progress(i)) * 100 / float64(tokens)
			for q := range t.Quantiles { // from half to one and a half times the median
				t.Quantiles[q][cell] = median * (0.5 + float64(q)/100)
			}
			t.Mean[cell], t.Samples[cell] = median, 100
		}
	}
	if err := t.Verify(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p50 at the start on 4 tokens: %.1f s\n", t.Remaining(0, 4, 0.5))
	fmt.Printf("p95 halfway on 2 tokens: %.2f s\n", t.Remaining(0.5, 2, 0.95))
	at := t.At(0.5, 3) // between two allocations of the grid
	fmt.Printf("p50 halfway on 3 tokens: %.2f s, off the grid: %v\n", at.Quantile(0.5), at.OffGrid)
	// Output:
	// p50 at the start on 4 tokens: 25.0 s
	// p95 halfway on 2 tokens: 36.25 s
	// p50 halfway on 3 tokens: 18.75 s, off the grid: true
}
