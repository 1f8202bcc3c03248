package distributed

// seconds fills workers following EPFL: by waits in seconds, as floating-point numbers from the same additions as in
// the published simulator. Few waits that should tie do. On a tie, the worker that got the last task gets the next one
// too, so rounding matters. The trees of [waits] yield the candidates: workers within a microsecond.
type seconds struct {
	heap  []waiting // workers that are not in trees and were given nothing
	given []waiting // those that were given something
	from  int       // start of the valid entries, in order; workers in front of it got more since
}

// waiting is the wait of a worker in seconds.
type waiting struct {
	wait   float64
	worker int32
}

func (a waiting) before(b waiting) bool {
	return a.wait < b.wait || a.wait == b.wait && a.worker < b.worker
}

// fill gives tasks one by one to the worker that waits least. That worker gets another one while no other waits
// less. It appends the workers to to. With r, delays are drawn for them. The caller notes the given tasks, and
// then calls back.
func (s *seconds) fill(c *Cluster, among ranges, to []int32, tasks int32, estimate int64, r *random) []int32 {
	s.heap, s.given, s.from = s.heap[:0], s.given[:0], 0
	step := float64(estimate) / Second
	s.reach(c, among, r)
	for tasks > 0 {
		x := s.take()
		s.reach(c, among, r)
		next := s.first()
		for n := 0; tasks > 0 && (n == 0 || next == nil || x.wait <= next.wait); n++ {
			to = append(to, x.worker)
			x.wait += step
			tasks--
		}
		s.give(x)
	}
	return to
}

// first is the worker out of the trees that waits least; nil where there is none.
func (s *seconds) first() *waiting {
	switch {
	case s.from == len(s.given) && len(s.heap) == 0:
		return nil
	case s.from == len(s.given) || len(s.heap) > 0 && s.heap[0].before(s.given[s.from]):
		return &s.heap[0]
	}
	return &s.given[s.from]
}

// take takes that one out.
func (s *seconds) take() waiting {
	x := *s.first()
	if s.from < len(s.given) && s.given[s.from] == x {
		s.from++
	} else {
		s.pop()
	}
	return x
}

// give files a worker that was given tasks. Workers with less wait got tasks sooner, so that it goes near the end.
func (s *seconds) give(x waiting) {
	s.given = append(s.given, x)
	g := s.given
	i := len(g) - 1
	for ; i > s.from && x.before(g[i-1]); i-- {
		g[i] = g[i-1]
	}
	g[i] = x
}

// back puts workers back into their trees.
func (s *seconds) back(among ranges, now int64) {
	for _, all := range [][]waiting{s.heap, s.given[s.from:]} {
		for k := range all {
			x, i := among.of(all[k].worker)
			x.put(i, now)
		}
	}
}

// reach takes workers out of their trees until none that is left can be the first.
func (s *seconds) reach(c *Cluster, among ranges, r *random) {
	for {
		wait, w := among.least(c.now)
		least := waiting{float64(wait-1) / Second, 0} // none of those that are left comes before it
		if wait == 0 {
			least = waiting{0, w}
		}
		if first := s.first(); w < 0 || first != nil && first.before(least) {
			return
		}
		x, i := among.of(w)
		exact := x.seconds(i, c.base, c.now)
		if r != nil {
			exact += float64(c.jitter(r)) / Second
		}
		x.hide(i)
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
	s.heap = append(s.heap, x)
	h := s.heap
	i := len(h) - 1
	for ; i > 0 && x.before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i] = h[(i-1)/2]
	}
	h[i] = x
}

func (s *seconds) pop() {
	last := len(s.heap) - 1
	x, h := s.heap[last], s.heap[:last]
	s.heap = h
	i := 0
	for k := 1; k < last; k = 2*i + 1 {
		if k+1 < last && h[k+1].before(h[k]) {
			k++
		}
		if !h[k].before(x) {
			break
		}
		h[i] = h[k]
		i = k
	}
	if last > 0 {
		h[i] = x
	}
}
