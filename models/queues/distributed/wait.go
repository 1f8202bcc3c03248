package distributed

import "slices"

// waits orders a range of workers by their unfinished work and finds the least without visiting all. The wait of
// a worker is the sum of the estimates of its tasks, divided by its slots. While it runs some, the elapsed time
// of each is subtracted, up to the estimate of that task, divided likewise, plus the round trip with which they
// began. It is never below 0. A worker with, to the scheduler's knowledge, fewer tasks than slots does not wait.
// Waits are stored times the least common multiple of the slots of workers. A wait either is constant, or falls
// with time at the pace of its running tasks: then the instant at which it would be 0 is constant. There is one
// tree for each pace, and timers for the instants at which the pace changes.
type waits struct {
	packing
	first   int32    // number of the first worker
	none    numbers  // workers that do not wait; unless all, they are in no tree
	trees   []tree   // of waits, then, by the pace at which they fall, of instants at which they are 0, times the pace
	paces   []int64  // of the trees
	tree    []uint16 // by pace
	ceasing agenda
	of      []wait
	runs    [][]run // by worker, where they have more than one slot
	slots   []int32 // by worker, where they have more than one
	scale   int64   // factor on stored waits
	rtt     int64
	late    int64 // how long after the end of a task it is known
	all     bool
	free    *clearSet // where it is set, workers with a slot that runs nothing and has nothing to do, in no tree either
}

// wait is the state of one worker.
type wait struct {
	sum    int64   // of estimates
	run            // the task that runs; with more slots than one they are in waits.runs
	timed  int64   // last timer
	tasks  int32   // given and not ended
	gone   int32   // tasks that must have ended, as others have begun, before that is known
	falls  uint16  // the tree it is in
	fresh  bool    // the running task does not count for now
	closed bool    // takes no more: it is in no tree
	_      [8]byte // to be one line of the cache
}

// run is a task that runs.
type run struct {
	since    int64 // start; -1 when none does
	estimate int64
	end      int64
}

// ceases is when the wait of a worker of one slot that runs a task ceases to fall.
func (x *wait) ceases(rtt int64) int64 { return x.since + min(x.estimate, rtt+x.sum) }

func newWaits(first, n int32, p packing, o *Options, rtt int64, all bool) *waits {
	x := &waits{packing: p, first: first, none: newNumbers(int(n)), of: make([]wait, n), scale: int64(o.scale()),
		rtt: rtt, all: all}
	if !o.EPFL {
		x.late = o.Delay
	}
	x.tree = make([]uint16, x.scale+1)
	x.paces, x.trees = []int64{0}, []tree{newTree(int(n))}
	if x.scale > 1 {
		x.runs, x.slots = make([][]run, n), make([]int32, n)
		for i := range n {
			x.slots[i] = int32(o.SlotsOf(int(first + i)))
		}
	}
	for i := range n {
		for k := int64(1); k <= x.scale/x.share(i); k++ {
			if pace := k * x.share(i); x.tree[pace] == 0 {
				x.tree[pace] = uint16(len(x.trees))
				x.paces, x.trees = append(x.paces, pace), append(x.trees, newTree(int(n)))
			}
		}
	}
	for i := range n {
		x.of[i].since, x.of[i].timed = -1, -1
		x.none.add(i)
		x.put(i, 0)
	}
	return x
}

// collect keeps workers that have nothing to do in a list, to draw from.
func (x *waits) collect() {
	x.free = newClearSet(int32(len(x.of)))
	for i := range x.of {
		x.put(int32(i), 0)
	}
}

// share is the contribution of an instant of work at worker i to its wait.
func (x *waits) share(i int32) int64 {
	if x.slots == nil {
		return 1
	}
	return x.scale / int64(x.slots[i])
}

// idle reports whether worker i has fewer tasks than slots.
func (x *waits) idle(i int32) bool {
	if x.slots == nil {
		return x.of[i].sum == 0
	}
	return x.of[i].tasks < x.slots[i]
}

// full reports whether all slots of worker i are known to run a task.
func (x *waits) full(i int32) bool {
	if x.slots == nil {
		return x.of[i].since >= 0
	}
	return len(x.runs[i]) >= int(x.slots[i])
}

// put files worker i, by place in the range, under its wait.
func (x *waits) put(i int32, now int64) {
	me := &x.of[i]
	key, falls := uint64(none), uint16(0)
	if x.free != nil {
		x.free.remove(i)
	}
	switch {
	case me.closed, !x.all && x.idle(i):
	case x.free != nil && x.idle(i) && !x.full(i):
		x.free.add(i)
	case x.slots != nil:
		key, falls = x.shared(i, now)
	case me.since < 0 || me.fresh:
		key = x.key(me.sum, i)
	default:
		if ceases := me.ceases(x.rtt); now < ceases {
			key, falls = x.key(me.since+x.rtt+me.sum, i), 1
			if ceases < me.end+x.late {
				x.timer(i, ceases)
			}
		} else {
			key = x.key(max(0, me.sum+x.rtt-me.estimate), i)
		}
	}
	x.trees[falls].set(i, key)
	if me.falls != falls {
		x.trees[me.falls].set(i, none)
		me.falls = falls
	}
}

// timer has worker i filed anew at an instant.
func (x *waits) timer(i int32, at int64) {
	if me := &x.of[i]; at != me.timed && at < x.most { // later instants are not reached
		me.timed = at
		x.ceasing.push(ending{x.key(at, i), 0})
	}
}

// shared returns the key of a worker with several slots, and its tree. The tree depends on the number of running tasks
// that make its wait fall: those that have not taken longer than estimated.
func (x *waits) shared(i int32, now int64) (uint64, uint16) {
	if x.idle(i) && !x.full(i) {
		return x.key(0, i), 0
	}
	work, falls, ceases := x.of[i].sum, int64(0), int64(never)
	for _, r := range x.runs[i] {
		if at := r.since + r.estimate; now < at {
			work += r.since
			ceases = min(ceases, at)
			falls++
		} else {
			work -= r.estimate
		}
	}
	if len(x.runs[i]) > 0 {
		work += x.rtt * int64(x.slots[i])
	}
	if work <= falls*now {
		return x.key(0, i), 0
	}
	if falls > 0 {
		x.timer(i, min(ceases, (work+falls-1)/falls))
	}
	share := x.share(i)
	most := x.most*x.scale - 1 // more work than this lasts for longer than can be simulated
	if work > most/share {
		return x.key(most, i), 0
	}
	return x.key(work*share, i), x.tree[falls*share]
}

// set sets the sum and the number of tasks of worker i, and reports whether the sum changed.
func (x *waits) set(i int32, sum int64, tasks int32, now int64) bool {
	me := &x.of[i]
	if me.sum == sum && (x.slots == nil || me.tasks == tasks) {
		return false
	}
	before := x.idle(i)
	me.sum, me.tasks = sum, tasks
	switch after := x.idle(i); {
	case before && !after:
		x.none.remove(i)
	case after && !before:
		x.none.add(i)
	}
	x.put(i, now)
	return true
}

// touch reads the state that changes with a worker: see [Cluster.touch].
func (x *waits) touch(i int32) int32 {
	return x.of[i].tasks + int32(x.trees[0].nodes[i]) + int32(x.trees[1].nodes[i])
}

// give adds tasks to worker i, and reports whether its work grew.
func (x *waits) give(i int32, work int64, tasks int32, now int64) bool {
	return x.set(i, x.of[i].sum+work, x.of[i].tasks+tasks, now)
}

// started notes that worker i began a task that will end at an instant, to the scheduler's knowledge.
func (x *waits) started(i int32, estimate, now, end int64) {
	r := run{now, estimate, end}
	if x.slots != nil {
		if x.full(i) {
			x.forget(i)
			x.of[i].gone++
		}
		x.runs[i] = append(x.runs[i], r)
	} else {
		x.of[i].run, x.of[i].timed = r, -1
	}
	x.put(i, now)
}

// forget takes out the task of a worker with several slots that ended first.
func (x *waits) forget(i int32) {
	first, all := 0, x.runs[i]
	for k := range all {
		if all[k].end < all[first].end {
			first = k
		}
	}
	x.runs[i] = slices.Delete(all, first, first+1)
}

// stopped records that a task of worker i has ended; again, that the worker has begun another one, which matters if it
// has one slot.
func (x *waits) stopped(i int32, again bool, now int64) {
	if x.stop(i, again) {
		x.put(i, now)
	}
}

// ended does the same, and subtracts the estimated work of the task.
func (x *waits) ended(i int32, again bool, work, now int64) {
	if stopped := x.stop(i, again); !x.give(i, -work, -1, now) && stopped {
		x.put(i, now)
	}
}

// stop is the common part of stopped and ended; it reports whether the worker must be filed again.
func (x *waits) stop(i int32, again bool) bool {
	switch {
	case x.slots != nil && x.of[i].gone > 0:
		x.of[i].gone--
		return false
	case x.slots != nil:
		x.forget(i)
	case again:
		return false
	default:
		x.of[i].since = -1
	}
	return true
}

// advance files workers again whose waits have changed their pace.
func (x *waits) advance(now int64) {
	until := uint64(none)
	if now < x.most {
		until = x.key(now, 0) | x.mask
	}
	for x.ceasing.due(until) {
		i := x.worker(x.ceasing.pop().key)
		if me := &x.of[i]; me.falls > 0 && (x.slots != nil || me.ceases(x.rtt) <= now) {
			x.put(i, now)
		}
	}
}

// least returns the key, by work and place, of the worker that waits least among those in trees; none where there is
// none. advance must have been called for the same instant.
func (x *waits) least(now int64) uint64 {
	key := x.trees[0].least()
	for k := 1; k < len(x.trees); k++ {
		if f := x.trees[k].least(); f != none {
			key = min(key, f-uint64(x.paces[k]*now)<<x.bits)
		}
	}
	return key
}

// hide takes worker i out of the trees, until put.
func (x *waits) hide(i int32) {
	me := &x.of[i]
	x.trees[me.falls].set(i, none)
	me.falls = 0
}

// ranges are the waits of the workers for short jobs alone and of the general partition. The first is nil where those
// take no part.
type ranges [2]*waits

func newRanges(c *Cluster, both, all bool, rtt int64) ranges {
	n, s := c.Workers()
	r := ranges{nil, newWaits(s, n-s, c.pack, &c.o, rtt, all)}
	if both && s > 0 {
		r[0] = newWaits(0, s, c.pack, &c.o, rtt, all)
	}
	return r
}

// general leaves the general partition only.
func (r ranges) general() ranges { return ranges{nil, r[1]} }

// of returns the range of a worker, and its place there.
func (r ranges) of(w int32) (*waits, int32) {
	if w < r[1].first {
		return r[0], w
	}
	return r[1], w - r[1].first
}

func (r ranges) advance(now int64) {
	for _, x := range r {
		if x != nil {
			x.advance(now)
		}
	}
}

// least returns the wait, times the scale, and the worker that waits least; -1 for the worker where there is none.
func (r ranges) least(now int64) (wait int64, w int32) {
	w = -1
	for _, x := range r {
		if x == nil {
			continue
		}
		if key := x.least(now); key != none && (w < 0 || x.time(key) < wait) {
			wait, w = x.time(key), x.first+x.worker(key)
		}
	}
	return wait, w
}
