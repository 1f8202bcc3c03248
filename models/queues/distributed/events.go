package distributed

import (
	"context"
	"fmt"
)

// run processes all events in order of time. Events of one instant are in this order: tasks end, a job arrives, workers
// learn that there is no task, busy workers are counted, messages arrive, workers learn of tasks handed out elsewhere,
// the central scheduler learns of ends, heartbeats. Within a kind, ends are in the order of workers, and other events
// in the order of their causes.
func (c *Cluster) run(ctx context.Context) error {
	quiet := 0
	for steps := 0; c.failure == nil; steps++ {
		if steps&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		const (
			end = iota
			arrival
			nothing
			sample
			lateMail
			soonMail
			report
			answered
			beat
		)
		at, what := int64(never), -1
		if c.arrived < len(c.jobs) {
			if t := c.jobs[c.arrived].submit; t < at {
				at, what = t, arrival
			}
		}
		if c.answers.n > 0 && c.answers.front().at < at {
			at, what = c.answers.front().at, nothing
		}
		if c.late.n > 0 && c.late.front().at < at {
			at, what = c.late.front().at, lateMail
		}
		if c.soon.n > 0 && c.soon.front().at < at {
			at, what = c.soon.front().at, soonMail
		}
		if c.reports.n > 0 && c.reports.front().at < at {
			at, what = c.reports.front().at, report
		}
		if c.asking.n > 0 && c.asking.front().at < at {
			at, what = c.asking.front().at, answered
		}
		if c.due(at) {
			at, what = c.pack.time(c.ends.near[len(c.ends.near)-1].key), end
		}
		if what < 0 {
			if c.ended == len(c.jobs) || c.beatAt == never || quiet == maxQuiet {
				return c.complete()
			}
			quiet++ // something may wait for a heartbeat
			c.beat()
			continue
		}
		if c.usage.next < at || c.usage.next == at && what > sample {
			until := at
			if what <= sample {
				until--
			}
			c.usage.sample(c.busy, until)
			continue
		}
		if c.beatAt < at {
			if c.resting {
				c.skipBeats(at)
			} else {
				c.beat()
			}
			continue
		}
		quiet, c.resting = 0, false
		c.now = at
		c.out.Events++
		switch what {
		case end:
			x := c.ends.pop()
			c.end(c.pack.worker(x.key), x.job)
		case arrival:
			c.arrived++
			if c.jobs[c.arrived-1].waits == 0 {
				c.submit(int32(c.arrived - 1))
			}
		case nothing:
			c.freed(c.answers.pop().worker)
		case lateMail:
			c.land(&c.late)
		case soonMail:
			c.land(&c.soon)
		case report:
			r := c.reports.pop()
			c.placer.Ended(c, r.worker, r.job)
		case answered:
			c.stolen(c.asking.pop())
		}
	}
	return c.failure
}

// maxQuiet is the number of heartbeats without another event after which a scheduler is assumed to have forgotten
// tasks.
const maxQuiet = 1000

func (c *Cluster) beat() {
	c.now = c.beatAt
	c.beatAt += c.o.Heartbeat
	c.resting = c.beater.Beat(c)
}

// skipBeats skips the heartbeats before an instant.
func (c *Cluster) skipBeats(at int64) {
	c.beatAt += ((at-1-c.beatAt)/c.o.Heartbeat + 1) * c.o.Heartbeat
}

// complete reports a scheduler that left tasks behind.
func (c *Cluster) complete() error {
	for i := range c.jobs {
		if n := c.jobs[i].left; n > 0 {
			return fmt.Errorf("the scheduler never ran %d of %d tasks of job %s", n, c.jobs[i].tasks, c.in.Jobs[i].ID)
		}
	}
	return nil
}

// many is the number of coming ends whose state is fetched together.
const many = 512

// foresee prefetches the state that coming ends will touch (see touch), and, for near ends, the last job in the queue
// of the worker, which may run next.
func (c *Cluster) foresee(q *agenda) {
	if len(q.ahead) <= many { // more would leave the cache before they are near
		for i := range q.ahead {
			x := &q.ahead[i]
			w, j := c.pack.worker(x.key), &c.jobs[x.job]
			c.touch(w)
			c.fetched += j.left
			if c.toucher != nil && (j.long || c.rules.TellAll) {
				c.fetched += c.toucher.touch(w)
			}
		}
	}
	q.ahead = nil
	for i := range q.near {
		if me := &c.workers[c.pack.worker(q.near[i].key)]; me.n > 0 && me.block == 0 {
			c.fetched += c.jobs[me.short[me.n-1].job].left
		}
	}
}

// due reports whether a task ends no later than an instant.
func (c *Cluster) due(at int64) bool {
	q := &c.ends
	until := uint64(none)
	if at < c.pack.most {
		until = c.pack.key(at, 0) | c.pack.mask
	}
	if len(q.near) == 0 {
		opened := q.open(until)
		if c.large {
			c.foresee(q)
		}
		if !opened {
			return false
		}
	}
	return q.near[len(q.near)-1].key <= until
}

// settle applies the news that workers have received by now of tasks handed out elsewhere.
func (c *Cluster) settle() {
	for c.updates.n > 0 && c.updates.front().at < c.now {
		x := c.updates.pop()
		j := &c.jobs[x.job]
		if j.visible--; c.o.EPFL && j.next == j.tasks && x.at >= j.last {
			j.visible = 0 // news of any task tells that none is left
		}
	}
}
