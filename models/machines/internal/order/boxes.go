package order

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
)

// boxes is a k-d tree (Bentley, "Multidimensional Binary Search Trees Used for Associative Searching", CACM 18, 1975)
// of demands, with their points in its leaves, and in every node the box around them and the job that comes first. A
// subtree that was built of n points is built again when it has more than twice as many, so that a change costs O(log²
// n) in the mean, whatever the points are. Node 0 is none.
type boxes struct {
	nodes []box
	root  int32
	unfit []int32 // nodes not in use
	where []place // of points, by number
	spare []int32 // numbers not in use
	moved []point // of a subtree that is built again
}

// bucket is the most points of a leaf.
const bucket = 16

// point is the demand of a task of some stage of a job.
type point struct {
	at     cluster.Vector
	span           // of the job's key
	level  float64 // at which the job may start it: see Waiting.Level
	job    int32
	stage  int32
	number int32
}

// span is a range of keys that a job's key is in.
type span struct{ low, high float64 }

// drift is how far a key may go, relative to where it left its span, before its points are told.
const drift = 0.25

// to returns the span for a key. A key that left the span may go on in its direction.
func (s span) to(key float64) span {
	switch far := drift * math.Abs(key); {
	case key < s.low:
		return span{key - far, key}
	case key > s.high:
		return span{key, key + far}
	}
	return s
}

// place is where a point is.
type place struct{ node, k int32 }

// box is a node of boxes, in three lines of a processor's cache. Most searches end at the first or the second.
type box struct {
	key         float64 // the lowest key of the job that comes first of its points', by lowest keys
	lastKey     float64 // the highest key of the job that comes last of its points', by highest keys
	level       float64 // the least of its points'
	job, last   int32   // the first and the last job
	count       int32
	left, right int32 // 0 in a leaf
	parent      int32
	built       int32 // count when it was built
	axis        int8
	points      *[bucket + 1]point // count of them in a leaf

	least cluster.Vector // of its points
	cut   int64          // points below it on the axis are in the left subtree

	most cluster.Vector // of its points
	_    int64
}

// leaf returns the points of a leaf.
func (n *box) leaf() []point {
	if n.count == 0 {
		return nil
	}
	return n.points[:n.count]
}

// put adds a point to a leaf that counts it already.
func (n *box) put(p *point) {
	if n.points == nil {
		n.points = new([bucket + 1]point)
	}
	n.points[n.count-1] = *p
}

// byName is the axis that separates points with equal demands.
const byName = int8(trace.NumResources)

// at returns where a point is.
func (b *boxes) at(number int32) cluster.Vector {
	p := b.where[number]
	return b.nodes[p.node].points[p.k].at
}

// on returns where a point is on an axis.
func (p *point) on(axis int8) int64 {
	if axis == byName {
		return int64(p.job)<<32 | int64(uint32(p.stage))
	}
	return p.at[axis]
}

// most returns an upper bound on the demand that a point represents.
func (p *point) most() *cluster.Vector {
	if p.stage == Any {
		return &anything
	}
	return &p.at
}

var anything = func() (v cluster.Vector) {
	for r := range v {
		v[r] = cluster.Most
	}
	return v
}()

// before orders jobs.
func before(key float64, job int32, otherKey float64, other int32) bool {
	return key < otherKey || key == otherKey && job < other
}

// add puts a point in, and returns its number.
func (b *boxes) add(p point) int32 {
	if n := len(b.spare); n > 0 {
		p.number, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		p.number = int32(len(b.where))
		b.where = append(b.where, place{})
	}
	if b.root == 0 {
		b.root = b.node(0)
	}
	crowded, i := int32(0), b.root
	for {
		n := &b.nodes[i]
		n.include(&p)
		if crowded == 0 && n.count > 2*n.built+bucket {
			crowded = i
		}
		if n.left == 0 {
			break
		}
		if p.on(n.axis) < n.cut {
			i = n.left
		} else {
			i = n.right
		}
	}
	n := &b.nodes[i]
	b.where[p.number] = place{i, n.count - 1}
	n.put(&p)
	if crowded == 0 && n.count > bucket {
		crowded = i
	}
	if crowded != 0 {
		b.rebuild(crowded)
	}
	return p.number
}

// include updates the box of a node with a point that is added below it.
func (n *box) include(p *point) {
	if n.count == 0 {
		n.least, n.most = p.at, *p.most()
		n.empty()
	} else {
		n.least.Lower(&p.at)
		n.most.Raise(p.most())
	}
	n.come(p)
	n.count++
}

// empty makes a node one without jobs.
func (n *box) empty() {
	n.key, n.level, n.job, n.lastKey, n.last = math.Inf(1), math.Inf(1), none, math.Inf(-1), -1
}

// come adds the job of a point to a node: to its first and last job, and to its least level.
func (n *box) come(p *point) {
	if before(p.low, p.job, n.key, n.job) {
		n.key, n.job = p.low, p.job
	}
	if before(n.lastKey, n.last, p.high, p.job) {
		n.lastKey, n.last = p.high, p.job
	}
	n.level = min(n.level, p.level)
}

// node makes an empty leaf.
func (b *boxes) node(parent int32) int32 {
	if len(b.nodes) == 0 {
		b.nodes = append(b.nodes, box{}) // none
	}
	i := int32(len(b.nodes))
	if n := len(b.unfit); n > 0 {
		i, b.unfit = b.unfit[n-1], b.unfit[:n-1]
		b.nodes[i] = box{points: b.nodes[i].points}
	} else {
		b.nodes = append(b.nodes, box{})
	}
	b.nodes[i].parent = parent
	return i
}

// remove takes a point out.
func (b *boxes) remove(number int32) {
	at := b.where[number]
	b.spare = append(b.spare, number)
	n := &b.nodes[at.node]
	sparse, same := int32(0), n.count > 1 && n.inside(&n.points[at.k])
	if last := n.count - 1; at.k != last {
		n.points[at.k] = n.points[last]
		b.where[n.points[at.k].number] = at
	}
	if same { // the points that are left have a level, too
		same = n.level == n.points[0].level
	}
	for i := at.node; i != 0; i = b.nodes[i].parent {
		n := &b.nodes[i]
		if n.count--; n.count <= bucket/2 && n.left != 0 {
			sparse = i
		}
		if !same {
			same = !b.refresh(i)
		}
	}
	if sparse != 0 {
		b.rebuild(sparse)
	}
}

// inside reports whether a point of a leaf is on no side of its box, and its job neither the first nor the last. Then
// the summary of the leaf does not need it, but for its level.
func (n *box) inside(p *point) bool {
	least, most := true, true
	high := p.most()
	for r, x := range p.at {
		least = least && (x > n.least[r] || n.least[r] == n.most[r])
		most = most && (high[r] < n.most[r] || n.least[r] == n.most[r])
	}
	return least && most && p.job != n.job && p.job != n.last
}

// refresh recomputes the summary of a node, and reports whether it changed.
func (b *boxes) refresh(i int32) bool {
	n := &b.nodes[i]
	least, most := n.least, n.most
	if n.left == 0 {
		points := n.leaf()
		for k := range points {
			if k == 0 {
				n.least, n.most = points[0].at, *points[0].most()
			}
			n.least.Lower(&points[k].at)
			n.most.Raise(points[k].most())
		}
	} else if l, r := &b.nodes[n.left], &b.nodes[n.right]; l.count == 0 || r.count == 0 {
		if l.count == 0 {
			l = r
		}
		n.least, n.most = l.least, l.most
	} else {
		n.least, n.most = l.least, l.most
		n.least.Lower(&r.least)
		n.most.Raise(&r.most)
	}
	return b.reorder(i) || least != n.least || most != n.most
}

// reorder recomputes the first and the last job and the least level of a node, and reports whether they changed.
func (b *boxes) reorder(i int32) bool {
	n := &b.nodes[i]
	key, level, job, lastKey, last := n.key, n.level, n.job, n.lastKey, n.last
	n.empty()
	if n.left == 0 {
		points := n.leaf()
		for k := range points {
			n.come(&points[k])
		}
	} else {
		l, r := &b.nodes[n.left], &b.nodes[n.right]
		n.key, n.job, n.lastKey, n.last, n.level = l.key, l.job, l.lastKey, l.last, min(l.level, r.level)
		if before(r.key, r.job, n.key, n.job) {
			n.key, n.job = r.key, r.job
		}
		if before(n.lastKey, n.last, r.lastKey, r.last) {
			n.lastKey, n.last = r.lastKey, r.last
		}
	}
	return key != n.key || level != n.level || job != n.job || lastKey != n.lastKey || last != n.last
}

// move gives the job of a point another span.
func (b *boxes) move(number int32, to span) {
	at := b.where[number]
	n := &b.nodes[at.node]
	p := &n.points[at.k]
	first := n.key == p.low && n.job == p.job || before(to.low, p.job, n.key, n.job)
	last := n.lastKey == p.high && n.last == p.job || before(n.lastKey, n.last, to.high, p.job)
	p.span = to
	if first || last {
		b.climb(at.node)
	}
}

// raise gives a point another level.
func (b *boxes) raise(number int32, level float64) {
	at := b.where[number]
	n := &b.nodes[at.node]
	p := &n.points[at.k]
	lowest := n.level == p.level || level < n.level
	if p.level = level; lowest {
		b.climb(at.node)
	}
}

// climb recomputes the order in a node. Where it changed, the node above is next.
func (b *boxes) climb(i int32) {
	for i != 0 && b.reorder(i) {
		i = b.nodes[i].parent
	}
}

// rebuild builds the subtree at i again.
func (b *boxes) rebuild(i int32) {
	b.moved = b.moved[:0]
	b.collect(i)
	b.build(i, b.moved)
	if cap(b.moved) > manyMoved {
		b.moved = nil
	}
}

// manyMoved is the most points for which memory is kept from one rebuilding to the next.
const manyMoved = 4096

// collect takes the points out of a subtree. Its root stays, empty.
func (b *boxes) collect(i int32) {
	n := &b.nodes[i]
	if n.left == 0 {
		b.moved = append(b.moved, n.leaf()...)
	} else {
		for _, c := range [...]int32{n.left, n.right} {
			b.collect(c)
			b.unfit = append(b.unfit, c)
		}
	}
	n.left, n.right, n.count = 0, 0, 0
}

// build puts points below node i, which is empty.
func (b *boxes) build(i int32, points []point) {
	n, leaf := &b.nodes[i], len(points) <= bucket
	for k := range points {
		if n.include(&points[k]); leaf {
			n.put(&points[k])
			b.where[points[k].number] = place{i, int32(k)}
		}
	}
	if n.built = n.count; leaf {
		return
	}
	axis, k := split(points)
	cut := points[k].on(axis)
	left := b.node(i)
	b.build(left, points[:k])
	right := b.node(i)
	b.build(right, points[k:])
	n = &b.nodes[i]
	n.axis, n.cut, n.left, n.right = axis, cut, left, right
}

// split sorts points along the axis with the largest spread relative to the largest value, and returns how many go
// left: half of them, or as near to half as equal values allow. Points with equal demands are separated by name.
func split(points []point) (axis int8, k int) {
	axis = byName
	least, most, widest := points[0].at, points[0].at, 0.0
	for k := range points {
		least.Lower(&points[k].at)
		most.Raise(&points[k].at)
	}
	for r, x := range most {
		if w := float64(x-least[r]) / float64(x); w > widest { // false where all are 0
			axis, widest = int8(r), w
		}
	}
	for {
		slices.SortFunc(points, func(p, q point) int { return cmp.Compare(p.on(axis), q.on(axis)) })
		k = len(points) / 2
		middle := points[k].on(axis)
		k, _ = slices.BinarySearchFunc(points, middle, func(p point, x int64) int { return cmp.Compare(p.on(axis), x) })
		if k < len(points)/8 { // the other end of what is equal
			k, _ = slices.BinarySearchFunc(points, middle, func(p point, x int64) int {
				return cmp.Compare(p.on(axis), x+1)
			})
		}
		if axis == byName || k >= len(points)/8 && k <= len(points)-len(points)/8 {
			return axis, k
		}
		axis = byName
	}
}

// first is a search for the first job.
type first struct {
	*Search
	jobs  []waiter
	best  float64 // the first so far
	job   int32
	steps int64
}

// look looks for a job before the best one below a node.
func (f *first) look(b *boxes, i int32) {
	f.steps++
	n := &b.nodes[i]
	if n.count == 0 || n.level > f.Level || !before(n.key, n.job, f.best, f.job) ||
		before(n.lastKey, n.last, f.Key, f.ID) || !n.least.Fits(f.Room) || f.known(&n.least, &n.most) {
		return
	}
	if n.left == 0 {
		points := n.leaf()
		for k := range points {
			p := &points[k]
			if p.level > f.Level || !before(p.low, p.job, f.best, f.job) || before(p.high, p.job, f.Key, f.ID) ||
				!p.at.Fits(f.Room) {
				continue
			}
			key := f.jobs[p.job].key
			if before(key, p.job, f.best, f.job) && !before(key, p.job, f.Key, f.ID) && !f.known(&p.at, p.most()) &&
				(f.Fits == nil || f.Fits(&p.at)) && (f.OK == nil || f.OK(p.job, p.stage)) {
				f.best, f.job = key, p.job
			}
		}
		return
	}
	l, r := n.left, n.right
	if before(b.nodes[r].key, b.nodes[r].job, b.nodes[l].key, b.nodes[l].job) {
		l, r = r, l
	}
	f.look(b, l)
	f.look(b, r)
}

// known reports whether the search leaves out all demands between least and most.
func (f *first) known(least, most *cluster.Vector) bool {
	return f.Beyond != nil && most.Fits(f.Beyond) || f.Refused != nil && f.Refused(least)
}

// none is larger than the id of any job.
const none = math.MaxInt32

// best is a search for the highest score.
type best struct {
	jobs  []waiter
	room  *cluster.Vector
	key   float64 // jobs after this one do not count
	id    int32
	with  Best
	score float64 // the highest so far
	first float64 // key of the job that has it
	job   int32
	steps int64
}

// worth reports whether tasks with scores of at most bound, of jobs at or after (key, job), may be better than the best
// one so far.
func (s *best) worth(bound, key float64, job int32) bool {
	return bound > s.score || bound == s.score && !before(s.first, s.job, key, job)
}

// bound returns an upper bound on the scores below a node; false if there is nothing to look at.
func (s *best) bound(n *box) (float64, bool) {
	s.steps++
	if n.count == 0 || before(s.key, s.id, n.key, n.job) || !n.least.Fits(s.room) {
		return 0, false
	}
	most := n.most
	most.Lower(s.room)
	return s.with.Bound(&most, n.key), true
}

// look looks below a node.
func (s *best) look(b *boxes, i int32) {
	n := &b.nodes[i]
	if n.left == 0 {
		points := n.leaf()
		for k := range points {
			p := &points[k]
			if before(s.key, s.id, p.low, p.job) || !p.at.Fits(s.room) {
				continue
			}
			key := s.jobs[p.job].key
			if before(s.key, s.id, key, p.job) || p.stage != Any && !s.worth(s.with.Bound(&p.at, key), key, p.job) {
				continue
			}
			if score, job := s.with.Look(p.job, p.stage); job == p.job {
				s.score, s.first, s.job = score, key, job
			}
		}
		return
	}
	l, r := &b.nodes[n.left], &b.nodes[n.right]
	left, right := n.left, n.right
	high, some := s.bound(l)
	low, other := s.bound(r)
	if other && (!some || low > high || low == high && before(r.key, r.job, l.key, l.job)) {
		l, r, left, right, high, low, some, other = r, l, right, left, low, high, other, some
	}
	if some && s.worth(high, l.key, l.job) {
		s.look(b, left)
	}
	if other && s.worth(low, r.key, r.job) {
		s.look(b, right)
	}
}
