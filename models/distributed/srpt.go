package distributed

import "container/heap"

// srpt is one queue of jobs for all workers, that with least remaining work first, without preemption, messages or
// partitions: what the others can at best come near to.
type srpt struct {
	c    *Cluster
	jobs []int32 // heap
	idle numbers
}

func (*srpt) Rules() Rules { return Rules{} }

func (s *srpt) begin(c *Cluster) {
	s.c = c
	s.idle = newNumbers(len(c.workers))
	for w := range c.workers {
		s.idle.add(int32(w))
	}
}

func (s *srpt) Submit(_ *Cluster, j int32) {
	heap.Push(s, j)
	for len(s.jobs) > 0 && !s.more() {
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
	if len(s.jobs) == 0 || s.more() {
		s.idle.add(w)
		return
	}
	s.start(w)
	if s.c.workers[w].free > 0 {
		s.idle.add(w)
	}
}

// more tells that another job arrives at this instant, which may have to be first.
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
	j := s.jobs[0]
	s.c.Start(w, j)
	if s.c.jobs[j].visible == 0 {
		heap.Pop(s)
	}
}

// Len, Less, Swap, Push and Pop are the jobs as a heap.
func (s *srpt) Len() int { return len(s.jobs) }

// Less orders by remaining work, then by submission.
func (s *srpt) Less(a, b int) bool {
	i, j := s.jobs[a], s.jobs[b]
	if x, y := s.c.Remaining(i), s.c.Remaining(j); x != y {
		return x < y
	}
	return i < j
}

// Swap is part of the heap.
func (s *srpt) Swap(a, b int) { s.jobs[a], s.jobs[b] = s.jobs[b], s.jobs[a] }

// Push is part of the heap.
func (s *srpt) Push(x any) { s.jobs = append(s.jobs, x.(int32)) }

// Pop is part of the heap.
func (s *srpt) Pop() any {
	x := s.jobs[len(s.jobs)-1]
	s.jobs = s.jobs[:len(s.jobs)-1]
	return x
}
