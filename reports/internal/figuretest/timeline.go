package figuretest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// timeline runs an application on machines with a number of slots each and returns what happened, failures and
// speculation included. The run holds one token per slot once it has grown to that, in steps of the given size.
func timeline(r *rand.Rand, a *Application, machines, slots, step int) *result.Timeline {
	l := &result.Timeline{Header: result.Header{Available: true, Needs: []string{"tasks.start", "tasks.end"}},
		JobID: a.Name + "-007", Name: a.Name, Status: "succeeded", SubmitS: 0,
		Why: "the succeeded run whose completion time is the median of the job with most task-seconds"}
	free := lists.Indexed(machines*slots, func(i int) float64 { return 1.5 + 0.8*float64(i/step) })
	stageEnd := make([]float64, len(a.Stages))
	for i, s := range a.Stages {
		ready := 1.5
		for _, p := range append(append([]int(nil), s.Parents...), s.After) {
			if p >= 0 {
				ready = max(ready, stageEnd[p]+0.1)
			}
		}
		stageEnd[i] = runStage(r, l, i, s, ready, free, slots)
	}
	for _, e := range stageEnd {
		l.EndS = max(l.EndS, result.Number(e+0.4))
	}
	describe(l, a)
	for i := 0; i < len(free); i += step {
		l.Allocations = append(l.Allocations, result.TimelineChange{AtS: 1.5 + 0.8*float64(i/step),
			Tokens: int64(min(len(free), i+step))})
	}
	l.Allocations = append(l.Allocations, result.TimelineChange{AtS: float64(l.EndS), Tokens: 0})
	return l
}

// runStage runs the tasks of one stage that is ready at the given instant and returns when its last task succeeded.
// free holds when each slot is next free.
func runStage(r *rand.Rand, l *result.Timeline, stage int, s Stage, ready float64, free []float64, slots int) float64 {
	var end float64
	place := func(task, attempt int, status string, seconds float64, speculative bool) {
		slot := 0
		for k := range free {
			if free[k] < free[slot] {
				slot = k
			}
		}
		start := max(ready, free[slot])
		free[slot] = start + seconds
		l.Attempts = append(l.Attempts, result.TimelineBar{Stage: stage, Task: task, Attempt: attempt, QueuedS: ready,
			StartS: start, EndS: start + seconds, Status: status, Speculative: speculative,
			Machine: fmt.Sprintf("host-%d", slot/slots+1)})
		if status == "succeeded" {
			end = max(end, start+seconds)
		}
	}
	for task := range s.Tasks {
		seconds := s.Seconds * math.Exp(0.35*r.NormFloat64())
		attempt := 0
		if r.Float64() < 0.03 {
			place(task, 0, "failed", seconds*r.Float64(), false)
			attempt = 1
		}
		if seconds > 1.9*s.Seconds && r.Float64() < 0.6 {
			place(task, attempt, "killed", 1.6*s.Seconds, false)
			place(task, attempt+1, "succeeded", s.Seconds, true)
			continue
		}
		place(task, attempt, "succeeded", seconds, false)
	}
	return end
}

// describe fills l.Stages from l.Attempts.
func describe(l *result.Timeline, a *Application) {
	for i, s := range a.Stages {
		out := result.TimelineStage{Name: s.Name, Tasks: int64(s.Tasks), FirstS: result.Number(math.Inf(1))}
		var times []float64
		for _, b := range l.Attempts {
			if b.Stage != i {
				continue
			}
			out.Attempts++
			out.FirstS, out.LastS = min(out.FirstS, result.Number(b.StartS)), max(out.LastS, result.Number(b.EndS))
			if b.Status == "succeeded" {
				times = append(times, b.EndS-b.StartS)
			} else {
				out.Failed++
			}
		}
		sort.Float64s(times)
		out.MedianS, out.MaxS = result.Number(summarise(times).P50), result.Number(summarise(times).Max)
		l.Stages = append(l.Stages, out)
	}
}
