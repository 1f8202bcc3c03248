package google2019

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/parquetio"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// reader gathers the records of files.
type reader struct {
	source.Output
	g    *groupby.Grouper
	next int64 // number of the next file's first record in the whole input
	last int64 // line of the latest record of the file

	places    map[string]place   // of names of columns
	waitedFor map[int64]struct{} // collections that others start after
	cells     cells
	record    record
	buf, key  []byte
}

// add adds the records of files. Their state is the collections that others start after.
func add(ctx context.Context, files []*source.File, tally *source.Tally, g *groupby.Grouper,
	yield func(error) bool) (lines, waitedFor []int64, more bool) {
	out := source.Output{Ctx: ctx, Tally: tally, Yield: func(_ *trace.Run, err error) bool { return yield(err) }}
	r := &reader{Output: out, g: g, places: places(), waitedFor: map[int64]struct{}{}}
	for i, f := range files {
		if !r.file(f, int32(i)) {
			return nil, nil, false
		}
		lines = append(lines, r.last)
		r.next, r.last = r.next+r.last, 0
	}
	return lines, slices.Sorted(maps.Keys(r.waitedFor)), true
}

// join returns the collections that any of several processes met.
func join(waitedFor [][]int64) ([]int64, error) {
	all := slices.Concat(waitedFor...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// file takes the records of one file and reports whether the caller wants more.
func (r *reader) file(f *source.File, number int32) bool {
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	b := bufio.NewReaderSize(in, 64<<10)
	head, _ := b.Peek(512) // what goes wrong here goes wrong again when it is read
	switch kindOf(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")) {
	case kindParquet:
		if err := r.parquet(f, number, b); err != nil {
			if !errors.Is(err, errStop) {
				return r.Fail(fmt.Errorf("%s: %w", f.Name, err))
			}
			return false
		}
		return true
	case kindJSON:
		return r.json(f, number, b)
	default:
		return r.csv(f, number, b)
	}
}

// errStop says that the caller wants no more.
var errStop = errors.New("stop")

// json takes the lines of a file.
func (r *reader) json(f *source.File, number int32, in io.Reader) bool {
	lines := source.NewLines(in, 0)
	return r.Each(f, lines, func() bool {
		text, line := lines.Bytes(), lines.Number()
		reject := func(reason, detail string) bool {
			return r.Reject(source.NewReject(f.Name, line, "", reason, detail, text))
		}
		reason, detail := source.NotText(text)
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			r.Tally.Ignore(ignoredBlank)
			return true
		case lines.TooLong():
			return reject(source.ReasonLineTooLong, fmt.Sprintf("more than %d bytes", source.MaxLine))
		case reason != "":
			return reject(reason, detail)
		}
		r.cells.reset()
		s := scanner{Scanner: jsonscan.Scanner{Text: text}, places: r.places}
		if err := s.line(&r.cells); err != nil {
			if lines.Last() {
				return reject(source.ReasonTruncated, source.ReasonBadJSON+": "+err.Detail)
			}
			return reject(source.ReasonBadJSON, err.Detail)
		}
		return r.take(f, number, line, false, func() []byte { return text })
	})
}

// take accounts for the record in r.cells. line numbers it in its file; raw returns its text for a reject. last tells
// that the file may have been cut off inside it.
func (r *reader) take(f *source.File, number int32, line int64, last bool, raw func() []byte) bool {
	collection, kind := r.cells.parse(&r.record)
	c := &r.cells
	if c.reason != "" {
		if last {
			c.detail, c.reason = c.reason+": "+c.detail, source.ReasonTruncated
		}
		return r.Reject(source.NewReject(f.Name, line, c.field, c.reason, c.detail, raw()))
	}
	if kind != "" {
		r.Tally.Ignore(kind)
		return true
	}
	for _, id := range r.record.after {
		if id != collection {
			r.waitedFor[id] = struct{}{}
		}
	}
	r.last = line
	r.buf, r.key = r.record.append(r.buf[:0]), binary.AppendVarint(r.key[:0], collection)
	if err := r.g.Add(r.key, groupby.Record{File: number, Line: r.next + line - 1, Bytes: r.buf}); err != nil {
		return r.Fail(err)
	}
	return true
}

// batchRows is how many rows of a Parquet file are looked at at once.
const batchRows = 4096

// parquet takes the rows of a file.
func (r *reader) parquet(f *source.File, number int32, in io.Reader) (err error) {
	spooled, err := parquetio.Spool(in, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spooled.Close()) }()
	t, err := parquetio.OpenTable(spooled, spooled.Size)
	if err != nil {
		return err
	}
	var leaves []int
	var found []place
	some := false
	for i := range t.Leaves() {
		if p, ok := r.places[strings.ToLower(t.Leaves()[i].Name)]; ok {
			leaves, found = append(leaves, i), append(found, p)
			some = some || p.col == colCollection || p.col == colMachine
		}
	}
	if !some {
		return fmt.Errorf("it has no column %s", fieldNames[colCollection][0])
	}
	for batch, err := range t.Batches(leaves, batchRows) {
		if err != nil {
			return err
		}
		if err := r.Ctx.Err(); err != nil {
			return err
		}
		for i := range batch.Len {
			r.cells.reset()
			for k := range found {
				r.cells.set(found[k].col, found[k].rank, text(&batch.Vectors[k], i))
			}
			if !r.take(f, number, batch.First+int64(i)+1, false, r.raw) {
				return errStop
			}
		}
	}
	return nil
}

// text returns a cell of a row as text, the elements of a list with blanks between them.
func text(v *parquetio.Vector, row int) string {
	from, to := v.Span(row)
	if to == from+1 {
		return v.Text(from)
	}
	var b strings.Builder
	for k := from; k < to; k++ {
		b.WriteString(v.Text(k))
		b.WriteByte(' ')
	}
	return b.String()
}

// raw writes the fields of a row for people.
func (r *reader) raw() []byte {
	var b []byte
	for col, s := range r.cells.text {
		if s != "" {
			b = fmt.Appendf(b, "%s=%s ", fieldNames[col][r.cells.rank[col]], s)
		}
	}
	return b
}
