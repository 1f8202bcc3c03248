package distributed

// Sparrow sends twice as many probes as a job has tasks to workers drawn at random; a worker that gets to a probe asks
// for a task (K. Ousterhout et al., "Sparrow: Distributed, Low Latency Scheduling", SOSP 2013).
type sparrow struct{ batch }

func (sparrow) Rules() Rules                  { return Rules{} }
func (s *sparrow) Submit(c *Cluster, j int32) { s.probe(c, j) }

// hawk places long jobs centrally, short ones as Sparrow; idle workers steal (P. Delgado et al., "Hawk: Hybrid
// Datacenter Scheduling", USENIX ATC 2015).
type hawk struct {
	central
	batch
	thief
}

func (*hawk) Rules() Rules { return Rules{} }

func (h *hawk) Submit(c *Cluster, j int32) {
	if c.jobs[j].long {
		h.place(c, j)
	} else {
		h.probe(c, j)
	}
}

// eagle places long jobs centrally and shares their places with the schedulers of short jobs; probes stick (P. Delgado
// et al., "Job-Aware Scheduling in Eagle: Divide and Stick to Your Probes", SoCC 2016).
type eagle struct {
	central
	sharing
	sticky bool
}

func (e *eagle) Rules() Rules { return Rules{Sticky: e.sticky, Vectors: true, Lagging: true} }

func (e *eagle) Submit(c *Cluster, j int32) {
	if c.jobs[j].long {
		e.place(c, j)
	} else {
		e.probe(c, j)
	}
}

// orderedEagle is eagle with workers that choose the shortest job first.
type orderedEagle struct {
	eagle
	shortestFirst
}

// blindEagle is Eagle without sharing the places of long tasks.
type blindEagle struct {
	central
	batch
	shortestFirst
}

func (*blindEagle) Rules() Rules { return Rules{Sticky: true, Lagging: true} }

func (e *blindEagle) Submit(c *Cluster, j int32) {
	if c.jobs[j].long {
		e.place(c, j)
	} else {
		e.probe(c, j)
	}
}

// idealEagle knows at any time which workers have long tasks, and sends probes of short jobs to others.
type idealEagle struct{ central }

func (*idealEagle) Rules() Rules { return Rules{Sticky: true} }

func (e *idealEagle) Begin(c *Cluster) {
	e.central.Begin(c)
	e.clear = newClearSet(int32(len(c.workers)))
}

func (e *idealEagle) Submit(c *Cluster, j int32) {
	if c.jobs[j].long {
		e.place(c, j)
		return
	}
	r := c.stream(drawProbes, j)
	p := pool{list: e.clear.list, size: int32(len(e.clear.list))}
	if p.size == 0 {
		p = c.everyone()
	}
	to := c.draw(c.targets[0][:0], &r, c.count(j, int32(c.o.MinProbes)), p)
	c.Probe(j, to, 1)
	c.targets[0] = to
}

// orderedIdeal is idealEagle with workers that choose the shortest job first.
type orderedIdeal struct {
	idealEagle
	shortestFirst
}

func (*orderedIdeal) Rules() Rules { return Rules{Sticky: true, Lagging: true} }

// clearSet lists the workers to which no long task is placed, to draw from.
type clearSet struct{ list, place []int32 }

func newClearSet(n int32) *clearSet {
	s := &clearSet{make([]int32, n), make([]int32, n)}
	for w := range n {
		s.list[w], s.place[w] = w, w
	}
	return s
}

func (s *clearSet) remove(w int32) {
	i, last := s.place[w], int32(len(s.list)-1)
	if i < 0 {
		return
	}
	other := s.list[last]
	s.list[i], s.place[other] = other, i
	s.list, s.place[w] = s.list[:last], -1
}

func (s *clearSet) add(w int32) {
	if s.place[w] < 0 {
		s.place[w] = int32(len(s.list))
		s.list = append(s.list, w)
	}
}

// lwl places all jobs centrally: short ones on all workers, long ones in the general partition.
type lwl struct{ central }

func (*lwl) Rules() Rules { return Rules{AllCentral: true} }

// Submit places a job.
func (s *lwl) Submit(c *Cluster, j int32) { s.place(c, j) }
