package arrowtab

import (
	"slices"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// jobs checks that runs do not end before they begin.
func (g *gate) jobs([]int32) error {
	if err := g.ordered("start", "end"); err != nil {
		return err
	}
	return g.ordered("submit", "end")
}

// ordered checks that one instant is not after another of the same row.
func (g *gate) ordered(first, second string) error {
	from, to := g.column(first), g.column(second)
	if from == nil || to == nil {
		return nil
	}
	for i, at := range to.Int64s {
		if at < from.Int64s[i] && !from.IsNull(i) && !to.IsNull(i) {
			return g.breach(second, i, "%d us is before its %s at %d us", at, first, from.Int64s[i])
		}
	}
	return nil
}

// stages checks that the stages of a run are numbered from 0 in the order of their rows.
func (g *gate) stages(ends []int32) error {
	if numbers := g.column("stage"); numbers != nil {
		i := 0
		for _, end := range ends {
			for from := i; i < int(end); i++ {
				if int(numbers.Int32s[i]) != i-from {
					return g.breach("stage", i, "%d, want %d: stages are numbered from 0 in the order of their rows",
						numbers.Int32s[i], i-from)
				}
			}
		}
	}
	return g.ordered("start", "end")
}

// sized calls do with the rows of each run of the table, and how many stages the run has.
func (g *gate) sized(stages []int32, do func(from, to, stages int) error) error {
	from, before := 0, 0
	for job, end := range g.batch.ends[g.table] {
		n := 0
		if job < len(stages) {
			n, before = int(stages[job])-before, int(stages[job])
		}
		if err := do(from, int(end), n); err != nil {
			return err
		}
		from = int(end)
	}
	return nil
}

// edges checks that edges join stages of their run, from lower numbers to higher ones, and are in order.
func (g *gate) edges(stages []int32) error {
	parents, children, kinds := g.column("parent"), g.column("child"), g.column("kind")
	if parents == nil || children == nil {
		return nil
	}
	kind := func(int) trace.EdgeKind { return trace.EdgeUnknown }
	if kinds != nil {
		codes := make([]trace.EdgeKind, len(kinds.Dict))
		for k, word := range kinds.Dict {
			codes[k], _ = trace.ParseEdgeKind(word)
		}
		kind = func(i int) trace.EdgeKind { return codes[kinds.Index[i]] }
	}
	return g.sized(stages, func(from, to, stages int) error {
		last := trace.Edge{Parent: -1, Child: -1}
		for i := from; i < to; i++ {
			e := trace.Edge{Parent: parents.Int32s[i], Child: children.Int32s[i], Kind: kind(i)}
			switch {
			case int(e.Child) >= stages:
				return g.breach("child", i, "stage %d, the run has %d, numbered from 0", e.Child, stages)
			case e.Parent >= e.Child:
				return g.breach("parent", i, "stage %d, its child is %d: stages are numbered so that parents come "+
					"first, and none waits for itself", e.Parent, e.Child)
			case trace.CompareEdges(last, e) >= 0:
				return g.breach("child", i, "%d after %d, of parents %d and %d: edges ascend by child, parent and "+
					"kind, and none is there twice", e.Child, last.Child, e.Parent, last.Parent)
			}
			last = e
		}
		return nil
	})
}

// tasks checks that attempts belong to stages of their run, are in order, and take the time from their start to their
// end.
func (g *gate) tasks(stages []int32) error {
	stage, task, attempt := g.column("stage"), g.column("task"), g.column("attempt")
	if stage != nil && task != nil && attempt != nil {
		err := g.sized(stages, func(from, to, stages int) error {
			lastStage, lastTask, lastAttempt := int32(-1), int32(0), int32(0)
			for i := from; i < to; i++ {
				s, k, n := stage.Int32s[i], task.Int32s[i], attempt.Int32s[i]
				if int(s) >= stages {
					return g.breach("stage", i, "stage %d, the run has %d, numbered from 0", s, stages)
				}
				if s < lastStage || s == lastStage && (k < lastTask || k == lastTask && n <= lastAttempt) {
					return g.breach("task", i, "stage %d, task %d, attempt %d after stage %d, task %d, attempt %d: "+
						"rows ascend by them, and none is there twice", s, k, n, lastStage, lastTask, lastAttempt)
				}
				lastStage, lastTask, lastAttempt = s, k, n
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return g.durations()
}

// durations checks that durations are those from start to end, where both are known.
func (g *gate) durations() error {
	start, end := g.column("start"), g.column("end")
	if start == nil || end == nil {
		return nil
	}
	if err := g.ordered("start", "end"); err != nil {
		return err
	}
	if !g.holds("duration") {
		return nil
	}
	duration := g.column("duration")
	for i, at := range end.Int64s {
		took, from := int64(0), start.Int64s[i]
		if duration != nil {
			took = duration.Int64s[i]
		}
		if at-from == took && duration != nil && duration.Valid == nil || start.IsNull(i) || end.IsNull(i) {
			continue
		}
		if duration == nil || duration.IsNull(i) {
			return g.breach("duration", i, "null, want end - start = %d us", at-from)
		}
		if took != at-from {
			return g.breach("duration", i, "%d us, want end - start = %d us", took, at-from)
		}
	}
	return nil
}

// holds reports whether a column is there, though all of it may be null.
func (g *gate) holds(name string) bool {
	return slices.ContainsFunc(g.batch.tables[g.table], func(c parquetio.Column) bool { return c.Name == name })
}

// allocations checks that changes of what a run holds are in the order of time; null comes first.
func (g *gate) allocations([]int32) error {
	at := g.column("at")
	if at == nil {
		return nil
	}
	when := func(i int) int64 {
		if at.IsNull(i) {
			return trace.None
		}
		return at.Int64s[i]
	}
	return g.sized(nil, func(from, to, _ int) error {
		for i := from + 1; i < to; i++ {
			if when(i) < when(i-1) {
				return g.breach("at", i, "%d us, before the row above", when(i))
			}
		}
		return nil
	})
}

// machines checks that machines do not leave before they come.
func (g *gate) machines([]int32) error { return g.ordered("from", "to") }
