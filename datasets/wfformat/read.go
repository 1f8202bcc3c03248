package wfformat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonNoWorkflow = "no workflow"
	ReasonNoTasks    = "no tasks"
	ReasonTooLong    = "element too long"
	ReasonTrailing   = "text behind the document"
)

// maxElement bounds the bytes of a task, a file or a machine: a task that joins 50,000 others stays below it.
const maxElement = 8 << 20

// Read yields one run per file, in the order of the input. A yielded run is not used again by the reader. Memory is
// bounded by the largest run. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.ReadFiles(ctx, files, tally, func(out source.Output) source.FileReader {
		return &reader{Output: out, known: map[machineRow]bool{}, names: source.RunIDs(files, runID)}
	})
}

// runID returns what a file's run is called, unless other files are called the same.
func runID(f *source.File) string {
	if id := withoutJSON(f.Base()); id != "" {
		return id
	}
	return "workflow"
}

// withoutJSON takes .json off the end of a name.
func withoutJSON(name string) string {
	if n := len(name) - len(".json"); n >= 0 && strings.EqualFold(name[n:], ".json") {
		return name[:n]
	}
	return name
}

// reader goes through files. Its methods report whether the caller wants more.
type reader struct {
	source.Output
	known map[machineRow]bool
	names []string // of the runs in the files
	file  string
}

// Origin implements [source.FileReader].
func (r *reader) Origin() source.Origin { return source.Origin{File: r.file} }

// ReadFile implements [source.FileReader].
func (r *reader) ReadFile(i int, f *source.File) bool {
	r.file = f.Name
	if err := r.Ctx.Err(); err != nil {
		return r.Fail(err)
	}
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	d := newDecoder(in, maxElement)
	doc, err := d.document()
	switch {
	case errors.Is(err, io.EOF) && d.limit.blank: // an empty file: no record
		return true
	case err != nil:
		return r.failed(f, d, err)
	case !utf8Whole(d.limit):
		return r.reject(f, source.NewFault("", source.ReasonNotUTF8, "bytes that are no UTF-8"), d.limit.head)
	case !r.take(f, r.names[i], doc, d.limit.head):
		return false
	}
	// Only blanks may follow.
	switch _, err := d.json.Token(); {
	case d.limit.err != nil:
		return r.failed(f, d, d.limit.err)
	case !errors.Is(err, io.EOF):
		return r.reject(f,
			source.NewFault("", ReasonTrailing, "something stands behind byte %d", d.json.InputOffset()), nil)
	}
	return true
}

// failed looks at why a document could not be decoded.
func (r *reader) failed(f *source.File, d *decoder, err error) bool {
	var field *fieldError
	path, cause := "", err
	if errors.As(err, &field) {
		path, cause = field.path, field.cause
	}
	detail := fmt.Sprintf("%v, at about byte %d", cause, d.json.InputOffset())
	switch read := d.limit.err; {
	case errors.Is(read, errTooLong):
		return r.reject(f, source.NewFault(path, ReasonTooLong, "more than %d bytes", d.limit.size), d.limit.head)
	case read != nil && !source.IsTruncated(read):
		return r.Fail(fmt.Errorf("%s: %w", f.Name, read))
	case read != nil, errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF):
		return r.endsEarly(f, detail, d.limit.head)
	case errors.Is(cause, errTooMany):
		return r.reject(f, source.NewFault(path, source.ReasonTooMany, "%v", cause), d.limit.head)
	case errors.As(cause, new(*json.SyntaxError)), errors.Is(cause, errTooDeep):
		return r.reject(f, source.NewFault(path, source.ReasonBadJSON, "%s", detail), d.limit.head)
	}
	return r.reject(f, source.NewFault(path, source.ReasonBadField, "%s", detail), d.limit.head)
}

// take accounts for a document.
func (r *reader) take(f *source.File, id string, doc *document, raw []byte) bool {
	if !doc.found {
		return r.reject(f, source.NewFault("workflow", ReasonNoWorkflow, "the document is no WfFormat instance"), raw)
	}
	name := withoutJSON(doc.Name)
	if name == "" {
		name = withoutJSON(f.Base())
	}
	b, bad := build(doc, id, strings.ToValidUTF8(name, "\ufffd"))
	if bad != nil {
		return r.reject(f, bad, raw)
	}
	if err := b.run.Validate(); err != nil {
		return r.reject(f, source.NewFault("", source.ReasonInconsistent, "%v", err), raw)
	}
	if !r.IDs.Claim(id) {
		return r.reject(f, source.NewFault("", source.ReasonDuplicateID, "a file called %q was read before", id),
			raw)
	}
	r.Number(b.run)
	b.report(f.Name, r.Tally)
	r.machines(b, doc.machines)
	r.Tally.Use()
	return r.Yield(b.run, nil)
}

func (r *reader) reject(f *source.File, d *source.Fault, raw []byte) bool {
	r.Tally.Reject(d.Reason)
	return r.Yield(nil, source.NewReject(f.Name, 0, d.Field, d.Reason, d.Detail, raw))
}

func (r *reader) endsEarly(f *source.File, detail string, raw []byte) bool {
	r.Tally.Warn(source.WarnEndsEarly, "%s: %s", f.Name, detail)
	return r.reject(f, source.NewFault("", source.ReasonTruncated, "%s", detail), raw)
}
