package sim_test

import (
	"fmt"

	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
)

// Four tasks of 10 s, then one of 5 s that waits for all of them, on 1, 2 and 4 tokens.
func Example() {
	const second = 1_000_000
	ten, err := sim.Constant(10 * second)
	if err != nil {
		fmt.Println(err)
		return
	}
	five, err := sim.Constant(5 * second)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := sim.Compile(sim.Plan{
		Stages: []sim.Stage{{Tasks: 4, Duration: ten}, {Tasks: 1, Duration: five}},
		Edges:  []sim.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := sim.NewRunner(plan)
	for _, tokens := range []int32{1, 2, 4} {
		got, err := r.Run(&sim.Options{Allocation: []sim.Step{{At: 0, Tokens: tokens}}}, seed.Stream(1, "example", 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d tokens: %d s\n", tokens, got.End/second)
	}
	// Output:
	// 1 tokens: 45 s
	// 2 tokens: 25 s
	// 4 tokens: 15 s
}
