package distributed

// JobDetail lists the causes of a job's delay.
type JobDetail struct {
	Rejected int32 // probes
	Stuck    int32 // tasks that ran where another one of the job had run, without queueing again
	Passed   int32 // times that tasks of other jobs passed a probe of it
	Bypassed int32 // times that a task of it passed a probe of others
	Stolen   int32 // probes
	// sum over tasks of the time from when the probe came, or last had a task begin or end there, to the start
	Queued        int64
	BehindLong    int64 // part of Queued while every slot of the worker, or of all for one queue, ran a long task
	Longest       int64 // the largest of its times queued
	LongestBehind int64 // part of Longest behind long tasks
}

// add adds the delays of another stage of the same run.
func (d *JobDetail) add(o *JobDetail) {
	d.Rejected += o.Rejected
	d.Stuck += o.Stuck
	d.Passed += o.Passed
	d.Bypassed += o.Bypassed
	d.Stolen += o.Stolen
	d.Queued += o.Queued
	d.BehindLong += o.BehindLong
	if o.Longest > d.Longest {
		d.Longest, d.LongestBehind = o.Longest, o.LongestBehind
	}
}

// detail keeps the records that Options.Detail asks for.
type detail struct {
	jobs    []JobDetail
	ready   []waitRecord // by job: when its tasks could begin, after the jobs that it waits for, in one queue for all
	longs   []longTime   // by worker, then of all workers
	records []waitRecord // of entries
	free    []int32
}

// longTime is the time for which all slots of a worker, or of all workers, have run long tasks.
type longTime struct {
	sum, since int64 // total of past periods; start of the current one
	run, slots int   // slots that run one; all slots
}

// waitRecord holds the instant since which an entry waits, its place in longs, the longTime there at that instant, and
// the time that it waited behind long tasks elsewhere.
type waitRecord struct {
	since, longs, behind int64
	at                   int32
}

func newDetail(c *Cluster) *detail {
	d := &detail{jobs: make([]JobDetail, len(c.jobs)), ready: make([]waitRecord, len(c.jobs)),
		longs: make([]longTime, len(c.workers)+1)}
	all := &d.longs[len(c.workers)]
	for w := range c.workers {
		d.longs[w].slots = c.Slots(int32(w))
		all.slots += d.longs[w].slots
	}
	return d
}

// waits returns the record of an entry that waits from now on at a place in longs.
func (d *detail) waits(c *Cluster, at int32) waitRecord {
	return waitRecord{since: c.now, longs: d.longs[at].until(c.now), at: at}
}

// until returns the time for which all slots have run long tasks by now.
func (x *longTime) until(now int64) int64 {
	if x.run == x.slots {
		return x.sum + now - x.since
	}
	return x.sum
}

func (x *longTime) began(now int64) {
	if x.run++; x.run == x.slots {
		x.since = now
	}
}

func (x *longTime) ended(now int64) {
	x.sum = x.until(now)
	x.run--
}

// submitted notes that the tasks of a job can begin.
func (d *detail) submitted(c *Cluster, j int32) { d.ready[j] = d.waits(c, int32(len(c.workers))) }

// came returns the id of the record of an entry that came to worker w.
func (d *detail) came(c *Cluster, w int32) int32 { return d.keep(d.waits(c, w)) }

// keep returns the id of a record.
func (d *detail) keep(x waitRecord) int32 {
	if n := len(d.free); n > 0 {
		id := d.free[n-1]
		d.free, d.records[id] = d.free[:n-1], x
		return id
	}
	d.records = append(d.records, x)
	return int32(len(d.records) - 1)
}

// forget frees a record.
func (d *detail) forget(id int32) { d.free = append(d.free, id) }

// stole notes that an entry moved.
func (d *detail) stole(c *Cluster, x entry, from, to int32) {
	d.jobs[x.job].Stolen++
	r := &d.records[x.record]
	r.behind += d.longs[from].until(c.now) - r.longs
	r.longs, r.at = d.longs[to].until(c.now), to
}

// passed notes that a task of one job started before a waiting entry of another.
func (d *detail) passed(waits, starts int32) {
	d.jobs[waits].Passed++
	d.jobs[starts].Bypassed++
}

// began notes that an entry of worker w got a task. Where its probe stays, it waits again from here, for another slot,
// or from the end of the task on.
func (d *detail) began(c *Cluster, w int32, x *entry) {
	r, j := &d.records[x.record], &d.jobs[x.job]
	queued, behind := c.now-r.since, r.behind+d.longs[r.at].until(c.now)-r.longs
	j.Queued += queued
	j.BehindLong += behind
	if queued > j.Longest {
		j.Longest, j.LongestBehind = queued, behind
	}
	if x.task == stuck {
		j.Stuck++
	}
	*r = d.waits(c, w)
	if c.jobs[x.job].reported {
		d.longs[w].began(c.now)
		d.longs[len(c.workers)].began(c.now)
	}
}

// ended notes that a task of a job ended at worker w.
func (d *detail) ended(c *Cluster, w, n int32) {
	if c.jobs[n].reported {
		d.longs[w].ended(c.now)
		d.longs[len(c.workers)].ended(c.now)
	}
	if !c.rules.Sticky {
		return
	}
	live := c.live(w)
	for i := range live {
		if live[i].job == n && live[i].task == stuck {
			d.records[live[i].record] = d.waits(c, w)
			return
		}
	}
}
