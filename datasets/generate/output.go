package generate

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"racecard/datasets/seed"
)

// traceWriter is the state that the files of one trace share. Its first error sticks, and ends the trace.
type traceWriter struct {
	kind     Kind
	ctx      context.Context
	create   Create
	want     int64 // rows
	rows     int64 // so far
	seed     uint64
	progress func(int64)
	open     []*output
	spare    []*bufio.Writer // of files that were closed
	err      error
}

// more reports whether rows are missing and nothing went wrong.
func (t *traceWriter) more() bool { return t.err == nil && t.rows < t.want }

// left returns how many rows are missing.
func (t *traceWriter) left() int64 { return t.want - t.rows }

// growth returns the factor by which runs are larger than usual, for kinds that write a file per run: there are at most
// about 5,000 files. usual is about how many rows a usual run has.
func (t *traceWriter) growth(usual float64) float64 { return max(1, float64(t.want)/usual/5000) }

func (t *traceWriter) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// row counts a row.
func (t *traceWriter) row() {
	t.rows++
	if t.rows%(1<<12) == 0 {
		if t.progress != nil {
			t.progress(t.rows)
		}
		if err := t.ctx.Err(); err != nil {
			t.fail(err)
		}
	}
}

// close closes the files that are open.
func (t *traceWriter) close() {
	for len(t.open) > 0 {
		t.open[0].close()
	}
}

// file opens a file of the trace: the only one of a kind that is no folder has no name. One whose name ends in .gz is
// compressed.
func (t *traceWriter) file(name string) *output {
	if name == "" {
		name = t.kind.Name + t.kind.Ending
	}
	dir, base := path.Split(name)
	o := &output{trace: t}
	if n := len(t.spare); n > 0 {
		o.w, t.spare = t.spare[n-1], t.spare[:n-1]
	} else {
		o.w = bufio.NewWriterSize(nil, 256<<10)
	}
	t.open = append(t.open, o)
	file, err := t.create(dir + Prefix + base)
	if err != nil {
		t.fail(err)
		return o
	}
	o.file = file
	o.w.Reset(file)
	if strings.HasSuffix(name, ".gz") {
		o.zip, err = gzip.NewWriterLevel(file, gzip.BestSpeed)
		if err != nil {
			t.fail(err)
			return o
		}
		o.w.Reset(o.zip)
	}
	return o
}

// output is a file that is written line by line. After an error it writes nothing.
type output struct {
	trace *traceWriter
	file  io.WriteCloser // nil when it could not be made
	zip   *gzip.Writer   // nil when it is not compressed
	w     *bufio.Writer
	line  []byte
}

// end writes the line and begins the next.
func (o *output) end() {
	o.line = append(o.line, '\n')
	o.flush()
}

// endRow is end for a line that is a row of the trace.
func (o *output) endRow() {
	o.end()
	o.trace.row()
}

// flush writes what the line holds so far, for lines that may be long.
func (o *output) flush() {
	if o.trace.err == nil {
		if _, err := o.w.Write(o.line); err != nil {
			o.trace.fail(err)
		}
	}
	o.line = o.line[:0]
}

func (o *output) close() {
	t := o.trace
	t.open = slices.DeleteFunc(t.open, func(open *output) bool { return open == o })
	if o.file == nil {
		return
	}
	err := o.w.Flush()
	t.spare = append(t.spare, o.w)
	if o.zip != nil {
		err = errors.Join(err, o.zip.Close())
	}
	if err := errors.Join(err, o.file.Close()); err != nil {
		t.fail(err)
	}
}

func (o *output) text(s string)   { o.line = append(o.line, s...) }
func (o *output) int(n int64)     { o.line = strconv.AppendInt(o.line, n, 10) }
func (o *output) float(x float64) { o.line = strconv.AppendFloat(o.line, x, 'g', -1, 64) }

// round writes x, which is at least 0 and below 1e12, with so many digits behind the point, at least one and at most 6.
func (o *output) round(x float64, digits int) {
	scale := [...]int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}[digits]
	n := int64(math.Round(x * float64(scale))) // strconv is slow at this
	o.int(n / scale)
	o.text(".")
	o.pad(n%scale, digits)
}

// pad writes n, which is not negative, with zeros before it up to so many digits.
func (o *output) pad(n int64, digits int) {
	limit := int64(1)
	for range digits - 1 {
		limit *= 10
	}
	for ; n < limit && limit > 1; limit /= 10 {
		o.text("0")
	}
	o.int(n)
}

// field writes a number behind the text that announces it.
func (o *output) field(before string, n int64) { o.text(before); o.int(n) }

// hash writes 44 characters that look like the hashes of published traces: 32 bytes in Base64. Equal numbers of a
// purpose give equal hashes.
func (o *output) hash(purpose byte, n int64) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	x := uint64(n)*seed.Gamma + uint64(purpose)*0xd1b54a32d192ed03
	for i := range 43 {
		if i%10 == 0 {
			x = seed.Mix(x + seed.Gamma)
		}
		o.line = append(o.line, digits[x>>(6*(i%10))&63])
	}
	o.line = append(o.line, '=')
}
