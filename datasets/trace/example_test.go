package trace_test

import (
	"fmt"

	"racecard/datasets/trace"
)

// A run of two stages: three tasks, and one that waits for them. What is left out stays null.
func ExampleRun() {
	r := trace.NewRun("r7")
	r.Name, r.Status, r.Submit, r.End = "nightly-index", trace.Succeeded, 0, 9_000_000
	for _, name := range []string{"map", "sum"} {
		s := trace.NewStage()
		s.Name = name
		r.Stages = append(r.Stages, s)
	}
	r.Stages[0].Tasks, r.Stages[1].Tasks = 3, 1
	r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	for task := range int32(3) {
		a := trace.NewAttempt(0, task, 0)
		a.Status, a.Duration = trace.Succeeded, 2_000_000
		r.Attempts = append(r.Attempts, a)
	}
	fmt.Println(r.Validate())
	fmt.Printf("%s took %.0f s; input is known: %v\n", r.Name, r.Completion().Seconds(), r.InputBytes != trace.None)
	r.Edges[0].Child = 2
	fmt.Println(r.Validate())
	// Output:
	// <nil>
	// nightly-index took 9 s; input is known: false
	// run "r7": edge 0->2: no such stage
}
