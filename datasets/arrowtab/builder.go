package arrowtab

import (
	"cmp"
	"slices"
	"unsafe"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Builder collects whole runs as rows of the canonical tables, column by column. A column without any value takes no room.
type Builder struct {
	ids         []string
	offsets     [NumRunTables][]int // where each run's rows begin
	jobs        *tableBuilder[trace.Run]
	stages      *tableBuilder[trace.Stage]
	edges       *tableBuilder[trace.Edge]
	tasks       *tableBuilder[trace.Attempt]
	allocations *tableBuilder[trace.Allocation]
	io          *tableBuilder[trace.Access]
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{
		jobs: newTableBuilder(jobColumns), stages: newTableBuilder(stageColumns), edges: newTableBuilder(edgeColumns),
		tasks: newTableBuilder(taskColumns), allocations: newTableBuilder(allocationColumns), io: newTableBuilder(ioColumns),
	}
}

// Append adds the rows of one run. The run is not kept, nor is text that it points to.
func (b *Builder) Append(run *trace.Run) {
	for t := range NumRunTables {
		b.offsets[t] = append(b.offsets[t], b.Rows(t))
	}
	job := int32(len(b.ids))
	b.ids = append(b.ids, b.jobs.arena.clone(run.ID))
	b.jobs.append(job, run)
	for i := range run.Stages {
		b.stages.place = int32(i)
		b.stages.append(job, &run.Stages[i])
	}
	for i := range run.Edges {
		b.edges.append(job, &run.Edges[i])
	}
	for i := range run.Attempts {
		b.tasks.append(job, &run.Attempts[i])
	}
	for i := range run.Allocations {
		b.allocations.append(job, &run.Allocations[i])
	}
	for i := range run.IO {
		b.io.append(job, &run.IO[i])
	}
}

// Rows returns the number of rows of a table so far.
func (b *Builder) Rows(t Table) int {
	switch t {
	case Jobs:
		return b.jobs.rows
	case Stages:
		return b.stages.rows
	case Edges:
		return b.edges.rows
	case Tasks:
		return b.tasks.rows
	case Allocations:
		return b.allocations.rows
	case IO:
		return b.io.rows
	default:
		return 0
	}
}

// MaxRows returns the number of rows of the largest table so far.
func (b *Builder) MaxRows() int {
	n := 0
	for t := range NumRunTables {
		n = max(n, b.Rows(t))
	}
	return n
}

// Columns returns the columns of a table, valid until [Builder.Reset].
func (b *Builder) Columns(t Table) []parquetio.Column {
	switch t {
	case Jobs:
		return b.jobs.done(b.ids)
	case Stages:
		return b.stages.done(b.ids)
	case Edges:
		return b.edges.done(b.ids)
	case Tasks:
		return b.tasks.done(b.ids)
	case Allocations:
		return b.allocations.done(b.ids)
	case IO:
		return b.io.done(b.ids)
	default:
		return nil
	}
}

// Ranges returns, for every table, the ranges of rows that put the runs in ascending order of their ids (byte-wise).
func (b *Builder) Ranges() [NumRunTables][]parquetio.Range {
	order := make([]int, len(b.ids))
	for i := range order {
		order[i] = i
	}
	if !slices.IsSorted(b.ids) {
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.ids[x], b.ids[y]) })
	}
	var ranges [NumRunTables][]parquetio.Range
	for t := range NumRunTables {
		for _, run := range order {
			from, to := b.offsets[t][run], b.Rows(t)
			if run+1 < len(b.ids) {
				to = b.offsets[t][run+1]
			}
			if last := len(ranges[t]) - 1; last >= 0 && ranges[t][last].To == from {
				ranges[t][last].To = to
			} else if from < to {
				ranges[t] = append(ranges[t], parquetio.Range{From: from, To: to})
			}
		}
	}
	return ranges
}

// Reset empties the builder and keeps its room.
func (b *Builder) Reset() {
	clear(b.ids)
	b.ids = b.ids[:0]
	for t := range NumRunTables {
		b.offsets[t] = b.offsets[t][:0]
	}
	b.jobs.reset()
	b.stages.reset()
	b.edges.reset()
	b.tasks.reset()
	b.allocations.reset()
	b.io.reset()
}

// MachineColumns returns machines as the columns of their table.
func MachineColumns(machines []trace.Machine) []parquetio.Column {
	t := newTableBuilder(machineColumns)
	for i := range machines {
		t.append(0, &machines[i])
	}
	return t.done(nil)[1:]
}

// tableBuilder collects the rows of one table.
type tableBuilder[T any] struct {
	columns []column[T]
	rows    int
	place   int32 // of the row in its run, for columns that want it
	jobs    []int32
	values  []values
	arena   arena
}

func newTableBuilder[T any](columns []column[T]) *tableBuilder[T] {
	b := &tableBuilder[T]{columns: columns, values: make([]values, len(columns))}
	for i := range columns {
		b.values[i].kind = columns[i].kind
	}
	return b
}

func (b *tableBuilder[T]) append(job int32, row *T) {
	b.jobs = append(b.jobs, job)
	for i := range b.columns {
		c, v := &b.columns[i], &b.values[i]
		field := unsafe.Add(unsafe.Pointer(row), c.at)
		switch {
		case c.plain == plainFloat:
			if x := *(*float64)(field); x == x { // not NaN
				v.reach(b.rows)
				v.floats = append(v.floats, x)
			}
		case c.plain == plainInt64:
			if n := *(*int64)(field); n != trace.None {
				v.reach(b.rows)
				v.int64s = append(v.int64s, n)
			}
		case c.plain == plainInt32:
			v.reach(b.rows)
			v.int32s = append(v.int32s, *(*int32)(field))
		case c.plain == position:
			v.reach(b.rows)
			v.int32s = append(v.int32s, b.place)
		case c.kind == parquetio.String:
			if s := c.getText(row); s != "" {
				k := v.text.id(s, &b.arena)
				v.reach(b.rows)
				v.index = append(v.index, k)
			}
		case c.kind == parquetio.Float64:
			if x := c.getFloat(row); !isNull(x) {
				v.reach(b.rows)
				v.floats = append(v.floats, x)
			}
		default:
			if n := c.getInt(row); n != trace.None {
				v.reach(b.rows)
				v.int(n)
			}
		}
	}
	b.rows++
}

// done returns the columns; ids are the values behind the numbers of the job_id column.
func (b *tableBuilder[T]) done(ids []string) []parquetio.Column {
	columns := []parquetio.Column{{
		Field: parquetio.Field{Name: "job_id", Kind: parquetio.String}, Len: b.rows, Index: b.jobs, Dict: ids,
	}}
	for i := range b.columns {
		columns = append(columns, b.values[i].column(b.columns[i].name, b.rows))
	}
	return columns
}

func (b *tableBuilder[T]) reset() {
	b.rows, b.jobs = 0, b.jobs[:0]
	for i := range b.values {
		b.values[i].reset()
	}
	b.arena = arena{}
}
