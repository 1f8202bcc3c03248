package cli

import (
	"context"
	"fmt"
	"iter"

	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// eachRun yields the runs of a store, part by part, each valid until the next, and shows the activity of the command
// meanwhile. An error ends the sequence, and names path unless that is empty.
func (e *env) eachRun(ctx context.Context, doing string, s *store.Store, path string,
	p store.Projection) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		bar := e.progress(doing)
		defer bar.done()
		for part := range s.Parts() {
			for run, err := range s.Runs(ctx, part, p) {
				if err != nil {
					if path != "" {
						err = fmt.Errorf("%s: %w", path, err)
					}
					yield(nil, err)
					return
				}
				if !yield(run, nil) {
					return
				}
			}
			bar.count(part+1, s.Parts(), "parts")
		}
	}
}
