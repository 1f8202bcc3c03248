package generate

import (
	"math/rand/v2"
)

// The shape of batch jobs, fitted by eye to the converted subset of the trace of 2018 in shared/data (25,196
// tasks of 6,600 jobs): tasks per job 1, 2, 5, 8, 23 and 72 at the 25th, 50th, 75th, 90th and 99th percentile
// and the maximum; instances per task 1, 1, 9, 123, 1514; seconds of a task 2, 7, 32, 144, 1063.
const (
	openJobs      = 5000 // that write rows at the same time, so that rows of one job lie that far apart
	mostTasks     = 72
	mostInstances = 50_000 // of a task
	machines2018  = 4034
	jobsPerSecond = 6 // 4.2 million jobs in 8 days
)

// alibabaJob is a job that has rows to write.
type alibabaJob struct {
	id    int64
	tasks []alibabaTask // still to write, the last one first
}

// alibabaTask is a task of a job, and its instances.
type alibabaTask struct {
	number    int    // in the job, from 1; 0 for a task whose name tells no place in a graph
	parents   [3]int // numbers; 0 is none
	kind      int    // task_type
	status    string
	start     int64 // seconds
	seconds   int64 // of the longest instance
	instances int64
	retried   int64 // instances that took two attempts, each of them a row of its own
	first     int64 // number of the first instance in the trace
	rows      int64 // its own and those of its instances
	written   int64 // of them
}

// alibaba writes the rows of jobs, many jobs at a time.
type alibaba struct {
	trace     *traceWriter
	rng       *rand.Rand
	tasks     *output
	instances *output // nil without batch_instance
	arrivals  arrivals
	jobs      []alibabaJob
	opened    int64 // jobs so far
	numbered  int64 // instances so far
	pending   int64 // rows that open jobs still have to write
}

// alibabaTasks writes batch_task: jobs of one to seventy-two tasks, mostly few, whose tasks have up to three parents.
// Half of the children start before their parents end, one row in a hundred has not ended, failed or waits.
func alibabaTasks(t *traceWriter) {
	a := alibaba{trace: t, rng: source(t.seed, "alibaba2018"), tasks: t.file("")}
	a.write()
}

// alibabaInstances writes batch_task and batch_instance. One instance in 250 took two attempts: its first one failed
// or, where two copies raced, was interrupted. Instances of a task are spread over its time; the longest lasts as long
// as the task.
func alibabaInstances(t *traceWriter) {
	a := alibaba{trace: t, rng: source(t.seed, "alibaba2018-instances")}
	a.tasks, a.instances = t.file("batch_task.csv"), t.file("batch_instance.csv")
	a.write()
}

func (a *alibaba) write() {
	a.arrivals = arrivals{at: day, interval: 1.0 / jobsPerSecond}
	for a.trace.more() {
		for len(a.jobs) < openJobs && a.pending < a.trace.left() {
			a.job(a.trace.left() - a.pending)
		}
		i := a.rng.IntN(len(a.jobs))
		j := &a.jobs[i]
		for range 1 + a.rng.IntN(4) { // a few rows of a job lie side by side
			if a.row(j); len(j.tasks) == 0 {
				a.jobs[i] = a.jobs[len(a.jobs)-1]
				a.jobs = a.jobs[:len(a.jobs)-1]
				break
			}
		}
	}
}

// job draws a job of at most so many rows.
func (a *alibaba) job(most int64) {
	rng := a.rng
	a.opened++
	j := alibabaJob{id: a.opened * 2654435761 % 9_000_000_007} // of no order
	start := int64(a.arrivals.next(rng))
	n, kind := int(count(rng, 2.4, 1.0, mostTasks)), 1+rng.IntN(12)
	named := n > 1 || chance(rng, 0.5) // other names tell nothing of a graph
	largest := min(mostInstances, max(8, a.trace.want/200))
	reversed := chance(rng, 0.05) // a stage may have a lower number than its parents
	var ends [mostTasks + 1]int64
	for k := 1; k <= n && most > 0; k++ {
		t := alibabaTask{kind: kind, status: "Terminated", start: start, instances: 1}
		if named {
			t.number = number(k, n, reversed)
			begin := start
			for i, last := 0, k; i < len(t.parents) && last > 1 && chance(rng, [...]float64{0.85, 0.2, 0.3}[i]); i++ {
				last -= 1 + rng.IntN(min(3, last-1))
				t.parents[i] = number(last, n, reversed)
				begin = max(begin, ends[last])
			}
			if t.start = begin; chance(rng, 0.5) { // it starts while its parents go on
				t.start = (start + begin) / 2
			}
		}
		if chance(rng, 0.5) {
			t.instances = count(rng, 12, 2, largest)
		}
		t.seconds = int64(min(lognormal(rng, 7, 2.1), 60_000))
		ends[k] = t.start + t.seconds
		switch x := rng.Float64(); {
		case x < 0.002:
			t.status = "Failed"
		case x < 0.009:
			t.status = "Running"
		case x < 0.0095 && t.number > 0:
			t.status = "Waiting"
		}
		t.rows = 1
		if room := most - 1; a.instances != nil && t.status != "Waiting" && room > 0 {
			t.instances = min(t.instances, room)
			t.retried = min(int64(float64(t.instances)*0.004+rng.Float64()), t.instances, room-t.instances)
			t.first = a.numbered
			a.numbered += t.instances
			t.rows += t.instances + t.retried
		}
		a.pending += t.rows
		most -= t.rows
		j.tasks = append(j.tasks, t)
	}
	a.jobs = append(a.jobs, j)
}

// number returns the name of the k-th of n tasks.
func number(k, n int, reversed bool) int {
	if reversed {
		return n + 1 - k
	}
	return k
}

// row writes a row of the last task of a job: the task's own row, then its instances.
func (a *alibaba) row(j *alibabaJob) {
	t := &j.tasks[len(j.tasks)-1]
	a.pending--
	if t.written == 0 {
		a.task(j, t)
	} else {
		a.instance(j, t)
	}
	t.written++
	if t.written == t.rows {
		j.tasks = j.tasks[:len(j.tasks)-1]
	}
}

// name writes the name of a task and the fields after it in both tables: job and type.
func (o *output) alibabaName(j *alibabaJob, t *alibabaTask) {
	if t.number == 0 {
		o.text("task_")
		o.hash('t', j.id)
		o.line = o.line[:len(o.line)-20] // they are shorter
		return
	}
	switch {
	case t.parents[1] > 0:
		o.text("J")
	case t.parents[0] > 0:
		o.text("R")
	default:
		o.text("M")
	}
	o.int(int64(t.number))
	for _, p := range t.parents {
		if p > 0 {
			o.field("_", int64(p))
		}
	}
	if t.parents[2] > 0 {
		o.field("_Stg", int64(t.number))
	}
}

func (a *alibaba) task(j *alibabaJob, t *alibabaTask) {
	o := a.tasks
	o.alibabaName(j, t)
	o.text(",")
	if t.status != "Waiting" {
		o.int(t.instances)
		o.text(".0")
	}
	o.field(",j_", j.id)
	o.field(",", int64(t.kind))
	o.text("," + t.status + ",")
	switch t.status {
	case "Waiting":
		o.text("0,0,,")
	case "Running":
		o.int(t.start)
		o.text(",0,")
	default:
		o.int(t.start)
		o.field(",", t.start+t.seconds)
		o.text(",")
	}
	if t.status != "Waiting" {
		o.int(int64(50 * (1 + a.rng.IntN(2)))) // hundredths of a core
		o.text(".0,")
		o.round(0.1+min(9, lognormal(a.rng, 0.2, 0.7)), 2)
	}
	o.endRow()
}

// instance writes the next row of a task's instances: first the attempts that did not succeed.
func (a *alibaba) instance(j *alibabaJob, t *alibabaTask) {
	rng := a.rng
	n, attempt, attempts := t.written-1-t.retried, int64(1), int64(1)
	status, from, to := "Terminated", t.start, t.start+t.seconds
	switch {
	case n < 0: // the first attempt of an instance that comes again
		n, attempts = n+t.retried, 2
		if status = "Failed"; chance(rng, 0.4) {
			status = "Interrupted"
		}
		to = from + int64(float64(t.seconds)*rng.Float64()/2)
	case n < t.retried:
		attempt, attempts = 2, 2
		from += t.seconds / 2
	case n > 0: // n = 0 lasts as long as the task
		seconds := float64(t.seconds)
		x := rng.Float64()
		from += int64(seconds * x * x)
		to = from + int64(float64(to-from)*rng.Float64())
	}
	// the instance on which the task waits or failed
	if t.status != "Terminated" && n == t.instances-1 && status == "Terminated" {
		status = t.status
	}
	o := a.instances
	o.field("ins_", (t.first+n)*2654435761%9_000_000_007)
	o.text(",")
	o.alibabaName(j, t)
	o.field(",j_", j.id)
	o.field(",", int64(t.kind))
	o.text("," + status + ",")
	o.int(from)
	if status == "Running" {
		to = 0
	}
	o.field(",", to)
	o.field(",m_", 1+rng.Int64N(machines2018))
	o.field(",", attempt)
	o.field(",", attempts)
	cpu, mem := 1+min(500, lognormal(rng, 40, 0.8)), min(9, lognormal(rng, 0.1, 0.7))
	o.field(",", int64(cpu))
	o.field(",", int64(cpu*(1+rng.Float64())))
	o.text(",")
	o.round(mem, 2)
	o.text(",")
	o.round(mem*(1+rng.Float64()), 2)
	o.endRow()
}
