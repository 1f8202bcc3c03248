package parquetio

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/internal/decimal"
)

// Cell describes a value of an unexpected type.
type Cell uint8

// The kinds of cells. Bad is a value that cannot be turned into the type that was asked for.
const (
	Null Cell = iota
	Known
	Bad
)

// Vector holds the values of one leaf for some rows. Integers of all widths are Int64, floating-point numbers Float64.
//
// Without Ends there is one entry per row, and Valid, unless it is nil, says which are not null. With Ends, of a list,
// the entries of row i are those from Ends[i-1], 0 for the first row, up to Ends[i]; null and empty lists have none,
// and null elements are left out.
type Vector struct {
	Kind   Kind
	Ints   []int64 // of Int64 and Bool, which is 0 or 1
	Floats []float64
	Texts  []string
	Valid  []bool
	Ends   []int32
	Over   []int32 // rows, in ascending order, whose lists have more than [MaxList] values: the first ones are here
}

// MaxList bounds the values of one list that are kept. A Parquet file of a few kilobytes can hold lists of many
// millions.
const MaxList = 1 << 20

// maxEntries is the approximate number of entries of a list column that are read at once.
const maxEntries = 1 << 19

// Cut reports whether the list of row i has more than [MaxList] values.
func (v *Vector) Cut(i int) bool { return slices.Contains(v.Over, int32(i)) }

// Span returns the entries of row i.
func (v *Vector) Span(i int) (from, to int) {
	if v.Ends == nil {
		return i, i + 1
	}
	if i > 0 {
		from = int(v.Ends[i-1])
	}
	return from, int(v.Ends[i])
}

func (v *Vector) null(k int) bool { return v.Valid != nil && !v.Valid[k] }

// Int returns entry k as an integer. Numbers with a fraction and text that is no integer are Bad; NaN and empty text,
// which other tools write for null, are Null.
func (v *Vector) Int(k int) (int64, Cell) {
	if v.null(k) {
		return 0, Null
	}
	switch v.Kind {
	case Float64:
		return toInt(v.Floats[k])
	case String:
		s := v.Texts[k]
		if isNull(s) {
			return 0, Null
		}
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, Known
		}
		x, ok := decimal.Parse(s)
		if !ok {
			return 0, Bad
		}
		return toInt(x)
	default:
		return v.Ints[k], Known
	}
}

// isNull reports whether a text stands for no number.
func isNull(s string) bool { return s == "" || strings.EqualFold(s, "nan") }

func toInt(x float64) (int64, Cell) {
	switch {
	case math.IsNaN(x):
		return 0, Null
	case x != math.Trunc(x) || x < math.MinInt64 || x > math.MaxInt64:
		return 0, Bad
	case x == math.MaxInt64: // 2^63 as a float: what is left of 2^63-1
		return math.MaxInt64, Known
	default:
		return int64(x), Known
	}
}

// Float returns entry k as a floating-point number: finite, or NaN when the cell is not Known.
func (v *Vector) Float(k int) (float64, Cell) {
	if v.null(k) {
		return math.NaN(), Null
	}
	x := math.NaN()
	switch v.Kind {
	case Float64:
		x = v.Floats[k]
	case String:
		if isNull(v.Texts[k]) {
			return x, Null
		}
		var ok bool
		if x, ok = decimal.Parse(v.Texts[k]); !ok {
			return math.NaN(), Bad
		}
	default:
		x = float64(v.Ints[k])
	}
	switch {
	case math.IsNaN(x):
		return x, Null
	case math.IsInf(x, 0):
		return math.NaN(), Bad
	default:
		return x, Known
	}
}

// Text returns entry k as text, numbers in their shortest form; null is "".
func (v *Vector) Text(k int) string {
	if v.null(k) {
		return ""
	}
	switch v.Kind {
	case String:
		return v.Texts[k]
	case Float64:
		if n, cell := toInt(v.Floats[k]); cell == Known {
			return strconv.FormatInt(n, 10)
		} else if cell == Null {
			return ""
		}
		return strconv.FormatFloat(v.Floats[k], 'g', -1, 64)
	case Bool:
		return strconv.FormatBool(v.Ints[k] != 0)
	default:
		return strconv.FormatInt(v.Ints[k], 10)
	}
}

// reset empties the vector and keeps its room.
func (v *Vector) reset(list, nullable bool) {
	v.Ints, v.Floats, v.Texts = v.Ints[:0], v.Floats[:0], v.Texts[:0]
	v.Valid, v.Ends, v.Over = v.Valid[:0], v.Ends[:0], v.Over[:0]
	if !nullable {
		v.Valid = nil
	} else if v.Valid == nil {
		v.Valid = []bool{}
	}
	if !list {
		v.Ends = nil
	} else if v.Ends == nil {
		v.Ends = []int32{}
	}
}
