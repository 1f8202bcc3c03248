package source

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"

	"racecard/datasets/trace"
)

// Line is one line of a file, for readers of formats that hold one run per line.
type Line struct {
	File   *File
	Number int64  // from 1
	Bytes  []byte // valid until the next line
	Record int64  // number of the non-empty line, from 1
	Prefix string // of ids that count from 1 in every file: see [IDPrefixes]
}

// Reject returns a reject at this line.
func (l *Line) Reject(field, reason, format string, args ...any) *Reject {
	return NewReject(l.File.Name, l.Number, field, reason, fmt.Sprintf(format, args...), l.Bytes)
}

// ReadLines yields what parse makes of every non-empty line of every file, in order, and keeps the tally: lines that are
// too long, not UTF-8 or cut off, and runs whose id occurred before, become rejects. parse returns either a run or a
// reject; it may reuse the run at the next call.
func ReadLines(
	ctx context.Context, files []*File, tally *Tally, parse func(*Line) (*trace.Run, *Reject),
) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		ids := NewIDs()
		prefixes := IDPrefixes(files)
		for i, f := range files {
			if !readLines(ctx, f, prefixes[i], ids, tally, parse, yield) {
				return
			}
		}
	}
}

// readLines reads one file and reports whether the caller wants more.
func readLines(
	ctx context.Context, f *File, prefix string, ids *IDs, tally *Tally,
	parse func(*Line) (*trace.Run, *Reject), yield func(*trace.Run, error) bool,
) bool {
	r, err := f.Open()
	if err != nil {
		yield(nil, err)
		return false
	}
	defer r.Close()
	reject := func(rej *Reject) bool {
		tally.Account(rej)
		return yield(nil, rej)
	}
	lines := NewLines(r, 0)
	line := Line{File: f, Prefix: prefix}
	for lines.Next() {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		line.Bytes, line.Number = lines.Bytes(), lines.Number()
		if lines.Cut() {
			break
		}
		if Blank(line.Bytes) {
			tally.Ignore("blank line")
			continue
		}
		line.Record++
		run, rej := parseLine(&line, lines, ids, parse)
		if rej == nil {
			tally.Use()
			if !yield(run, nil) {
				return false
			}
		} else if !reject(rej) {
			return false
		}
	}
	switch err := lines.Err(); {
	case err == nil:
		return true
	case IsTruncated(err):
		return reject(NewReject(f.Name, lines.Number(), "", ReasonTruncated, err.Error(), lines.Bytes()))
	default:
		yield(nil, fmt.Errorf("%s: after line %d: %w", f.Name, lines.Number(), err))
		return false
	}
}

func parseLine(line *Line, lines *Lines, ids *IDs, parse func(*Line) (*trace.Run, *Reject)) (*trace.Run, *Reject) {
	if lines.TooLong() {
		return nil, line.Reject("", ReasonLineTooLong, "more than %d bytes", MaxLine)
	}
	if reason, detail := NotText(line.Bytes); reason != "" {
		return nil, line.Reject("", reason, "%s", detail)
	}
	run, rej := parse(line)
	if rej == nil {
		if err := run.Validate(); err != nil {
			return nil, line.Reject("", "inconsistent run", "%v", err)
		}
		if !ids.Claim(run.ID) {
			return nil, line.Reject("id", ReasonDuplicateID, "%q occurred before", run.ID)
		}
		return run, nil
	}
	if lines.Last() { // an unreadable last line without a line end: the file was cut off inside it
		rej.CutOff()
	}
	return nil, rej
}

// IDs remembers which ids were met, by 128-bit hashes: about 40 bytes an id, and a false alarm is less likely than a
// memory error.
type IDs struct {
	seeds [2]maphash.Seed
	seen  map[[2]uint64]struct{}
}

// NewIDs returns an empty set.
func NewIDs() *IDs {
	return &IDs{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, seen: map[[2]uint64]struct{}{}}
}

// Claim adds id and reports whether it is new.
func (s *IDs) Claim(id string) bool {
	key := [2]uint64{maphash.String(s.seeds[0], id), maphash.String(s.seeds[1], id)}
	if _, ok := s.seen[key]; ok {
		return false
	}
	s.seen[key] = struct{}{}
	return true
}

// Has reports whether id was claimed.
func (s *IDs) Has(id string) bool {
	_, ok := s.seen[[2]uint64{maphash.String(s.seeds[0], id), maphash.String(s.seeds[1], id)}]
	return ok
}
