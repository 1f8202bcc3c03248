package distributed

// seconds fills workers following EPFL: by waits in seconds, as floating-point numbers that come about by the additions of the
// published simulator. Few of those that should tie do, and as the worker that got the last task gets the next one too where
// they do, it matters which. The trees of [waits] say which workers may be next: those within a microsecond.
type seconds struct {
	heap   []waiting // workers that are not in trees
	pulled []int32   // those
}

// waiting is the wait of a worker in seconds.
type waiting struct {
	wait   float64
	worker int32
}

func (a waiting) before(b waiting) bool {
	return a.wait < b.wait || a.wait == b.wait && a.worker < b.worker
}

// fill gives tasks one by one to the worker that waits least, which gets another one while no other waits less, and appends
// the workers to to. It leaves it to the caller to note what they were given. With r, delays are drawn for them.
func (s *seconds) fill(c *Cluster, among ranges, to []int32, tasks int32, estimate int64, r *random) []int32 {
	s.heap, s.pulled = s.heap[:0], s.pulled[:0]
	step := float64(estimate) / Second
	for tasks > 0 {
		s.reach(c, among, r)
		x := s.pop()
		s.reach(c, among, r)
		for first := true; tasks > 0 && (first || len(s.heap) == 0 || x.wait <= s.heap[0].wait); first = false {
			to = append(to, x.worker)
			x.wait += step
			tasks--
		}
		s.push(x)
	}
	for _, w := range s.pulled {
		x, i := among.of(w)
		x.put(i, c.now)
	}
	return to
}

// reach takes workers out of their trees until none that is left can be the first of the heap.
func (s *seconds) reach(c *Cluster, among ranges, r *random) {
	for {
		wait, w := among.least(c.now)
		if w < 0 || len(s.heap) > 0 && s.heap[0].wait < float64(wait-1)/Second {
			return
		}
		x, i := among.of(w)
		exact := x.seconds(i, c.base, c.now)
		if r != nil {
			exact += float64(c.jitter(r)) / Second
		}
		x.hide(i)
		s.pulled = append(s.pulled, w)
		s.push(waiting{exact, w})
	}
}

// seconds is the wait of worker i of one slot, in seconds; base is the instant of the first submission.
func (x *waits) seconds(i int32, base, now int64) float64 {
	me := &x.of[i]
	wait := float64(me.sum) / Second
	if me.since < 0 || me.fresh {
		return wait
	}
	ran := float64(base+now)/Second - float64(base+me.since)/Second
	return max(0, float64(x.rtt)/Second+wait-min(ran, float64(me.estimate)/Second))
}

func (s *seconds) push(x waiting) {
	h := append(s.heap, x)
	i := len(h) - 1
	for ; i > 0 && x.before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i] = h[(i-1)/2]
	}
	h[i] = x
	s.heap = h
}

func (s *seconds) pop() waiting {
	h := s.heap
	top, last := h[0], len(h)-1
	x := h[last]
	h = h[:last]
	s.heap = h
	i := 0
	for c := 1; c < last; c = 2*i + 1 {
		if c+1 < last && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(x) {
			break
		}
		h[i] = h[c]
		i = c
	}
	if last > 0 {
		h[i] = x
	}
	return top
}
