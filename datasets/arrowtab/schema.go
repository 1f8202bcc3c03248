// Package arrowtab holds the canonical tables in memory, column by column in the layout of Arrow, and converts them to
// and from [trace.Run]. It is the only package that imports Arrow.
//
// The tables are jobs, stages, edges, tasks, allocations and io, each with one column job_id that says which run a row
// belongs to, and machines. A [Builder] appends whole runs; a [Batch] yields whole runs, and Arrow records to whoever
// speaks Arrow. Text is dictionary-encoded and interned while it is appended.
package arrowtab

import (
	"fmt"

	"racecard/datasets/parquetio"
)

// Table names a canonical table.
type Table uint8

// The canonical tables. All but Machines hold rows of runs.
const (
	Jobs Table = iota
	Stages
	Edges
	Tasks
	Allocations
	IO
	NumRunTables // number of the tables above
	Machines     = NumRunTables
	NumTables    = Machines + 1
)

var tableNames = [NumTables]string{"jobs", "stages", "edges", "tasks", "allocations", "io", "machines"}

// String returns the table's name, which is also its directory in a store.
func (t Table) String() string {
	if t < NumTables {
		return tableNames[t]
	}
	return fmt.Sprintf("table(%d)", uint8(t))
}

// Tables returns all canonical tables in their order.
func Tables() []Table { return []Table{Jobs, Stages, Edges, Tasks, Allocations, IO, Machines} }

// Fields returns the columns of a table in their order.
func Fields(t Table) []parquetio.Field {
	var fields []parquetio.Field
	if t < NumRunTables {
		fields = append(fields, parquetio.Field{Name: "job_id", Kind: parquetio.String})
	}
	switch t {
	case Jobs:
		fields = appendFields(fields, jobColumns)
	case Stages:
		fields = appendFields(fields, stageColumns)
	case Edges:
		fields = appendFields(fields, edgeColumns)
	case Tasks:
		fields = appendFields(fields, taskColumns)
	case Allocations:
		fields = appendFields(fields, allocationColumns)
	case IO:
		fields = appendFields(fields, ioColumns)
	case Machines:
		fields = appendFields(fields, machineColumns)
	}
	return fields
}

func appendFields[T any](fields []parquetio.Field, columns []column[T]) []parquetio.Field {
	for _, c := range columns {
		fields = append(fields, parquetio.Field{Name: c.name, Kind: c.kind})
	}
	return fields
}
