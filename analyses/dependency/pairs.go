package dependency

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"

	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/trace"
)

// pair is a dependence of one run on another through a dataset; both are places in the order of runs.
type pair struct {
	producer, dependent int32
	dataset             int32
}

// order returns the runs in their order, and the place of each.
func (p *Partial) order() (runs, place []int32) {
	runs, place = make([]int32, len(p.runs)), make([]int32, len(p.runs))
	for i := range runs {
		runs[i] = int32(i)
	}
	slices.SortFunc(runs, func(a, b int32) int {
		x, y := &p.runs[a], &p.runs[b]
		if c := cmp.Or(cmp.Compare(x.first, y.first), compareEnds(x.end, y.end), cmp.Compare(x.seq, y.seq)); c != 0 {
			return c
		}
		return bytes.Compare(p.ids.at(a), p.ids.at(b))
	})
	for at, i := range runs {
		place[i] = int32(at)
	}
	return runs, place
}

// compareEnds orders ends, unknown ones last.
func compareEnds(a, b int64) int {
	if (a == trace.None) != (b == trace.None) {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// event is an access of a dataset, with the place of its run in the order.
type event struct {
	at  int64
	run int32
}

func compareEvents(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.run, b.run)) }

// pairs returns all pairs of a producer and a dependent, sorted by dependent, then producer. Each pair occurs once,
// with the first, by name, of the datasets that join it. It also returns the number of reads without a producer. It
// takes the accesses from p.
func (p *Partial) pairs(ctx context.Context, runs, place []int32) (all []pair, alone int, err error) {
	byDataset, first := p.byDataset()
	workers := runtime.GOMAXPROCS(0)
	found, lone := make([][]pair, workers), make([]int, workers)
	n := p.datasets.len()
	err = parallel.Do(ctx, workers, func(w int) {
		m := matcher{p: p, runs: runs, place: place}
		for d := w * n / workers; d < (w+1)*n/workers && ctx.Err() == nil; d++ {
			m.match(int32(d), byDataset[first[d]:first[d+1]])
		}
		found[w], lone[w] = m.pairs, m.alone
	})
	if err != nil {
		return nil, 0, err
	}
	all, alone = slices.Concat(found...), lists.Sum(lone)
	slices.SortFunc(all, func(a, b pair) int {
		if c := cmp.Or(cmp.Compare(a.dependent, b.dependent), cmp.Compare(a.producer, b.producer)); c != 0 ||
			a.dataset == b.dataset {
			return c
		}
		return bytes.Compare(p.datasets.at(a.dataset), p.datasets.at(b.dataset))
	})
	return slices.CompactFunc(all, func(a, b pair) bool {
		return a.dependent == b.dependent && a.producer == b.producer
	}), alone, nil
}

// byDataset returns the accesses grouped by dataset, and where each group begins.
func (p *Partial) byDataset() (grouped []access, first []int) {
	first = make([]int, p.datasets.len()+1)
	for i := range p.accesses {
		first[p.accesses[i].dataset+1]++
	}
	for d := range p.datasets.len() {
		first[d+1] += first[d]
	}
	grouped = make([]access, len(p.accesses))
	next := slices.Clone(first)
	for _, a := range p.accesses {
		grouped[next[a.dataset]] = a
		next[a.dataset]++
	}
	p.accesses = nil
	return grouped, first
}

// matcher finds the producers of reads, one dataset after the other.
type matcher struct {
	p           *Partial
	runs, place []int32
	pairs       []pair
	alone       int     // reads without a producer
	writes      []event // of the dataset, by time
	writers     []event // the same writes in the order of their runs; made when needed
	reads       []event
}

// match finds the producers of the reads of one dataset.
func (m *matcher) match(dataset int32, accesses []access) {
	m.writes, m.writers, m.reads = m.writes[:0], m.writers[:0], m.reads[:0]
	for _, a := range accesses {
		if a.run < 0 {
			m.writes = append(m.writes, event{a.at, m.place[^a.run]})
		} else {
			m.reads = append(m.reads, event{a.at, m.place[a.run]})
		}
	}
	slices.SortFunc(m.writes, compareEvents)
	for _, r := range m.reads {
		producer := m.finished(r)
		if producer < 0 {
			producer = m.unfinished(r)
		}
		if producer < 0 {
			m.alone++
			continue
		}
		m.pairs = append(m.pairs, pair{producer, r.run, dataset})
	}
}

// finished returns the run before the reader's with the latest write at or before a read; -1 when there is none.
func (m *matcher) finished(r event) int32 {
	k := sort.Search(len(m.writes), func(i int) bool { return compareEvents(m.writes[i], r) >= 0 })
	for k--; k >= 0; k-- {
		if m.writes[k].run < r.run { // otherwise it began after the reader and wrote before the read
			return m.writes[k].run
		}
	}
	return -1
}

// unfinished returns the last run that began strictly before the reader and had not ended at the read; -1 when there is
// none. There must be no run before the reader's that wrote at or before the read.
func (m *matcher) unfinished(r event) int32 {
	if len(m.writers) == 0 {
		m.writers = append(m.writers, m.writes...)
		slices.SortFunc(m.writers, func(a, b event) int { return cmp.Compare(a.run, b.run) })
	}
	first := m.p.runs[m.runs[r.run]].first
	k := sort.Search(len(m.writers), func(i int) bool { return m.writers[i].run >= r.run })
	for k--; k >= 0; k-- {
		w := &m.p.runs[m.runs[m.writers[k].run]]
		began, ended := w.begin != trace.None && w.begin < first, w.end != trace.None && w.end <= r.at
		if began && !ended {
			return m.writers[k].run
		}
	}
	return -1
}
