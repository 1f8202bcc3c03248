package gather

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"unicode/utf8"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Row is a line of a trace whose rows of one job lie apart.
type Row struct {
	Tag    uint8 // as Key gave it
	File   string
	Line   int64 // in the file, from 1
	Number int64 // in the whole input, from 0
	Bytes  []byte
}

// Reject returns a reject of this row.
func (r *Row) Reject(field, reason, format string, args ...any) *source.Reject {
	return source.NewReject(r.File, r.Line, field, reason, fmt.Sprintf(format, args...), r.Bytes)
}

// Lines says how a trace of scattered lines becomes runs.
type Lines struct {
	// Options of the gatherer.
	Dir    string
	Memory int64

	// Key returns the job of a line and what kind of line it is. A nil key with an empty kind is no record (a header); with
	// a kind the line is ignored under it. The key may point into the line.
	Key func(line *source.Line) (key []byte, tag uint8, kind string, rej *source.Reject)

	// Build makes a run of the rows of a job, which are in the order of the input, and returns the rows it had to leave
	// out. Without any row left it returns no run.
	Build func(job string, rows []Row, tally *source.Tally) (*trace.Run, []*source.Reject)
}

// Read yields the runs in files: the form that [source.Format].Read has. Every line is used, ignored or rejected.
func (l Lines) Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		g := New(l.Dir, l.Memory)
		s := &scan{Lines: l, g: g, tally: tally, yield: yield}
		more := true
		for i := 0; more && i < len(files); i++ {
			more = s.file(ctx, files[i], int32(i))
		}
		if more {
			s.jobs(ctx, files)
		}
		if err := g.Close(); err != nil && more {
			yield(nil, err)
		}
	}
}

type scan struct {
	Lines
	g     *Gatherer
	tally *source.Tally
	yield func(*trace.Run, error) bool
	first []int64 // number of the first line of each file
	next  int64
}

// reject counts and yields a reject.
func (s *scan) reject(r *source.Reject) bool {
	s.tally.Account(r)
	return s.yield(nil, r)
}

// file deals the lines of one file out and reports whether the caller wants more.
func (s *scan) file(ctx context.Context, f *source.File, number int32) bool {
	s.first = append(s.first, s.next)
	in, err := f.Open()
	if err != nil {
		s.yield(nil, err)
		return false
	}
	defer in.Close()
	lines := source.NewLines(in, 0)
	line := source.Line{File: f}
	for lines.Next() {
		if lines.Number()%4096 == 1 && ctx.Err() != nil {
			s.yield(nil, ctx.Err())
			return false
		}
		if lines.Cut() {
			break
		}
		line.Bytes, line.Number = lines.Bytes(), lines.Number()
		if !s.line(&line, lines, number) {
			return false
		}
	}
	s.next += lines.Number() + 1
	switch err := lines.Err(); {
	case err == nil:
		return true
	case source.IsTruncated(err):
		return s.reject(source.NewReject(f.Name, lines.Number(), "", source.ReasonTruncated, err.Error(), lines.Bytes()))
	default:
		s.yield(nil, fmt.Errorf("%s: after line %d: %w", f.Name, lines.Number(), err))
		return false
	}
}

func (s *scan) line(line *source.Line, lines *source.Lines, file int32) bool {
	switch {
	case len(line.Bytes) == 0:
		s.tally.Ignore("blank line")
		return true
	case lines.TooLong():
		return s.reject(line.Reject("", source.ReasonLineTooLong, "more than %d bytes", source.MaxLine))
	case !utf8.Valid(line.Bytes):
		return s.reject(line.Reject("", source.ReasonNotUTF8, "bytes that are no UTF-8"))
	}
	line.Record++
	key, tag, kind, rej := s.Key(line)
	switch {
	case rej != nil && lines.Last():
		rej.CutOff()
		return s.reject(rej)
	case rej != nil:
		return s.reject(rej)
	case key == nil:
		if kind == "" {
			kind = "header"
		}
		s.tally.Ignore(kind)
		return true
	}
	if err := s.g.Add(key, Record{Tag: tag, File: file, Line: s.next + line.Number, Bytes: line.Bytes}); err != nil {
		s.yield(nil, err)
		return false
	}
	return true
}

// jobs builds the runs.
func (s *scan) jobs(ctx context.Context, files []*source.File) {
	var rows []Row
	for job, err := range s.g.Jobs(ctx) {
		if err != nil {
			s.yield(nil, err)
			return
		}
		rows = rows[:0]
		for _, r := range job.Records {
			rows = append(rows, Row{Tag: r.Tag, File: files[r.File].Name, Line: r.Line - s.first[r.File], Number: r.Line, Bytes: r.Bytes})
		}
		run, rejects := s.Build(job.Key, rows, s.tally)
		if run != nil {
			if err := run.Validate(); err != nil {
				rejects = nil
				for i := range rows {
					rejects = append(rejects, rows[i].Reject("", "inconsistent run", "%v", err))
				}
				run = nil
			}
		}
		for range len(rows) - len(rejects) {
			s.tally.Use()
		}
		for _, r := range rejects {
			if !s.reject(r) {
				return
			}
		}
		if run == nil {
			if len(rejects) < len(rows) {
				s.yield(nil, errors.New("a reader lost rows of job "+job.Key))
				return
			}
			continue
		}
		if !s.yield(run, nil) {
			return
		}
	}
}
