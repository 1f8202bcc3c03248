package cli

import (
	"context"
	"iter"

	"racecard/datasets/arrowtab"
	"racecard/datasets/fault"
	"racecard/datasets/lists"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// partsAhead bounds the parts that are decoded before the loop reaches them. More would take memory on machines with
// many processors, and save no time, as one loop reads the runs.
const partsAhead = 2

// runsAhead yields the runs of some parts of a store, in their order, each with its part; the next parts are decoded in
// the background. A run is valid until the next one. done is called after every part; it may be nil.
func runsAhead(ctx context.Context, s *store.Store, parts []int, p store.Projection, done func()) iter.Seq2[*trace.Run,
	error] {
	type decoded struct {
		batch *arrowtab.Batch
		err   error
	}
	return func(yield func(*trace.Run, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ahead := make(chan chan decoded, partsAhead)
		go func() {
			defer fault.Trap()
			defer close(ahead)
			for _, part := range parts {
				one := make(chan decoded, 1)
				select {
				case ahead <- one:
				case <-ctx.Done():
					return
				}
				go func() {
					defer fault.Trap()
					b, err := s.Batch(part, p)
					one <- decoded{b, err}
				}()
			}
		}()
		for one := range ahead {
			d := <-one
			if d.err != nil {
				yield(nil, d.err)
				return
			}
			for run := range d.batch.Runs() {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				if !yield(run, nil) {
					return
				}
			}
			if done != nil {
				done()
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// allParts are the parts of a store.
func allParts(s *store.Store) []int {
	return lists.Indexed(s.Parts(), func(i int) int { return i })
}
