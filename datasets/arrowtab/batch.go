package arrowtab

import (
	"iter"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Batch holds rows of the canonical tables as columns. A table that was not asked for has no columns, and of one that was only
// those that were asked for.
type Batch struct {
	tables [NumTables][]parquetio.Column
}

// SetColumns gives the batch the rows of a table. All columns must have the same length; they are not copied.
func (b *Batch) SetColumns(t Table, columns []parquetio.Column) { b.tables[t] = columns }

// runsAtOnce is how many rows of the jobs table are filled before their runs are yielded.
const runsAtOnce = 128

// Runs yields the runs of the batch in the order of the jobs table. Every other table must hold the rows of the same runs
// in the same order. Columns that the batch lacks are null in the runs. A yielded run, with all it points to, is valid
// until the next one.
func (b *Batch) Runs() iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
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
			run := &rows[k]
			run.ID = jobs.job(i)
			room.Stages = stages.take(run.ID, room.Stages)
			room.Edges = edges.take(run.ID, room.Edges)
			room.Attempts = tasks.take(run.ID, room.Attempts)
			room.Allocations = allocations.take(run.ID, room.Allocations)
			room.IO = io.take(run.ID, room.IO)
			run.Stages, run.Edges, run.Attempts, run.Allocations, run.IO = room.Stages, room.Edges, room.Attempts, room.Allocations, room.IO
			if !yield(run, nil) {
				return
			}
		}
		for _, err := range []error{stages.done(), edges.done(), tasks.done(), allocations.done(), io.done()} {
			if err != nil {
				yield(nil, err)
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
