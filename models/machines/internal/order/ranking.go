package order

// Ranking holds ids in ascending order of (key, id), and finds the k-th.
type Ranking struct{ tree Tree[count] }

// count is the number of ids in a subtree.
type count int32

// Join returns the sum.
func (a count) Join(b *count) count { return a + *b }

// Set puts an id, at least 0, at a key, or moves it there. The key must not be NaN. O(log n).
func (r *Ranking) Set(id int32, key float64) {
	one := count(1)
	r.tree.Set(id, key, &one)
}

// Remove takes an id out, if it is in.
func (r *Ranking) Remove(id int32) { r.tree.Remove(id) }

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
