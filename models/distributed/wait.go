package distributed

// waits orders a range of workers by the work that they were given and that is not done: it finds the least without
// looking at all. The wait of a worker is the sum of the estimates of its tasks; while it runs one, less the time since
// that began, but no more than the estimate of that task, plus the round trip with which it began; never below 0. So a
// wait either stays as it is or falls with time: then the instant at which it would be 0 stays as it is. There is one
// tree for each, and timers for when a wait ceases to fall.
type waits struct {
	packing
	first   int32   // number of the first worker
	none    numbers // workers whose sum is 0; unless all, they are in no tree
	still   tree    // waits
	falling tree    // instants at which the wait is 0
	ceasing timers
	of      []wait
	rtt     int64
	all     bool
	free    *clearSet // where it is set, workers that run nothing and have nothing to do, in no tree either
}

// wait is the state of one worker.
type wait struct {
	sum      int64 // of estimates
	since    int64 // start of the task that runs; -1 when none does
	estimate int64 // of it
	end      int64 // of it
	timed    int64 // last timer
	falls    bool  // is in the tree of those
	fresh    bool  // what runs does not count for now
	closed   bool  // takes no more: it is in no tree
}

// ceases is when the wait of a worker that runs a task ceases to fall.
func (x *wait) ceases(rtt int64) int64 { return x.since + min(x.estimate, rtt+x.sum) }

func newWaits(first, n int32, p packing, rtt int64, all bool) *waits {
	x := &waits{packing: p, first: first, none: newNumbers(int(n)), still: newTree(int(n)), falling: newTree(int(n)),
		of: make([]wait, n), rtt: rtt, all: all}
	for i := range n {
		x.of[i] = wait{since: -1, timed: -1}
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

// put files worker i, by place in the range, under its wait.
func (x *waits) put(i int32, now int64) {
	me := &x.of[i]
	key, falls := uint64(none), false
	if x.free != nil {
		x.free.remove(i)
	}
	switch {
	case me.closed, me.sum == 0 && !x.all:
	case me.sum == 0 && me.since < 0 && x.free != nil:
		x.free.add(i)
	case me.since < 0 || me.fresh:
		key = x.key(me.sum, i)
	default:
		if ceases := me.ceases(x.rtt); now < ceases {
			key, falls = x.key(me.since+x.rtt+me.sum, i), true
			if ceases < me.end && ceases != me.timed {
				me.timed = ceases
				x.ceasing.push(x.key(ceases, i))
			}
		} else {
			key = x.key(max(0, me.sum+x.rtt-me.estimate), i)
		}
	}
	if falls {
		x.falling.set(i, key)
		if !me.falls {
			x.still.set(i, none)
		}
	} else {
		x.still.set(i, key)
		if me.falls {
			x.falling.set(i, none)
		}
	}
	me.falls = falls
}

// set gives worker i another sum.
func (x *waits) set(i int32, sum, now int64) {
	me := &x.of[i]
	switch {
	case me.sum == sum:
		return
	case me.sum == 0:
		x.none.remove(i)
	case sum == 0:
		x.none.add(i)
	}
	me.sum = sum
	x.put(i, now)
}

// started notes that worker i began a task that will, as far as is known, end at an instant.
func (x *waits) started(i int32, estimate, now, end int64) {
	me := &x.of[i]
	me.since, me.estimate, me.end, me.timed = now, estimate, end, -1
	x.put(i, now)
}

// stopped notes that worker i runs nothing.
func (x *waits) stopped(i int32, now int64) {
	x.of[i].since = -1
	x.put(i, now)
}

// advance files workers anew whose waits have ceased to fall.
func (x *waits) advance(now int64) {
	for len(x.ceasing) > 0 && x.time(x.ceasing[0]) <= now {
		key := x.ceasing.pop()
		i := x.worker(key)
		if me := &x.of[i]; me.falls && me.ceases(x.rtt) <= now {
			x.put(i, now)
		}
	}
}

// least returns the key, by wait and place, of the worker that waits least among those in trees; none where there is none.
// advance must have been called for the same instant.
func (x *waits) least(now int64) uint64 {
	key := x.still.least()
	if f := x.falling.least(); f != none {
		key = min(key, f-uint64(now)<<x.bits)
	}
	return key
}

// hide takes worker i out of the trees, until put.
func (x *waits) hide(i int32) {
	me := &x.of[i]
	if me.falls {
		x.falling.set(i, none)
		me.falls = false
	} else {
		x.still.set(i, none)
	}
}

// ranges are the waits of the workers for short jobs alone and of the general partition. The first is nil where those take
// no part.
type ranges [2]*waits

func newRanges(c *Cluster, both, all bool, rtt int64) ranges {
	n, s := c.Workers()
	r := ranges{nil, newWaits(s, n-s, c.pack, rtt, all)}
	if both && s > 0 {
		r[0] = newWaits(0, s, c.pack, rtt, all)
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

// least returns the wait and the worker that waits least; -1 for the worker where there is none.
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
