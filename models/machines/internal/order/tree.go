package order

// Joined is a value that can be summed up over the nodes of a [Tree]: Join adds b. It must be associative and
// commutative.
type Joined[V any] interface {
	*V
	Join(b *V)
}

// Tree is a treap (Seidel and Aragon, "Randomized Search Trees", Algorithmica 16, 1996) of ids in ascending
// order of (key, id), with the sum of the values below every node. Priorities are a hash of the id, so that the
// shape, and the cost, is the same in every run. The zero Tree is empty.
type Tree[V comparable, P Joined[V]] struct {
	nodes []Node[V] // by id + 1; node 0 is none
	root  int32
	len   int
}

// Node is a node of a Tree, which others may read.
type Node[V any] struct {
	Key         float64
	Value, Sum  V // its own, and of its whole subtree
	Left, Right int32
	priority    uint32
	in          bool
}

// Root returns the root, to begin a walk at; 0 is no node. Node i holds id i - 1.
func (t *Tree[V, P]) Root() int32 { return t.root }

// Node returns node i, not 0, which is valid until the next change.
func (t *Tree[V, P]) Node(i int32) *Node[V] { return &t.nodes[i] }

// Len returns the number of ids.
func (t *Tree[V, P]) Len() int { return t.len }

// Has reports whether id is in the tree.
func (t *Tree[V, P]) Has(id int32) bool { return int(id)+1 < len(t.nodes) && t.nodes[id+1].in }

// Key returns the key of an id in the tree.
func (t *Tree[V, P]) Key(id int32) float64 { return t.nodes[id+1].Key }

// Set puts id, at least 0, at a key with a value, or moves it there. The key must not be NaN. O(log n).
func (t *Tree[V, P]) Set(id int32, key float64, value *V) {
	for len(t.nodes) < int(id)+2 {
		t.nodes = append(t.nodes, Node[V]{})
	}
	n := &t.nodes[id+1]
	switch {
	case !n.in:
		*n = Node[V]{Key: key, Value: *value, Sum: *value, priority: hash(uint32(id)), in: true}
		t.root = t.insert(t.root, id+1)
		t.len++
	case n.Key != key:
		t.root = t.move(t.root, id+1, key, value)
	case n.Value != *value:
		n.Value = *value
		t.refresh(t.root, id+1)
	}
}

// Remove takes id out, if it is in.
func (t *Tree[V, P]) Remove(id int32) {
	if t.Has(id) {
		t.root = t.remove(t.root, id+1)
		t.nodes[id+1].in = false
		t.len--
	}
}

// Min returns the first id and its key; false when the tree is empty.
func (t *Tree[V, P]) Min() (id int32, key float64, ok bool) {
	if t.root == 0 {
		return 0, 0, false
	}
	i := t.root
	for t.nodes[i].Left != 0 {
		i = t.nodes[i].Left
	}
	return i - 1, t.nodes[i].Key, true
}

// less orders nodes.
func (t *Tree[V, P]) less(a, b int32) bool {
	x, y := t.nodes[a].Key, t.nodes[b].Key
	return x < y || x == y && a < b
}

// move gives node n, which is below i or i itself, another key and value, and returns the node that is in the place of
// i then. Down to where the ways to the old and to the new place part, every node is brought up to date once.
func (t *Tree[V, P]) move(i, n int32, key float64, value *V) int32 {
	at := &t.nodes[i]
	before := key < at.Key || key == at.Key && n < i
	switch {
	case i == n:
		if t.between(n, key) {
			at.Key, at.Value = key, *value
			break
		}
		fallthrough
	case before != t.less(n, i):
		i = t.remove(i, n)
		t.nodes[n] = Node[V]{Key: key, Value: *value, Sum: *value, priority: t.nodes[n].priority, in: true}
		return t.insert(i, n)
	case before:
		at.Left = t.move(at.Left, n, key, value)
	default:
		at.Right = t.move(at.Right, n, key, value)
	}
	t.update(i)
	return i
}

// between reports whether node n would be between its subtrees with another key, too.
func (t *Tree[V, P]) between(n int32, key float64) bool {
	last, first := t.nodes[n].Left, t.nodes[n].Right
	for last != 0 && t.nodes[last].Right != 0 {
		last = t.nodes[last].Right
	}
	for first != 0 && t.nodes[first].Left != 0 {
		first = t.nodes[first].Left
	}
	before, after := &t.nodes[last], &t.nodes[first]
	return (last == 0 || before.Key < key || before.Key == key && last < n) &&
		(first == 0 || key < after.Key || key == after.Key && n < first)
}

// refresh brings the sums on the way from i to node n up to date.
func (t *Tree[V, P]) refresh(i, n int32) {
	if i != n {
		if t.less(n, i) {
			t.refresh(t.nodes[i].Left, n)
		} else {
			t.refresh(t.nodes[i].Right, n)
		}
	}
	t.update(i)
}

func (t *Tree[V, P]) update(i int32) {
	n := &t.nodes[i]
	n.Sum = n.Value
	if n.Left != 0 {
		P(&n.Sum).Join(&t.nodes[n.Left].Sum)
	}
	if n.Right != 0 {
		P(&n.Sum).Join(&t.nodes[n.Right].Sum)
	}
}

func (t *Tree[V, P]) insert(i, n int32) int32 {
	if i == 0 {
		return n
	}
	if t.nodes[n].priority > t.nodes[i].priority {
		t.nodes[n].Left, t.nodes[n].Right = t.split(i, n)
		t.update(n)
		return n
	}
	if t.less(n, i) {
		t.nodes[i].Left = t.insert(t.nodes[i].Left, n)
	} else {
		t.nodes[i].Right = t.insert(t.nodes[i].Right, n)
	}
	t.update(i)
	return i
}

// split divides the subtree at i into the nodes before n and the nodes after it.
func (t *Tree[V, P]) split(i, n int32) (before, after int32) {
	if i == 0 {
		return 0, 0
	}
	if t.less(i, n) {
		before = i
		t.nodes[i].Right, after = t.split(t.nodes[i].Right, n)
	} else {
		after = i
		before, t.nodes[i].Left = t.split(t.nodes[i].Left, n)
	}
	t.update(i)
	return before, after
}

func (t *Tree[V, P]) remove(i, n int32) int32 {
	if i == n {
		return t.merge(t.nodes[i].Left, t.nodes[i].Right)
	}
	if t.less(n, i) {
		t.nodes[i].Left = t.remove(t.nodes[i].Left, n)
	} else {
		t.nodes[i].Right = t.remove(t.nodes[i].Right, n)
	}
	t.update(i)
	return i
}

func (t *Tree[V, P]) merge(a, b int32) int32 {
	if a == 0 || b == 0 {
		return a + b
	}
	if t.nodes[a].priority > t.nodes[b].priority {
		t.nodes[a].Right = t.merge(t.nodes[a].Right, b)
		t.update(a)
		return a
	}
	t.nodes[b].Left = t.merge(a, t.nodes[b].Left)
	t.update(b)
	return b
}

// hash spreads ids: the finalizer of MurmurHash3 (A. Appleby).
func hash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
