package tablefile_test

import (
	"fmt"

	"racecard/datasets/remaining"
	"racecard/datasets/tablefile"
)

// A table is written and read as bytes; bytes that are not a valid table are refused.
func Example() {
	t := remaining.New(remaining.About{Job: "nightly-index", Method: remaining.Simulated}, []int32{1, 2})
	for cell := range t.Mean {
		left := (1 - remaining.Progress(cell%remaining.Steps)) * 100
		for q := range t.Quantiles {
			t.Quantiles[q][cell] = left
		}
		t.Mean[cell], t.Samples[cell] = left, 1
	}
	data, err := tablefile.Encode(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := tablefile.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.0f s at the start on 2 tokens\n", back.About.Job, back.Remaining(0, 2, 0.5))
	data[len(data)/2] ^= 1
	_, err = tablefile.Decode(data)
	fmt.Println("changed:", err)
	// Output:
	// nightly-index: 100 s at the start on 2 tokens
	// changed: damaged: the content does not match the checksum in it; build the table again
}
