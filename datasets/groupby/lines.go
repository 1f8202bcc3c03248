package groupby

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Row is a line of a trace whose rows of one job lie apart. The Line of its record counts the lines of the whole input,
// from 0; [Row.Place] says where it is in its file.
type Row struct {
	*Record
	of *input
}

// input is shared by the rows of a trace.
type input struct {
	files  []*source.File
	first  []int64 // number of the first line of each file
	job    string  // at hand
	unpack func(job string, r *Row) []byte
}

// RowOf returns a line as a row by itself.
func RowOf(line *source.Line) Row {
	return Row{&Record{Line: line.Number - 1, Bytes: line.Bytes},
		&input{files: []*source.File{line.File}, first: []int64{0}}}
}

// Place returns the file of the row and its line there, from 1.
func (r *Row) Place() (file string, line int64) {
	return r.of.files[r.File].Name, r.Line - r.of.first[r.File] + 1
}

// Reject returns a reject of this row.
func (r *Row) Reject(field, reason, format string, args ...any) *source.Reject {
	file, line := r.Place()
	return source.NewReject(file, line, field, reason, fmt.Sprintf(format, args...), r.Text())
}

// Text returns the line.
func (r *Row) Text() []byte {
	if r.of == nil || r.of.unpack == nil {
		return r.Bytes
	}
	return r.of.unpack(r.of.job, r)
}

// Key returns the job of a line and the kind of line. A nil job with an empty kind is no record (a header); with a
// kind, the line is ignored and counted under that kind. The job may point into the line.
type Key func(line *source.Line) (job []byte, tag uint8, kind string, rej *source.Reject)

// Build makes a run of the rows of a job, which are in the order of the input, and returns the rows it had to leave
// out. Without any row left it returns no run. A run, and what job and rows point to, is valid until the next one.
type Build func(job string, rows []Row, tally *source.Tally) (*trace.Run, []*source.Reject)

// Lines says how a trace of scattered lines becomes runs.
type Lines struct {
	Memory int64 // of the grouper

	// Key is called for the lines in order. If Stateless is true, it is called for the lines of several blocks at
	// once, in no order and without [source.Line.Record].
	Key       Key
	Stateless bool

	// Pack, unless it is nil, is asked before Key: of a line in a usual form it appends a form to room that takes less
	// memory and is faster to read, and reports true; that becomes the row's. Of other lines it reports false. It must
	// be as Key is. Unpack returns the line that a row was, whether it was packed or not.
	Pack   func(line, room []byte) (job, record []byte, tag uint8, ok bool)
	Unpack func(job string, r *Row) []byte

	// NewBuild returns a Build for one goroutine.
	NewBuild func() Build

	// Runless, unless it is nil, reports whether the rows of a key make no run. Its rows are used nevertheless.
	Runless func(key string) bool

	// Retag, unless it is nil, turns the tag that a process gave to a row into the one that Build expects. from numbers
	// the processes as in [Lines.Gather].
	Retag func(from int, tag uint8) uint8
	tag   func(r *Record) uint8
}

// Read yields the runs in files: the form that [source.Format].Read has. Every line is used, ignored or rejected.
func (l Lines) Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.Serially(l.Chunks)(ctx, files, tally)
}

// Chunks yields the runs in files in chunks: the form that [source.Format].Chunks has.
func (l Lines) Chunks(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[source.Chunk, error] {
	return func(yield func(source.Chunk, error) bool) {
		g := New(l.Memory)
		reject := func(r *source.Reject) bool {
			tally.Account(r)
			return yield(nil, r)
		}
		first, err := l.scan(ctx, files, g, tally, reject)
		if err != nil {
			if !errors.Is(err, errStop) {
				yield(nil, err)
			}
			_ = g.Close() // what went wrong before counts
			return
		}
		g.yield(func(c Chunk) source.Chunk { return l.chunk(c, files, first) }, yield)
	}
}

// chunk yields the runs of a chunk. first is the number of the first line of each file.
func (l Lines) chunk(c Chunk, files []*source.File, first []int64) source.Chunk {
	return func(ctx context.Context, tally *source.Tally, yield func(*trace.Run, error) bool) {
		build := l.NewBuild()
		var rows []Row
		tally.SetOrigin(func() source.Origin { return origin(rows) })
		defer tally.SetOrigin(nil)
		apart := source.NewTally() // of rows that make no run: they are no part of the run that comes next
		defer func() { tally.Merge(apart) }()
		of := &input{files: files, first: first}
		if l.Pack != nil {
			of.unpack = l.Unpack
		}
		for job := range c.Whole(ctx, files, first, tally, yield) {
			name := unsafe.String(unsafe.SliceData(job.Key), len(job.Key)) // is not kept
			of.job = name
			rows = slices.Grow(rows[:0], len(job.Records))[:len(job.Records)]
			for i := range rows {
				r := &job.Records[i]
				rows[i] = Row{r, of}
				if l.tag != nil {
					r.Tag = l.tag(r)
				}
			}
			runless := l.Runless != nil && l.Runless(name)
			into := tally
			if runless {
				into = apart
			}
			run, rejects := build(name, rows, into)
			if run != nil {
				if err := run.Validate(); err != nil {
					rejects = nil
					for i := range rows {
						rejects = append(rejects, rows[i].Reject("", "inconsistent run", "%v", err))
					}
					run = nil
				}
			}
			into.UseMany(len(rows) - len(rejects))
			for _, r := range rejects {
				into.Account(r)
				if !yield(nil, r) {
					return
				}
			}
			switch {
			case run != nil:
				if !yield(run, nil) {
					return
				}
			case len(rejects) < len(rows) && !runless:
				yield(nil, errors.New("a reader lost rows of job "+name))
				return
			}
		}
	}
}

// originBytes is how much of the rows of a job is kept of them.
const originBytes = 4096

// origin returns where the rows of a job come from.
func origin(rows []Row) source.Origin {
	file, line := rows[0].Place()
	o := source.Origin{File: file, Line: line}
	for i := range rows {
		if i > 0 {
			o.Raw = append(o.Raw, '\n')
		}
		if o.Raw = append(o.Raw, rows[i].Text()...); len(o.Raw) > originBytes {
			break
		}
	}
	return o
}

// take adds the record of a line to a block, or counts what else became of the line.
func (l Lines) take(line *source.Line, b *source.Block, into *scanned) {
	line.Bytes, line.Number = b.Line, b.Number
	switch {
	case source.Blank(line.Bytes):
		into.ignore("blank line")
		return
	case b.Long:
		into.rejects = append(into.rejects,
			line.Reject("", source.ReasonLineTooLong, "more than %d bytes", source.MaxLine))
		return
	case !into.text:
		if reason, detail := source.NotText(line.Bytes); reason != "" {
			into.rejects = append(into.rejects, line.Reject("", reason, "%s", detail))
			return
		}
	}
	line.Record++
	if l.Pack != nil {
		job, record, tag, ok := l.Pack(line.Bytes, into.records.room[:0])
		into.records.room = record
		if ok {
			into.records.add(job, record, tag, uint32(b.Number-b.First))
			return
		}
	}
	key, tag, kind, rej := l.Key(line)
	switch {
	case rej != nil:
		if b.Last { // an unreadable last line without a line end: the file was cut off inside it
			rej.CutOff()
		}
		into.rejects = append(into.rejects, rej)
	case key != nil:
		into.records.add(key, line.Bytes, tag, uint32(b.Number-b.First))
	case kind != "":
		into.ignore(kind)
	default:
		into.ignore("header")
	}
}
