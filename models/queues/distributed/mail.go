package distributed

// message goes from a scheduler to some workers, which it reaches at one instant.
type message struct {
	at       int64
	job      int32
	n        int32 // workers
	kind     kind
	round    int32 // of an offer
	vector   int32 // newest that is known; of an offer and a reply
	rejected int32 // of a reply
	task     int32 // the first one, of tasks
}

type kind uint8

const (
	probes kind = iota // queue
	tasks              // queue, bound to their worker
	offers             // probes that a worker with long tasks rejects
	reply              // to the scheduler of a job: how many were rejected
)

// mail is messages that take the same time.
type mail struct {
	fifo[message]
	to   []int32 // workers, message by message
	past int     // of them, those of messages that have landed
	now  []int32 // of the one that lands
}

func (m *mail) send(x message, workers []int32) {
	x.n = int32(len(workers))
	m.push(x)
	if len(m.to)+len(workers) > cap(m.to) && m.past > len(m.to)/2 {
		m.to, m.past = m.to[:copy(m.to, m.to[m.past:])], 0
	}
	m.to = append(m.to, workers...)
}

// open takes the first message, and its workers, which are valid until the next one.
func (m *mail) open() (message, []int32) {
	x := m.pop()
	m.now = append(m.now[:0], m.to[m.past:m.past+int(x.n)]...)
	m.past += int(x.n)
	return x, m.now
}

// Probe sends probes of a short job, which are there after one delay, or two.
func (c *Cluster) Probe(j int32, workers []int32, delays int) {
	if len(workers) > 0 {
		c.out.Counts.Probes += int64(len(workers))
		c.mailOf(delays).send(message{at: c.now + int64(delays)*c.o.Delay, job: j, kind: probes}, workers)
	}
}

// Place sends the tasks of a job from number first on, one to each of workers, where they are there after one delay.
// Following EPFL, a worker asks for a task of the job when it gets to it.
func (c *Cluster) Place(j, first int32, workers []int32) {
	c.out.Counts.Placed += int64(len(workers))
	c.soon.send(message{at: c.now + c.o.Delay, job: j, kind: tasks, task: first}, workers)
}

// Offer sends probes that workers with tasks of long jobs reject. The scheduler learns the outcome two delays from now.
// vector is the newest one known from earlier rounds.
func (c *Cluster) Offer(j int32, workers []int32, round, vector int32) {
	c.out.Counts.Probes += int64(len(workers))
	c.vectors.hold(vector)
	c.soon.send(message{at: c.now + c.o.Delay, job: j, kind: offers, round: round, vector: vector}, workers)
}

func (c *Cluster) mailOf(delays int) *mail {
	if delays == 1 {
		return &c.soon
	}
	return &c.late
}

// land delivers the first message.
func (c *Cluster) land(m *mail) {
	x, workers := m.open()
	c.out.Events += int64(x.n)
	if x.kind == offers {
		c.offered(&x, workers)
		return
	}
	if c.large {
		for _, w := range workers { // all at once: see touch
			c.touch(w)
		}
	}
	switch x.kind {
	case probes:
		for _, w := range workers {
			c.append(w, x.job, -1)
			c.wake(w)
		}
	case tasks:
		v := int32(0)
		if c.rules.Vectors {
			v = c.vectors.snapshot()
		}
		for i, w := range workers {
			task := x.task + int32(i)
			if c.o.EPFL {
				task = -1
			}
			if v > 0 {
				c.vectors.give(&c.vector[w], v)
				c.heard[w] = c.vectors.made
			}
			c.append(w, x.job, task)
			c.wake(w)
		}
	case reply:
		c.reject(x.job, x.rejected)
		c.replier.Replied(c, x.job, x.round, x.rejected, x.vector)
		c.vectors.drop(x.vector)
	}
}

// offered delivers an offer: workers without long tasks get probes, and the others send their vectors to the scheduler.
func (c *Cluster) offered(x *message, workers []int32) {
	heard, newest := c.vectors.all[x.vector].made, int32(-1)
	to := c.targets[0][:0]
	for _, w := range workers {
		if h := c.heard[w]; h > heard {
			heard, newest = h, w
		}
		if !c.HasLong(w) {
			to = append(to, w)
			c.touch(w) // all at once
		}
	}
	c.targets[0] = to
	x.rejected = x.n - int32(len(to))
	for _, w := range to {
		if x.round > 1 && c.rules.Sticky && c.holds(w, x.job) {
			continue // a second probe is useless
		}
		c.append(w, x.job, -1)
		c.wake(w)
	}
	if newest >= 0 {
		c.vectors.give(&x.vector, c.vector[newest])
	}
	c.soon.push(message{at: c.now + c.o.Delay, job: x.job, kind: reply, round: x.round, vector: x.vector,
		rejected: x.rejected})
}

// largest is the number of workers that fit in a core's second-level cache, 1 to 2 MB today.
const largest = 4096

// touch reads the state of a worker, anywhere in memory, before it is processed: the states of many workers are
// then fetched at the same time, rather than one after the other.
func (c *Cluster) touch(w int32) { c.fetched += c.workers[w].n }
