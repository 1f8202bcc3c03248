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
	BehindLong    int64 // part of Queued while every slot of the worker ran a long task
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
	ready   []int64      // by job: when its tasks could begin, after the jobs that it waits for
	longs   []longTime   // by worker
	records []waitRecord // of entries
	free    []int32
}

// longTime is the time for which all slots of a worker have run long tasks.
type longTime struct {
	sum, since int64 // total of past periods; start of the current one
	run        int   // slots that run one
}

// waitRecord holds the instant since which an entry waits, the longTime of its worker at that instant, and the time
// that it waited behind long tasks elsewhere.
type waitRecord struct {
	since, longs, behind int64
}

func newDetail(jobs, workers int) *detail {
	return &detail{jobs: make([]JobDetail, jobs), ready: make([]int64, jobs), longs: make([]longTime, workers)}
}

// longSo returns the time for which all slots of worker w have run long tasks by now.
func (d *detail) longSo(c *Cluster, w int32) int64 {
	x := &d.longs[w]
	if x.run == c.Slots(w) {
		return x.sum + c.now - x.since
	}
	return x.sum
}

func (d *detail) longBegan(c *Cluster, w int32) {
	x := &d.longs[w]
	if x.run++; x.run == c.Slots(w) {
		x.since = c.now
	}
}

func (d *detail) longEnded(c *Cluster, w int32) {
	x := &d.longs[w]
	x.sum = d.longSo(c, w)
	x.run--
}

// came returns the record of an entry that came to worker w.
func (d *detail) came(c *Cluster, w int32) int32 {
	x := waitRecord{since: c.now, longs: d.longSo(c, w)}
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
	r.behind += d.longSo(c, from) - r.longs
	r.longs = d.longSo(c, to)
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
	longs := d.longSo(c, w)
	queued, behind := c.now-r.since, r.behind+longs-r.longs
	j.Queued += queued
	j.BehindLong += behind
	if queued > j.Longest {
		j.Longest, j.LongestBehind = queued, behind
	}
	if x.task == stuck {
		j.Stuck++
	}
	*r = waitRecord{c.now, longs, 0}
	if c.jobs[x.job].reported {
		d.longBegan(c, w)
	}
}

// ended notes that a task of a job ended at worker w.
func (d *detail) ended(c *Cluster, w, n int32) {
	if c.jobs[n].reported {
		d.longEnded(c, w)
	}
	if !c.rules.Sticky {
		return
	}
	live := c.live(w)
	for i := range live {
		if live[i].job == n && live[i].task == stuck {
			d.records[live[i].record] = waitRecord{c.now, d.longSo(c, w), 0}
			return
		}
	}
}
