package csvtable

import (
	"context"
	"fmt"
	"io"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Stream is where rows go that stand for themselves.
type Stream struct {
	Ctx   context.Context
	Tally *source.Tally
	Yield func(*trace.Run, error) bool
	IDs   *source.IDs // of the runs so far

	repairs []string // of the record at hand
}

// Repair notes that a value of the record at hand was mended. It counts if the record gets into the tables.
func (s *Stream) Repair(kind string) { s.repairs = append(s.repairs, kind) }

// Begin begins a record. Notes on the previous record that did not count are dropped.
func (s *Stream) Begin() { s.repairs = s.repairs[:0] }

// Use counts the record at hand as used, and its repairs.
func (s *Stream) Use() {
	s.Tally.Use()
	for _, kind := range s.repairs {
		s.Tally.Repair(kind)
	}
}

// Open opens a file. Without one, more tells whether to go on with the next: a file that ends inside the header of its
// compression is a reject.
func (s *Stream) Open(f *source.File) (in io.ReadCloser, more bool) {
	in, err := f.Open(s.Ctx)
	switch {
	case err == nil:
		return in, true
	case source.IsTruncated(err):
		return nil, s.Reject(source.NewReject(f.Name, 1, "", source.ReasonTruncated, err.Error(), nil))
	}
	return nil, s.fail(err)
}

// Each gives every line of a file that is not blank to take and keeps the tally. take returns a run, or the kind under
// which the line is ignored, or a reject; nothing at all says that the line is in the tables without being a run. Runs
// that are inconsistent or whose id occurred before become rejects. Each reports whether the caller wants more.
func (s *Stream) Each(f *source.File, take func(*source.Line) (run *trace.Run, kind string, rej *source.Reject)) bool {
	in, more := s.Open(f)
	if in == nil {
		return more
	}
	defer in.Close()
	lines := source.NewLines(in, 0)
	line := source.Line{File: f}
	s.Tally.SetOrigin(func() source.Origin { return source.Origin{File: f.Name, Line: line.Number, Raw: line.Bytes} })
	defer s.Tally.SetOrigin(nil)
	for lines.Next() {
		if lines.Number()%4096 == 1 && s.Ctx.Err() != nil {
			return s.fail(s.Ctx.Err())
		}
		if lines.Cut() {
			break
		}
		line.Bytes, line.Number = lines.Bytes(), lines.Number()
		if !s.line(&line, lines, take) {
			return false
		}
	}
	switch err := lines.Err(); {
	case err == nil:
		return true
	case source.IsTruncated(err):
		return s.Reject(source.NewReject(f.Name, lines.Number(), "", source.ReasonTruncated, err.Error(),
			lines.Bytes()))
	default:
		return s.fail(fmt.Errorf("%s: after line %d: %w", f.Name, lines.Number(), err))
	}
}

func (s *Stream) line(line *source.Line, lines *source.Lines,
	take func(*source.Line) (*trace.Run, string, *source.Reject)) bool {
	switch {
	case source.Blank(line.Bytes):
		s.Tally.Ignore("blank line")
		return true
	case lines.TooLong():
		return s.Reject(line.Reject("", source.ReasonLineTooLong, "more than %d bytes", source.MaxLine))
	}
	if reason, detail := source.NotText(line.Bytes); reason != "" {
		return s.Reject(line.Reject("", reason, "%s", detail))
	}
	line.Record++
	s.Begin()
	run, kind, rej := take(line)
	switch {
	case rej != nil:
		if lines.Last() { // an unreadable last line without a line end: the file was cut off inside it
			rej.CutOff()
		}
		return s.Reject(rej)
	case kind != "":
		s.Tally.Ignore(kind)
		return true
	case run == nil:
		s.Use()
		return true
	}
	if err := run.Validate(); err != nil {
		return s.Reject(line.Reject("", source.ReasonInconsistent, "%v", err))
	}
	if !s.IDs.Claim(run.ID) {
		return s.Reject(line.Reject("id", source.ReasonDuplicateID, "%q occurred before", run.ID))
	}
	s.Use()
	return s.Yield(run, nil)
}

// fail ends the stream.
func (s *Stream) fail(err error) bool {
	s.Yield(nil, err)
	return false
}

// Reject counts and yields a reject, and reports whether the caller wants more.
func (s *Stream) Reject(rej *source.Reject) bool {
	s.Tally.Account(rej)
	return s.Yield(nil, rej)
}
