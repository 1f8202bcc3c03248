package rumen

import (
	"context"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// WarnDependants is the kind of the warning that a job names jobs that depend on it.
const WarnDependants = "dependent jobs"

// Read yields one run per job, in the order of the input. A yielded run is not used again by the reader. Memory is
// bounded by the largest job. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		r := reader{Output: source.Output{Ctx: ctx, Tally: tally, Yield: yield, IDs: source.NewIDs()},
			known: map[string]bool{}}
		tally.SetOrigin(func() source.Origin { return r.at })
		defer tally.SetOrigin(nil)
		for _, f := range files {
			if !r.readFile(f) {
				return
			}
		}
	}
}

// reader goes through files. Its methods report whether the caller wants more.
type reader struct {
	source.Output
	known map[string]bool // names of machines
	seq   int64
	at    source.Origin // of the run that was yielded last
}

func (r *reader) readFile(f *source.File) bool {
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
		switch c {
		case whole:
			more = r.take(f, line, objects.buf)
		case broken:
			more = r.reject(f, line,
				&defect{"", source.ReasonBadJSON, "the object does not end before the next job begins"}, objects.buf)
		case stray:
			more = r.reject(f, line, &defect{"", source.ReasonBadJSON, "no JSON object"}, objects.buf)
		case tooLong:
			more = r.reject(f, line, &defect{"", source.ReasonObjectTooLong,
				fmt.Sprintf("%d bytes, at most %d are taken", objects.total, max)}, objects.buf)
		case cut:
			more = r.reject(f, line, &defect{"", source.ReasonTruncated,
				fmt.Sprintf("the last object has no end after %d bytes", objects.total)}, objects.buf)
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
		return r.reject(f, line, &defect{"", source.ReasonTruncated, err.Error()}, objects.buf)
	default:
		return r.Fail(fmt.Errorf("%s: after line %d: %w", f.Name, objects.line, err))
	}
}

func (r *reader) reject(f *source.File, line int64, d *defect, raw []byte) bool {
	return r.Reject(source.NewReject(f.Name, line, d.field, d.reason, d.detail, raw))
}

// take accounts for one object.
func (r *reader) take(f *source.File, line int64, text []byte) bool {
	if !utf8.Valid(text) {
		return r.reject(f, line, &defect{"", source.ReasonNotUTF8, "bytes that are no UTF-8"}, text)
	}
	if reason, detail := source.TooManyValues(text); reason != "" {
		return r.reject(f, line, &defect{"", reason, detail}, text)
	}
	o, bad := decode(text)
	if bad != nil {
		return r.reject(f, line, bad, text)
	}
	if o.JobID == "" {
		if o.Name == topologyRoot {
			r.topology(o)
			r.Tally.Use()
			return true
		}
		return r.reject(f, line,
			&defect{"jobID", source.ReasonMissing, "the object is neither a job nor the root of a topology"}, text)
	}
	j, bad := o.job()
	if bad != nil {
		return r.reject(f, line, bad, text)
	}
	run := j.Run()
	if err := run.Validate(); err != nil {
		return r.reject(f, line, &defect{"", source.ReasonInconsistent, err.Error()}, text)
	}
	if !r.IDs.Claim(run.ID) {
		return r.reject(f, line, &defect{"jobID", source.ReasonDuplicateID, fmt.Sprintf("%q occurred before", run.ID)},
			text)
	}
	r.at = source.Origin{File: f.Name, Line: line, Raw: text}
	run.Seq = r.seq
	r.seq++
	j.Report(f.Name, r.Tally)
	if n := len(o.Dependants); n > 0 {
		r.Tally.Warn(WarnDependants, "%s: %s names %d jobs that depend on it; the tables hold no edges between jobs",
			f.Name, run.ID, n)
	}
	r.Tally.Use()
	return r.Yield(run, nil)
}
