package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"racecard/datasets/lists"
)

// MaxRows bounds the rows of a [File]: a footer of some hundred bytes can claim any number of equal rows.
const MaxRows = 1 << 26

// File is an open Parquet file whose flat columns of our kinds can be read whole. Any tool may have written it,
// with any encoding, compression and size of pages and row groups. Nothing in it is trusted: sizes are checked
// before memory is allocated. A File must not be used concurrently.
type File struct {
	r      io.ReaderAt
	size   int64
	file   *parquet.File
	leaves []fileLeaf
	fields []Field
	pages  chunk  // reused for its memory
	spans  *spans // of [OpenRanged], else nil
}

// fileLeaf is a top-level column.
type fileLeaf struct {
	Leaf
	kind Kind
	bad  string // why it cannot be read
}

// Open reads the footer of a Parquet file.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer recovered(&err)
	p, err := openFooter(r, size)
	if err != nil {
		return nil, err
	}
	if p.NumRows() > MaxRows {
		return nil, fmt.Errorf("%d rows, at most %d are taken", p.NumRows(), MaxRows)
	}
	f = &File{r: r, size: size, file: p}
	seen := map[string]bool{}
	for _, c := range p.Root().Columns() {
		if seen[c.Name()] {
			return nil, fmt.Errorf("column %q is there twice", c.Name())
		}
		seen[c.Name()] = true
		leaf := leafOf(c)
		f.leaves = append(f.leaves, leaf)
		if leaf.bad == "" {
			f.fields = append(f.fields, Field{c.Name(), leaf.kind})
		}
	}
	return f, nil
}

// leafOf returns a column, and the reason if it cannot be read.
func leafOf(c *parquet.Column) fileLeaf {
	if !c.Leaf() || c.MaxRepetitionLevel() > 0 {
		return fileLeaf{Leaf: Leaf{Name: c.Name()}, bad: "structures and lists are not supported"}
	}
	leaf := fileLeaf{Leaf: newLeaf(c, c.Name())}
	leaf.bad = leaf.Leaf.bad
	switch leaf.physical {
	case parquet.Int32:
		if leaf.kind = Int32; leaf.unsigned {
			leaf.kind = Int64
		}
	case parquet.Int64:
		if leaf.kind = Int64; leaf.PerSecond != 0 {
			leaf.kind = Timestamp
		}
	case parquet.Float, parquet.Double:
		leaf.kind = Float64
	case parquet.ByteArray:
		leaf.kind = String
	case parquet.Boolean:
		leaf.kind = Bool
	}
	if l := c.Type().LogicalType(); l != nil && leaf.bad == "" {
		switch l.Value.(type) {
		case *format.DateType, *format.TimeType:
			leaf.bad = c.Type().String() + " is not supported"
		}
	}
	return leaf
}

// Fields returns the columns that can be read, in the file's order.
func (f *File) Fields() []Field { return f.fields }

// About returns the pairs in the metadata of the file.
func (f *File) About() []Pair {
	return lists.Map(f.file.Metadata().KeyValueMetadata, func(p format.KeyValue) Pair { return Pair(p) })
}

// NumRows returns the number of rows, at most [MaxRows].
func (f *File) NumRows() int { return int(f.file.NumRows()) }

// Has reports whether there is a column of that name.
func (f *File) Has(name string) bool {
	return slices.ContainsFunc(f.leaves, func(l fileLeaf) bool { return l.Name == name })
}

// InstantBounds returns the least and the greatest instant of a column of timestamps, in microseconds, from the
// statistics of all row groups, and the number of null rows. ok is false if statistics are missing.
func (f *File) InstantBounds(name string) (low, high, nulls int64, ok bool) {
	at := slices.IndexFunc(f.leaves, func(l fileLeaf) bool { return l.Name == name })
	if at < 0 || f.leaves[at].bad != "" || f.leaves[at].kind != Timestamp {
		return 0, 0, 0, false
	}
	leaf := &f.leaves[at]
	low, high = math.MaxInt64, math.MinInt64
	for i := range f.file.Metadata().RowGroups {
		g := &f.file.Metadata().RowGroups[i]
		s := &g.Columns[leaf.column].MetaData.Statistics
		nulls += s.NullCount
		if s.NullCount == g.NumRows {
			continue
		}
		if len(s.MinValue) != 8 || len(s.MaxValue) != 8 {
			return 0, 0, 0, false
		}
		pair := []int64{int64(binary.LittleEndian.Uint64(s.MinValue)), int64(binary.LittleEndian.Uint64(s.MaxValue))}
		if toMicros(pair, leaf.PerSecond) != nil {
			return 0, 0, 0, false
		}
		low, high = min(low, pair[0]), max(high, pair[1])
	}
	return low, high, nulls, low <= high
}

// TextBounds returns the least and the greatest text of a column, byte-wise, from the statistics of all row groups. ok
// is false if statistics are missing, or a row is null.
func (f *File) TextBounds(name string) (low, high string, ok bool) {
	at := slices.IndexFunc(f.leaves, func(l fileLeaf) bool { return l.Name == name })
	if at < 0 || f.leaves[at].bad != "" || f.leaves[at].kind != String {
		return "", "", false
	}
	for i := range f.file.Metadata().RowGroups {
		s := &f.file.Metadata().RowGroups[i].Columns[f.leaves[at].column].MetaData.Statistics
		if s.NullCount > 0 || len(s.MinValue) == 0 || len(s.MaxValue) == 0 {
			return "", "", false
		}
		if lo := string(s.MinValue); i == 0 || lo < low {
			low = lo
		}
		high = max(high, string(s.MaxValue))
	}
	return low, high, low <= high && high != ""
}

// Column reads the named column, all row groups of it. Time O(rows); the result shares nothing with the file.
func (f *File) Column(name string) (Column, error) {
	for i := range f.leaves {
		if f.leaves[i].Name == name {
			c, err := f.read(&f.leaves[i])
			if err != nil {
				return Column{}, fmt.Errorf("column %q: %w", name, err)
			}
			return c, nil
		}
	}
	return Column{}, fmt.Errorf("there is no column %q", name)
}

// ColumnAs reads a column as one of a kind. Another tool may have widened or narrowed integers, written numbers as
// doubles because some are null, or timestamps in another unit: values that the kind can hold are the same values. Any
// other column is an error, which names the first row that cannot be converted.
func (f *File) ColumnAs(want Field) (Column, error) {
	c, err := f.Column(want.Name)
	if err != nil || c.Kind == want.Kind {
		return c, err
	}
	if err := c.convert(want.Kind); err != nil {
		return Column{}, fmt.Errorf("column %q: %w", want.Name, err)
	}
	return c, nil
}

func (f *File) read(leaf *fileLeaf) (c Column, err error) {
	defer recovered(&err)
	if leaf.bad != "" {
		return c, errors.New(leaf.bad)
	}
	rows := f.NumRows()
	c = Column{Field: Field{leaf.Name, leaf.kind}}
	switch leaf.kind {
	case Int32:
		c.Int32s = make([]int32, 0, rows)
	case Int64, Timestamp:
		c.Int64s = make([]int64, 0, rows)
	case Float64:
		c.Float64s = make([]float64, 0, rows)
	case String:
		c.Index = make([]int32, 0, rows)
	case Bool:
		c.Bits = make([]byte, (rows+7)/8)
	}
	for i := range f.file.Metadata().RowGroups {
		g := &f.file.Metadata().RowGroups[i]
		if err := c.appendChunk(f, &f.pages, g, leaf, rows); err != nil {
			if len(f.file.Metadata().RowGroups) > 1 {
				err = fmt.Errorf("row group %d: %w", i, err)
			}
			return Column{}, err
		}
	}
	if leaf.kind == Timestamp {
		err = toMicros(c.Int64s, leaf.PerSecond)
	}
	return c, err
}

func (c *Column) appendChunk(f *File, pages *chunk, g *format.RowGroup, leaf *fileLeaf, rows int) error {
	if err := pages.open(f.r, f.size, &g.Columns[leaf.column], leaf.node); err != nil {
		return err
	}
	to := c.Len + int(g.NumRows)
	base := -1 // where the chunk's dictionary begins in c.Dict
	for {
		p, err := pages.next()
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		if p.entries > to-c.Len {
			return errRows
		}
		c.appendPage(p, pages, leaf, rows, &base)
	}
	if c.Len != to {
		return fmt.Errorf("%d rows, the file says %d", int(g.NumRows)-(to-c.Len), g.NumRows)
	}
	return nil
}

// appendPage appends the rows of a page, of rows in all.
func (c *Column) appendPage(p *page, from *chunk, leaf *fileLeaf, rows int, base *int) {
	levels := p.def
	if p.known == p.entries {
		levels = nil
	}
	known := leaf.maxDefinition
	if levels != nil && c.Valid == nil {
		c.Valid = make([]byte, (rows+7)/8)
		for i := range c.Len {
			setBit(c.Valid, i)
		}
	}
	if c.Valid != nil {
		for i := range p.entries {
			if levels == nil || levels[i] == known {
				setBit(c.Valid, c.Len+i)
			}
		}
	}
	v := &p.values
	if p.coded {
		v = &from.dict
	}
	switch {
	case leaf.kind == Int32:
		c.Int32s = appendSpread(c.Int32s, v.int32s, p, levels, known)
	case leaf.physical == parquet.Int32: // unsigned
		at := len(c.Int64s)
		wide := make([]int64, len(v.int32s))
		for i, x := range v.int32s {
			wide[i] = int64(uint32(x))
		}
		c.Int64s = appendSpread(c.Int64s[:at], wide, p, levels, known)
	case leaf.kind == Int64 || leaf.kind == Timestamp:
		c.Int64s = appendSpread(c.Int64s, v.int64s, p, levels, known)
	case leaf.kind == Float64:
		c.Float64s = appendSpread(c.Float64s, v.floats, p, levels, known)
	case leaf.kind == String:
		c.appendText(p, from, levels, known, base)
	case leaf.kind == Bool:
		for i, b := range appendSpread(nil, v.bools, p, levels, known) {
			if b != 0 {
				setBit(c.Bits, c.Len+i)
			}
		}
	}
	c.Len += p.entries
}

// appendSpread appends the values of a page, with a zero wherever levels, unless it is nil, says null.
func appendSpread[T any](dst, values []T, p *page, levels []byte, known byte) []T {
	if levels == nil {
		return appendPicked(dst, values, p)
	}
	var zero T
	k := 0
	for _, l := range levels {
		switch {
		case l != known:
			dst = append(dst, zero)
			continue
		case p.coded:
			dst = append(dst, values[p.index[k]])
		default:
			dst = append(dst, values[k])
		}
		k++
	}
	return dst
}

func (c *Column) appendText(p *page, from *chunk, levels []byte, known byte, base *int) {
	next := int32(len(c.Dict))
	if p.coded {
		if *base < 0 {
			*base = len(c.Dict)
			c.Dict = append(c.Dict, from.dict.texts...)
		}
		next = int32(*base)
	} else {
		if int(next) == c.Len && cap(c.Dict)-len(c.Dict) < p.known { // every row so far has its own text
			c.Dict = append(make([]string, 0, cap(c.Index)), c.Dict...)
		}
		c.Dict = append(c.Dict, p.values.texts...)
	}
	if levels == nil && p.coded && next == 0 {
		c.Index = append(c.Index, p.index...)
		return
	}
	k := int32(0)
	for i := range p.entries {
		switch {
		case levels != nil && levels[i] != known:
			c.Index = append(c.Index, 0)
			continue
		case p.coded:
			c.Index = append(c.Index, next+p.index[k])
		default:
			c.Index = append(c.Index, next+k)
		}
		k++
	}
}

// toMicros turns timestamps of so many units a second into microseconds.
func toMicros(times []int64, perSecond int64) error {
	switch perSecond {
	case 1e6:
	case 1e3:
		for i, t := range times {
			if t > math.MaxInt64/1000 || t < math.MinInt64/1000 {
				return fmt.Errorf("row %d: %d ms is not a time", i, t)
			}
			times[i] = t * 1000
		}
	case 1e9:
		for i, t := range times {
			times[i] = t / 1000
		}
	default:
		return errors.New("timestamps of an unknown unit")
	}
	return nil
}
