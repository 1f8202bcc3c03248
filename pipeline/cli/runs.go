package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// jobNames counts the runs of each job of a store, for a message about a name that is none of them.
func (e *env) jobNames(ctx context.Context, s *store.Store, path string, raw bool) (map[string]int, error) {
	seen := map[string]int{}
	for run, err := range e.eachRun(ctx, "find", s, path, jobColumns) {
		if err != nil {
			return nil, err
		}
		seen[strings.Clone(run.JobName(raw))]++ // a run is valid until the next one
	}
	delete(seen, "")
	return seen, nil
}

// eachRun yields the runs of a store, in their order, as [runsAhead] does, and shows the activity of the command
// meanwhile. An error ends the sequence, and names path unless that is empty.
func (e *env) eachRun(ctx context.Context, doing string, s *store.Store, path string,
	p store.Projection) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		bar, done := e.progress(doing), 0
		defer bar.done()
		for run, err := range runsAhead(ctx, s, allParts(s), p, func() { done++; bar.count(done, s.Parts(), "parts") }) {
			if err != nil && path != "" {
				err = fmt.Errorf("%s: %w", path, err)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}
