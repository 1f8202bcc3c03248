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

// Kinds of warnings.
const (
	WarnEndsEarly  = "file ends early"
	WarnDependants = "dependent jobs"
)

// Read yields one run per job, in the order of the input. A yielded run is not used again by the reader. Memory is
// bounded by the largest job. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		r := reader{ctx: ctx, tally: tally, ids: source.NewIDs(), known: map[string]bool{}, yield: yield}
		for _, f := range files {
			if !r.readFile(f) {
				return
			}
		}
	}
}

// reader goes through files. Its methods report whether the caller wants more.
type reader struct {
	ctx   context.Context
	tally *source.Tally
	ids   *source.IDs
	known map[string]bool // names of machines
	seq   int64
	yield func(*trace.Run, error) bool
}

func (r *reader) readFile(f *source.File) bool {
	in, err := f.Open(r.ctx)
	if source.IsTruncated(err) { // inside the header of its compression
		return r.endsEarly(f, 0, err.Error(), nil)
	}
	if err != nil {
		r.yield(nil, err)
		return false
	}
	defer in.Close()
	return r.readObjects(f, in, maxObject)
}

func (r *reader) readObjects(f *source.File, in io.Reader, max int) bool {
	objects := newObjects(in, max)
	for {
		if err := r.ctx.Err(); err != nil {
			r.yield(nil, err)
			return false
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
			more = r.endsEarly(f, line, fmt.Sprintf("the last object has no end after %d bytes", objects.total),
				objects.buf)
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
		return r.endsEarly(f, line, err.Error(), objects.buf)
	default:
		r.yield(nil, fmt.Errorf("%s: after line %d: %w", f.Name, objects.line, err))
		return false
	}
}

func (r *reader) reject(f *source.File, line int64, d *defect, raw []byte) bool {
	r.tally.Reject(d.reason)
	return r.yield(nil, source.NewReject(f.Name, line, d.field, d.reason, d.detail, raw))
}

func (r *reader) endsEarly(f *source.File, line int64, detail string, raw []byte) bool {
	r.tally.Warn(WarnEndsEarly, "%s: %s; what came before line %d is kept", f.Name, detail, line)
	return r.reject(f, line, &defect{"", source.ReasonTruncated, detail}, raw)
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
			r.tally.Use()
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
	if !r.ids.Claim(run.ID) {
		return r.reject(f, line, &defect{"jobID", source.ReasonDuplicateID, fmt.Sprintf("%q occurred before", run.ID)},
			text)
	}
	run.Seq = r.seq
	r.seq++
	j.Report(f.Name, r.tally)
	if n := len(o.Dependants); n > 0 {
		r.tally.Warn(WarnDependants, "%s: %s names %d jobs that depend on it; the tables hold no edges between jobs",
			f.Name, run.ID, n)
	}
	r.tally.Use()
	return r.yield(run, nil)
}
