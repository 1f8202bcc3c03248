package wta

import (
	"fmt"

	"racecard/datasets/parquetio"
	"racecard/datasets/source"
)

// components joins OpenDC tasks that depend on each other: a forest of disjoint sets (R. E. Tarjan, JACM 22(2), 1975)
// in which the root of a set is its first task in the input.
type components struct {
	index map[ident]int32
	ids   []ident
	root  []int32
}

// componentCost is about what a task takes in components, in bytes.
const componentCost = 120

// run returns the id of the run that a task belongs to.
func (c *components) run(task ident) ident {
	i, ok := c.index[task]
	if !ok {
		return task
	}
	return c.ids[c.find(i)]
}

func (c *components) add(task ident) {
	if _, ok := c.index[task]; ok {
		return
	}
	i := int32(len(c.ids))
	c.index[task] = i
	c.ids, c.root = append(c.ids, task), append(c.root, i)
}

func (c *components) find(i int32) int32 {
	for c.root[i] != i {
		c.root[i] = c.root[c.root[i]]
		i = c.root[i]
	}
	return i
}

// join joins two tasks, if both exist.
func (c *components) join(a, b ident) {
	i, ok := c.index[a]
	j, known := c.index[b]
	if !ok || !known {
		return
	}
	i, j = c.find(i), c.find(j)
	c.root[max(i, j)] = min(i, j)
}

// openDC takes the rows of the OpenDC tables, which were put aside, since the run that a task belongs to is known only
// when the dependencies of all were seen. It reports whether the caller wants more.
func (r *reader) openDC() bool {
	if r.held.Depend {
		r.parts = &components{index: map[ident]int32{}}
		join := func(task ident, related []ident) {
			for _, other := range related {
				r.parts.join(task, other)
			}
		}
		for _, step := range []func(task ident, related []ident){func(task ident, _ []ident) {
			r.parts.add(task)
		}, join} {
			for _, number := range r.aside {
				if !r.table(number, func(f *source.File, t *parquetio.Table) error { return r.relatives(f, t, step) }) {
					return false
				}
			}
		}
	}
	for _, number := range r.aside {
		more := r.table(number, func(f *source.File, t *parquetio.Table) error {
			return r.rows(f, number, t, newCells(t, tableOpenDC, r.tally))
		})
		if !more {
			return false
		}
	}
	return true
}

// relatives hands every task of a table to use, with its parents and children.
func (r *reader) relatives(f *source.File, t *parquetio.Table, use func(task ident, related []ident)) error {
	c := newCells(t, tableOpenDC, r.tally)
	for i := range c.leaves {
		if i != colID && i != colParents && i != colChildren {
			c.leaves[i] = -1
		}
	}
	var list []ident
	for batch, err := range t.Batches(c.leaves, batchRows) {
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		c.batch = batch
		for c.row = range batch.Len {
			if id, ok := c.ident(colID); ok {
				list = c.idents(colChildren, c.idents(colParents, list[:0]))
				use(id, list)
			}
			if need := int64(len(r.parts.ids)) * componentCost; need > r.g.Memory() {
				return fmt.Errorf("%s: the dependencies of more than %d tasks would take more than the %d MiB of "+
					"memory that may be used: "+
					"give more memory, or import a part of the files", f.Name, len(r.parts.ids), r.g.Memory()>>20)
			}
		}
	}
	return nil
}
