package source

import (
	"context"
	"iter"

	"racecard/datasets/trace"
)

// Chunk yields some of the runs of an input, like [Format.Read], and counts their records in tally. Chunks of
// one input can be read concurrently, each with its own tally; see [Tally.Merge].
type Chunk func(ctx context.Context, tally *Tally, yield func(*trace.Run, error) bool)

// Serially adapts a reader of chunks to a reader of runs, one after the other.
func Serially(
	chunks func(context.Context, []*File, *Tally) iter.Seq2[Chunk, error],
) func(context.Context, []*File, *Tally) iter.Seq2[*trace.Run, error] {
	return func(ctx context.Context, files []*File, tally *Tally) iter.Seq2[*trace.Run, error] {
		return func(yield func(*trace.Run, error) bool) {
			for chunk, err := range chunks(ctx, files, tally) {
				more := true
				if err != nil {
					more = yield(nil, err)
				} else {
					chunk(ctx, tally, func(run *trace.Run, err error) bool {
						more = yield(run, err)
						return more
					})
				}
				if !more {
					return
				}
			}
		}
	}
}
