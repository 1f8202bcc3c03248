package borg

import (
	"math"
	"slices"

	"racecard/datasets/trace"
)

// use adds up what an attempt used, weighted by the length of the windows.
type use struct {
	sum, weight [2]float64 // of cpu and mem
}

func (u *use) add(which int, x, weight float64) {
	if !math.IsNaN(x) {
		u.sum[which] += x * weight
		u.weight[which] += weight
	}
}

// usage gives every window to the attempt of its task that it overlaps longest, and the attempts the means.
func (j *Job) usage() {
	if len(j.Windows) == 0 {
		return
	}
	attempts := j.Run.Attempts
	j.used = slices.Grow(j.used[:0], len(attempts))[:len(attempts)]
	clear(j.used)
	without := 0
	for i := range j.Windows {
		w := &j.Windows[i]
		number, _ := slices.BinarySearchFunc(j.found, w.Task, byIndex)
		from, _ := slices.BinarySearchFunc(attempts, int32(number), func(a trace.Attempt, task int32) int {
			return int(a.Task) - int(task)
		})
		if from == len(attempts) || attempts[from].Task != int32(number) {
			without++
			continue
		}
		if w.To <= w.From {
			j.tally.Repair(RepairWindow)
			continue
		}
		best, longest := -1, int64(0)
		for k := from; k < len(attempts) && attempts[k].Task == int32(number); k++ {
			if n := overlap(w, &attempts[k]); n > longest {
				best, longest = k, n
			}
		}
		if best < 0 {
			j.tally.Repair(RepairUsage)
			continue
		}
		j.used[best].add(0, w.CPU, float64(w.To-w.From))
		j.used[best].add(1, w.Mem, float64(w.To-w.From))
	}
	if without > 0 {
		j.tally.Warn(WarnUsageOnly, "job %s: %d rows of task_usage", j.Run.ID, without)
	}
	for i := range j.used {
		u := &j.used[i]
		attempts[i].Demand[trace.CPU], attempts[i].Demand[trace.Mem] = u.sum[0]/u.weight[0], u.sum[1]/u.weight[1]
	}
}

// overlap returns how long a window and an attempt overlap. An attempt with an unknown start or end reaches to
// the start or end of the trace.
func overlap(w *Window, a *trace.Attempt) int64 {
	from, to := w.From, w.To
	if a.Start.Known() {
		from = max(from, int64(a.Start))
	}
	if a.End.Known() {
		to = min(to, int64(a.End))
	}
	return to - from
}
