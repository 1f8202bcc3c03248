// Package parquetio reads and writes Parquet files column by column, through parquet-go's column pages rather than its
// row readers, which are several times slower. It is the only package that imports parquet-go.
//
// Files are as Apache Parquet specifies them (https://parquet.apache.org/docs/file-format/), compressed with zstd, with
// statistics and page checksums, flat: every column is one optional leaf. DuckDB, pandas, Polars and Spark open them as
// they are.
package parquetio

import (
	"fmt"
	"math/bits"
)

// Kind is the type of a column.
type Kind uint8

// The kinds of columns and the Parquet types they become.
const (
	Int32     Kind = iota // INT32
	Int64                 // INT64
	Timestamp             // INT64, TIMESTAMP(MICROS, not adjusted to UTC)
	Float64               // DOUBLE
	String                // BYTE_ARRAY, STRING
	Bool                  // BOOLEAN
)

var kindNames = [...]string{"int32", "int64", "timestamp", "float64", "string", "bool"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Field is the name and type of a column.
type Field struct {
	Name string
	Kind Kind
}

// Column is a column of Len values. Of the slices only the one of its kind is set. Where a row is null the slice holds
// any value; bit i of Valid (least significant bit first, as in Arrow) says whether row i is not null, and a nil Valid
// says that no row is. Rows beyond the end of Valid are null.
type Column struct {
	Field
	Len      int
	Int32s   []int32
	Int64s   []int64 // also of Timestamp
	Float64s []float64
	Bits     []byte   // Bool: bit i is the value of row i, least significant bit first
	Index    []int32  // String: the value of row i is Dict[Index[i]]
	Dict     []string // String: values, not necessarily distinct
	Valid    []byte
}

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool {
	return c.Valid != nil && (i>>3 >= len(c.Valid) || c.Valid[i>>3]&(1<<(i&7)) == 0)
}

// Known returns the number of rows that are not null.
func (c *Column) Known() int {
	if c.Valid == nil {
		return c.Len
	}
	n := 0
	whole := min(c.Len/8, len(c.Valid))
	for _, b := range c.Valid[:whole] {
		n += bits.OnesCount8(b)
	}
	for i := whole * 8; i < min(c.Len, 8*len(c.Valid)); i++ {
		if !c.IsNull(i) {
			n++
		}
	}
	return n
}

// Text returns row i of a String column; null is "".
func (c *Column) Text(i int) string {
	if c.IsNull(i) {
		return ""
	}
	return c.Dict[c.Index[i]]
}

// Bool returns row i of a Bool column; null is false.
func (c *Column) Bool(i int) bool { return !c.IsNull(i) && c.Bits[i>>3]&(1<<(i&7)) != 0 }

// Range is the rows From <= i < To.
type Range struct{ From, To int }

func setBit(bits []byte, i int) { bits[i>>3] |= 1 << (i & 7) }
