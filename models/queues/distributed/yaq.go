package distributed

// yaqD binds tasks of all jobs early, to workers with the least estimated wait as of the last heartbeat; workers choose
// the shortest job first, with bounded starvation (J. Rasley et al., "Efficient Queue Management for Cluster
// Scheduling", EuroSys 2016; its parameters are ours). There are no partitions.
type yaqD struct {
	view
	reorder
}

func (*yaqD) Rules() Rules { return Rules{AllCentral: true} }

func (s *yaqD) Submit(c *Cluster, j int32) { s.place(c, j, s.waits) }

// queueBound is the number of tasks that yaqC keeps in the queue of a worker for every slot, besides the running
// one.
const queueBound = 4

// yaqC is yaqD with one scheduler, which knows its own placements at once, and learns of ends with heartbeats.
// It sends a worker no more than queueBound tasks beyond the running one; others wait at the scheduler, first
// come, first served.
type yaqC struct {
	view
	reorder
	has     []int32 // tasks that a worker has as far as is known
	ended   []int32 // since the last heartbeat
	waiting fifo[pending]
}

// pending is a job with tasks from next on to send.
type pending struct{ job, next int32 }

func (*yaqC) Rules() Rules { return Rules{AllCentral: true} }

func (s *yaqC) Begin(c *Cluster) {
	s.waits = newRanges(c, true, true, c.o.Heartbeat) // as [view] does
	n := len(c.workers)
	s.keep(n)
	s.has, s.ended = make([]int32, n), make([]int32, n)
}

func (s *yaqC) Submit(c *Cluster, j int32) {
	s.waiting.push(pending{j, 0})
	s.send(c)
}

// Ended implements [Placer].
func (s *yaqC) Ended(c *Cluster, w, j int32) {
	s.ended[w]++
	s.view.Ended(c, w, j)
	if c.o.Heartbeat == 0 {
		s.hear(c, w)
		s.send(c)
	}
}

// Beat implements [Beater]. It rests if everything is sent that workers may take.
func (s *yaqC) Beat(c *Cluster) bool {
	for _, w := range s.changed {
		s.hear(c, w)
	}
	s.view.Beat(c)
	s.send(c)
	return true
}

// hear applies the news of tasks that a worker has ended.
func (s *yaqC) hear(c *Cluster, w int32) {
	s.has[w] -= s.ended[w]
	s.ended[w] = 0
	s.close(c, w)
}

// close opens or closes a worker for more tasks.
func (s *yaqC) close(c *Cluster, w int32) {
	x, i := s.waits.of(w)
	if full := int(s.has[w]) >= (queueBound+1)*c.Slots(w); full != x.of[i].closed {
		x.of[i].closed = full
		x.put(i, c.now)
	}
}

// send sends tasks while there are workers that may have more.
func (s *yaqC) send(c *Cluster) {
	s.waits.advance(c.now)
	for s.waiting.n > 0 {
		p := s.waiting.front()
		j := &c.jobs[p.job]
		first := p.next
		s.to = s.to[:0]
		for p.next < j.tasks {
			_, w := s.waits.least(c.now)
			if w < 0 {
				break
			}
			s.to = append(s.to, w)
			s.live[w] += j.estimate
			s.has[w]++
			x, i := s.waits.of(w)
			s.tasks[w]++
			x.give(i, j.estimate, 1, c.now)
			s.close(c, w)
			p.next++
		}
		if len(s.to) > 0 {
			c.Place(p.job, first, s.to)
		}
		if p.next < j.tasks {
			return
		}
		s.waiting.pop()
	}
}
