package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"racecard/datasets/lists"
)

// rowsPerPart is about how many rows of a trace, of all its tables together, share a number of parts.
const rowsPerPart = 250_000

// parts are the parts of a trace's tables. All tables change parts at the same time, so that equal numbers cover
// the same hours.
type parts struct {
	trace  *traceWriter
	names  []string // of the tables, with %[1]d for the part's number and %[2]d for how many there are
	n      int      // parts of each table, at most 500 as published
	part   int      // the current one, from 0; -1 before the first
	tables []*output
}

func newParts(t *traceWriter, names ...string) *parts {
	p := &parts{trace: t, names: names, n: int(min(500, 1+(t.want-1)/rowsPerPart)), part: -1}
	p.progress(0)
	return p
}

// progress opens the parts for the rows after a share of all rows.
func (p *parts) progress(share float64) {
	if part := min(p.n-1, int(share*float64(p.n))); part > p.part {
		for _, o := range p.tables {
			o.close()
		}
		p.part, p.tables = part, p.tables[:0]
		for _, name := range p.names {
			p.tables = append(p.tables, p.trace.file(fmt.Sprintf(name, part, p.n)))
		}
	}
}

// google2011 writes the tables of clusterdata-2011: job_events, task_events, task_usage and machine_events, in parts.
func google2011(t *traceWriter) {
	rng := source(t.seed, "google2011")
	const part = "/part-%05[1]d-of-%05[2]d.csv.gz"
	log := &log2011{parts: newParts(t, "job_events"+part, "task_events"+part, "task_usage"+part, "machine_events"+part),
		rng: rng}
	(&cell{queue: lists.Heap[*borgTask]{Less: sooner}, trace: t, rng: rng, log: log, window: 300 * second}).run()
}

// log2011 writes rows as the trace of 2011 has them.
type log2011 struct {
	*parts
	rng *rand.Rand
}

func (l *log2011) full() bool { return !l.trace.more() }

func (l *log2011) job(at int64, j *borgJob, e borgEvent) {
	if l.full() {
		return
	}
	o := l.tables[0]
	o.int(at)
	o.text(",")
	if at == 0 && e == borgSchedule {
		o.text("1") // reconstructed: it must have happened
	}
	o.field(",", j.id)
	o.field(",", int64(e))
	o.text(",")
	o.hash('u', j.user)
	o.field(",", j.class)
	o.text(",")
	o.hash('j', j.id)
	o.text(",")
	o.hash('n', j.name)
	o.endRow()
}

func (l *log2011) task(at int64, k *borgTask, e borgEvent) {
	if l.full() {
		return
	}
	if e == borgUpdate {
		e = 8 // UPDATE_RUNNING
	}
	o := l.tables[1]
	o.int(at)
	o.field(",,", k.job.id)
	o.field(",", k.index)
	o.text(",")
	if k.machine > 0 && e != borgSubmit {
		o.int(k.machine)
	}
	o.field(",", int64(e))
	o.text(",")
	o.hash('u', k.job.user)
	o.field(",", k.job.class)
	o.field(",", k.job.priority)
	o.text(",")
	o.round(k.cpu, 4)
	o.text(",")
	o.round(k.mem, 5)
	o.text(",0.0004,0")
	o.endRow()
}

func (l *log2011) usage(from, to int64, k *borgTask) {
	if l.full() || from >= to {
		return
	}
	cpu, mem := k.cpu*l.rng.Float64(), k.mem*(0.5+l.rng.Float64()/2)
	o := l.tables[2]
	o.int(from)
	o.field(",", to)
	o.field(",", k.job.id)
	o.field(",", k.index)
	o.field(",", k.machine)
	for _, x := range [...]float64{cpu, mem, mem * 1.2, mem / 8, mem / 4, mem * 1.1, cpu / 100, 0.0003, min(1, cpu*3),
		cpu / 20} {
		o.text(",")
		o.round(x, 6)
	}
	o.text(",")
	if !chance(l.rng, 0.05) { // counters are not always there
		o.round(1+4*l.rng.Float64(), 3)
	}
	o.text(",")
	o.round(l.rng.Float64()/20, 5)
	o.text(",0,1,")
	o.round(cpu, 4)
	o.endRow()
}

func (l *log2011) machine(at, m int64, e machineEvent) {
	if l.full() || at == 0 && l.trace.left() <= 1 { // the last row is of a job
		return
	}
	o := l.tables[3]
	o.int(at)
	o.field(",", 5+m*11)
	o.field(",", int64(e))
	o.text(",")
	o.hash('p', m%3)
	o.text([...]string{",0.5,0.2493", ",0.5,0.749", ",1,1", ",0.25,0.2498"}[m%4])
	if e == machineUpdate {
		o.line = o.line[:len(o.line)-1] // a little less memory
	}
	o.endRow()
}

// google2019 writes collection_events and instance_events as BigQuery exports them: JSON lines in which integers are
// text.
func google2019(t *traceWriter) {
	rng := source(t.seed, "google2019")
	log := &log2019{parts: newParts(t, "collection_events-%012[1]d.json.gz", "instance_events-%012[1]d.json.gz")}
	(&cell{queue: lists.Heap[*borgTask]{Less: sooner}, trace: t, rng: rng, log: log, dag: true,
		window: 3600 * second}).run()
}

// log2019 writes rows as the traces of 2019 have them. It has a table of machines and one of usage, too, which are left
// out: machines become records of alloc sets, in which jobs of the production tier run.
type log2019 struct{ *parts }

// events2019 are the numbers of events. SUBMIT is followed by ENABLE.
var events2019 = [...]int64{
	borgSubmit: 0, borgSchedule: 3, borgEvict: 4, borgFail: 5, borgFinish: 6, borgKill: 7, borgLost: 8, borgUpdate: 10,
}

const enable2019 = 2

func (l *log2019) job(at int64, j *borgJob, e borgEvent) {
	l.collection(at, j, events2019[e], 0)
	if e == borgSubmit && at > 0 {
		l.collection(at, j, enable2019, 0)
	}
}

// collection writes an event of a job or, if kind is 1, of an alloc set.
func (l *log2019) collection(at int64, j *borgJob, e, kind int64) {
	if !l.trace.more() {
		return
	}
	o := l.tables[0]
	o.field(`{"time":"`, at)
	o.field(`","type":"`, e)
	o.field(`","collection_id":"`, j.id)
	o.field(`","scheduling_class":"`, j.class)
	o.field(`","collection_type":"`, kind)
	o.field(`","priority":"`, j.priority*40)
	o.field(`","alloc_collection_id":"`, alloc2019(j, kind))
	o.text(`","user":"`)
	o.hash('u', j.user)
	o.text(`","collection_name":"`)
	o.hash('j', j.id)
	o.text(`","collection_logical_name":"`)
	o.hash('n', j.name)
	o.text(`","parent_collection_id":`)
	if j.parent > 0 {
		o.text(strconv.Quote(strconv.FormatInt(j.parent, 10)))
	} else {
		o.text("null")
	}
	o.text(`,"start_after_collection_ids":[`)
	if j.after > 0 {
		o.text(strconv.Quote(strconv.FormatInt(j.after, 10)))
	}
	o.field(`],"max_per_machine":null,"max_per_switch":null,"vertical_scaling":"1","scheduler":"`, 1-j.class/2)
	o.text(`"}`)
	o.endRow()
}

// alloc2019 returns the alloc set in which a job runs, 0 for none: half of the jobs of the production tier.
func alloc2019(j *borgJob, kind int64) int64 {
	if kind == 0 && j.class >= 2 && j.name%2 == 0 {
		return 1 + j.name%5
	}
	return 0
}

func (l *log2019) task(at int64, k *borgTask, e borgEvent) {
	l.instance(at, k, events2019[e])
	if e == borgSubmit && at > 0 {
		l.instance(at, k, enable2019)
	}
}

func (l *log2019) instance(at int64, k *borgTask, e int64) {
	if !l.trace.more() {
		return
	}
	o := l.tables[1]
	o.field(`{"time":"`, at)
	o.field(`","type":"`, e)
	o.field(`","collection_id":"`, k.job.id)
	o.field(`","scheduling_class":"`, k.job.class)
	o.field(`","collection_type":"0","priority":"`, k.job.priority*40)
	o.field(`","alloc_collection_id":"`, alloc2019(k.job, 0))
	o.field(`","instance_index":"`, k.index)
	o.text(`","machine_id":`)
	if k.machine > 0 && e != events2019[borgSubmit] && e != enable2019 {
		o.field(`"`, k.machine)
		o.text(`"`)
	} else {
		o.text("null")
	}
	o.text(`,"resource_request":{"cpus":`)
	o.float(k.cpu)
	o.text(`,"memory":`)
	o.float(k.mem)
	o.text(`},"constraint":[]}`)
	o.endRow()
}

func (l *log2019) usage(int64, int64, *borgTask) {}

func (l *log2019) machine(at, m int64, _ machineEvent) {
	if at == 0 && m <= 5 && l.trace.left() > 1 { // the first five stand for alloc sets; the last row is of a job
		l.collection(0, &borgJob{id: m, name: m, class: 3, priority: 9}, events2019[borgSubmit], 1)
	}
}
