package distributed

import "racecard/datasets/lists"

// srpt is one queue of jobs for all workers, least remaining work first, without preemption, messages or partitions: a
// bound that other schedulers can approach.
type srpt struct {
	c    *Cluster
	jobs lists.Heap[int32] // by remaining work, then by submission
	idle numbers
}

func (*srpt) Rules() Rules { return Rules{} }

func (s *srpt) Begin(c *Cluster) {
	s.c = c
	s.jobs.Less = func(i, j int32) bool {
		if x, y := c.Remaining(i), c.Remaining(j); x != y {
			return x < y
		}
		return i < j
	}
	s.idle = newNumbers(len(c.workers))
	for w := range c.workers {
		s.idle.add(int32(w))
	}
}

func (s *srpt) Submit(_ *Cluster, j int32) {
	s.jobs.Push(j)
	for s.jobs.Len() > 0 && !s.more() {
		w := s.idle.from(0)
		if w < 0 {
			return
		}
		s.start(w)
		if s.c.workers[w].free == 0 {
			s.idle.remove(w)
		}
	}
}

// Idle implements [Idler].
func (s *srpt) Idle(_ *Cluster, w int32) {
	if s.jobs.Len() == 0 || s.more() {
		s.idle.add(w)
		return
	}
	s.start(w)
	if s.c.workers[w].free > 0 {
		s.idle.add(w)
	}
}

// more reports whether another job arrives at this instant, which may have to be first.
func (s *srpt) more() bool {
	c := s.c
	for i := c.arrived; i < len(c.jobs) && c.jobs[i].submit == c.now; i++ {
		if c.jobs[i].waits == 0 {
			return true
		}
	}
	return false
}

// start gives an idle worker a task of the first job, which stays the first: it has less to do now.
func (s *srpt) start(w int32) {
	j := s.jobs.Items[0]
	s.c.Start(w, j)
	if s.c.jobs[j].visible == 0 {
		s.jobs.Pop()
	}
}
