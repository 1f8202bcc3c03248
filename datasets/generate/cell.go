package generate

import (
	"math/rand/v2"

	"racecard/datasets/lists"
)

// cell simulates a Borg cell, so that its events come in the order of time.
//
// After C. Reiss et al., "Heterogeneity and Dynamicity of Clouds at Scale: Google Trace Analysis", SoCC 2012,
// and M. Tirmazi et al., "Borg: the Next Generation", EuroSys 2020. Three jobs of four have one task, others up
// to thousands. Nine tasks of ten are short, with a median of 200 s; one lasts for hours. Requests are a few
// hundredths of a machine. Best-effort tasks are evicted by others; failed tasks are resubmitted at once, some
// repeatedly; users kill a quarter of the jobs. A machine may leave and return, which has no effect on tasks
// here. Waiting is drawn, not simulated.
type cell struct {
	trace    *traceWriter
	rng      *rand.Rand
	log      borgLog
	queue    lists.Heap[*borgTask] // the one with the next event first
	arrivals arrivals
	machines int64
	away     int64 // the machine that left, 0 if none did
	churn    int64 // when the next machine leaves or comes back
	jobs     int64
	ordered  int64
	dag      bool  // jobs start after others, or end with them
	window   int64 // of usage
}

// mostActive bounds the tasks that wait or run at a time, and so the memory that a cell takes; jobs that come then are
// lost.
const mostActive = 50_000

// run writes the events of a cell until the trace is full.
func (c *cell) run() {
	t := c.trace
	c.machines = min(12_500, max(5, t.want/200))
	for m := int64(1); m <= c.machines && t.more(); m++ {
		c.log.machine(0, m, machineAdd)
	}
	c.arrivals = arrivals{at: traceBegins / second, interval: max(3.7, 4e6/float64(t.want))}
	for running := int(min(4000, max(3, t.want/200))); c.queue.Len() < running && t.more(); {
		c.arrive(0)
	}
	next := int64(c.arrivals.next(c.rng) * second)
	c.churn = next
	tail := min(1000, t.want/100)
	for t.more() && t.left() > min(tail, int64(c.queue.Len())) {
		c.log.progress(float64(t.rows) / float64(t.want))
		switch {
		case c.churn < min(next, c.first()):
			c.leave()
		case next <= c.first():
			c.arrive(next)
			next = int64(c.arrivals.next(c.rng) * second)
		default:
			c.step()
		}
	}
	for t.more() && c.queue.Len() > 0 { // what ended after the trace
		k := c.queue.Pop()
		if k.what = borgFinish; k.machine == 0 {
			k.what = borgKill
		}
		c.log.task(afterTrace, k, k.what)
		if k.job.left--; k.job.left == 0 {
			c.log.job(afterTrace, k.job, k.what)
		}
	}
}

// first returns when the next event of a task is.
func (c *cell) first() int64 {
	if c.queue.Len() == 0 {
		return afterTrace
	}
	return c.queue.Items[0].at
}

func (c *cell) push(k *borgTask) {
	c.ordered++
	k.order = c.ordered
	c.queue.Push(k)
}

// leave makes a machine leave the cell or come back, or changes its capacity.
func (c *cell) leave() {
	at := c.churn
	c.churn += int64(c.rng.ExpFloat64() * 20_000_000 * second / float64(c.machines))
	switch {
	case c.away > 0:
		c.log.machine(at, c.away, machineAdd)
		c.away = 0
	case chance(c.rng, 0.2):
		c.log.machine(at, 1+c.rng.Int64N(c.machines), machineUpdate)
	default:
		c.away = 1 + c.rng.Int64N(c.machines)
		c.churn = at + int64(600*second*c.rng.ExpFloat64())
		c.log.machine(at, c.away, machineRemove)
	}
}

// arrive submits a job. One that comes at 0 was submitted, and began to run, before the trace.
func (c *cell) arrive(at int64) {
	rng := c.rng
	c.jobs++
	j := &borgJob{id: 3_418_309 + c.jobs*997, name: skewed(rng, 20_000), of: 1, killed: afterTrace}
	j.user = j.name % 600
	switch x := rng.Float64(); { // classes and priorities: free, batch, production, monitoring
	case x < 0.35:
		j.class, j.priority = 0, 0
	case x < 0.75:
		j.class, j.priority = 1, 2+rng.Int64N(3)
	case x < 0.97:
		j.class, j.priority = 2, 9
	default:
		j.class, j.priority = 3, 10
	}
	if chance(rng, 0.25) {
		j.of = 1 + count(rng, 15, 1.6, max(10, min(3000, c.trace.want/100)))
	}
	if int64(c.queue.Len())+j.of > mostActive {
		return
	}
	if chance(rng, 0.25) {
		j.killed = at + int64(lognormal(rng, 600, 1.5)*second)
	}
	j.again = j.of < 50 && chance(rng, 0.1)
	if c.dag && c.jobs > 40 {
		if chance(rng, 0.1) {
			j.after = j.id - 997*(1+rng.Int64N(30))
		} else if chance(rng, 0.1) {
			j.parent = j.id - 997*(1+rng.Int64N(30))
		}
	}
	c.submit(at, j)
}

// submit submits a job and its tasks.
func (c *cell) submit(at int64, j *borgJob) {
	j.left, j.started, j.failed = j.of, false, false
	if at > 0 || chance(c.rng, 0.9) { // a tenth of the events before the trace is lost
		c.log.job(at, j, borgSubmit)
	}
	cpu, mem := c.share(0.02), c.share(0.015)
	for i := range j.of {
		k := &borgTask{job: j, index: i, cpu: cpu, mem: mem}
		if at == 0 {
			k.early = true
			if i%16 == 0 {
				c.log.task(0, k, borgSubmit)
			}
			c.schedule(0, k)
			c.push(k)
			continue
		}
		c.wait(at, k)
	}
}

// share draws a request, in the fractions that published ones have.
func (c *cell) share(median float64) float64 {
	const parts = 4096
	return float64(1+int64(min(0.5, lognormal(c.rng, median, 1))*parts)) / parts
}

// wait submits a task and draws when it is scheduled.
func (c *cell) wait(at int64, k *borgTask) {
	c.log.task(at, k, borgSubmit)
	k.machine = 0
	k.what, k.at = borgSchedule, at+int64(second*c.rng.ExpFloat64()*[...]float64{120, 20, 3, 1}[k.job.class])
	if k.job.killed < k.at {
		k.what, k.at = borgKill, max(at, k.job.killed)
	}
	c.push(k)
}

// schedule puts a task on a machine and draws how it will end. A task that ran before the trace has time 0.
func (c *cell) schedule(at int64, k *borgTask) {
	rng := c.rng
	j := k.job
	if !j.started {
		j.started = true
		c.log.job(at, j, borgSchedule)
	}
	k.machine = 5 + (1+rng.Int64N(c.machines))*11
	k.tries++
	c.log.task(at, k, borgSchedule)
	median, sigma := 200.0, 1.4
	if chance(rng, 0.1) || j.class == 3 || k.early {
		median, sigma = 4*3600, 1
	}
	k.since = max(at, traceBegins)
	k.ends = k.since + 1 + int64(second*lognormal(rng, median, sigma))
	switch x := rng.Float64(); {
	case j.priority < 2 && x < 0.08:
		k.what = borgEvict
	case x < 0.085:
		k.what = borgEvict
	case x < 0.13:
		k.what = borgFail
	case x < 0.1305:
		k.what = borgLost
	default:
		k.what = borgFinish
	}
	if k.what != borgFinish {
		k.ends = k.since + (k.ends-k.since)/3
	}
	if j.killed < k.ends {
		k.what, k.ends = borgKill, max(k.since, j.killed)
	}
	k.at = min(k.ends, k.since/c.window*c.window+c.window)
}

// step lets the next event of a task happen.
func (c *cell) step() {
	k := c.queue.Pop()
	at, j := k.at, k.job
	switch {
	case k.what == borgSchedule:
		c.schedule(at, k)
		c.push(k)
		return
	case k.machine > 0:
		c.log.usage(k.since, at, k)
		if k.since = at; at < k.ends {
			if chance(c.rng, 0.002) {
				c.log.task(at, k, borgUpdate)
			}
			k.at = min(k.ends, at+c.window)
			c.push(k)
			return
		}
	}
	c.log.task(at, k, k.what)
	const mostTries = 8
	if again := k.what == borgEvict || k.what == borgFail && chance(c.rng, 0.7); again && k.tries < mostTries {
		c.wait(at, k)
		return
	}
	c.end(at, k, j)
}

// end ends a task for good, and its job with the last.
func (c *cell) end(at int64, k *borgTask, j *borgJob) {
	j.failed = j.failed || k.what != borgFinish && k.what != borgKill
	if j.left--; j.left > 0 {
		return
	}
	e := borgFinish
	switch {
	case j.killed <= at:
		e = borgKill
	case j.failed:
		e = borgFail
	}
	c.log.job(at, j, e)
	if e == borgFail && j.again {
		j.again = false
		c.submit(at+1, j)
	}
}
