package order

// Ranking holds ids in ascending order of (key, id), and finds the first, the next and the k-th.
type Ranking struct{ tree Tree[count, *count] }

// count is the number of ids in a subtree.
type count int32

// Join adds b.
func (a *count) Join(b *count) { *a += *b }

// Set puts an id, at least 0, at a key, or moves it there. The key must not be NaN. O(log n).
func (r *Ranking) Set(id int32, key float64) {
	one := count(1)
	r.tree.Set(id, key, &one)
}

// Remove takes an id out, if it is in.
func (r *Ranking) Remove(id int32) { r.tree.Remove(id) }

// Len returns the number of ids.
func (r *Ranking) Len() int { return r.tree.Len() }

// Has reports whether an id is in.
func (r *Ranking) Has(id int32) bool { return r.tree.Has(id) }

// Key returns the key of an id that is in.
func (r *Ranking) Key(id int32) float64 { return r.tree.Key(id) }

// Min returns the first id and its key; false when there is none.
func (r *Ranking) Min() (id int32, key float64, ok bool) { return r.tree.Min() }

// From returns the first id at or after (key, id); false if there is none. steps is the number of ids visited.
func (r *Ranking) From(key float64, id int32) (found int32, steps int64, ok bool) {
	best := int32(0)
	for i := r.tree.Root(); i != 0; steps++ {
		n := r.tree.Node(i)
		if before(n.Key, i-1, key, id) {
			i = n.Right
		} else {
			best, i = i, n.Left
		}
	}
	return best - 1, steps, best != 0
}

// Select returns the id at position k, counted from 0, or the last id if there are fewer; false if there is none.
func (r *Ranking) Select(k int) (id int32, ok bool) {
	i := r.tree.Root()
	if i == 0 {
		return 0, false
	}
	k = min(k, r.tree.Len()-1)
	for {
		n := r.tree.Node(i)
		left := 0
		if n.Left != 0 {
			left = int(r.tree.Node(n.Left).Sum)
		}
		switch {
		case k < left:
			i = n.Left
		case k == left:
			return i - 1, true
		default:
			k -= left + 1
			i = n.Right
		}
	}
}
