package csvtable

import (
	"bytes"
	"math"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Record is the source of a row: a [source.Line], or a row of package groupby.
type Record interface {
	Reject(field, reason, format string, args ...any) *source.Reject
}

// Row is one row of a table. The zero value is ready for [Row.Split].
type Row struct {
	record Record
	layout *Layout
	fields [][]byte

	rejected *source.Reject // the first fault
}

// Split makes r the row of a line, which must have as many fields as its file's others. The row refers to record, line
// and layout until the next Split.
func (r *Row) Split(record Record, line []byte, layout *Layout) *source.Reject {
	r.record, r.layout, r.fields, r.rejected = record, layout, r.fields[:0], nil
	for len(r.fields) < layout.width {
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			r.fields = append(r.fields, line)
			line = nil
			break
		}
		r.fields = append(r.fields, line[:i])
		line = line[i+1:]
		if len(r.fields) == layout.width { // there is more behind the last comma
			return record.Reject("", source.ReasonFields, "%d, a row of %s has %d here", layout.width+Width(line),
				layout.Table.Name, layout.width)
		}
	}
	if len(r.fields) < layout.width {
		return record.Reject("", source.ReasonFields, "%d, a row of %s has %d here", len(r.fields), layout.Table.Name,
			layout.width)
	}
	return nil
}

// Reject returns a reject of a column of this row.
func (r *Row) Reject(column int, reason, format string, args ...any) *source.Reject {
	return r.record.Reject(r.layout.Table.Columns[column].Name, reason, format, args...)
}

// Fault rejects the row for a column, unless it was rejected before.
func (r *Row) Fault(column int, reason, format string, args ...any) {
	if r.rejected == nil {
		r.rejected = r.Reject(column, reason, format, args...)
	}
}

// Rejected returns the first fault of the columns that were read since Split, or nil.
func (r *Row) Rejected() *source.Reject { return r.rejected }

// Field returns the text of a column, valid as long as the line is; empty is null.
func (r *Row) Field(column int) []byte {
	at := r.layout.at[column]
	if at < 0 {
		return nil
	}
	f := Clean(r.fields[at])
	if isNull(f) {
		return nil
	}
	return f
}

// Text is Field as a separate string.
func (r *Row) Text(column int) string { return string(r.Field(column)) }

// isNull reports whether a field says that there is no value.
func isNull(f []byte) bool {
	switch len(f) {
	case 0:
		return true
	case 2:
		return string(f) == "NA" || string(f) == `\N`
	case 3:
		return bytes.EqualFold(f, []byte("nan"))
	case 4:
		return bytes.EqualFold(f, []byte("none")) || bytes.EqualFold(f, []byte("null"))
	}
	return false
}

// signed returns a column as a number of either sign, NaN where it is null.
func (r *Row) signed(column int) float64 {
	f := r.Field(column)
	if f == nil {
		return math.NaN()
	}
	x, ok := decimal.Parse(f)
	if !ok {
		r.Fault(column, source.ReasonBadNumber, "%.40q, want a decimal number", f)
	}
	return x
}

// Number returns a column as a number of at least 0, NaN where it is null.
func (r *Row) Number(column int) float64 {
	x := r.signed(column)
	if x < 0 {
		r.Fault(column, source.ReasonBadNumber, "%.40q, want at least 0", r.Field(column))
	}
	return x
}

// Count returns a column as a whole number of at least least, None where it is null. It may be written 23.0.
func (r *Row) Count(column int, least int64) int64 {
	f := r.Field(column)
	if f == nil {
		return trace.None
	}
	x, ok := decimal.Parse(f)
	if !ok || x != math.Trunc(x) || x < float64(least) || x > math.MaxInt32 {
		r.Fault(column, source.ReasonBadCount, "%.40q, want a whole number of at least %d", f, least)
		return 0
	}
	return int64(x)
}

// Instant returns a column of seconds, which may be negative, as an instant, None where it is null.
func (r *Row) Instant(column int) trace.Instant {
	x := r.signed(column)
	if math.IsNaN(x) {
		return trace.None
	}
	t, err := trace.InstantFromSeconds(x)
	if err != nil {
		r.Fault(column, source.ReasonBadNumber, "%v", err)
	}
	return t
}

// IsNumber reports whether a field is a decimal number or null, for telling tables apart by their first row.
func IsNumber(field []byte) bool {
	f := Clean(field)
	_, ok := decimal.Parse(f)
	return isNull(f) || ok
}
