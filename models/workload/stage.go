package workload

import (
	"math"

	"racecard/datasets/trace"
)

// Of returns the work of a stage, without its parents. attempts are the attempts of the stage, in the order of
// [trace.Run]. Durations are appended to room, which may be nil. Time O(tasks + attempts).
func Of(stage *trace.Stage, attempts []trace.Attempt, room []int64) Stage {
	s := Stage{Tasks: stage.Tasks, Mean: trace.None, Stated: trace.None, Basis: Unknown}
	if d, err := trace.DurationFromSeconds(stage.EstimateS); err == nil {
		s.Stated = min(int64(d), MaxDuration)
	}
	if stage.Tasks != trace.None && stage.Tasks > MaxTasks {
		return s // not simulated
	}
	if s.recorded(attempts, room); s.Basis == Recorded || s.Tasks == trace.None {
		return s
	}
	d := stage.End.Since(stage.Start)
	switch {
	case s.Stated != trace.None:
		s.Basis, s.Mean = Estimated, s.Stated
	case d >= 0 && d <= MaxDuration:
		s.Basis, s.Mean = StageTime, int64(d)
	default:
		return s
	}
	s.Durations = append(room, s.Mean)[len(room):]
	return s
}

// recorded sets the durations that attempts record.
func (s *Stage) recorded(attempts []trace.Attempt, room []int64) {
	first, known, sum, last := len(room), int64(0), 0.0, s.Tasks != trace.None
	for i := 0; i < len(attempts); {
		to := i + 1
		for to < len(attempts) && attempts[to].Task == attempts[i].Task {
			to++
		}
		of, task := attempts[i:to], int64(attempts[i].Task)
		i = to
		k := counting(of)
		if k < 0 || last && task >= s.Tasks {
			if !last {
				s.Dropped++
			}
			continue
		}
		for last && int64(len(room)-first) < task {
			room = append(room, trace.None)
		}
		s.retries(of, k, int32(len(room)-first))
		room = append(room, int64(of[k].Duration))
		known++
		sum += float64(of[k].Duration)
	}
	if known == 0 {
		return
	}
	for last && int64(len(room)-first) < s.Tasks {
		room = append(room, trace.None)
	}
	s.Durations, s.Basis = room[first:], Recorded
	s.Tasks, s.Mean = int64(len(s.Durations)), int64(math.Round(sum/float64(known)))
	if s.Filled = s.Tasks - known; s.Filled == 0 {
		return
	}
	for i, x := range s.Durations {
		if x == trace.None {
			s.Durations[i] = s.Mean
		}
	}
}

// counting returns the attempt of a task that counts: the first that succeeded, else the longest; -1 where no duration
// is known.
func counting(of []trace.Attempt) int {
	longest := -1
	for i := range of {
		switch {
		case !usable(&of[i]):
		case of[i].Status == trace.Succeeded:
			return i
		case longest < 0 || of[i].Duration > of[longest].Duration:
			longest = i
		}
	}
	return longest
}

// TaskOf returns, for every attempt of a stage, the position of its task in Durations; -1 where the task has none, of a
// copy, and of an attempt of unknown duration. stage and attempts are the arguments of [Of].
func (s *Stage) TaskOf(stage *trace.Stage, attempts []trace.Attempt) []int {
	of, next := make([]int, len(attempts)), 0
	for i := 0; i < len(attempts); {
		to := i + 1
		for to < len(attempts) && attempts[to].Task == attempts[i].Task {
			to++
		}
		k := int(attempts[i].Task)
		if stage.Tasks == trace.None {
			k = next
		}
		known := s.Basis == Recorded && k < len(s.Durations) && counting(attempts[i:to]) >= 0
		if known {
			next++
		}
		for ; i < to; i++ {
			if of[i] = -1; known && attempts[i].Duration.Known() && attempts[i].Speculative != trace.Yes {
				of[i] = k
			}
		}
	}
	return of
}

func usable(a *trace.Attempt) bool { return a.Duration.Known() && a.Duration <= MaxDuration }

// retries adds the attempts of a task other than the one that counts, except copies and attempts that a copy overtook.
func (s *Stage) retries(of []trace.Attempt, counts int, task int32) {
	overtaken := of[counts].Speculative == trace.Yes && of[counts].Status == trace.Succeeded
	for i := range of {
		a := &of[i]
		if i == counts || !usable(a) || a.Speculative == trace.Yes || overtaken && a.Status == trace.Killed {
			continue
		}
		s.Retries = append(s.Retries, Retry{task, int64(a.Duration), a.Status})
	}
}

// ByStage returns the attempts of a run, which are sorted by stage, stage by stage.
func ByStage(run *trace.Run) [][]trace.Attempt {
	of := make([][]trace.Attempt, len(run.Stages))
	all := run.Attempts
	for v := range of {
		n := 0
		for n < len(all) && int(all[n].Stage) == v {
			n++
		}
		of[v], all = all[:n], all[n:]
	}
	return of
}

// Edges returns one edge per pair of stages, in the order of edges. tasks is the number of tasks of a stage. Where
// edges differ in kind, or a one-to-one edge joins different numbers of tasks, every task of the child waits for all of
// the parent's.
func Edges(edges []trace.Edge, tasks func(stage int32) int64) []trace.Edge {
	out := make([]trace.Edge, 0, len(edges))
	at := make(map[[2]int32]int, len(edges))
	for _, e := range edges {
		if e.Kind == trace.OneToOne && tasks(e.Parent) != tasks(e.Child) {
			e.Kind = trace.AllToAll
		}
		pair := [2]int32{e.Parent, e.Child}
		if i, twice := at[pair]; !twice {
			at[pair] = len(out)
			out = append(out, e)
		} else if out[i].Kind != e.Kind {
			out[i].Kind = trace.AllToAll
		}
	}
	return out
}
