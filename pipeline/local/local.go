// Package local runs analyses in this process, on a bounded pool of goroutines.
package local

import (
	"context"
	"fmt"
	"sync"

	"racecard/datasets/fault"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/pipeline/stage"
)

// Options of a run.
type Options struct {
	Workers  int                             // partitions that are read at once; at least 1
	Progress func(done, of int, unit string) // called after every partition, from one goroutine at a time; may be nil
}

// Analyze runs analyses over a store in one pass and returns their results in the same order. Those that lack columns are
// reported as not available. At most Workers partitions are in memory at once; the result does not depend on Workers.
func Analyze(ctx context.Context, s *store.Store, analyses []stage.Analysis, o Options) ([]result.Document, error) {
	docs := make([]result.Document, len(analyses))
	var able []int
	var projection store.Projection
	for i := range analyses {
		if missing := analyses[i].Missing(s); len(missing) > 0 {
			docs[i] = analyses[i].Unavailable(missing)
			continue
		}
		able = append(able, i)
		projection = append(projection, analyses[i].Projection()...)
	}
	if len(able) == 0 {
		return docs, nil
	}
	merged, err := scan(ctx, s, projection, o, func() []stage.Partial {
		fresh := make([]stage.Partial, len(able))
		for k, i := range able {
			fresh[k] = analyses[i].New()
		}
		return fresh
	})
	if err != nil {
		return nil, err
	}
	for k, i := range able {
		if docs[i], err = merged[k].Finish(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", analyses[i].Name, err)
		}
		merged[k] = nil // its memory is for those that finish after it
	}
	return docs, nil
}

// scan reads every partition into fresh partials and merges them in the order of the partitions.
func scan(ctx context.Context, s *store.Store, p store.Projection, o Options, fresh func() []stage.Partial) ([]stage.Partial, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parts := make(chan int)
	go func() {
		defer fault.Trap()
		defer close(parts)
		for i := range s.Parts() {
			select {
			case parts <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	m := merger{into: fresh(), waiting: map[int][]stage.Partial{}, of: s.Parts(), progress: o.Progress}
	var wait sync.WaitGroup
	for range max(1, o.Workers) {
		wait.Go(func() {
			defer fault.Trap()
			for part := range parts {
				partials := fresh()
				if err := read(ctx, s, part, p, partials); err != nil {
					cancel(err)
					return
				}
				m.add(part, partials)
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return m.into, nil
}

// read adds the runs of one partition to partials.
func read(ctx context.Context, s *store.Store, part int, p store.Projection, partials []stage.Partial) error {
	var columnar []stage.Columnar
	for _, q := range partials {
		if c, ok := q.(stage.Columnar); ok {
			columnar = append(columnar, c)
		}
	}
	if len(columnar) == len(partials) {
		batch, err := s.Batch(part, p)
		if err != nil {
			return err
		}
		columns := batch.RunColumns()
		for _, c := range columnar {
			c.AddColumns(columns)
		}
		return nil
	}
	for run, err := range s.Runs(ctx, part, p) {
		if err != nil {
			return err
		}
		for _, q := range partials {
			q.Add(run)
		}
	}
	return nil
}

// merger merges partials in the order of their partitions, however they come in.
type merger struct {
	mu       sync.Mutex
	into     []stage.Partial
	next     int
	waiting  map[int][]stage.Partial
	of       int
	progress func(done, of int, unit string)
}

func (m *merger) add(part int, partials []stage.Partial) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[part] = partials
	for q, ok := m.waiting[m.next]; ok; q, ok = m.waiting[m.next] {
		for i := range q {
			m.into[i].Merge(q[i])
		}
		delete(m.waiting, m.next)
		m.next++
	}
	if m.progress != nil {
		m.progress(m.next, m.of, "parts")
	}
}
