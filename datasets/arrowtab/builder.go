package arrowtab

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Builder collects whole runs as rows of the canonical tables.
type Builder struct {
	ids         []string
	offsets     [NumRunTables][]int // where each run's rows begin
	jobs        *tableBuilder[trace.Run]
	stages      *tableBuilder[stageRow]
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

// Append adds the rows of one run. The run is not kept.
func (b *Builder) Append(run *trace.Run) {
	for t := range NumRunTables {
		b.offsets[t] = append(b.offsets[t], b.Rows(t))
	}
	job := int32(len(b.ids))
	b.ids = append(b.ids, run.ID)
	b.jobs.append(job, run)
	for i := range run.Stages {
		b.stages.append(job, &stageRow{int32(i), run.Stages[i]})
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

// Batch returns what was appended and the ranges of rows of every table that put the runs in ascending order of their
// ids (byte-wise), and leaves the builder empty.
func (b *Builder) Batch() (*Batch, [NumRunTables][]parquetio.Range) {
	batch := &Batch{}
	batch.records[Jobs] = b.jobs.record(b.ids)
	batch.records[Stages] = b.stages.record(b.ids)
	batch.records[Edges] = b.edges.record(b.ids)
	batch.records[Tasks] = b.tasks.record(b.ids)
	batch.records[Allocations] = b.allocations.record(b.ids)
	batch.records[IO] = b.io.record(b.ids)

	order := make([]int, len(b.ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(b.ids[x], b.ids[y]) })
	var ranges [NumRunTables][]parquetio.Range
	for t := range NumRunTables {
		b.offsets[t] = append(b.offsets[t], int(batch.records[t].NumRows()))
		for _, run := range order {
			from, to := b.offsets[t][run], b.offsets[t][run+1]
			if last := len(ranges[t]) - 1; last >= 0 && ranges[t][last].To == from {
				ranges[t][last].To = to
			} else if from < to {
				ranges[t] = append(ranges[t], parquetio.Range{From: from, To: to})
			}
		}
	}
	*b = *NewBuilder()
	return batch, ranges
}

// tableBuilder collects the rows of one table.
type tableBuilder[T any] struct {
	columns []column[T]
	rows    int
	jobs    *array.Int32Builder
	values  []array.Builder // Int32 indices for text
	texts   []interner
}

// interner numbers distinct strings.
type interner struct {
	ids  map[string]int32
	dict []string
	last int32 // most rows repeat the value before
}

func (t *interner) id(s string) int32 {
	if len(t.dict) > 0 && t.dict[t.last] == s {
		return t.last
	}
	id, ok := t.ids[s]
	if !ok {
		id = int32(len(t.dict))
		t.dict = append(t.dict, s)
		t.ids[s] = id
	}
	t.last = id
	return id
}

func newTableBuilder[T any](columns []column[T]) *tableBuilder[T] {
	mem := memory.DefaultAllocator
	b := &tableBuilder[T]{columns: columns, jobs: array.NewInt32Builder(mem), texts: make([]interner, len(columns))}
	for i, c := range columns {
		typ := arrowType(c.kind)
		if c.kind == parquetio.String {
			typ = arrow.PrimitiveTypes.Int32
			b.texts[i].ids = map[string]int32{}
		}
		b.values = append(b.values, array.NewBuilder(mem, typ))
	}
	return b
}

func (b *tableBuilder[T]) append(job int32, row *T) {
	b.rows++
	b.jobs.Append(job)
	for i := range b.columns {
		c := &b.columns[i]
		switch c.kind {
		case parquetio.String:
			if s := c.getText(row); s == "" {
				b.values[i].AppendNull()
			} else {
				b.values[i].(*array.Int32Builder).Append(b.texts[i].id(s))
			}
		case parquetio.Float64:
			if x := c.getFloat(row); isNull(x) {
				b.values[i].AppendNull()
			} else {
				b.values[i].(*array.Float64Builder).Append(x)
			}
		default:
			appendInt(b.values[i], c.getInt(row))
		}
	}
}

func appendInt(b array.Builder, n int64) {
	if n == trace.None {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n))
	case *array.BooleanBuilder:
		b.Append(n != 0)
	}
}

// record ends the table; ids are the values behind the numbers of the job_id column.
func (b *tableBuilder[T]) record(ids []string) arrow.Record {
	fields := []parquetio.Field{{Name: "job_id", Kind: parquetio.String}}
	arrays := []arrow.Array{dictionary(b.jobs.NewArray(), ids)}
	for i, c := range b.columns {
		fields = append(fields, parquetio.Field{Name: c.name, Kind: c.kind})
		values := b.values[i].NewArray()
		if c.kind == parquetio.String {
			values = dictionary(values, b.texts[i].dict)
		}
		arrays = append(arrays, values)
	}
	return array.NewRecord(schema(fields), arrays, int64(b.rows))
}

// dictionary makes a dictionary array of indices and the strings they stand for.
func dictionary(index arrow.Array, dict []string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(dict, nil)
	values := b.NewArray()
	typ := arrowType(parquetio.String).(*arrow.DictionaryType)
	return array.NewDictionaryArray(typ, index, values)
}
