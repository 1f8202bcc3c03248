package source

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime"
	"strconv"

	"racecard/datasets/trace"
)

// LineParser makes runs of lines, of each without knowing the others.
type LineParser interface {
	// Parse makes a run, or a reject, of a line, and may count repairs and warnings in tally. The run may point to the
	// line. A run without an id gets one: the number of the non-empty line, from 1, behind a prefix when there are
	// several files ([IDPrefixes]). Its order in the input is not the parser's to set either.
	Parse(line *Line, tally *Tally) (*trace.Run, *Reject)

	// Reset says that the runs so far, which must have stayed as they were, are not needed any more.
	Reset()
}

// lineBlock is the size of blocks of lines: a byte may become a hundred bytes of runs.
const lineBlock = 128 << 10

// ReadLines yields the runs that parsers build from the non-empty lines of files, in order, and keeps the tally.
// Lines that are too long, not UTF-8 or cut off, and runs whose id occurred before, become rejects. Several
// parsers work at once. A run is valid until the next one.
func ReadLines(ctx context.Context, files []*File, tally *Tally, newParser func() LineParser) iter.Seq2[*trace.Run,
	error] {
	return func(yield func(*trace.Run, error) bool) {
		workers := runtime.GOMAXPROCS(0)
		spare := make(chan *parsed, 4*workers) // more than are under way
		newScan := func() func(int, *Block) *parsed {
			return func(file int, b *Block) *parsed {
				var p *parsed
				select {
				case p = <-spare:
				default:
					p = &parsed{parser: newParser()}
				}
				p.block(files[file], b)
				return p
			}
		}
		r := lineReader{files: files, prefixes: IDPrefixes(files), ids: NewIDs(), tally: tally, yield: yield}
		tally.SetOrigin(r.origin)
		defer tally.SetOrigin(nil)
		for s := range ScanBlocks(ctx, files, workers, lineBlock, newScan) {
			switch {
			case s.End && !r.end(&s), !s.End && !r.take(ctx, s.File, s.Result):
				return
			case !s.End:
				spare <- s.Result
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// parsed is the parsed content of a block.
type parsed struct {
	parser LineParser
	lines  []parsedLine
	blank  int64  // lines
	cut    []byte // line that the stream broke off inside
}

// parsedLine is the parsed content of a line that is not blank.
type parsedLine struct {
	number   int64
	bytes    []byte
	run      *trace.Run // nil when the parser rejects the line
	numbered bool       // the run has no id of its own
	reject   *Reject    // of the line, or of an inconsistent run
	tally    *Tally     // counts of the parser; nil for none
}

// block parses the lines of a block.
func (p *parsed) block(f *File, b *Block) {
	p.parser.Reset()
	clear(p.lines)
	p.lines, p.blank, p.cut = p.lines[:0], 0, nil
	reason, _ := NotText(b.Rest())
	line, tally := Line{File: f}, NewTally()
	for b.Next() {
		if b.Cut {
			p.cut = b.Line
			return
		}
		if Blank(b.Line) {
			p.blank++
			continue
		}
		line.Bytes, line.Number = b.Line, b.Number
		next := parsedLine{number: b.Number, bytes: b.Line}
		next.parse(p.parser, &line, b, reason == "", tally)
		if tally.repaired > 0 || len(tally.warned) > 0 {
			next.tally, tally = tally, NewTally()
		}
		p.lines = append(p.lines, next)
	}
}

// wholeObject reports whether a line is a whole object of JSON.
func wholeObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{' && json.Valid(line)
}

// parse parses the line at hand of a block.
func (l *parsedLine) parse(parser LineParser, line *Line, b *Block, text bool, tally *Tally) {
	if b.Long {
		l.reject = line.Reject("", ReasonLineTooLong, "more than %d bytes", MaxLine)
		return
	}
	if !text {
		if reason, detail := NotText(line.Bytes); reason != "" {
			l.reject = line.Reject("", reason, "%s", detail)
			return
		}
	}
	if l.run, l.reject = parser.Parse(line, tally); l.reject != nil {
		if b.Last && !wholeObject(line.Bytes) { // without a line end: the file was cut off inside it
			l.reject.CutOff()
		}
		return
	}
	if l.numbered = l.run.ID == ""; l.numbered {
		l.run.ID = "1" // for now: how many lines are before it is not known
	}
	if err := l.run.Validate(); err != nil {
		l.reject = line.Reject("", "inconsistent run", "%v", err)
	}
}

// lineReader merges the output of the parsers.
type lineReader struct {
	files    []*File
	prefixes []string
	ids      *IDs
	tally    *Tally
	yield    func(*trace.Run, error) bool

	at      *parsedLine
	file    *File
	records int64 // of the file
	seq     int64
	cut     []byte
}

func (r *lineReader) origin() Origin { return Origin{r.file.Name, r.at.number, r.at.bytes} }

// take takes a block and reports whether more is wanted.
func (r *lineReader) take(ctx context.Context, file int, p *parsed) bool {
	if p.blank > 0 {
		r.tally.IgnoreMany("blank line", p.blank)
	}
	r.cut = bytes.Clone(p.cut)
	for i := range p.lines {
		if err := ctx.Err(); err != nil {
			r.yield(nil, err)
			return false
		}
		l := &p.lines[i]
		r.at, r.file = l, r.files[file]
		r.records++
		if l.tally != nil {
			r.tally.Merge(l.tally)
		}
		if l.run != nil {
			l.run.Seq = r.seq
			r.seq++
			if l.numbered {
				l.run.ID = r.prefixes[file] + strconv.FormatInt(r.records, 10)
			}
		}
		if l.reject == nil && !r.ids.Claim(l.run.ID) {
			line := Line{File: r.file, Number: l.number, Bytes: l.bytes}
			l.reject = line.Reject("id", ReasonDuplicateID, "%q occurred before", l.run.ID)
		}
		if l.reject != nil {
			if !r.reject(l.reject) {
				return false
			}
			continue
		}
		r.tally.Use()
		if !r.yield(l.run, nil) {
			return false
		}
	}
	return true
}

func (r *lineReader) reject(rej *Reject) bool {
	r.tally.Account(rej)
	return r.yield(nil, rej)
}

// end takes the end of a file and reports whether more is wanted.
func (r *lineReader) end(s *Scanned[*parsed]) bool {
	cut := r.cut
	r.records, r.cut = 0, nil
	switch name := r.files[s.File].Name; {
	case s.Err == nil:
		return true
	case !s.Opened:
		r.yield(nil, s.Err)
	case IsTruncated(s.Err):
		return r.reject(NewReject(name, s.Lines, "", ReasonTruncated, s.Err.Error(), cut))
	default:
		r.yield(nil, fmt.Errorf("%s: after line %d: %w", name, s.Lines, s.Err))
	}
	return false
}
