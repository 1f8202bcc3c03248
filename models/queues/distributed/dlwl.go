package distributed

// view is the distributed schedulers' knowledge of the workers' waits: as of the last heartbeat, except for the
// elapsed time of running tasks.
type view struct {
	waits   ranges
	live    []int64 // sums of estimates, by worker
	tasks   []int32 // number of tasks in live, by worker
	changed []int32 // workers whose sum has changed since the heartbeat
	noted   []bool  // by worker: it is in changed
	heap    timers  // scratch: workers whose jittered wait is known
	pulled  []int32 // scratch
	to      []int32 // scratch
	exact   seconds // following EPFL
}

func (v *view) Begin(c *Cluster) {
	rtt := c.o.Heartbeat // a worker that runs something is not free before the next heartbeat says so
	if c.o.EPFL {
		rtt = 2 * c.o.Delay
	}
	v.waits = newRanges(c, true, true, rtt)
	for _, x := range v.waits {
		if x != nil && !c.o.EPFL {
			x.collect()
		}
	}
	v.keep(len(c.workers))
}

func (v *view) keep(workers int) {
	v.live, v.tasks, v.noted = make([]int64, workers), make([]int32, workers), make([]bool, workers)
}

// add notes that a worker has more to do, or less.
func (v *view) add(c *Cluster, w int32, work int64, tasks int32) {
	v.live[w] += work
	v.tasks[w] += tasks
	if c.o.Heartbeat == 0 {
		v.tell(c, w)
	} else if !v.noted[w] {
		v.noted[w] = true
		v.changed = append(v.changed, w)
	}
}

// tell updates the known load of a worker.
func (v *view) tell(c *Cluster, w int32) {
	x, i := v.waits.of(w)
	x.set(i, v.live[w], v.tasks[w], c.now)
}

// Beat implements [Beater]. It rests if no load has changed.
func (v *view) Beat(c *Cluster) bool {
	for _, w := range v.changed {
		v.tell(c, w)
		v.noted[w] = false
	}
	v.changed = v.changed[:0]
	return true
}

func (v *view) touch(w int32) int32 {
	x, i := v.waits.of(w)
	return x.touch(i)
}

// Started implements [Placer].
func (v *view) Started(c *Cluster, w, j int32, end int64) {
	x, i := v.waits.of(w)
	x.started(i, c.jobs[j].estimate, c.now, end)
}

// Ended implements [Placer].
func (v *view) Ended(c *Cluster, w, j int32) {
	x, i := v.waits.of(w)
	x.stopped(i, !c.o.EPFL && c.runsLong(w), c.now)
	v.add(c, w, -c.jobs[j].estimate, -1)
}

// place sends all tasks of a job to the workers that seem to wait least. Each wait gets a random delay added,
// different for every job, so that schedulers do not all choose the same workers. The order of waits is known,
// so that only workers that could be chosen draw a delay.
func (v *view) place(c *Cluster, n int32, among ranges) {
	j := &c.jobs[n]
	among.advance(c.now)
	r := c.stream(drawJitter, n)
	if c.o.EPFL {
		v.to = v.exact.fill(c, among, v.to[:0], j.tasks, j.estimate, &r)
		v.exact.back(among, c.now)
	} else {
		v.fill(c, among, &r, j)
	}
	for _, w := range v.to {
		v.add(c, w, j.estimate, 1)
	}
	c.Place(n, 0, v.to)
}

// fill gives tasks one by one to the worker whose wait and delay are least; of two, the one with the lower number.
func (v *view) fill(c *Cluster, among ranges, r *random, j *job) {
	v.heap, v.pulled, v.to = v.heap[:0], v.pulled[:0], v.to[:0]
	for tasks := v.toFree(c, among, r, j.tasks, j.estimate); tasks > 0; {
		v.reach(c, among, r)
		key := v.heap.pop()
		wait, w := c.pack.time(key), c.pack.worker(key)
		x, i := among.of(w)
		each := j.estimate * x.share(i)
		v.reach(c, among, r)
		limit := int64(never)
		if len(v.heap) > 0 {
			limit = c.pack.time(v.heap[0])
			if c.pack.worker(v.heap[0]) > w {
				limit++
			}
		}
		for n := 0; tasks > 0 && (n == 0 || wait < limit); n++ {
			v.to = append(v.to, w)
			wait += each
			tasks--
		}
		v.heap.push(c.pack.key(wait, w))
	}
	for _, w := range v.pulled {
		x, i := among.of(w)
		x.put(i, c.now)
	}
}

// toFree gives tasks to workers that seem to have nothing to do, drawn at random, and returns how many are left. A
// delay is at most a heartbeat, and others wait for at least that long: so free workers have the least wait plus delay.
func (v *view) toFree(c *Cluster, among ranges, r *random, tasks int32, estimate int64) int32 {
	free := int32(0)
	for _, x := range among {
		if x != nil && x.free != nil {
			free += int32(len(x.free.list))
		}
	}
	n := min(tasks, free)
	for range n {
		k := r.Below(free)
		for _, x := range among {
			if x == nil {
				continue
			}
			if m := int32(len(x.free.list)); k >= m {
				k -= m
				continue
			}
			i := x.free.list[k]
			x.free.remove(i)
			v.pulled = append(v.pulled, x.first+i)
			v.to = append(v.to, x.first+i)
			break
		}
		free--
	}
	if n < tasks {
		for _, w := range v.to {
			x, i := among.of(w)
			v.heap.push(c.pack.key(estimate*x.share(i)+c.jitter(r), w))
		}
	}
	return tasks - n
}

// reach draws the delays of workers until no other one can be the first of the heap.
func (v *view) reach(c *Cluster, among ranges, r *random) {
	for {
		wait, w := among.least(c.now)
		if w < 0 || len(v.heap) > 0 && v.heap[0] < c.pack.key(wait, w) {
			return
		}
		x, i := among.of(w)
		x.hide(i)
		v.pulled = append(v.pulled, w)
		v.heap.push(c.pack.key(wait+c.jitter(r), w))
	}
}

// jitter draws up to a heartbeat, times the slots, as waits are; following EPFL, whole seconds.
func (c *Cluster) jitter(r *random) int64 {
	if c.o.EPFL {
		return int64(r.Below(int32(c.o.Heartbeat/Second)+1)) * Second
	}
	return int64(r.Unit()*float64(c.o.Heartbeat)) * int64(c.o.scale())
}

// dlwl places all jobs by least waiting time as of the last heartbeat; workers choose the shortest job first.
type dlwl struct {
	view
	reorder
}

func (*dlwl) Rules() Rules { return Rules{AllCentral: true} }

func (s *dlwl) Submit(c *Cluster, j int32) {
	among := s.waits
	if c.jobs[j].reported {
		among = among.general()
	}
	s.place(c, j, among)
}

// reorder has workers choose the task of the job with least remaining work, as [shortestFirst], whatever its class.
type reorder struct{}

// Choose implements [Chooser].
func (reorder) Choose(c *Cluster, w int32) int {
	live := c.live(w)
	first := &c.jobs[live[0].job]
	best, least, slack := 0, first.estimate*int64(first.visible), first.limit-live[0].passed
	for i := 1; i < len(live); i++ {
		x := &live[i]
		j := &c.jobs[x.job]
		if key := j.estimate * int64(j.visible); key < least &&
			(j.estimate < slack || j.estimate == slack && !c.o.EPFL) {
			best, least = i, key
		}
		slack = min(slack, j.limit-x.passed)
	}
	return best
}
