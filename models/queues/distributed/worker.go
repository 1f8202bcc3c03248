package distributed

import "fmt"

// longTasks tracks long tasks at workers, apart from the rest of their state: for most workers nothing else is read,
// and unlike the full state it fits in the cache.
type longTasks struct {
	longs []int32 // tasks of long jobs that a worker runs or that are in its queue
	long  bitmap  // workers that have some
	// workers that may have a probe of a short job behind a long task: a superset of those that do
	stealable bitmap
	heard     []int32 // version of a worker's vector; 0 for none
	vector    []int32 // the vector of a worker
}

// bitmap is a set of workers.
type bitmap []uint64

func newBitmap(workers int) bitmap { return make(bitmap, (workers+63)/64) }
func (b bitmap) has(w int32) bool  { return b[w>>6]>>(w&63)&1 != 0 }
func (b bitmap) set(w int32)       { b[w>>6] |= 1 << (w & 63) }
func (b bitmap) unset(w int32)     { b[w>>6] &^= 1 << (w & 63) }

// addLong records one more task of a long job at a worker.
func (c *Cluster) addLong(w int32) {
	c.longs[w]++
	c.long.set(w)
}

// dropLong records one task of a long job less at a worker.
func (c *Cluster) dropLong(w int32) {
	if c.longs[w]--; c.longs[w] == 0 {
		c.long.unset(w)
	}
}

// submit gives a job to the scheduler.
func (c *Cluster) submit(j int32) {
	if c.detail != nil {
		c.detail.submitted(c, j)
	}
	c.policy.Submit(c, j)
}

// end ends a task of a worker.
func (c *Cluster) end(w, n int32) {
	me := &c.workers[w]
	j := &c.jobs[n]
	j.left--
	if j.left == 0 {
		c.out.Completion[n] = c.now - j.submit
		c.out.Makespan = max(c.out.Makespan, c.now)
		c.ended++
	}
	if c.watch != nil {
		c.watch.Ended(Event{c.now, w, n, 0})
	}
	me.runs--
	if j.long {
		me.runsLong--
		c.dropLong(w)
	}
	if c.placer != nil && (j.long || c.rules.TellAll) {
		if c.o.EPFL {
			c.placer.Ended(c, w, n)
		} else {
			c.reports.push(notice{c.now + c.o.Delay, w, n})
		}
	}
	if c.detail != nil {
		c.detail.ended(c, w, n)
	}
	c.freed(w)
	if j.left == 0 && c.next != nil {
		for _, k := range c.next[n] {
			// otherwise it is yet to arrive, at this instant
			if c.jobs[k].waits--; c.jobs[k].waits == 0 && int(k) < c.arrived {
				c.submit(k)
			}
		}
	}
}

// freed lets a slot that has become free start its next task.
func (c *Cluster) freed(w int32) {
	if !c.take(w) {
		c.workers[w].free++
		c.busy--
		if c.idler != nil {
			c.idler.Idle(c, w)
		}
	}
}

// wake lets the free slots of a worker look into its queue.
func (c *Cluster) wake(w int32) {
	for c.workers[w].free > 0 && c.take(w) {
		c.workers[w].free--
		c.busy++
	}
}

// take lets a slot of a worker that is not busy start with the queue. It reports whether the worker is busy now.
func (c *Cluster) take(w int32) bool {
	me := &c.workers[w]
	i := 0
	if me.n == 0 {
		i = -1
	} else if c.chooser != nil {
		i = c.chooser.Choose(c, w)
	}
	if i < 0 {
		return false
	}
	x := &c.live(w)[i]
	n := x.job
	j := &c.jobs[n]
	if j.next == j.tasks {
		c.remove(w, i)
		if j.long {
			c.dropLong(w)
		}
		c.answers.push(notice{c.now + 2*c.o.Delay, w, n})
		c.usage.ran(c.now, c.now+2*c.o.Delay)
		c.out.Counts.Empty++
		return true
	}
	task, ask := x.task, int64(0)
	if task < 0 {
		task, ask = j.next, 2*c.o.Delay
	}
	j.next++
	j.last = c.now
	if c.rules.Lagging {
		c.updates.push(notice{c.now + 2*c.o.Delay, w, n})
	} else {
		j.visible--
	}
	if i > 0 {
		c.charge(w, i)
	}
	c.begin(w, x, task, ask)
	if x.task == stuck {
		c.out.Counts.Stuck++
	}
	if !c.rules.Sticky || j.long {
		c.remove(w, i)
	} else {
		x.task = stuck
	}
	return true
}

// Start has a worker with a free slot run the next task of a job at once, without any message.
func (c *Cluster) Start(w, j int32) {
	x := entry{job: j, task: c.jobs[j].next}
	if c.detail != nil {
		x.record = c.detail.keep(c.detail.ready[j])
	}
	c.jobs[j].next++
	c.jobs[j].visible--
	if c.jobs[j].long {
		c.addLong(w)
	}
	c.begin(w, &x, x.task, 0)
	if c.detail != nil {
		c.detail.forget(x.record)
	}
	c.workers[w].free--
	c.busy++
}

// begin has a worker run the task that an entry got, after it was asked for.
func (c *Cluster) begin(w int32, x *entry, task int32, ask int64) {
	n := x.job
	me, j := &c.workers[w], &c.jobs[n]
	end := c.now + ask + c.in.Durations[j.first+int(task)]
	if end >= c.pack.most {
		c.failure = fmt.Errorf("the simulation lasts longer than %.0f days, which is all that %d "+
			"workers have numbers for", float64(c.pack.most)/Second/86400, c.o.Workers)
		return
	}
	if c.detail != nil {
		c.detail.began(c, w, x)
	}
	me.runs++
	if j.long {
		me.runsLong++
	}
	c.ends.push(ending{c.pack.key(end, w), n})
	c.usage.ran(c.now, end)
	if c.placer != nil && (j.long || c.rules.TellAll) {
		c.placer.Started(c, w, n, end)
	}
	if c.watch != nil {
		c.watch.Started(Event{c.now, w, n, task})
	}
}

// charge adds the estimate of the i-th entry, which got a task, to the passed work of the entries in front of it,
// unless it is of a long job among probes.
func (c *Cluster) charge(w int32, i int) {
	live := c.live(w)
	over := &live[i]
	if c.jobs[over.job].long && !c.rules.AllCentral {
		return
	}
	work := c.jobs[over.job].estimate
	for k := range live[:i] {
		live[k].passed += work
		if c.detail != nil {
			c.detail.passed(live[k].job, over.job)
		}
	}
	c.out.Counts.Bypasses += int64(i)
}
