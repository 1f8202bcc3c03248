package csvtable

import (
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Stream is where rows go that stand for themselves.
type Stream struct {
	source.Output

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

// Each gives every line of a file that is not blank to take and keeps the tally. take returns a run, or the kind under
// which the line is ignored, or a reject; nothing at all says that the line is in the tables without being a run. Runs
// that are inconsistent or whose id occurred before become rejects. Each reports whether the caller wants more.
func (s *Stream) Each(f *source.File, take func(*source.Line) (run *trace.Run, kind string, rej *source.Reject)) bool {
	in, ok := s.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	lines := source.NewLines(in, 0)
	line := source.Line{File: f}
	s.Tally.SetOrigin(func() source.Origin { return source.Origin{File: f.Name, Line: line.Number, Raw: line.Bytes} })
	defer s.Tally.SetOrigin(nil)
	return s.Output.Each(f, lines, func() bool {
		line.Bytes, line.Number = lines.Bytes(), lines.Number()
		return s.line(&line, lines, take)
	})
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
