package profile

import "racecard/datasets/trace"

// bounds returns the critical path and the work of a run, in microseconds. No run whose tasks take no less takes less
// than its path on any number of tokens, nor than its work over that number. The path is the longest through its
// stages, with the driver before, between and after them. A stage weighs the longest of its tasks, and work is their
// sum, each by the shortest of its attempts that succeeded. Both are [trace.None] where no run time of a task is known,
// and of a run that is one program on all of its tokens: on more it may take less time.
func (o *observed) bounds(run *trace.Run, byStage [][]trace.Attempt, delays []int64) (path, work int64) {
	if run.TokensPerAttempt() > 1 {
		return trace.None, trace.None
	}
	start, end := make([]int64, len(byStage)), make([]int64, len(byStage))
	least := make([]int64, len(byStage)) // that a task of the stage took
	longest, e := int64(0), 0
	for v := range byStage { // in topological order, edges by child
		short, long, sum := taskTimes(byStage[v])
		least[v], work = short, work+sum
		for ; e < len(run.Edges) && int(run.Edges[e].Child) == v; e++ {
			p := run.Edges[e].Parent
			if run.Edges[e].Kind == trace.OneToOne { // a task follows that of the parent with its number
				start[v] = max(start[v], start[p]+least[p])
				end[v] = max(end[v], end[p]+short)
			} else {
				start[v] = max(start[v], end[p])
			}
		}
		start[v] += max(0, delays[v])
		end[v] = max(end[v], start[v]+long)
		longest = max(longest, end[v])
	}
	if longest == 0 {
		return trace.None, trace.None
	}
	path = max(0, o.startUp) + longest + max(0, o.windDown)
	if o.completion != trace.None {
		path = min(path, o.completion)
	}
	return path, work
}

// taskTimes returns the least, the longest and the sum of the run times of a stage's tasks, where these are known.
// Attempts are sorted by task.
func taskTimes(attempts []trace.Attempt) (least, longest, sum int64) {
	tasks := 0
	for i := 0; i < len(attempts); {
		task, took := attempts[i].Task, int64(trace.None)
		for ; i < len(attempts) && attempts[i].Task == task; i++ {
			if a := &attempts[i]; counts(a) && (took == trace.None || int64(a.Duration) < took) {
				took = int64(a.Duration)
			}
		}
		if took == trace.None {
			continue
		}
		if tasks++; tasks == 1 || took < least {
			least = took
		}
		longest, sum = max(longest, took), sum+took
	}
	return least, longest, sum
}
