package source

import (
	"context"
	"fmt"
	"io"

	"racecard/datasets/trace"
)

// Output is where a reader that goes through files by itself sends runs and rejects. Its methods keep the tally and
// report whether the caller wants more.
type Output struct {
	Ctx   context.Context
	Tally *Tally
	Yield func(*trace.Run, error) bool
	IDs   *IDs // of the runs so far
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
