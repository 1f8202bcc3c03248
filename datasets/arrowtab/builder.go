package arrowtab

import (
	"cmp"
	"slices"
	"unsafe"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Builder collects whole runs as rows of the canonical tables, column by column. A column without any value takes no
// room.
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
		tasks: newTableBuilder(taskColumns), allocations: newTableBuilder(allocationColumns),
		io: newTableBuilder(ioColumns),
	}
}

// Append adds the rows of one run. The run is not kept, nor is text that it points to.
func (b *Builder) Append(run *trace.Run) {
	for t := range NumRunTables {
		b.offsets[t] = append(b.offsets[t], b.Rows(t))
	}
	job := int32(len(b.ids))
	b.ids = append(room(b.ids, 1), b.jobs.arena.clone(run.ID))
	b.jobs.append(job, unsafe.Slice(run, 1))
	b.stages.append(job, run.Stages)
	b.edges.append(job, run.Edges)
	b.tasks.append(job, run.Attempts)
	b.allocations.append(job, run.Allocations)
	b.io.append(job, run.IO)
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
	t.append(0, machines)
	return t.done(nil)[1:]
}

// tableBuilder collects the rows of one table.
type tableBuilder[T any] struct {
	columns []column[T]
	rows    int
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

// append adds the rows of a job, column by column.
func (b *tableBuilder[T]) append(job int32, rows []T) {
	if len(rows) == 0 {
		return
	}
	jobs := extend(&b.jobs, len(rows))
	for i := range jobs {
		jobs[i] = job
	}
	for i := range b.columns {
		c, v := &b.columns[i], &b.values[i]
		fields := fields{unsafe.Add(unsafe.Pointer(unsafe.SliceData(rows)), c.at), unsafe.Sizeof(rows[0]), len(rows),
			b.rows}
		switch c.form {
		case formInt64:
			v.addInt64s(fields)
		case formNarrow:
			v.addNarrow(fields)
		case formInt32:
			v.addInt32s(fields)
		case formFloat:
			v.addFloats(fields)
		case formText:
			v.addTexts(fields, &b.arena)
		case formTri:
			v.addTris(fields)
		case formCode:
			v.addCodes(fields, c.code, &b.arena)
		case formPosition:
			v.addPositions(fields)
		}
	}
	b.rows += len(rows)
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
