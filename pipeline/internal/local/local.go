// Package local runs analyses in this process, on a bounded pool of goroutines.
package local

import (
	"context"
	"fmt"
	"sync"

	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/pipeline/internal/stage"
)

// Options of a run.
type Options struct {
	Workers int   // partitions that are read at once; 0: as many as there are processors
	Memory  int64 // bytes for analyses that run at once: see [stage.Passes]; 0 is no bound
	// NoTables leaves out the rows of tables, which may take much memory.
	NoTables bool
	Progress func(done, of int, unit string) // called after every partition, from one goroutine at a time; may be nil
}

// Analyze runs analyses over a store, in one pass where memory allows it, and returns their results in the same order.
// Those that lack columns are reported as not available. At most Workers partitions are in memory at once; the result
// depends neither on Workers nor on Memory.
func Analyze(ctx context.Context, s *store.Store, analyses []stage.Analysis, o Options) ([]result.Document, error) {
	passes := stage.Passes(stage.SizeOf(s), analyses, o.Memory)
	var docs []result.Document
	for k, pass := range passes {
		each := o
		if o.Progress != nil {
			each.Progress = func(done, of int, unit string) { o.Progress(k*of+done, len(passes)*of, unit) }
		}
		of, err := analyze(ctx, s, pass, each)
		if err != nil {
			return nil, err
		}
		docs = append(docs, of...)
	}
	return docs, nil
}

// analyze runs analyses over a store in one pass.
func analyze(ctx context.Context, s *store.Store, analyses []stage.Analysis, o Options) ([]result.Document, error) {
	p := NewPlan(s, analyses)
	p.noTables = o.NoTables
	if o.Workers == 1 {
		p.finishing = 1
	}
	if len(p.able) == 0 {
		return p.Finish(ctx, nil)
	}
	merged, err := scan(ctx, s, p.projection, o, p.Fresh)
	if err != nil {
		return nil, err
	}
	return p.Finish(ctx, merged)
}

// Plan is [Analyze] in steps, for callers that compute the partitions of a store elsewhere.
type Plan struct {
	store      *store.Store
	analyses   []stage.Analysis
	able       []int // analyses with all their columns
	projection store.Projection
	noTables   bool
	finishing  int // analyses whose results are computed at once: few, as that may take much memory
}

// NewPlan returns the plan of analyses of a store.
func NewPlan(s *store.Store, analyses []stage.Analysis) *Plan {
	p := &Plan{store: s, analyses: analyses, finishing: 2}
	for i := range analyses {
		if len(analyses[i].Missing(s)) == 0 {
			p.able = append(p.able, i)
			p.projection = append(p.projection, analyses[i].Projection()...)
		}
	}
	return p
}

// Fresh returns empty partial results of the available analyses.
func (p *Plan) Fresh() []stage.Partial {
	return lists.Map(p.able, func(i int) stage.Partial { return p.analyses[i].New() })
}

// Partition returns the partial results of one partition. They are filled run by run, as encodings want them.
func (p *Plan) Partition(ctx context.Context, part int) ([]stage.Partial, error) {
	partials := p.Fresh()
	if len(partials) == 0 {
		return partials, nil
	}
	return partials, readRuns(ctx, p.store, part, p.projection, partials)
}

// Finish returns the results of all analyses, from the merged partial results of those that are available.
func (p *Plan) Finish(ctx context.Context, merged []stage.Partial) ([]result.Document, error) {
	docs := make([]result.Document, len(p.analyses))
	for i := range p.analyses {
		if missing := p.analyses[i].Missing(p.store); len(missing) > 0 {
			docs[i] = p.analyses[i].Unavailable(missing)
		}
	}
	err := parallel.Each(ctx, len(p.able), parallel.Options{Workers: p.finishing},
		func(ctx context.Context, k int) (err error) {
			i := p.able[k]
			if docs[i], err = merged[k].Finish(ctx); err != nil {
				return fmt.Errorf("%s: %w", p.analyses[i].Name, err)
			}
			if d, ok := docs[i].(interface{ DropRows() }); ok && p.noTables {
				d.DropRows()
			}
			merged[k] = nil // release its memory for the others
			return nil
		})
	if err != nil {
		return nil, err
	}
	return docs, nil
}

// scan reads every partition into fresh partials and merges them in the order of the partitions.
func scan(ctx context.Context, s *store.Store, p store.Projection, o Options,
	fresh func() []stage.Partial) ([]stage.Partial, error) {
	m := merger{into: fresh(), waiting: map[int][]stage.Partial{}, of: s.Parts(), progress: o.Progress}
	err := parallel.Each(ctx, s.Parts(), parallel.Options{Workers: o.Workers},
		func(ctx context.Context, part int) error {
			partials := fresh()
			if err := read(ctx, s, part, p, partials); err != nil {
				return err
			}
			m.add(part, partials)
			return nil
		})
	if err != nil {
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
	return readRuns(ctx, s, part, p, partials)
}

// readRuns adds the runs of one partition to partials, one by one.
func readRuns(ctx context.Context, s *store.Store, part int, p store.Projection, partials []stage.Partial) error {
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

// merger merges partials in the order of their partitions, in whatever order they arrive.
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
