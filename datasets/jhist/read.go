package jhist

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"unicode/utf8"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonOtherJob = "event of another job"
	ReasonNoHeader = "no header"
	ReasonBinary   = "binary history"
)

// Kinds of ignored lines, besides events of other classes.
const (
	IgnoredBlank  = "blank line"
	IgnoredHeader = "header"
	IgnoredAside  = "setup and cleanup"
	IgnoredOther  = "other event"
)

// Kinds of warnings.
const (
	WarnNoEnd    = "missing end"
	WarnRepeated = "repeated events"
)

// maxLine bounds the bytes of an event. Hadoop's events have some thousands, its schema some tens of thousands.
const maxLine = 16 << 20

// Read yields one run per log, in the order of the input. A yielded run is not used again by the reader. Memory is
// bounded by the largest job. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.ReadFiles(ctx, files, tally, func(out source.Output) source.FileReader {
		return &reader{Output: out}
	})
}

// reader goes through files. Its methods report whether the caller wants more.
type reader struct {
	source.Output
	file    *source.File
	history *history
	schema  bool // the next line is the schema
}

// Origin implements [source.FileReader].
func (r *reader) Origin() source.Origin { return source.Origin{File: r.file.Name} }

// ReadFile implements [source.FileReader].
func (r *reader) ReadFile(_ int, f *source.File) bool {
	r.file, r.history, r.schema = f, newHistory(), false
	r.Tally.Begin()
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	lines := source.NewLines(in, maxLine)
	headed := false
	for lines.Next() && !lines.Cut() {
		if lines.Number()%1024 == 1 && r.Ctx.Err() != nil {
			return r.Fail(r.Ctx.Err())
		}
		line := bytes.TrimSpace(lines.Bytes())
		switch {
		case len(line) == 0:
			r.Tally.Ignore(IgnoredBlank)
		case string(line) == headJSON:
			if !r.finish() {
				return false
			}
			r.Tally.Ignore(IgnoredHeader)
			headed, r.schema = true, true
		case !headed:
			return r.noHeader(lines, line)
		case !r.readLine(lines, line):
			return false
		}
	}
	return r.Ended(f, lines) && r.finish()
}

// noHeader rejects a file without a recognisable header: one record.
func (r *reader) noHeader(lines *source.Lines, line []byte) bool {
	if string(line) == headBinary {
		return r.reject(lines.Number(), source.NewFault("", ReasonBinary, "write history as JSON "+
			"(mapreduce.jobhistory.jhist.format=json), or convert it with avro-tools tojson"), line)
	}
	return r.reject(lines.Number(), source.NewFault("", ReasonNoHeader, "want %s on the first line", headJSON),
		line)
}

// readLine accounts for a line behind the header.
func (r *reader) readLine(lines *source.Lines, line []byte) bool {
	if lines.TooLong() {
		return r.reject(lines.Number(),
			source.NewFault("", source.ReasonLineTooLong, "more than %d bytes", maxLine), line)
	}
	if !utf8.Valid(line) {
		return r.reject(lines.Number(), source.NewFault("", source.ReasonNotUTF8, "bytes that are no UTF-8"), line)
	}
	bad := r.take(line)
	switch {
	case bad == nil:
		return true
	case bad.Reason == source.ReasonBadJSON && lines.Last():
		bad.Reason = source.ReasonTruncated
	}
	return r.reject(lines.Number(), bad, line)
}

// maxKinds bounds the kinds under which lines are ignored; Hadoop has a dozen.
const maxKinds = 100

// take reads one line and counts it, or returns its fault.
func (r *reader) take(line []byte) *source.Fault {
	if class, body, ok := plain(line); ok {
		if bad := r.event(class, body); bad == nil || bad.Reason != source.ReasonBadJSON {
			r.schema = false
			return bad
		}
	}
	var e envelope
	if bad := jsonscan.Decode(line, &e); bad != nil {
		return bad
	}
	schema := r.schema && e.Fields != nil && e.Event == nil
	if r.schema = false; schema {
		r.Tally.Ignore(IgnoredHeader)
		return nil
	}
	class, body, bad := e.body()
	if bad != nil {
		return bad
	}
	return r.event(class, body)
}

// event takes in what a class says.
func (r *reader) event(class string, body []byte) *source.Fault {
	if !isUsed(class) {
		if !json.Valid(body) {
			return source.NewFault("", source.ReasonBadJSON, "what the class says is no JSON value")
		}
		if len(r.Tally.Ignored) >= maxKinds && r.Tally.Ignored[class] == 0 {
			class = IgnoredOther
		}
		r.Tally.Ignore(class)
		return nil
	}
	said, bad := readEvent(body)
	if bad != nil {
		return bad
	}
	if isAside(said.TaskType) {
		r.Tally.Ignore(IgnoredAside)
		return nil
	}
	if bad := r.history.take(class, said); bad != nil {
		return bad
	}
	r.history.events++
	r.Tally.Use()
	return nil
}

// finish yields the run of the log that was read, or the reject it becomes, and starts another.
func (r *reader) finish() bool {
	h := r.history
	r.history = newHistory()
	if h.events == 0 {
		return true
	}
	run := h.run()
	if bad := r.Admit(run, "jobid", ": is this a copy of another log?"); bad != nil {
		return r.Withdraw(r.file.Name, h.events, bad)
	}
	h.job.Report(r.file.Name, r.Tally)
	if !h.ended {
		r.Tally.Warn(WarnNoEnd, "%s: no JobFinished: %s counts as running and has no end", r.file.Name, run.ID)
	}
	if h.repeated > 0 {
		r.Tally.Warn(WarnRepeated, "%s: %d attempts of %s start twice; the first start counts", r.file.Name, h.repeated,
			run.ID)
	}
	defer r.Tally.Begin() // another history may follow in the file
	return r.Yield(run, nil)
}

func (r *reader) reject(line int64, d *source.Fault, raw []byte) bool {
	return r.Refuse(r.file.Name, line, d, raw)
}
