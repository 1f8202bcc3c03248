package distributed

import "math"

// mercury guarantees tasks of long jobs, and queues tasks of short ones (K. Karanasos et al., "Mercury: Hybrid
// Centralized and Distributed Scheduling in Large Shared Clusters", USENIX ATC 2015; without preemption). Long
// tasks are placed centrally by least waiting time and run before waiting short ones. Short tasks are bound to
// random workers among the least loaded as of the last heartbeat. With every heartbeat, workers with a load
// above the mean plus a standard deviation send waiting short tasks on to less loaded ones; tasks stay if every
// target would be over the limit. (In YARN, which descends from it, QueueLimitCalculator sets the same limit
// with a sigma of 1.)
type mercury struct {
	guaranteed central
	view       view
	most       tree    // negated load of workers at which short tasks wait
	waiting    []int32 // short tasks that wait, by worker
	sum, sumSq float64 // of the loads of workers, in seconds
	among      []int32 // scratch
	seen       []int32 // scratch
	sheds      []uint8 // by task, how often it was sent on
}

// candidates is the number of least loaded workers among which the tasks of a short job are spread, unless it has more
// tasks.
const candidates = 10

// maxSheds bounds how often a task is sent on. The paper names no number: this one is ours.
const maxSheds = 3

func (*mercury) Rules() Rules { return Rules{TellAll: true} }

func (s *mercury) Begin(c *Cluster) {
	s.guaranteed.Begin(c)
	s.view.Begin(c)
	s.most, s.waiting, s.sheds = newTree(len(c.workers)), make([]int32, len(c.workers)),
		make([]uint8, len(c.in.Durations))
}

func (s *mercury) Submit(c *Cluster, j int32) {
	if c.jobs[j].long {
		s.guaranteed.place(c, j)
		for _, w := range s.guaranteed.to {
			s.add(c, w, c.jobs[j].estimate, 1)
		}
		return
	}
	n := c.jobs[j].tasks
	r := c.stream(drawPlaces, j)
	s.least(c, max(candidates, n), &r)
	to := s.view.to[:0]
	for k := range n {
		if int(k)%len(s.among) == 0 { // each of them once, in random order
			for i := range s.among {
				o := i + int(r.Below(int32(len(s.among)-i)))
				s.among[i], s.among[o] = s.among[o], s.among[i]
			}
		}
		to = append(to, s.among[int(k)%len(s.among)])
	}
	s.view.to = to
	s.send(c, j, 0, to)
}

// send binds tasks to workers.
func (s *mercury) send(c *Cluster, j, first int32, to []int32) {
	for _, w := range to {
		s.waiting[w]++
		s.add(c, w, c.jobs[j].estimate, 1)
	}
	c.Place(j, first, to)
}

// least finds the n least loaded workers as of the last heartbeat; among idle ones, random ones.
func (s *mercury) least(c *Cluster, n int32, r *random) {
	v := &s.view
	v.waits.advance(c.now)
	v.heap, v.pulled, v.to = v.heap[:0], v.pulled[:0], v.to[:0]
	rest := v.toFree(c, v.waits, r, n, 0)
	for ; rest > 0; rest-- {
		_, w := v.waits.least(c.now)
		if w < 0 {
			break
		}
		x, i := v.waits.of(w)
		x.hide(i)
		v.pulled = append(v.pulled, w)
	}
	s.among = append(s.among[:0], v.pulled...)
	for _, w := range v.pulled {
		x, i := v.waits.of(w)
		x.put(i, c.now)
	}
}

// load is the work of a worker, scaled to the largest number of slots.
func (s *mercury) load(c *Cluster, w int32, work int64) int64 {
	return work * int64(c.o.MostSlots()) / int64(c.Slots(w))
}

// add notes that a worker has more or less to do.
func (s *mercury) add(c *Cluster, w int32, work int64, tasks int32) {
	before := float64(s.load(c, w, s.view.live[w])) / Second
	s.view.add(c, w, work, tasks)
	after := float64(s.load(c, w, s.view.live[w])) / Second
	s.sum += after - before
	s.sumSq += after*after - before*before
	s.file(c, w)
}

// file orders a worker by its load.
func (s *mercury) file(c *Cluster, w int32) {
	key := uint64(none)
	if s.waiting[w] > 0 {
		key = c.pack.key(c.pack.most-1-s.load(c, w, s.view.live[w]), w)
	}
	s.most.set(w, key)
}

// Started implements [Placer].
func (s *mercury) Started(c *Cluster, w, j int32, end int64) {
	s.view.Started(c, w, j, end)
	if c.jobs[j].long {
		s.guaranteed.Started(c, w, j, end)
	} else if s.waiting[w]--; s.waiting[w] == 0 {
		s.file(c, w)
	}
}

// Ended implements [Placer].
func (s *mercury) Ended(c *Cluster, w, j int32) {
	x, i := s.view.waits.of(w)
	x.stopped(i, c.workers[w].runs > 0, c.now)
	s.add(c, w, -c.jobs[j].estimate, -1)
	if c.jobs[j].long {
		s.guaranteed.Ended(c, w, j)
	}
}

// Beat implements [Beater]. It rests unless a worker is overloaded: the next heartbeat draws other workers to take its
// tasks.
func (s *mercury) Beat(c *Cluster) bool {
	s.view.Beat(c)
	n := float64(len(c.workers))
	mean := s.sum / n
	limit := int64((mean + math.Sqrt(max(0, s.sumSq/n-mean*mean))) * Second)
	for {
		key := s.most.least()
		if key == none {
			break
		}
		w := c.pack.worker(key)
		if s.load(c, w, s.view.live[w]) <= limit {
			break
		}
		s.seen = append(s.seen, w)
		s.shed(c, w, limit)
		s.most.set(w, none) // each is visited once
	}
	for _, w := range s.seen {
		s.file(c, w)
	}
	rests := len(s.seen) == 0
	s.seen = s.seen[:0]
	return rests
}

// shed sends the last waiting short tasks of a worker on while its load is above the limit. The target is a random one
// of the candidates whose load with the task is below this worker's and at most the limit. Loads of targets count sent
// tasks at once, so that not all go to the same few. Other updates wait for the heartbeat: with fresh loads, workers
// with tasks that take longer than estimated would seem least loaded and get the tasks, which made jobs slower.
func (s *mercury) shed(c *Cluster, w int32, limit int64) {
	live := c.live(w)
	for i := len(live) - 1; i >= 0 && s.load(c, w, s.view.live[w]) > limit; i-- {
		x := live[i]
		task := c.jobs[x.job].first + int(x.task)
		if c.jobs[x.job].long || s.sheds[task] == maxSheds {
			continue
		}
		work := c.jobs[x.job].estimate
		r := c.stream(drawPlaces+uint64(c.now), x.job)
		s.least(c, candidates, &r)
		better := s.among[:0]
		for _, to := range s.among {
			if has := s.load(c, to, s.view.live[to]+work); has <= limit && has < s.load(c, w, s.view.live[w]) {
				better = append(better, to)
			}
		}
		if len(better) == 0 {
			continue // a shorter one may fit
		}
		to := better[r.Below(int32(len(better)))]
		c.remove(w, i)
		live = c.live(w)
		s.waiting[w]--
		s.sheds[task]++
		c.out.Counts.Shed++
		s.add(c, w, -work, -1)
		s.send(c, x.job, x.task, []int32{to})
	}
}

// Choose implements [Chooser]: the first long task, if there is one.
func (*mercury) Choose(c *Cluster, w int32) int {
	if c.HasLong(w) {
		for i, x := range c.live(w) {
			if c.jobs[x.job].long {
				return i
			}
		}
	}
	return 0
}
