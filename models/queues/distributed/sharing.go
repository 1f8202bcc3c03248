package distributed

// sharing sends probes for short jobs as Eagle does (Succinct State Sharing): workers with tasks of long jobs reject
// them, and reply with their newest vector of such workers. Rejected probes go to other workers, in the last round to
// those for short jobs alone.
type sharing struct{}

func (sharing) probe(c *Cluster, j int32) {
	n := c.count(j, int32(c.o.MinProbes))
	r := c.stream(drawProbes, j)
	if c.o.EPFL {
		probeAtOnce(c, j, n, r)
		return
	}
	to := c.draw(c.targets[0][:0], &r, n, c.everyone())
	c.Offer(j, to, 1, 0)
	c.targets[0] = to
}

// Replied implements [Replier].
func (sharing) Replied(c *Cluster, j, round, rejected, vector int32) {
	if rejected == 0 || c.jobs[j].next == c.jobs[j].tasks {
		return
	}
	r := c.stream(drawProbes+uint64(round)<<32, j)
	if int(round) < c.o.Rounds && c.vectors.size(vector) > 0 {
		to := c.draw(c.targets[0][:0], &r, rejected, c.clearIn(vector))
		c.Offer(j, to, round+1, vector)
		c.targets[0] = to
		return
	}
	c.fallBack(j, rejected, &r)
}

// fallBack sends probes to workers for short jobs alone; where probes stick, to those that do not hold one of the job.
func (c *Cluster) fallBack(j, n int32, r *random) {
	to := c.draw(c.targets[0][:0], r, n, c.reserved())
	kept := to[:0]
	for _, w := range to {
		if !c.rules.Sticky || !c.holds(w, j) {
			kept = append(kept, w)
		}
	}
	c.Probe(j, kept, 1)
	c.targets[0] = to
}

// probeAtOnce decides all rounds when the job arrives, from the state of the workers then, as the published simulator
// does.
func probeAtOnce(c *Cluster, j, n int32, r random) {
	accepted, later := c.targets[1][:0], c.targets[2][:0]
	vector, heard, rejected := int32(0), int32(0), int32(0)
	all := int32(len(c.workers))
	for range n {
		w := r.Below(all)
		if c.heard[w] > heard {
			vector, heard = c.vector[w], c.heard[w]
		}
		if c.HasLong(w) {
			rejected++
		} else {
			accepted = append(accepted, w)
		}
	}
	c.Probe(j, accepted, 1)
	c.reject(j, rejected)
	if rejected > 0 {
		again := int32(0)
		p := c.clearIn(vector)
		if p.size == 0 {
			rejected, again = 0, rejected
		}
		for range rejected {
			w := c.at(p, r.Below(p.size))
			if c.HasLong(w) {
				again++
			} else {
				later = append(later, w)
			}
		}
		c.reject(j, again)
		later = c.draw(later, &r, again, c.reserved())
		c.Probe(j, later, 2)
	}
	c.targets[1], c.targets[2] = accepted, later
}

// reject counts rejected probes.
func (c *Cluster) reject(j, n int32) {
	c.out.Counts.Rejected += int64(n)
	if c.detail != nil {
		c.detail.jobs[j].Rejected += n
	}
}
