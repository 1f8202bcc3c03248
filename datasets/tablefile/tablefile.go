// Package tablefile keeps tables of remaining times C(p,a) on disk: one Arrow IPC file per job, which can be mapped
// into memory, a Parquet copy with the same columns for other tools, and a folder of them with [IndexFile], which lists
// them.
//
// A file has one row per allocation and progress, in that order, and the columns
//
//	allocation  int32   tokens
//	progress    float64 0, 0.01, ... 1
//	samples     int64   simulated runs, or instants of them, that the row rests on
//	mean_s, min_s, p1_s, ... p99_s, max_s  float64  remaining time in seconds
//
// No value is null. Metadata pairs of the schema (Arrow) or the file (Parquet) describe the table: the fields of
// [remaining.About] by their JSON names, and format, format_version, allocations, units and checksum. Values
// other than text are JSON. The checksum is the SHA-256 of the file with zeros in place of its digits.
//
// What is read is checked against its checksum, its own description and the laws of [remaining.Table.Verify]; a table
// that fails is refused with the reason.
package tablefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"racecard/datasets/arrowtab"
	"racecard/datasets/lists"
	"racecard/datasets/parquetio"
	"racecard/datasets/remaining"
)

// The format of tables.
const (
	Format  = "racecard-table"
	Version = 2
)

const units = "allocation: tokens; progress: share of the run; samples: count; others: seconds"

// Encode returns the Arrow file of a table, which must be valid.
func Encode(t *remaining.Table) ([]byte, error) {
	about, err := describe(t)
	if err != nil {
		return nil, err
	}
	data, err := arrowtab.EncodeFile(about, columns(t))
	if err != nil {
		return nil, err
	}
	return data, sign(data, 2) // the schema is written at the beginning and in the footer
}

// EncodeParquet returns the Parquet file of a table, which must be valid.
func EncodeParquet(t *remaining.Table) ([]byte, error) {
	about, err := describe(t)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	rows := []parquetio.Range{{From: 0, To: t.Cells()}}
	if err := parquetio.Write(&b, "remaining", about, columns(t), rows, "allocation", "progress"); err != nil {
		return nil, err
	}
	return b.Bytes(), sign(b.Bytes(), 1)
}

// Decode is the inverse of [Encode]. It returns a table that is valid, or the reason why there is none.
func Decode(data []byte) (*remaining.Table, error) {
	if err := checkSum(data); err != nil {
		return nil, err
	}
	about, columns, err := arrowtab.DecodeFile(data)
	if err != nil {
		return nil, err
	}
	return table(about, columns)
}

// DecodeParquet is the inverse of [EncodeParquet], likewise.
func DecodeParquet(data []byte) (t *remaining.Table, err error) {
	if err := checkSum(data); err != nil {
		return nil, err
	}
	f, err := parquetio.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if n, most := f.NumRows(), len(columnNames()); n > remaining.MaxCells || len(f.Fields()) > most {
		return nil, fmt.Errorf("%d rows and %d columns, at most %d and %d are taken", n, len(f.Fields()),
			remaining.MaxCells, most)
	}
	var columns []parquetio.Column
	for _, field := range f.Fields() {
		c, err := f.Column(field.Name)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return table(f.About(), columns)
}

// describe returns the pairs of a table.
func describe(t *remaining.Table) ([]parquetio.Pair, error) {
	if err := t.Verify(); err != nil {
		return nil, fmt.Errorf("table of %q: %w", t.About.Job, err)
	}
	allocations, err := json.Marshal(t.Allocations)
	if err != nil {
		return nil, err
	}
	pairs := []parquetio.Pair{
		{Key: "format", Value: Format}, {Key: "format_version", Value: strconv.Itoa(Version)},
		{Key: "checksum", Value: mark + zeros},
		{Key: "units", Value: units}, {Key: "allocations", Value: string(allocations)},
	}
	fields, err := aboutFields(t.About)
	return append(pairs, fields...), err
}

// columnNames are the columns of a file, in order.
func columnNames() []string {
	names := []string{"allocation", "progress", "samples", "mean_s", "min_s"}
	for q := 1; q < remaining.Levels-1; q++ {
		names = append(names, fmt.Sprintf("p%d_s", q))
	}
	return append(names, "max_s")
}

func columns(t *remaining.Table) []parquetio.Column {
	n := t.Cells()
	allocation, progress := make([]int32, n), make([]float64, n)
	for c := range n {
		allocation[c], progress[c] = t.Allocations[c/remaining.Steps], remaining.Progress(c%remaining.Steps)
	}
	out := lists.Map(columnNames(), func(name string) parquetio.Column {
		return parquetio.Column{Field: parquetio.Field{Name: name, Kind: parquetio.Float64}, Len: n}
	})
	out[0].Kind, out[0].Int32s = parquetio.Int32, allocation
	out[1].Float64s = progress
	out[2].Kind, out[2].Int64s = parquetio.Int64, t.Samples
	out[3].Float64s = t.Mean
	for q := range t.Quantiles {
		out[4+q].Float64s = t.Quantiles[q]
	}
	return out
}

// table is the inverse of describe and columns.
func table(about []parquetio.Pair, columns []parquetio.Column) (*remaining.Table, error) {
	pairs := map[string]string{}
	for _, p := range about {
		if _, twice := pairs[p.Key]; twice {
			return nil, fmt.Errorf("metadata: %q is there twice", p.Key)
		}
		pairs[p.Key] = p.Value
	}
	if got := pairs["format"]; got != Format {
		return nil, fmt.Errorf("format is %q, want %q: not a table of racecard", got, Format)
	}
	if got := pairs["format_version"]; got != strconv.Itoa(Version) {
		return nil, fmt.Errorf("format version is %s, this racecard reads %d: build the table again with `racecard "+
			"table build MODELS --out TABLES`", got, Version)
	}
	t := &remaining.Table{}
	if err := json.Unmarshal([]byte(pairs["allocations"]), &t.Allocations); err != nil {
		return nil, fmt.Errorf("metadata: allocations: %w", err)
	}
	var err error
	if t.About, err = parseAbout(pairs); err != nil {
		return nil, err
	}
	names := columnNames()
	if len(columns) != len(names) {
		return nil, fmt.Errorf("%d columns, want %d", len(columns), len(names))
	}
	for i := range columns {
		c := &columns[i]
		if c.Name != names[i] || c.Len != t.Cells() || c.Known() != c.Len {
			return nil, fmt.Errorf("column %d is %q with %d of %d rows known, want %q with %d", i, c.Name, c.Known(),
				c.Len, names[i], t.Cells())
		}
	}
	if columns[0].Int32s == nil || columns[2].Int64s == nil {
		return nil, fmt.Errorf("allocations and samples are not whole numbers")
	}
	for i := range columns {
		if i != 0 && i != 2 && columns[i].Float64s == nil {
			return nil, fmt.Errorf("column %q: want doubles", names[i])
		}
	}
	for c := range t.Cells() {
		a, p := columns[0].Int32s[c], columns[1].Float64s[c]
		if a != t.Allocations[c/remaining.Steps] || p != remaining.Progress(c%remaining.Steps) {
			return nil, fmt.Errorf("row %d is of %d tokens and progress %v, want %d and %v", c, a, p,
				t.Allocations[c/remaining.Steps], remaining.Progress(c%remaining.Steps))
		}
	}
	t.Samples, t.Mean = columns[2].Int64s, columns[3].Float64s
	for q := range t.Quantiles {
		t.Quantiles[q] = columns[4+q].Float64s
	}
	return t, t.Verify()
}

// same reports whether two tables say the same.
func same(a, b *remaining.Table) bool {
	if !slices.Equal(a.Allocations, b.Allocations) || !slices.Equal(a.Samples, b.Samples) ||
		!slices.Equal(a.Mean, b.Mean) {
		return false
	}
	for q := range a.Quantiles {
		if !slices.Equal(a.Quantiles[q], b.Quantiles[q]) {
			return false
		}
	}
	x, errX := json.Marshal(a.About)
	y, errY := json.Marshal(b.About)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
