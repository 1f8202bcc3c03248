package distributed

// central places tasks by least waiting time (LWL, Eagle and Hawk): each goes to the worker with the least unfinished
// work. The scheduler knows only of work that it placed.
type central struct {
	waits ranges
	bits  bool      // keeps the vector of workers with long tasks
	clear *clearSet // list of workers without long tasks; nil if it is not used
	exact seconds   // following EPFL
	to    []int32   // scratch
}

func (p *central) Begin(c *Cluster) {
	rtt := int64(0) // long tasks are bound to their workers
	if c.o.EPFL {
		rtt = 2 * c.o.Delay
	}
	p.waits = newRanges(c, c.rules.AllCentral, false, rtt)
	if c.rules.Vectors {
		p.bits = true
		c.vectors = newVectors(len(c.workers))
	}
}

// place sends all tasks of a job to workers.
func (p *central) place(c *Cluster, n int32) {
	j := &c.jobs[n]
	among := p.waits
	if j.reported {
		among = among.general()
	}
	among.advance(c.now)
	to := p.to[:0]
	// workers with a slot that has nothing to do first, in the order of their numbers, one task each
	for range c.o.MostSlots() {
		from := len(to)
		for _, x := range among {
			if x == nil {
				continue
			}
			for i := x.none.from(0); i >= 0 && len(to) < int(j.tasks); i = x.none.from(i + 1) {
				to = append(to, x.first+i)
			}
		}
		for _, w := range to[from:] {
			p.give(c, w, j.estimate)
		}
	}
	switch rest := int(j.tasks) - len(to); {
	case rest > 0 && j.estimate == 0 && (len(to) > 0 || !c.o.EPFL): // nothing changes who waits least
		var w int32
		if len(to) > 0 {
			w = to[0]
		} else {
			_, w = among.least(c.now)
		}
		for range rest {
			to = append(to, w)
			p.give(c, w, 0)
		}
	case rest > 0:
		empty := len(to)
		p.fresh(c, to[:empty], true)
		to = p.fill(c, among, to, rest, j.estimate)
		p.fresh(c, to[:empty], false)
	}
	p.to = to
	c.Place(n, 0, to)
}

// fill gives tasks one by one to the worker that waits least. Of equal waits, the lower number is first; following
// EPFL, see [seconds].
func (p *central) fill(c *Cluster, among ranges, to []int32, tasks int, estimate int64) []int32 {
	if c.o.EPFL {
		from := len(to)
		to = p.exact.fill(c, among, to, int32(tasks), estimate, nil)
		for _, w := range to[from:] {
			x, i := among.of(w)
			x.of[i].sum += estimate // which was not 0, as it was in a tree
			x.of[i].tasks++
		}
		p.exact.back(among, c.now)
		return to
	}
	for range tasks {
		_, w := among.least(c.now)
		to = append(to, w)
		p.give(c, w, estimate)
	}
	return to
}

// fresh charges idle workers with the job being placed only. It matters for workers that run tasks with an estimate of
// zero.
func (p *central) fresh(c *Cluster, workers []int32, yes bool) {
	for _, w := range workers {
		if x, i := p.waits.of(w); x.of[i].since >= 0 {
			x.of[i].fresh = yes
			x.put(i, c.now)
		}
	}
}

func (p *central) give(c *Cluster, w int32, work int64) {
	x, i := p.waits.of(w)
	x.give(i, work, 1, c.now)
	p.occupied(c, w)
}

func (p *central) occupied(c *Cluster, w int32) {
	if p.bits {
		c.vectors.set(w)
	}
	if p.clear != nil {
		p.clear.remove(w)
	}
}

func (p *central) touch(w int32) int32 {
	x, i := p.waits.of(w)
	return x.touch(i)
}

// Started implements [Placer].
func (p *central) Started(c *Cluster, w, j int32, end int64) {
	if !c.o.EPFL {
		end += c.o.Delay // as far as the scheduler knows
	}
	x, i := p.waits.of(w)
	x.started(i, c.jobs[j].estimate, c.now, end)
}

// Ended implements [Placer].
func (p *central) Ended(c *Cluster, w, j int32) {
	x, i := p.waits.of(w)
	x.ended(i, !c.o.EPFL && c.runsLong(w), c.jobs[j].estimate, c.now)
	if x.of[i].sum == 0 {
		if p.bits {
			c.vectors.unset(w)
		}
		if p.clear != nil {
			p.clear.add(w)
		}
	}
}

// runsLong reports whether a worker runs a task of a job that is placed centrally.
func (c *Cluster) runsLong(w int32) bool {
	return c.workers[w].runsLong > 0
}
