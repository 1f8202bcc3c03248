package distributed

// JobDetail says what a job met with.
type JobDetail struct {
	Rejected      int32 // probes
	Stuck         int32 // tasks that ran where another one of the job had run, without queueing again
	Passed        int32 // times that tasks of other jobs passed a probe of it
	Bypassed      int32 // times that a task of it passed a probe of others
	Stolen        int32 // probes
	Queued        int64 // sum over tasks of the time from when the probe came, or the last task of its ended there, to the start
	BehindLong    int64 // of that, while a long task ran at the worker
	Longest       int64 // the largest of its times queued
	LongestBehind int64 // of that, behind long tasks
}

// detail keeps what Options.Detail asks for.
type detail struct {
	jobs    []JobDetail
	longs   []int64 // by worker, time for which it has run long tasks that have ended
	entries []waitRecord
}

// waitRecord says since when an entry waits, at an instant of long tasks at its worker, and what it waited behind them elsewhere.
type waitRecord struct{ since, longs, behind int64 }

func newDetail(jobs, workers int) *detail {
	return &detail{jobs: make([]JobDetail, jobs), longs: make([]int64, workers)}
}

func (d *detail) grow(entries int) {
	for len(d.entries) < entries {
		d.entries = append(d.entries, waitRecord{})
	}
}

// longSo is for how long worker w has run long tasks by now.
func (d *detail) longSo(c *Cluster, w int32) int64 {
	sum, me := d.longs[w], &c.workers[w]
	if me.running >= 0 && c.jobs[me.running].reported {
		sum += c.now - me.since
	}
	return sum
}

func (d *detail) longEnded(w int32, took int64) { d.longs[w] += took }

func (d *detail) came(c *Cluster, e, w int32) { d.entries[e] = waitRecord{c.now, d.longSo(c, w), 0} }

// stole notes that an entry moved.
func (d *detail) stole(c *Cluster, e, from, to int32) {
	d.jobs[c.entries[e].job].Stolen++
	x := &d.entries[e]
	x.behind += d.longSo(c, from) - x.longs
	x.longs = d.longSo(c, to)
}

func (d *detail) passed(by, over int32) {
	d.jobs[by].Passed++
	d.jobs[over].Bypassed++
}

// began notes that entry e of worker w got a task that will end at an instant.
func (d *detail) began(c *Cluster, w, e int32, end int64) {
	x, j := &d.entries[e], &d.jobs[c.entries[e].job]
	longs := d.longSo(c, w)
	queued, behind := c.now-x.since, x.behind+longs-x.longs
	j.Queued += queued
	j.BehindLong += behind
	if queued > j.Longest {
		j.Longest, j.LongestBehind = queued, behind
	}
	if c.entries[e].task < -1 {
		j.Stuck++
	}
	*x = waitRecord{since: end, longs: longs} // where the probe stays, no long task runs meanwhile
}
