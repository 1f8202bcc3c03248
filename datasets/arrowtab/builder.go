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
	rows        [NumRunTables]int
	offsets     [][NumRunTables]int // where each run's rows begin
	jobs        *tableBuilder[trace.Run]
	stages      *tableBuilder[trace.Stage]
	edges       *tableBuilder[trace.Edge]
	tasks       *tableBuilder[trace.Attempt]
	allocations *tableBuilder[trace.Allocation]
	io          *tableBuilder[trace.Access]
	tables      [NumRunTables]interface { // the same
		done(ids []string) []parquetio.Column
		reset()
	}
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	b := &Builder{
		jobs: newTableBuilder(jobColumns), stages: newTableBuilder(stageColumns), edges: newTableBuilder(edgeColumns),
		tasks: newTableBuilder(taskColumns), allocations: newTableBuilder(allocationColumns),
		io: newTableBuilder(ioColumns),
	}
	b.tables[Jobs], b.tables[Stages], b.tables[Edges] = b.jobs, b.stages, b.edges
	b.tables[Tasks], b.tables[Allocations], b.tables[IO] = b.tasks, b.allocations, b.io
	return b
}

// Append adds the rows of one run. The run is not kept, nor is text that it points to.
func (b *Builder) Append(run *trace.Run) {
	b.offsets = append(room(b.offsets, 1), b.rows)
	b.rows[Jobs]++
	b.rows[Stages] += len(run.Stages)
	b.rows[Edges] += len(run.Edges)
	b.rows[Tasks] += len(run.Attempts)
	b.rows[Allocations] += len(run.Allocations)
	b.rows[IO] += len(run.IO)
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
func (b *Builder) Rows(t Table) int { return b.rows[t] }

// MaxRows returns the number of rows of the largest table so far.
func (b *Builder) MaxRows() int { return slices.Max(b.rows[:]) }

// Columns returns the columns of a table, valid until [Builder.Reset].
func (b *Builder) Columns(t Table) []parquetio.Column {
	if t >= NumRunTables {
		return nil
	}
	return b.tables[t].done(b.ids)
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
			from, to := b.offsets[run][t], b.rows[t]
			if run+1 < len(b.ids) {
				to = b.offsets[run+1][t]
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
	b.ids, b.offsets, b.rows = b.ids[:0], b.offsets[:0], [NumRunTables]int{}
	for _, t := range b.tables {
		t.reset()
	}
}

// MachineColumns returns machines as the columns of their table.
func MachineColumns(machines []trace.Machine) []parquetio.Column {
	t := newTableBuilder(machineColumns)
	t.append(0, machines)
	return t.done(nil)[1:]
}

// tableBuilder collects the rows of one table. Most runs have few rows, and a visit of every column for each of them
// would cost more than the values do: rows wait until there are many. Texts are taken at once: their memory may be used
// for the next run.
type tableBuilder[T any] struct {
	columns []column[T]
	atOnce  []int // those of columns whose values do not wait
	values  []values
	rows    int
	taken   int    // rows that all columns have
	waiting []byte // copies of the rows after them; their texts must not be read
	jobs    []int32
	arena   arena
}

// waitingBytes is how much memory waits at most. It stays in a processor's cache.
const waitingBytes = 32 << 10

func newTableBuilder[T any](columns []column[T]) *tableBuilder[T] {
	b := &tableBuilder[T]{columns: columns, values: make([]values, len(columns))}
	for i := range columns {
		b.values[i].kind = columns[i].kind
		if f := columns[i].form; f == formText || f == formPosition {
			b.atOnce = append(b.atOnce, i)
		}
	}
	return b
}

// append adds the rows of a job.
func (b *tableBuilder[T]) append(job int32, rows []T) {
	if len(rows) == 0 {
		return
	}
	jobs := extend(&b.jobs, len(rows))
	for i := range jobs {
		jobs[i] = job
	}
	first := unsafe.Pointer(unsafe.SliceData(rows))
	for _, i := range b.atOnce {
		c, v := &b.columns[i], &b.values[i]
		if f := b.fields(c, first, len(rows), b.rows); c.form == formText {
			v.addTexts(f, &b.arena)
		} else {
			v.addPositions(f)
		}
	}
	size := len(rows) * int(unsafe.Sizeof(rows[0]))
	if len(b.waiting)+size > waitingBytes {
		b.flush()
	}
	b.rows += len(rows)
	if size > waitingBytes {
		b.take(first, len(rows))
		return
	}
	if b.waiting == nil {
		b.waiting = make([]byte, 0, waitingBytes)
	}
	b.waiting = append(b.waiting, unsafe.Slice((*byte)(first), size)...)
}

// fields returns one field of n rows. They become the values of a column, the first in the given row.
func (b *tableBuilder[T]) fields(c *column[T], rows unsafe.Pointer, n, row int) fields {
	var one T
	return fields{unsafe.Add(rows, c.at), unsafe.Sizeof(one), n, row}
}

// flush takes the rows that wait.
func (b *tableBuilder[T]) flush() {
	if n := b.rows - b.taken; len(b.waiting) > 0 {
		b.take(unsafe.Pointer(unsafe.SliceData(b.waiting)), n)
		b.waiting = b.waiting[:0]
	}
}

// take adds n rows to the columns that are not texts, column by column.
func (b *tableBuilder[T]) take(rows unsafe.Pointer, n int) {
	for i := range b.columns {
		c, v := &b.columns[i], &b.values[i]
		f := b.fields(c, rows, n, b.taken)
		switch c.form {
		case formInt64:
			v.addInt64s(f)
		case formNarrow:
			v.addNarrow(f)
		case formInt32:
			v.addInt32s(f)
		case formFloat:
			v.addFloats(f)
		case formTri:
			v.addTris(f)
		case formCode:
			v.addCodes(f, c.code, &b.arena)
		}
	}
	b.taken += n
}

// done returns the columns; ids are the values behind the numbers of the job_id column.
func (b *tableBuilder[T]) done(ids []string) []parquetio.Column {
	b.flush()
	columns := []parquetio.Column{{
		Field: parquetio.Field{Name: "job_id", Kind: parquetio.String}, Len: b.rows, Index: b.jobs, Dict: ids,
	}}
	for i := range b.columns {
		columns = append(columns, b.values[i].column(b.columns[i].name, b.rows))
	}
	return columns
}

func (b *tableBuilder[T]) reset() {
	b.rows, b.taken, b.waiting, b.jobs = 0, 0, b.waiting[:0], b.jobs[:0]
	for i := range b.values {
		b.values[i].reset()
	}
	b.arena = arena{}
}
