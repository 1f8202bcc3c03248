package parquetio

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// cursor reads a leaf from its first page to its last.
type cursor struct {
	table *Table
	leaf  *Leaf
	group int // the next row group
	chunk chunk
	open  bool // chunk is that of the row group before
	first bool // no page of it was looked at yet

	// The current page. Its entries have levels, and those at the highest definition level values.
	entries     int
	known       int    // entries that are not null
	rep, def    []byte // empty when the leaf has none
	values      Vector
	at, valueAt int
}

// fill puts the next rows into v and returns their number, which is smaller than rows only at the end.
func (c *cursor) fill(v *Vector, rows int) (n int, err error) {
	defer recovered(&err)
	if c.leaf.bad != "" {
		return 0, errors.New(c.leaf.bad)
	}
	v.Kind = c.leaf.Kind
	v.reset(c.leaf.List, c.leaf.maxDefinition > 0 && !c.leaf.List)
	for {
		if c.at < c.entries {
			if c.leaf.List {
				n, err = c.list(v, n, rows)
			} else {
				n = c.flat(v, n, rows)
			}
			if err != nil || c.at < c.entries {
				return n, err
			}
		}
		if n == rows && !c.leaf.List {
			return n, nil
		}
		more, err := c.page()
		if err != nil || !more {
			return n, err
		}
	}
}

// end reports an error unless the leaf has no further rows.
func (c *cursor) end() (err error) {
	defer recovered(&err)
	for c.at >= c.entries {
		more, err := c.page()
		if err != nil || !more {
			return err
		}
	}
	return errRows
}

// flat takes entries of a leaf with one entry per row.
func (c *cursor) flat(v *Vector, n, rows int) int {
	k := min(rows-n, c.entries-c.at)
	if c.known == c.entries { // no nulls in this page
		v.take(&c.values, c.valueAt, k)
		c.valueAt += k
		if v.Valid != nil {
			for range k {
				v.Valid = append(v.Valid, true)
			}
		}
	} else {
		def := c.def[c.at : c.at+k]
		for _, d := range def {
			v.Valid = append(v.Valid, d == c.leaf.maxDefinition)
		}
		switch v.Kind {
		case Float64:
			v.Floats, c.valueAt = spreadFrom(v.Floats, c.values.Floats, c.valueAt, def, c.leaf.maxDefinition)
		case String:
			v.Texts, c.valueAt = spreadFrom(v.Texts, c.values.Texts, c.valueAt, def, c.leaf.maxDefinition)
		default:
			v.Ints, c.valueAt = spreadFrom(v.Ints, c.values.Ints, c.valueAt, def, c.leaf.maxDefinition)
		}
	}
	c.at += k
	return n + k
}

// spreadFrom appends the values from a place on where def has the level of values, and a zero elsewhere.
func spreadFrom[T any](dst, values []T, at int, def []byte, known byte) ([]T, int) {
	var zero T
	for _, d := range def {
		if d == known {
			dst = append(dst, values[at])
			at++
		} else {
			dst = append(dst, zero)
		}
	}
	return dst, at
}

// list takes entries of a list, up to the first of the row after the last one wanted.
func (c *cursor) list(v *Vector, n, rows int) (int, error) {
	from, size := c.valueAt, v.len()
	for ; c.at < c.entries; c.at++ {
		if c.rep[c.at] == 0 {
			if n == rows {
				break
			}
			n++
			v.Ends = append(v.Ends, int32(size))
		} else if n == 0 || c.first {
			return n, errors.New("the first values belong to no row")
		}
		c.first = false
		if c.def[c.at] != c.leaf.maxDefinition {
			continue
		}
		if v.listed(n-1) == MaxList { // the others of the row are left out
			v.take(&c.values, from, c.valueAt-from)
			if k := len(v.Over); k == 0 || v.Over[k-1] != int32(n-1) {
				v.Over = append(v.Over, int32(n-1))
			}
			c.valueAt++
			from = c.valueAt
			continue
		}
		size++
		c.valueAt++
		v.Ends[n-1]++
	}
	v.take(&c.values, from, c.valueAt-from)
	return n, nil
}

// listed returns the number of entries of row i, the last so far.
func (v *Vector) listed(i int) int {
	from, to := v.Span(i)
	return to - from
}

// rows returns how many of the next rows, at most that many and at least one if there is one, have about maxEntries
// entries together. It looks no further than the page at hand, or the next one.
func (c *cursor) rows(rows int) (n int, err error) {
	if c.at == c.entries {
		if more, err := c.page(); err != nil || !more {
			return rows, err // why there are none, fill says
		}
	}
	for _, level := range c.rep[c.at:min(c.entries, c.at+maxEntries)] {
		if level == 0 {
			if n == rows {
				return n, nil
			}
			n++
		}
	}
	return max(n, 1), nil
}

// take appends k values of another vector.
func (v *Vector) take(from *Vector, at, k int) {
	switch v.Kind {
	case Float64:
		v.Floats = append(v.Floats, from.Floats[at:at+k]...)
	case String:
		v.Texts = append(v.Texts, from.Texts[at:at+k]...)
	default:
		v.Ints = append(v.Ints, from.Ints[at:at+k]...)
	}
}

func (v *Vector) len() int {
	switch v.Kind {
	case Float64:
		return len(v.Floats)
	case String:
		return len(v.Texts)
	default:
		return len(v.Ints)
	}
}

// page moves to the next page that has entries, and reports whether there is one.
func (c *cursor) page() (bool, error) {
	groups := c.table.file.Metadata().RowGroups
	for {
		if c.open {
			p, err := c.chunk.next()
			if err != nil {
				return false, fmt.Errorf("row group %d: %w", c.group-1, err)
			}
			if p != nil {
				c.load(p)
				return true, nil
			}
			c.open = false
		}
		if c.group == len(groups) {
			return false, nil
		}
		if err := c.chunk.open(c.table.r, c.table.size, &groups[c.group].Columns[c.leaf.column], c.leaf.node); err != nil {
			return false, fmt.Errorf("row group %d: %w", c.group, err)
		}
		c.group++
		c.first, c.open = true, true
	}
}

// load takes a page.
func (c *cursor) load(p *page) {
	c.at, c.valueAt = 0, 0
	c.entries, c.known, c.rep, c.def = p.entries, p.known, p.rep, p.def
	v := &c.values
	v.Kind = c.leaf.Kind
	v.reset(false, false)
	from, n := &p.values, p.known
	if p.coded {
		from = &c.chunk.dict
	}
	at := func(i int) int32 { return int32(i) }
	if p.coded {
		at = func(i int) int32 { return p.index[i] }
	}
	switch c.leaf.physical {
	case parquet.Int32:
		for i := range n {
			if x := from.int32s[at(i)]; c.leaf.unsigned {
				v.Ints = append(v.Ints, int64(uint32(x)))
			} else {
				v.Ints = append(v.Ints, int64(x))
			}
		}
	case parquet.Boolean:
		for i := range n {
			v.Ints = append(v.Ints, int64(from.bools[at(i)]))
		}
	case parquet.Int64:
		v.Ints = appendPicked(v.Ints, from.int64s, p)
	case parquet.Float, parquet.Double:
		v.Floats = appendPicked(v.Floats, from.floats, p)
	default:
		v.Texts = appendPicked(v.Texts, from.texts, p)
	}
}

// appendPicked appends the values of a page: values themselves, or those at the page's places in the dictionary.
func appendPicked[T any](dst, values []T, p *page) []T {
	if !p.coded {
		return append(dst, values[:p.known]...)
	}
	for _, i := range p.index {
		dst = append(dst, values[i])
	}
	return dst
}
