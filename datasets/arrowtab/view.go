package arrowtab

import (
	"slices"
	"unsafe"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// view reads rows of one table.
type view[T any] struct {
	rows int
	ids  *parquetio.Column
	ends []int32 // behind the rows of each run
	cols []viewColumn[T]
	null T // a row of which nothing is known
}

type viewColumn[T any] struct {
	*column[T]
	values *parquetio.Column
	codes  []uint8 // of the texts in the dictionary, of formCode
}

func newView[T any](t Table, b *Batch, columns []column[T], null T) *view[T] {
	v := &view[T]{null: null}
	if t < NumRunTables {
		v.ends = b.ends[t]
	}
	held := b.tables[t]
	for i := range held {
		values := &held[i]
		v.rows = values.Len
		if values.Name == "job_id" {
			v.ids = values
			continue
		}
		k := slices.IndexFunc(columns, func(c column[T]) bool { return c.name == values.Name })
		if k < 0 || columns[k].form == formPosition || values.Known() == 0 {
			continue
		}
		c := viewColumn[T]{column: &columns[k], values: values}
		if c.form == formCode {
			c.codes = make([]uint8, len(values.Dict))
			for n, name := range values.Dict {
				c.codes[n] = c.decode(name)
			}
		}
		v.cols = append(v.cols, c)
	}
	return v
}

// take returns the rows of a run, which are the next ones, in the memory of room.
func (v *view[T]) take(run int, room []T) []T {
	if v.ends == nil {
		return room[:0]
	}
	from := 0
	if run > 0 {
		from = int(v.ends[run-1])
	}
	n := int(v.ends[run]) - from
	rows := slices.Grow(room[:0], n)[:n]
	v.fill(from, rows)
	return rows
}

// fill sets rows to the rows of the table from row from on.
func (v *view[T]) fill(from int, rows []T) {
	for i := range rows {
		rows[i] = v.null
	}
	if len(rows) > 0 {
		for k := range v.cols {
			v.cols[k].fill(from, rows)
		}
	}
}

func (c *viewColumn[T]) fill(from int, rows []T) {
	v, to := c.values, from+len(rows)
	switch c.form {
	case formInt64:
		scatter(c, from, rows, v.Int64s[from:to])
	case formNarrow:
		each(v, from, to, func(i int) { *place[int64](c, &rows[i-from]) = int64(v.Int32s[i]) })
	case formInt32:
		scatter(c, from, rows, v.Int32s[from:to])
	case formFloat:
		scatter(c, from, rows, v.Float64s[from:to])
	case formText:
		each(v, from, to, func(i int) { *place[string](c, &rows[i-from]) = v.Dict[v.Index[i]] })
	case formTri:
		each(v, from, to, func(i int) { *place[trace.Tri](c, &rows[i-from]) = trace.TriOf(v.Bool(i)) })
	case formCode:
		each(v, from, to, func(i int) { *place[uint8](c, &rows[i-from]) = c.codes[v.Index[i]] })
	}
}

// place returns where the value of the column lies in a row.
func place[V, T any](c *viewColumn[T], row *T) *V { return (*V)(unsafe.Add(unsafe.Pointer(row), c.at)) }

// scatter puts values, those from row from on, in their place.
func scatter[V, T any](c *viewColumn[T], from int, rows []T, values []V) {
	if c.values.Valid == nil {
		for i := range rows {
			*place[V](c, &rows[i]) = values[i]
		}
		return
	}
	for i := range rows {
		if !c.values.IsNull(from + i) {
			*place[V](c, &rows[i]) = values[i]
		}
	}
}

// each calls f for the rows from one to another that are not null.
func each(v *parquetio.Column, from, to int, f func(i int)) {
	for i := from; i < to; i++ {
		if !v.IsNull(i) {
			f(i)
		}
	}
}
