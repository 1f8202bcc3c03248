package rumen

import (
	"context"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// WarnDependants is the kind of the warning that a job names jobs that depend on it.
const WarnDependants = "dependent jobs"

// Read yields one run per job, in the order of the input. A yielded run is not used again by the reader. Memory is
// bounded by the largest job. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.ReadFiles(ctx, files, tally, func(out source.Output) source.FileReader {
		return &reader{Output: out, known: map[string]bool{}}
	})
}

// reader goes through files. Its methods report whether the caller wants more.
type reader struct {
	source.Output
	known map[string]bool // names of machines
	at    source.Origin   // of the run that was yielded last
}

// Origin implements [source.FileReader].
func (r *reader) Origin() source.Origin { return r.at }

// ReadFile implements [source.FileReader].
func (r *reader) ReadFile(_ int, f *source.File) bool {
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	return r.readObjects(f, in, maxObject)
}

func (r *reader) readObjects(f *source.File, in io.Reader, max int) bool {
	objects := newObjects(in, max)
	for {
		if err := r.Ctx.Err(); err != nil {
			return r.Fail(err)
		}
		c, line, ok := objects.next()
		if !ok || objects.err != nil && c == cut {
			return r.ended(f, line, objects)
		}
		more := true
		var bad *source.Fault
		switch c {
		case whole:
			more, bad = r.take(f, line, objects.buf)
		case broken:
			bad = source.NewFault("", source.ReasonBadJSON, "the object does not end before the next job begins")
		case stray:
			bad = source.NewFault("", source.ReasonBadJSON, "no JSON object")
		case tooLong:
			bad = source.NewFault("", source.ReasonObjectTooLong, "%d bytes, at most %d are taken", objects.total, max)
		case cut:
			bad = source.NewFault("", source.ReasonTruncated, "the last object has no end after %d bytes",
				objects.total)
		}
		if bad != nil {
			more = r.Refuse(f.Name, line, bad, objects.buf)
		}
		if !more {
			return false
		}
	}
}

// ended looks at why there are no more objects.
func (r *reader) ended(f *source.File, line int64, objects *objects) bool {
	switch err := objects.err; {
	case err == nil:
		return true
	case source.IsTruncated(err):
		return r.Refuse(f.Name, line, source.NewFault("", source.ReasonTruncated, "%v", err), objects.buf)
	default:
		return r.Fail(fmt.Errorf("%s: after line %d: %w", f.Name, objects.line, err))
	}
}

// take accounts for one object, or says why it cannot be used.
func (r *reader) take(f *source.File, line int64, text []byte) (more bool, bad *source.Fault) {
	if !utf8.Valid(text) {
		return true, source.NewFault("", source.ReasonNotUTF8, "bytes that are no UTF-8")
	}
	if reason, detail := source.TooManyValues(text); reason != "" {
		return true, source.NewFault("", reason, "%s", detail)
	}
	var o object
	if bad := jsonscan.Decode(text, &o); bad != nil {
		return true, bad
	}
	if o.JobID == "" {
		if o.Name == topologyRoot {
			r.topology(&o)
			r.Tally.Use()
			return true, nil
		}
		return true, source.NewFault("jobID", source.ReasonMissing,
			"the object is neither a job nor the root of a topology")
	}
	j, bad := o.job()
	if bad != nil {
		return true, bad
	}
	run := j.Run()
	if bad = r.Admit(run, "jobID", ""); bad != nil {
		return true, bad
	}
	r.at = source.Origin{File: f.Name, Line: line, Raw: text}
	j.Report(f.Name, r.Tally)
	if n := len(o.Dependants); n > 0 {
		r.Tally.Warn(WarnDependants, "%s: %s names %d jobs that depend on it; the tables hold no edges between jobs",
			f.Name, run.ID, n)
	}
	r.Tally.Use()
	return r.Yield(run, nil), nil
}
