package spark

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// buildAttempts fills the attempts of the run, whose stages are numbered by row, and the bytes that they moved.
func (a *app) buildAttempts(run *trace.Run) {
	compare := func(t, u *task) int {
		return cmp.Or(cmp.Compare(t.stage.id, u.stage.id), cmp.Compare(t.index, u.index),
			cmp.Compare(t.stage.attempt, u.stage.attempt), cmp.Compare(t.attempt, u.attempt), cmp.Compare(t.id, u.id))
	}
	a.numberPartitions()
	order := lists.Indexed(len(a.tasks), func(i int) *task { return &a.tasks[i] })
	slices.SortFunc(order, compare)
	run.Attempts = make([]trace.Attempt, 0, len(order))
	var sum volume
	for len(order) > 0 {
		first, n := order[0], 1
		for n < len(order) && order[n].stage.id == first.stage.id && order[n].index == first.index {
			n++
		}
		a.buildTask(run, order[:n])
		sum.add(order[:n])
		order = order[n:]
	}
	if a.measured {
		run.InputBytes, run.ShuffleBytes, run.OutputBytes = sum.input, sum.shuffle, sum.output
	}
}

// add adds what a task moved: of its attempts that succeeded, the last one counts. The output of one before was lost.
// Where the log names no partitions, attempts of several attempts of a stage may be of other tasks, and all count.
func (sum *volume) add(attempts []*task) {
	var counted *task
	for _, t := range slices.Backward(attempts) {
		if t.status != trace.Succeeded || counted != nil && (t.partition >= 0 || t.stage == counted.stage) {
			continue
		}
		counted = t
		sum.input = addBytes(sum.input, t.bytes.input)
		sum.shuffle = addBytes(sum.shuffle, t.bytes.shuffle)
		sum.output = addBytes(sum.output, t.bytes.output)
	}
}

// buildTask adds the attempts of one task, ordered by stage attempt and number. The numbers of a stage attempt
// continue the numbers of the previous one, and numbers that occur twice continue them, too.
func (a *app) buildTask(run *trace.Run, attempts []*task) {
	row := a.stages[attempts[0].stage.id].row
	var base, next int32
	var before *task // the latest attempt of the same stage attempt that is not speculative
	for i, t := range attempts {
		if i > 0 && attempts[i-1].stage != t.stage {
			base, before = next, nil
		}
		number := next
		if n := int64(base) + int64(t.attempt); n >= int64(next) && n <= maxNumber {
			number = int32(n)
		}
		next = number + 1

		at := trace.NewAttempt(row, t.index, number)
		at.Status, at.Speculative, at.Start, at.End, at.Machine = t.status, t.speculative, t.start, t.end, t.machine
		at.Reason = t.reason
		at.Duration = t.end.Since(t.start)
		at.Queued = a.queued(t, before)
		if t.measured {
			at.InputBytes, at.SpillBytes = addBytes(t.bytes.input, t.bytes.fetched), t.bytes.spilled
			if t.gc >= 0 && t.gc <= trace.MaxSeconds*1000 {
				at.GC = trace.Duration(t.gc * 1000)
			}
			if t.peakMem >= 0 {
				at.PeakMem = t.peakMem
			}
		}
		run.Attempts = append(run.Attempts, at)
		if t.speculative != trace.Yes {
			before = t
		}
	}
}

// queued returns when a task could have started, had there been a free slot: see the package comment.
func (a *app) queued(t, before *task) trace.Instant {
	at := trace.Instant(trace.None)
	switch {
	case t.speculative == trace.Yes:
	case before == nil && t.attempt == 0:
		at = a.attempts[t.stage].submit
	case before != nil && !before.redone && before.status != trace.Succeeded:
		at = before.end
	}
	if t.start.Known() && at > t.start {
		return trace.None
	}
	return at
}

// numberPartitions renumbers the tasks of retried stages by the number under which their partition was first
// seen, if the log names partitions. Spark numbers the tasks of each stage attempt from 0, and a retry repeats
// only the missing ones.
func (a *app) numberPartitions() {
	retried := map[int32][]*task{}
	for i := range a.tasks {
		if t := &a.tasks[i]; a.stages[t.stage.id].last > 0 {
			retried[t.stage.id] = append(retried[t.stage.id], t)
		}
	}
	for _, tasks := range retried {
		if slices.ContainsFunc(tasks, func(t *task) bool { return t.partition < 0 }) {
			continue
		}
		slices.SortFunc(tasks, func(t, u *task) int {
			return cmp.Or(cmp.Compare(t.stage.attempt, u.stage.attempt), cmp.Compare(t.index, u.index),
				cmp.Compare(t.id, u.id))
		})
		free := int32(0)
		for _, t := range tasks {
			free = max(free, t.index+1)
		}
		number, taken := map[int32]int32{}, map[int32]bool{}
		for _, t := range tasks {
			n, ok := number[t.partition]
			if !ok {
				if n = t.index; taken[n] {
					n = free
					free++
				}
				number[t.partition], taken[n] = n, true
			}
			t.index = n
		}
	}
}

// addBytes adds counts that are not negative; a sum beyond 63 bits stays at the largest.
func addBytes(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return 1<<63 - 1
}
