package parquetio

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Table is an open Parquet file of any tool: flat or nested columns, any encoding that parquet-go knows. Where [File]
// reads our own files, which have checksums, Table trusts nothing: claims of a file are checked before memory is
// allocated, and a panic inside parquet-go becomes an error.
type Table struct {
	r      io.ReaderAt
	size   int64
	file   *parquet.File
	leaves []Leaf
}

// Leaf is a column of values: a top-level column, a field of a structure, or the elements of a list.
type Leaf struct {
	// Name is the name of a top-level column; fields of structures follow a point. What writers put between a list and
	// its elements (list.element, list.item, bag.array_element) is not part of it.
	Name string
	Kind Kind // Int64, Float64, String or Bool
	List bool // a row has any number of values
	// PerSecond is the number of units of a timestamp per second; 0 for other columns.
	PerSecond int64

	column        int
	node          *parquet.Column
	maxDefinition byte
	physical      parquet.Kind
	unsigned      bool
	bad           string // why it cannot be read
}

// OpenTable reads the footer of a Parquet file.
func OpenTable(r io.ReaderAt, size int64) (t *Table, err error) {
	defer recovered(&err)
	f, err := openFooter(r, size)
	if err != nil {
		return nil, err
	}
	t = &Table{r: r, size: size, file: f}
	for _, c := range f.Root().Columns() {
		t.add(c, c.Name(), 0)
	}
	return t, nil
}

// add finds the leaves at and below a column.
func (t *Table) add(c *parquet.Column, name string, depth int) {
	switch {
	case c.Leaf():
		t.leaves = append(t.leaves, newLeaf(c, name))
	case isList(c) && len(c.Columns()) == 1 && c.Columns()[0].Repeated():
		middle := c.Columns()[0]
		if inner := middle.Columns(); !middle.Leaf() && len(inner) == 1 {
			middle = inner[0]
		}
		t.add(middle, name, depth+1)
	default:
		for _, child := range c.Columns() {
			below := child.Name()
			if !isList(c) {
				below = name + "." + below
			}
			t.add(child, below, depth+1)
		}
	}
}

func isList(c *parquet.Column) bool {
	l := c.Type().LogicalType()
	if l == nil {
		return false
	}
	_, ok := l.Value.(*format.ListType)
	return ok
}

func newLeaf(c *parquet.Column, name string) Leaf {
	leaf := Leaf{
		Name: name, List: c.MaxRepetitionLevel() > 0, column: c.Index(), node: c,
		maxDefinition: byte(c.MaxDefinitionLevel()), physical: c.Type().Kind(),
	}
	switch leaf.physical {
	case parquet.Int32, parquet.Int64:
		leaf.Kind = Int64
	case parquet.Float, parquet.Double:
		leaf.Kind = Float64
	case parquet.ByteArray:
		leaf.Kind = String
	case parquet.Boolean:
		leaf.Kind = Bool
	default:
		leaf.bad = leaf.physical.String() + " is not supported"
	}
	if c.MaxRepetitionLevel() > 1 {
		leaf.bad = "lists of lists are not supported"
	}
	if l := c.Type().LogicalType(); l != nil {
		leaf.logical(l.Value)
	}
	return leaf
}

func (l *Leaf) logical(value format.LogicalTypeValue) {
	switch v := value.(type) {
	case *format.IntType:
		l.unsigned = !v.IsSigned
	case *format.DecimalType:
		l.bad = "decimals are not supported"
	case *format.TimestampType:
		switch v.Unit.Value.(type) {
		case *format.MilliSeconds:
			l.PerSecond = 1e3
		case *format.MicroSeconds:
			l.PerSecond = 1e6
		case *format.NanoSeconds:
			l.PerSecond = 1e9
		}
	}
}

// Leaves returns the columns of values in the file's order. The slice must not be changed.
func (t *Table) Leaves() []Leaf { return t.leaves }

// Find returns the place in [Table.Leaves] of the first of names that exists, whatever the case of its letters, and -1
// when none does.
func (t *Table) Find(names ...string) int {
	for _, name := range names {
		for i := range t.leaves {
			if strings.EqualFold(t.leaves[i].Name, name) {
				return i
			}
		}
	}
	return -1
}

// NumRows returns the number of rows the file says it has.
func (t *Table) NumRows() int64 { return t.file.NumRows() }

// Batch is some rows of a file.
type Batch struct {
	First   int64    // number of the first row in the file, from 0
	Len     int      // number of rows
	Vectors []Vector // as many as were asked for; one that was asked for as -1 holds nulls
}

// Batches yields the rows of the file in order, at most rows at a time, with the values of the given leaves; -1 stands
// for a leaf that the file does not have, and one of them must exist. Batches are shorter where lists are long. A batch
// is valid until the next. An error ends the sequence. Memory is bounded by a page per leaf and the rows of a batch.
func (t *Table) Batches(leaves []int, rows int) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s := &batches{table: t, batch: Batch{Vectors: make([]Vector, len(leaves))}}
		for _, leaf := range leaves {
			var c *cursor
			if leaf >= 0 {
				c = &cursor{table: t, leaf: &t.leaves[leaf]}
			}
			s.cursors = append(s.cursors, c)
			s.some = s.some || c != nil
		}
		for {
			err := s.next(rows)
			if err == nil && s.batch.Len == 0 {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&s.batch, nil) {
				return
			}
			s.batch.First += int64(s.batch.Len)
		}
	}
}

type batches struct {
	table   *Table
	cursors []*cursor
	some    bool // at least one is not nil
	batch   Batch
}

// next fills the batch with the next rows. Without any is the end.
func (s *batches) next(rows int) error {
	left := s.table.NumRows() - s.batch.First
	if left > 0 && !s.some { // the real number of rows would be unknown
		return errors.New("the file has none of the columns that are wanted")
	}
	want := int(min(int64(rows), left))
	for _, c := range s.cursors {
		if c == nil || !c.leaf.List || want == 0 {
			continue
		}
		var err error
		if want, err = c.rows(want); err != nil {
			return fmt.Errorf("column %q: %w", c.leaf.Name, err)
		}
	}
	s.batch.Len = want
	for i, c := range s.cursors {
		if c == nil {
			continue
		}
		n, err := c.fill(&s.batch.Vectors[i], want)
		if err == nil && n < want {
			err = fmt.Errorf("it ends after %d rows, the file says %d", s.batch.First+int64(n), s.table.NumRows())
		}
		if err == nil && int64(want) == left {
			err = c.end()
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", c.leaf.Name, err)
		}
	}
	for i, c := range s.cursors {
		if c == nil {
			s.batch.Vectors[i].nulls(want)
		}
	}
	return nil
}

// nulls makes v a vector of n nulls.
func (v *Vector) nulls(n int) {
	for len(v.Valid) < n {
		v.Valid = append(v.Valid, false)
		v.Ints = append(v.Ints, 0)
	}
	v.Kind = Int64
}

// errRows is the error for a column with more rows than the file claims.
var errRows = errors.New("it holds more rows than the file says")
