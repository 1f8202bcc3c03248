package distributed

// central places tasks by least waiting time (LWL, Eagle and Hawk): each goes to the worker to which the scheduler has given
// least work that is not done. It sees only work that it placed.
type central struct {
	shortOnly *waits // nil where there are none
	general   *waits
	bits      bool // keeps the vector of workers with long tasks
	clear     *clearSet
	room      []int32
	tie       bool // EPFL: on a tie a worker gets one more before the next one gets its first
}

func (p *central) begin(c *Cluster) {
	rtt := int64(0)
	if c.o.EPFL {
		rtt = 2 * c.o.Delay
	}
	p.tie = c.o.EPFL
	all, s := c.Workers()
	if s > 0 && c.rules.AllCentral {
		p.shortOnly = newWaits(0, s, c.pack, rtt)
	}
	p.general = newWaits(s, all-s, c.pack, rtt)
	if c.rules.Vectors {
		p.bits = true
		c.vectors = newVectors(int(all))
	}
}

// Submit places a job; [Scheduler]s that embed central and place short jobs otherwise call it for long ones.
func (p *central) Submit(c *Cluster, j int32) { p.place(c, j) }

func (p *central) place(c *Cluster, n int32) {
	j := &c.jobs[n]
	parts := [2]*waits{p.general, nil}
	if p.shortOnly != nil && !j.reported {
		parts = [2]*waits{p.shortOnly, p.general}
	}
	to := p.room[:0]
	for _, x := range parts {
		if x != nil {
			x.advance(c.now)
		}
	}
	for _, x := range parts { // workers without work first, in the order of their numbers
		if x == nil {
			continue
		}
		for i := x.none.from(0); i >= 0 && len(to) < int(j.tasks); i = x.none.from(i + 1) {
			to = append(to, x.first+i)
		}
	}
	empty := len(to)
	for _, w := range to {
		p.give(c, w, j.estimate)
	}
	if rest := int(j.tasks) - empty; rest > 0 {
		if j.estimate == 0 { // nothing changes what is least
			w := int32(-1)
			if empty > 0 {
				w = to[0]
			} else {
				w = p.first(c, parts)
			}
			for range rest {
				to = append(to, w)
			}
		} else {
			to = p.fill(c, parts, to, rest, j.estimate)
		}
	}
	p.room = to
	c.Place(n, 0, to)
}

// fill gives tasks one by one to the worker that waits least.
func (p *central) fill(c *Cluster, parts [2]*waits, to []int32, tasks int, estimate int64) []int32 {
	for tasks > 0 {
		x, key := least(parts, c.now)
		i := x.worker(key)
		x.hide(i)
		next, w, wait := uint64(none), x.first+i, x.time(key)
		y, second := least(parts, c.now)
		if second != none {
			next = y.key(y.time(second), 0)
			if y.first+y.worker(second) > w {
				next++ // of the same wait, w comes first
			}
		}
		if p.tie && next != none {
			next = y.key(y.time(second)+1, 0)
		}
		n := 0
		for tasks > 0 && (n == 0 || x.key(wait, 0) < next) {
			to = append(to, w)
			tasks--
			n++
			wait += estimate
		}
		if x.of[i].sum == 0 {
			x.none.remove(i)
		}
		x.of[i].sum += int64(n) * estimate
		x.put(i, c.now)
		p.occupied(c, w)
	}
	return to
}

// least returns the least key of the parts, and its part.
func least(parts [2]*waits, now int64) (*waits, uint64) {
	x, key := parts[0], parts[0].least(now)
	if y := parts[1]; y != nil {
		if k := y.least(now); k != none && (key == none || y.time(k) < x.time(key)) {
			return y, k
		}
	}
	return x, key
}

// first returns the worker that waits least.
func (p *central) first(c *Cluster, parts [2]*waits) int32 {
	x, key := least(parts, c.now)
	return x.first + x.worker(key)
}

// part is where a worker is.
func (p *central) part(w int32) *waits {
	if w < p.general.first {
		return p.shortOnly
	}
	return p.general
}

func (p *central) give(c *Cluster, w int32, work int64) {
	x := p.part(w)
	x.add(w-x.first, work, c.now)
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

// Started implements [Placer].
func (p *central) Started(c *Cluster, w, j int32, end int64) {
	x := p.part(w)
	if !c.o.EPFL {
		end += c.o.Delay // as far as the scheduler knows
	}
	x.started(w-x.first, c.jobs[j].estimate, c.now, end)
}

// Ended implements [Placer].
func (p *central) Ended(c *Cluster, w, j int32) {
	x := p.part(w)
	me := &c.workers[w]
	running := me.running < 0 || !c.jobs[me.running].long || c.o.EPFL
	if x.ended(w-x.first, c.jobs[j].estimate, c.now, running) == 0 {
		if p.bits {
			c.vectors.unset(w)
		}
		if p.clear != nil {
			p.clear.add(w)
		}
	}
}
