package replay_test

import (
	"context"
	"fmt"

	"racecard/datasets/trace"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// lastFirst starts tasks of the job that arrived last, as long as there is room.
type lastFirst struct{}

// Schedule implements [replay.Scheduler].
func (lastFirst) Schedule(s *replay.State) {
	for i := int32(s.Arrived()) - 1; i >= 0; i-- {
		j := s.Job(i)
		if j == nil { // has ended
			continue
		}
		for len(j.Ready) > 0 && s.Place(j, j.Ready[0], true) {
		}
	}
}

// two jobs of four tasks of 10 s on two cores; the second arrives after 5 s.
func twoJobs() []*jobs.Job {
	const second = 1_000_000
	core := trace.NoDemand()
	core[trace.CPU] = 1
	stage := jobs.Stage{Tasks: 4, Durations: []int64{10 * second}, Estimate: 10 * second, Demand: core, Seen: core}
	return []*jobs.Job{{ID: "first", Stages: []jobs.Stage{stage}}, {ID: "second", Arrival: 5 * second,
		Stages: []jobs.Stage{stage}}}
}

// A scheduler is a value with one method. This one and first come, first served run the same jobs on a machine of two
// cores.
func ExampleRun() {
	cores := trace.NoDemand()
	cores[trace.CPU] = 2
	machines, err := replay.NewMachines([]trace.Demand{cores})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range []struct {
		name      string
		scheduler replay.Scheduler
	}{{"first come, first served", policy.FIFO()}, {"last come, first served", lastFirst{}}} {
		all := twoJobs()
		got, err := replay.Run(context.Background(), all, machines, run.scheduler, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s:", run.name)
		for i, j := range all {
			fmt.Printf(" %s ends at %d s", j.ID, got.Finished[i]/1_000_000)
		}
		fmt.Println()
	}
	// Output:
	// first come, first served: first ends at 20 s second ends at 40 s
	// last come, first served: first ends at 40 s second ends at 30 s
}
