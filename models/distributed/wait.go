package distributed

// waits orders a range of workers by the work that the central scheduler gave them and that is not done: it finds the least
// without looking at all. The wait of a worker is the sum of the estimates of its tasks; while it runs one, less the
// time since that began, but no more than the estimate of that task, plus the round trip with which it began. So a wait
// either stays as it is or, while a task runs within its estimate, falls with time: then the instant at which it would be
// 0 stays as it is. There is one tree for each, and timers for when a wait ceases to fall.
type waits struct {
	packing
	first   int32   // number of the first worker
	none    numbers // workers whose sum is 0; they are in no tree
	still   tree    // waits
	falling tree    // instants at which the wait is 0
	ceasing timers
	of      []wait
	rtt     int64
}

// wait is the state of one worker.
type wait struct {
	sum      int64 // of estimates
	since    int64 // start of the task that runs; -1 when none of the central scheduler's does
	estimate int64 // of it
	falls    bool  // is in the tree of those
}

func newWaits(first, n int32, p packing, rtt int64) *waits {
	x := &waits{packing: p, first: first, none: newNumbers(int(n)), still: newTree(int(n)), falling: newTree(int(n)), of: make([]wait, n), rtt: rtt}
	for i := range x.of {
		x.of[i].since = -1
		x.none.add(int32(i))
	}
	return x
}

// put files worker i, by place in the range, under its wait.
func (x *waits) put(i int32, now int64) {
	me := &x.of[i]
	key, falls := uint64(none), false
	switch {
	case me.sum == 0:
	case me.since < 0:
		key = x.key(me.sum, i)
	case now < me.since+me.estimate:
		key, falls = x.key(me.since+x.rtt+me.sum, i), true
	default:
		key = x.key(me.sum+x.rtt-me.estimate, i)
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

// add gives worker i work.
func (x *waits) add(i int32, work, now int64) {
	if work == 0 {
		return
	}
	if x.of[i].sum == 0 {
		x.none.remove(i)
	}
	x.of[i].sum += work
	x.put(i, now)
}

// started notes that worker i began a task that will end at an instant.
func (x *waits) started(i int32, estimate, now, end int64) {
	me := &x.of[i]
	me.since, me.estimate = now, estimate
	if end > now+estimate {
		x.ceasing.push(x.key(now+estimate, i))
	}
	x.put(i, now)
}

// ended notes that worker i ended a task; running tells whether that is the one that started last. It returns what is left.
func (x *waits) ended(i int32, estimate, now int64, running bool) int64 {
	me := &x.of[i]
	me.sum -= estimate
	if running {
		me.since = -1
	}
	if me.sum == 0 && estimate > 0 {
		x.none.add(i)
	}
	x.put(i, now)
	return me.sum
}

// advance files workers anew whose tasks have exceeded their estimates.
func (x *waits) advance(now int64) {
	for len(x.ceasing) > 0 && x.time(x.ceasing[0]) <= now {
		key := x.ceasing.pop()
		i := x.worker(key)
		if me := &x.of[i]; me.falls && me.since+me.estimate == x.time(key) {
			x.put(i, now)
		}
	}
}

// least returns the key, by wait and place, of the worker that waits least among those with work; none where there is none.
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
