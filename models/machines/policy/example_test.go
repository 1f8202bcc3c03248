package policy_test

import (
	"context"
	"fmt"

	"racecard/datasets/trace"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// fewestTasks serves the job that has the fewest tasks left.
func fewestTasks() *policy.List {
	return &policy.List{Order: policy.BreadthFirst, Key: func(_ *replay.State, j *replay.Job) float64 {
		left := 0.0
		for i := range j.Stages {
			left += float64(j.Stages[i].Left())
		}
		return left
	}}
}

// Most schedulers are a key by which a list serves jobs. A short job that comes last need not wait for a long one.
func ExampleList() {
	const second = 1_000_000
	core := trace.NoDemand()
	core[trace.CPU] = 1
	job := func(id string, tasks int32) *jobs.Job {
		return &jobs.Job{ID: id, Stages: []jobs.Stage{{Tasks: tasks, Durations: []int64{10 * second},
			Estimate: 10 * second, Demand: core, Seen: core}}}
	}
	all := []*jobs.Job{job("long", 8), job("short", 2)}
	machines, err := replay.NewMachines([]trace.Demand{core, core})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range []struct {
		name      string
		scheduler replay.Scheduler
	}{{"fifo", policy.FIFO()}, {"fewest tasks", fewestTasks()}} {
		got, err := replay.Run(context.Background(), all, machines, run.scheduler, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: long %d s, short %d s\n", run.name, got.Finished[0]/second, got.Finished[1]/second)
	}
	// Output:
	// fifo: long 40 s, short 50 s
	// fewest tasks: long 50 s, short 10 s
}
