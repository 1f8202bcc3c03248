package swf

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Kinds of repairs: a value that makes no sense became null.
const (
	RepairWait   = "negative wait time"
	RepairRun    = "negative run time"
	RepairMemory = "negative memory"
	RepairProcs  = "no processors allocated"
)

// Kinds of lines that are ignored.
const (
	IgnoredBlank   = "blank line"
	IgnoredComment = "comment"
	IgnoredPartial = "partial execution"
)

// Kinds of warnings.
const (
	WarnPreceding = "preceding jobs"
	WarnStarts    = "submit times are starts"
	WarnLacks     = "fields of the job key"
)

// startsNote is a note of the Parallel Workloads Archive in the headers of logs without wait times, such as NASA
// iPSC/860.
const startsNote = "submit times are actually start times"

// maxHeader bounds the bytes of header comments that are kept.
const maxHeader = 64 << 10

// Read yields one run per job, in the order of the input. A yielded run is valid until the next one is asked for. It
// has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return read(ctx, files, tally, nil)
}

// read is Read with the fields that name the recurring job of a run, none for its application.
func read(ctx context.Context, files []*source.File, tally *source.Tally, key []keyField) iter.Seq2[*trace.Run, error] {
	return source.ReadFiles(ctx, files, tally, func(out source.Output) source.FileReader {
		return &reader{Output: out, parser: newParser(key), prefixes: source.IDPrefixes(files)}
	})
}

// reader goes through files. Its methods report whether the caller wants more.
type reader struct {
	source.Output
	parser   *parser
	prefixes []string // of ids in each file
	header   int      // bytes of the header that are kept

	line      source.Line
	inHeader  bool   // no job of the file was met
	continues bool   // the last comment that was kept is of this file
	entry     string // of the header: the end of the last one
	preceding int64
	used      int64            // runs of the file
	lacks     map[string]int64 // by field of the job key: runs of the file without it
}

// Origin implements [source.FileReader].
func (r *reader) Origin() source.Origin {
	return source.Origin{File: r.line.File.Name, Line: r.line.Number, Raw: r.line.Bytes}
}

// ReadFile implements [source.FileReader].
func (r *reader) ReadFile(i int, f *source.File) bool {
	r.line.File, r.line.Prefix, r.line.Number, r.line.Record, r.preceding, r.used = f, r.prefixes[i], 0, 0, 0, 0
	r.lacks = map[string]int64{}
	r.inHeader, r.continues, r.entry, r.parser.starts, r.parser.begin = true, false, "", false, 0
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	lines := source.NewLines(in, 0)
	more := r.Each(f, lines, func() bool {
		r.line.Bytes, r.line.Number = lines.Bytes(), lines.Number()
		return r.readLine(lines)
	})
	if r.preceding > 0 {
		r.Tally.Warn(WarnPreceding, "%s: %d jobs name one; the tables hold no edges between jobs", f.Name, r.preceding)
	}
	for _, k := range r.parser.key {
		if n := r.lacks[k.name]; n > 0 {
			r.Tally.Warn(WarnLacks, "%s: %s of %s have no %s: other fields of the key name their recurring job, if any",
				f.Name, words.Count(n), words.Of(r.used, "run", "runs"), k.name)
		}
	}
	return more
}

// readLine accounts for a line.
func (r *reader) readLine(lines *source.Lines) bool {
	text := bytes.TrimSpace(r.line.Bytes)
	switch {
	case lines.TooLong():
		return r.Reject(r.line.Reject("", source.ReasonLineTooLong, "more than %d bytes", source.MaxLine))
	case len(text) == 0:
		r.Tally.Ignore(IgnoredBlank)
		return true
	case text[0] == ';':
		r.comment(text)
		r.Tally.Ignore(IgnoredComment)
		return true
	}
	if reason, detail := source.NotText(text); reason != "" {
		return r.Reject(r.line.Reject("", reason, "%s", detail))
	}
	r.inHeader = false
	rej := r.parser.parse(&r.line)
	if rej != nil {
		if lines.Last() { // an unreadable last line without a line end: the file was cut off inside it
			rej.CutOff()
		}
		return r.Reject(rej)
	}
	return r.take()
}

// take accounts for the run of a line.
func (r *reader) take() bool {
	run := r.parser.run
	if err := run.Validate(); err != nil {
		return r.Reject(r.line.Reject("", source.ReasonInconsistent, "%v", err))
	}
	if !r.IDs.Claim(run.ID) {
		if r.parser.partial {
			r.Tally.Ignore(IgnoredPartial)
			return true
		}
		return r.Reject(r.line.Reject(fieldNames[fieldJob], source.ReasonDuplicateID, "%q occurred before", run.ID))
	}
	for _, kind := range r.parser.repairs {
		r.Tally.Repair(kind)
	}
	if r.parser.preceding {
		r.preceding++
	}
	for _, field := range r.parser.lacks {
		r.lacks[field]++
	}
	r.used++
	r.Number(run)
	r.Tally.Use()
	return r.Yield(run, nil)
}

// comment keeps a comment before the first job: "Key: value", and its continuation lines. When the header exceeds
// maxHeader, its last entry is dropped and nothing more is kept.
func (r *reader) comment(text []byte) {
	if !r.inHeader || !utf8.Valid(text) {
		return
	}
	key, value, ok := headerField(text)
	if key == "" && value == "" {
		return
	}
	r.noteStarts(value, ok)
	if key == "UnixStartTime" {
		r.parser.begin = beginning(value)
	}
	if r.Tally.HeaderFull {
		return
	}
	header := &r.Tally.Header
	if !ok && r.continues {
		value = " " + value
		(*header)[len(*header)-1] += value
	} else {
		r.continues = true
		if ok {
			value = key + ": " + value
		}
		if r.line.Prefix != "" {
			value = r.line.Prefix + " " + value
		}
		*header = append(*header, value)
	}
	if r.header += len(value); r.header > maxHeader {
		r.Tally.BoundHeader(maxHeader)
	}
}

// beginning returns the Unix time, in seconds, that UnixStartTime states; 0 if none is known. Headers say 0 for
// unknown.
func beginning(value string) float64 {
	first, _, _ := strings.Cut(value, " ")
	if x, ok := decimal.Parse([]byte(first)); ok && x >= source.UnixAfter.Seconds() && x <= trace.MaxSeconds {
		return x
	}
	return 0
}

// noteStarts looks for [startsNote] in an entry of the header, which may continue from one comment to the next.
func (r *reader) noteStarts(value string, begins bool) {
	if begins {
		r.entry = ""
	}
	r.entry = strings.Join(strings.Fields(r.entry+" "+strings.ToLower(value)), " ")
	if !r.parser.starts && strings.Contains(r.entry, startsNote) {
		r.parser.starts = true
		r.Tally.Warn(WarnStarts, "%s: its header says so: runs without a wait time count as if they had not waited",
			r.line.File.Name)
	}
	r.entry = r.entry[max(0, len(r.entry)-len(startsNote)):]
}
