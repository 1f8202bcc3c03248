package arrowtab

import (
	"fmt"
	"iter"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Batch holds rows of the canonical tables as Arrow records. A table that was not asked for has no record, and a column
// that was not asked for is not in its record. Records live on the Go heap: releasing them is not necessary.
type Batch struct {
	records [NumTables]arrow.Record
}

// Record returns the record of a table, nil when the batch does not hold the table. It belongs to the batch.
func (b *Batch) Record(t Table) arrow.Record { return b.records[t] }

// SetColumns gives the batch the rows of a table. All columns must have the same length; they are not copied.
func (b *Batch) SetColumns(t Table, columns []parquetio.Column) {
	fields := make([]parquetio.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	rows := 0
	for i := range columns {
		fields[i], arrays[i], rows = columns[i].Field, fromColumn(&columns[i]), columns[i].Len
	}
	b.records[t] = array.NewRecord(schema(fields), arrays, int64(rows))
}

// toColumn views an array that begins at offset 0.
func toColumn(f parquetio.Field, a arrow.Array) parquetio.Column {
	c := parquetio.Column{Field: f, Len: a.Len()}
	if a.NullN() > 0 {
		c.Valid = a.NullBitmapBytes()
	}
	switch a := a.(type) {
	case *array.Int32:
		c.Int32s = a.Int32Values()
	case *array.Int64:
		c.Int64s = a.Int64Values()
	case *array.Timestamp:
		c.Int64s = arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues()))
	case *array.Float64:
		c.Float64s = a.Float64Values()
	case *array.Boolean:
		if b := a.Data().Buffers()[1]; b != nil { // nil when there are no rows
			c.Bits = b.Bytes()
		}
	case *array.Dictionary:
		c.Index = a.Indices().(*array.Int32).Int32Values()
		dict := a.Dictionary().(*array.String)
		c.Dict = make([]string, dict.Len())
		for i := range c.Dict {
			c.Dict[i] = dict.Value(i)
		}
	}
	return c
}

// fromColumn is the inverse of toColumn.
func fromColumn(c *parquetio.Column) arrow.Array {
	var values []byte
	typ := arrowType(c.Kind)
	switch c.Kind {
	case parquetio.Int32:
		values = arrow.Int32Traits.CastToBytes(c.Int32s)
	case parquetio.Int64, parquetio.Timestamp:
		values = arrow.Int64Traits.CastToBytes(c.Int64s)
	case parquetio.Float64:
		values = arrow.Float64Traits.CastToBytes(c.Float64s)
	case parquetio.Bool:
		values = c.Bits
	case parquetio.String:
		values = arrow.Int32Traits.CastToBytes(c.Index)
		typ = arrow.PrimitiveTypes.Int32
	}
	var valid *memory.Buffer
	nulls := 0
	if c.Valid != nil {
		bits := c.Valid
		if short := (c.Len+7)/8 - len(bits); short > 0 { // rows beyond its end are null
			bits = append(bits[:len(bits):len(bits)], make([]byte, short)...)
		}
		valid = memory.NewBufferBytes(bits)
		nulls = c.Len - bitutil.CountSetBits(bits, 0, c.Len)
	}
	a := array.MakeFromData(array.NewData(typ, c.Len, []*memory.Buffer{valid, memory.NewBufferBytes(values)}, nil, nulls, 0))
	if c.Kind == parquetio.String {
		return dictionary(a, c.Dict)
	}
	return a
}

// Runs yields the runs of the batch in the order of the jobs table. Every other table must hold the rows of the same runs
// in the same order. Columns that the batch lacks are null in the runs. A yielded run, with all it points to, is valid
// until the next one.
func (b *Batch) Runs() iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		jobs := newView(Jobs, b, jobColumns)
		stages := newView(Stages, b, stageColumns)
		edges := newView(Edges, b, edgeColumns)
		tasks := newView(Tasks, b, taskColumns)
		allocations := newView(Allocations, b, allocationColumns)
		io := newView(IO, b, ioColumns)
		run := &trace.Run{}
		for i := range jobs.rows {
			reused := *run
			*run = *trace.NewRun(jobs.job(i))
			jobs.fill(i, run)
			run.Stages = stages.take(run.ID, reused.Stages[:0], trace.NewStage)
			run.Edges = edges.take(run.ID, reused.Edges[:0], newEdge)
			run.Attempts = tasks.take(run.ID, reused.Attempts[:0], newAttempt)
			run.Allocations = allocations.take(run.ID, reused.Allocations[:0], newAllocation)
			run.IO = io.take(run.ID, reused.IO[:0], newAccess)
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
	v := newView(Machines, b, machineColumns)
	machines := make([]trace.Machine, v.rows)
	for i := range machines {
		machines[i] = trace.NewMachine("")
		v.fill(i, &machines[i])
	}
	return machines
}

// view reads rows of one table.
type view[T any] struct {
	table Table
	rows  int
	next  int
	ids   parquetio.Column
	cols  []viewColumn[T]
}

type viewColumn[T any] struct {
	column *column[T]
	values parquetio.Column
}

func newView[T any](t Table, b *Batch, columns []column[T]) *view[T] {
	v := &view[T]{table: t}
	rec := b.records[t]
	if rec == nil {
		return v
	}
	v.rows = int(rec.NumRows())
	for i := range int(rec.NumCols()) {
		name := rec.ColumnName(i)
		if name == "job_id" {
			v.ids = toColumn(parquetio.Field{Name: name, Kind: parquetio.String}, rec.Column(i))
			continue
		}
		for k := range columns {
			if c := &columns[k]; c.name == name {
				v.cols = append(v.cols, viewColumn[T]{c, toColumn(parquetio.Field{Name: name, Kind: c.kind}, rec.Column(i))})
			}
		}
	}
	return v
}

func (v *view[T]) job(i int) string { return v.ids.Text(i) }

// take appends the rows of run id, which are the next ones, to rows.
func (v *view[T]) take(id string, rows []T, fresh func() T) []T {
	last := int32(-1)
	for v.next < v.rows {
		if k := v.ids.Index[v.next]; k != last {
			if v.ids.Dict[k] != id {
				break
			}
			last = k
		}
		rows = append(rows, fresh())
		v.fill(v.next, &rows[len(rows)-1])
		v.next++
	}
	return rows
}

// done fails when rows are left that belong to no run of the jobs table.
func (v *view[T]) done() error {
	if v.next < v.rows {
		return fmt.Errorf("table %s: row %d belongs to run %q, which is not there or not in order", v.table, v.next, v.job(v.next))
	}
	return nil
}

func (v *view[T]) fill(i int, row *T) {
	for k := range v.cols {
		c := &v.cols[k]
		if c.values.IsNull(i) {
			continue
		}
		switch c.column.kind {
		case parquetio.Int32:
			c.column.setInt(row, int64(c.values.Int32s[i]))
		case parquetio.Int64, parquetio.Timestamp:
			c.column.setInt(row, c.values.Int64s[i])
		case parquetio.Float64:
			c.column.setFloat(row, c.values.Float64s[i])
		case parquetio.String:
			c.column.setText(row, c.values.Dict[c.values.Index[i]])
		case parquetio.Bool:
			n := int64(0)
			if c.values.Bool(i) {
				n = 1
			}
			c.column.setInt(row, n)
		}
	}
}

// dictionary makes a dictionary array of indices and the strings they stand for.
func dictionary(index arrow.Array, dict []string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(dict, nil)
	values := b.NewArray()
	typ := arrowType(parquetio.String).(*arrow.DictionaryType)
	return array.NewDictionaryArray(typ, index, values)
}
