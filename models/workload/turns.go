package workload

import (
	"cmp"
	"slices"

	"racecard/datasets/trace"
)

// TakeTurns shortens the tasks of the stages of basis [StageTime] where the run held fewer tokens than it had tasks at
// once. of are the stages of the run. At any instant the tasks of the stages that ran took turns, in as few waves as
// the tokens allow: on the same tokens the stages take as long again. TakeTurns returns the most tasks
// that ran at once, 0 where no stage has that basis. Time O(n log n) for n stages.
func TakeTurns(run *trace.Run, of []Stage) (most int64) {
	if !slices.ContainsFunc(of, func(s Stage) bool { return s.Basis == StageTime }) {
		return 0
	}
	type change struct {
		at    trace.Instant
		stage int
		tasks int64 // negative at the end of a stage
	}
	var changes []change
	for v := range of {
		st := &run.Stages[v]
		if d := st.End.Since(st.Start); d < 0 || of[v].Tasks <= 0 {
			continue
		}
		changes = append(changes, change{st.Start, v, of[v].Tasks}, change{st.End, v, -of[v].Tasks})
		most = max(most, of[v].Tasks) // also where the stage took no time
	}
	// Of one instant ends come first. A stage that took no time starts after it has ended, and shares no stretch.
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tasks, b.tasks), cmp.Compare(a.stage, b.stage))
	})
	tokens := int64(0)
	if run.Guaranteed > 0 || len(run.Allocations) > 0 {
		tokens = run.Held().Most
	}
	// passed is the time in which a task that takes turns from the first change on has held a token.
	since, passed := make([]float64, len(of)), 0.0
	now := int64(0)
	for i, c := range changes {
		if i > 0 && now > 0 {
			waves := int64(1)
			if tokens > 0 {
				waves = (now + tokens - 1) / tokens
			}
			passed += float64(c.at-changes[i-1].at) / float64(max(1, waves))
		}
		now += c.tasks
		most = max(most, now)
		s := &of[c.stage]
		if c.tasks > 0 {
			since[c.stage] = passed
		} else if s.Basis == StageTime && tokens > 0 && s.Mean > 0 {
			s.Mean = min(s.Mean, max(1, int64(passed-since[c.stage]+0.5)))
			s.Durations[0] = s.Mean
		}
	}
	return most
}
