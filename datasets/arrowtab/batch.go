package arrowtab

import (
	"iter"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Batch holds rows of the canonical tables as columns, which [NewBatch] has checked. A table that was not asked for has
// no columns, and of one that was only those that were asked for. The zero value holds no rows.
type Batch struct {
	tables [NumTables][]parquetio.Column
	ends   [NumRunTables][]int32 // behind the rows of each run; nil for the jobs table and for tables that are not held
	keep   []bool                // which runs are yielded; nil: all
}

// runsAtOnce is how many rows of the jobs table are filled before their runs are yielded.
const runsAtOnce = 128

// Runs yields the runs of the batch in the order of the jobs table. Each run passes [trace.Run.Validate] in the
// columns that the batch holds; other columns are null. A yielded run, with all it points to, is valid until the
// next one.
func (b *Batch) Runs() iter.Seq[*trace.Run] {
	return func(yield func(*trace.Run) bool) {
		jobs := newView(Jobs, b, jobColumns, *trace.NewRun(""))
		stages := newView(Stages, b, stageColumns, trace.NewStage())
		edges := newView(Edges, b, edgeColumns, trace.Edge{})
		tasks := newView(Tasks, b, taskColumns, trace.NewAttempt(0, 0, 0))
		allocations := newView(Allocations, b, allocationColumns, nullAllocation)
		io := newView(IO, b, ioColumns, nullAccess)
		rows := make([]trace.Run, min(jobs.rows, runsAtOnce))
		var room trace.Run // whose lists are used again
		for i := range jobs.rows {
			k := i % runsAtOnce
			if k == 0 {
				jobs.fill(i, rows[:min(len(rows), jobs.rows-i)])
			}
			if b.keep != nil && !b.keep[i] {
				continue
			}
			run := &rows[k]
			run.ID = jobs.ids.Text(i)
			room.Stages = stages.take(i, room.Stages)
			room.Edges = edges.take(i, room.Edges)
			room.Attempts = tasks.take(i, room.Attempts)
			room.Allocations = allocations.take(i, room.Allocations)
			room.IO = io.take(i, room.IO)
			run.Stages, run.Edges, run.Attempts, run.Allocations, run.IO = room.Stages, room.Edges, room.Attempts,
				room.Allocations, room.IO
			if !yield(run) {
				return
			}
		}
	}
}

// Machines returns the rows of the machines table.
func (b *Batch) Machines() []trace.Machine {
	v := newView(Machines, b, machineColumns, trace.NewMachine(""))
	machines := make([]trace.Machine, v.rows)
	v.fill(0, machines)
	return machines
}
