// Package workload says which tasks a recorded stage has and how long each takes. Every simulator that runs recorded tasks asks it,
// so that they agree about the work of a run.
//
// The tasks of a stage are as many as the trace states; where it states no number, those of which it has an attempt of known
// duration. Then, for each:
//
//   - A task takes as long as its attempt that succeeded, the first of several. Copies of a slow task are attempts of it, not
//     tasks.
//   - If none succeeded, it takes as long as its longest attempt.
//   - If no attempt of it has a known duration, it takes the mean of the tasks of its stage that have one. [Tasks] counts these.
//
// A stage in which no attempt has a known duration has no tasks by this rule: what stands for them (a stated mean, the time of the
// stage, a draw) is the caller's choice, to be counted and said.
package workload

import (
	"math"

	"racecard/datasets/trace"
)

// MaxTasks bounds the tasks of one run in simulators.
const MaxTasks = 1 << 26

// Tasks is how long the tasks of a stage take.
type Tasks struct {
	Durations []int64 // microseconds, by task
	Known     int64   // tasks with an attempt of known duration; where it is 0 there are no Durations
	Mean      int64   // of these tasks
	Filled    int64   // tasks that take Mean
}

// Of returns the tasks of a stage. attempts are those of the stage, in the order of [trace.Run]. Durations above most count as
// unknown, attempts of tasks beyond the stated number not at all. Durations are appended to room, which may be nil. Time
// O(tasks + attempts).
func Of(stage *trace.Stage, attempts []trace.Attempt, most int64, room []int64) Tasks {
	var t Tasks
	first := len(room)
	sum := 0.0
	for i := 0; i < len(attempts); {
		task := attempts[i].Task
		took, succeeded := int64(trace.None), false
		for ; i < len(attempts) && attempts[i].Task == task; i++ {
			a := &attempts[i]
			x := int64(a.Duration)
			if !a.Duration.Known() || x > most || succeeded {
				continue
			}
			if succeeded = a.Status == trace.Succeeded; succeeded {
				took = x
			} else {
				took = max(took, x) // None is below all
			}
		}
		if took == trace.None || stage.Tasks != trace.None && int64(task) >= stage.Tasks {
			continue
		}
		for stage.Tasks != trace.None && int64(len(room)-first) < int64(task) {
			room = append(room, trace.None)
		}
		room = append(room, took)
		t.Known++
		sum += float64(took)
	}
	if t.Known == 0 {
		t.Durations = room[:first]
		return t
	}
	for stage.Tasks != trace.None && int64(len(room)-first) < stage.Tasks {
		room = append(room, trace.None)
	}
	t.Mean = int64(math.Round(sum / float64(t.Known)))
	for i, x := range room[first:] {
		if x == trace.None {
			room[first+i] = t.Mean
			t.Filled++
		}
	}
	t.Durations = room
	return t
}
