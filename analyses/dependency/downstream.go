package dependency

import (
	"context"
	"runtime"
	"sync/atomic"

	"racecard/datasets/parallel"
)

// Counting the runs downstream of each run. A run's set is the union of its dependents and their sets. Runs are visited
// from the last to the first, and a set is dropped once the last run that needs it has been visited. Components of the
// dependency graph are independent of each other. Within a component, the items of sets are divided among independent
// shards; the count is the sum over shards. The number of shards and the memory of each are fixed, so that the memory
// rule does not depend on the number of processors, on which shards run in parallel.
const (
	shards         = 4
	narrow         = 4096 // components of fewer runs are one shard
	mostPrecision  = 12   // 2^12 registers: a standard error of 1.6%
	leastPrecision = 6    // 2^6 registers: 13%
)

// universe lists the items that the sets of a component may hold.
type universe struct {
	item  func(run int32) int32 // the item that a run adds to the sets of its producers; -1 for none
	size  int                   // items are below it
	grows bool                  // the item of the i-th run from the end, counted from 0, is i
	hash  func(item int32) uint64
}

// component is a set of runs that are connected by dependencies.
type component struct {
	universe
	runs     []int32 // ascending
	shards   int
	over     atomic.Bool // its sets do not fit
	sketched atomic.Bool // some of its counts are estimates
}

// newComponent returns a component without counts.
func newComponent(runs []int32, u universe) *component {
	k := &component{universe: u, runs: runs, shards: 1}
	if len(runs) > narrow {
		k.shards = shards
	}
	return k
}

// counter counts the distinct items downstream of runs.
type counter struct {
	graph  *graph
	index  []int32 // of every run in its component
	limit  int64   // bytes that the sets of a shard may take
	counts []int32 // by run: the result
}

// downstream returns the number of distinct items downstream of every run, and the standard error of estimated numbers,
// 0 if all are exact.
func (g *graph) downstream(ctx context.Context, of []*component, index []int32, memory int64) ([]int32, float64,
	error) {
	c := &counter{graph: g, index: index, limit: memory / shards, counts: make([]int32, len(g.chain))}
	var tasks []task
	for _, k := range of {
		tasks = k.tasks(tasks, 0)
	}
	if err := c.run(ctx, tasks); err != nil {
		return nil, 0, err
	}
	tasks = tasks[:0]
	precision := map[*component]int{}
	for _, k := range of {
		if !k.over.Load() {
			continue
		}
		p, sets := mostPrecision, c.most(k)
		for p > leastPrecision && int64(sets)*int64(1<<p/k.shards+setBytes) > c.limit {
			p--
		}
		for _, run := range k.runs {
			c.counts[run] = 0
		}
		precision[k] = p
		tasks = k.tasks(tasks, p)
	}
	if err := c.run(ctx, tasks); err != nil {
		return nil, 0, err
	}
	standardError := 0.0
	for _, k := range of {
		if k.sketched.Load() {
			standardError = max(standardError, sketchError(1<<precision[k]))
		}
	}
	return c.counts, standardError, nil
}

// task is one shard of a component.
type task struct {
	*component
	shard     int
	precision int // of sketches in this shard; 0 for exact sets
}

// tasks appends the shards of a component. precision is the precision of all its shards together, 0 for exact
// sets.
func (k *component) tasks(to []task, precision int) []task {
	if precision > 0 {
		for l := k.shards; l > 1; l /= 2 {
			precision--
		}
	}
	for shard := range k.shards {
		to = append(to, task{k, shard, precision})
	}
	return to
}

// run does tasks, a bounded number at once.
func (c *counter) run(ctx context.Context, tasks []task) error {
	return parallel.With(ctx, len(tasks), parallel.Options{Workers: min(runtime.GOMAXPROCS(0), shards)},
		func() func(context.Context, int) error {
			l := &shard{counter: c}
			return func(ctx context.Context, i int) error {
				l.task = tasks[i]
				l.do(ctx)
				return nil
			}
		})
}

// most returns the largest number of sets of a component that are needed at once.
func (c *counter) most(k *component) int {
	uses := make([]int32, len(k.runs))
	now, most := 0, 0
	for i := len(k.runs) - 1; i >= 0; i-- {
		children := c.graph.of(k.runs[i])
		if len(children) == 0 {
			continue
		}
		now++
		most = max(most, now)
		if uses[i] = c.graph.producers[k.runs[i]]; uses[i] == 0 {
			now--
		}
		for _, child := range children {
			if at := c.index[child]; len(c.graph.of(child)) > 0 {
				if uses[at]--; uses[at] == 0 {
					now--
				}
			}
		}
	}
	return most
}
