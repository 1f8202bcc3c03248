package source

import (
	"context"
	"fmt"
	"io"
	"iter"

	"racecard/datasets/trace"
)

// Output is where a reader that goes through files by itself sends runs and rejects. Its methods keep the tally and
// report whether the caller wants more.
type Output struct {
	Ctx   context.Context
	Tally *Tally
	Yield func(*trace.Run, error) bool
	IDs   *IDs // of the runs so far

	seq int64 // of the next run
}

// Fault says why a record cannot be used.
type Fault struct{ Field, Reason, Detail string }

// NewFault returns a fault.
func NewFault(field, reason, format string, args ...any) *Fault {
	return &Fault{field, reason, fmt.Sprintf(format, args...)}
}

// FileReader reads the files of an input one after the other.
type FileReader interface {
	// ReadFile sends the runs and rejects of the i-th file to the output, and reports whether the caller wants more.
	ReadFile(i int, f *File) bool
	// Origin returns where the run that was yielded last comes from.
	Origin() Origin
}

// ReadFiles yields what a reader, made for an output, sends to it. It serves as [Format].Read.
func ReadFiles(ctx context.Context, files []*File, tally *Tally, reader func(Output) FileReader) iter.Seq2[*trace.Run,
	error] {
	return func(yield func(*trace.Run, error) bool) {
		r := reader(Output{Ctx: ctx, Tally: tally, Yield: yield, IDs: NewIDs()})
		tally.SetOrigin(r.Origin)
		defer tally.SetOrigin(nil)
		for i, f := range files {
			if !r.ReadFile(i, f) {
				return
			}
		}
	}
}

// Fail ends the stream with an error.
func (o *Output) Fail(err error) bool {
	o.Yield(nil, err)
	return false
}

// Reject counts and yields a reject, with a warning if the file ends early.
func (o *Output) Reject(rej *Reject) bool {
	o.Tally.Account(rej)
	return o.Yield(nil, rej)
}

// Refuse rejects a record of a file for a fault.
func (o *Output) Refuse(file string, line int64, bad *Fault, raw []byte) bool {
	return o.Reject(NewReject(file, line, bad.Field, bad.Reason, bad.Detail, raw))
}

// Admit numbers a run, or says why it cannot be used: it is inconsistent, or its id, which is in a field, occurred
// before. hint is added to the latter.
func (o *Output) Admit(run *trace.Run, field, hint string) *Fault {
	if err := run.Validate(); err != nil {
		return NewFault("", ReasonInconsistent, "%v", err)
	}
	if !o.IDs.Claim(run.ID) {
		return NewFault(field, ReasonDuplicateID, "%q occurred before%s", run.ID, hint)
	}
	o.Number(run)
	return nil
}

// Withdraw rejects n records of a file that were taken, for a fault of the run that they make up.
func (o *Output) Withdraw(file string, n int64, bad *Fault) bool {
	o.Tally.Unuse(n, bad.Reason)
	return o.Yield(nil, NewReject(file, 0, bad.Field, bad.Reason, bad.Detail, nil))
}

// Number gives a run its place in the input.
func (o *Output) Number(run *trace.Run) {
	run.Seq = o.seq
	o.seq++
}

// Open opens a file.
func (o *Output) Open(f *File) (in io.ReadCloser, ok bool) {
	in, err := f.Open(o.Ctx)
	if err != nil {
		return nil, o.Fail(err)
	}
	return in, true
}

// Each calls take for every line of a file that the stream does not break off inside, as long as take wants more.
func (o *Output) Each(f *File, lines *Lines, take func() bool) bool {
	for lines.Next() && !lines.Cut() {
		if lines.Number()%1024 == 1 && o.Ctx.Err() != nil {
			return o.Fail(o.Ctx.Err())
		}
		if !take() {
			return false
		}
	}
	return o.Ended(f, lines)
}

// Ended accounts for the end of the lines of a file: a stream that breaks off is a reject, any other error ends it.
func (o *Output) Ended(f *File, lines *Lines) bool {
	switch err := lines.Err(); {
	case err == nil:
		return true
	case IsTruncated(err):
		return o.Reject(NewReject(f.Name, lines.Number(), "", ReasonTruncated, err.Error(), lines.Bytes()))
	default:
		return o.Fail(fmt.Errorf("%s: after line %d: %w", f.Name, lines.Number(), err))
	}
}
