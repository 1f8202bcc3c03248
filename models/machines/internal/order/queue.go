// Package order keeps jobs in the order in which a scheduler serves them. Searches find the first job with a task that
// may start, without visiting all jobs before it.
package order

import "racecard/models/machines/internal/cluster"

// Need is the least demand for each resource over some tasks.
type Need cluster.Vector

// Join takes the smaller need per resource.
func (a *Need) Join(b *Need) {
	for r, x := range b {
		a[r] = min(a[r], x)
	}
}

// fits reports whether the need is at most bound in every resource.
func (a *Need) fits(bound *cluster.Vector) bool { return (*cluster.Vector)(a).Fits(bound) }

// Queue holds jobs by their ids in ascending order of (key, id), with the least that each needs to start a task. A
// search for the first job whose need fits a bound leaves out the subtrees in which none does.
type Queue struct{ tree Tree[Need, *Need] }

// Len returns the number of jobs.
func (q *Queue) Len() int { return q.tree.Len() }

// Has reports whether a job is in the queue.
func (q *Queue) Has(id int32) bool { return q.tree.Has(id) }

// Key returns the key of a job in the queue.
func (q *Queue) Key(id int32) float64 { return q.tree.Key(id) }

// Min returns the first job and its key; false when there is none.
func (q *Queue) Min() (id int32, key float64, ok bool) { return q.tree.Min() }

// Set puts a job, its id at least 0, at a key with a need, or moves it there. The key must not be NaN. O(log n).
func (q *Queue) Set(id int32, key float64, need *cluster.Vector) { q.tree.Set(id, key, (*Need)(need)) }

// Remove takes a job out, if it is in.
func (q *Queue) Remove(id int32) { q.tree.Remove(id) }

// First returns the first job at or after (key, id) whose need is within bound; false if there is none. steps is
// the number of jobs visited.
func (q *Queue) First(key float64, id int32, bound *cluster.Vector) (found int32, steps int64, ok bool) {
	i := q.first(q.tree.Root(), key, id+1, bound, &steps)
	return i - 1, steps, i != 0
}

func (q *Queue) first(i int32, key float64, from int32, bound *cluster.Vector, steps *int64) int32 {
	if i == 0 {
		return 0
	}
	*steps++
	n := q.tree.Node(i)
	if !n.Sum.fits(bound) {
		return 0
	}
	if n.Key < key || n.Key == key && i < from {
		return q.first(n.Right, key, from, bound, steps)
	}
	if found := q.first(n.Left, key, from, bound, steps); found != 0 {
		return found
	}
	if n.Value.fits(bound) {
		return i
	}
	return q.first(n.Right, key, from, bound, steps)
}
