package alibaba2018

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// job is a run while it is built. It is used for one run after the other, so that its memory is.
type job struct {
	run       *trace.Run
	blank     trace.Stage // of which nothing is known
	tally     *source.Tally
	tasks     []taskRow
	order     []place        // of tasks
	names     index[string]  // of stages
	numbers   index[int64]   // in their names; noNumber for names of another form
	parents   []int64        // of all stages
	spans     []span         // where those of a stage are
	statuses  []trace.Status // of stages
	instances map[instanceKey]int32
	counts    []int32 // distinct instances of a stage
	attempts  map[attemptKey]bool
}

// taskRow is a row of batch_task together with the numbers in its name.
type taskRow struct {
	row  *groupby.Row
	rest packed // after the name, of a row that is packed
	named
}

// place says where the task of a number is.
type place struct {
	own int64
	at  int
}

// named is a name of a task.
type named struct {
	name    string
	own     int64 // noNumber for names of another form
	parents span
}

// span locates the parents of a task among the parents of the job.
type span struct{ from, to int32 }

// noNumber is the number of stages without one: behind all others.
const noNumber = math.MaxInt64

func newJob() *job {
	return &job{run: &trace.Run{}, blank: trace.NewStage(), instances: map[instanceKey]int32{},
		attempts: map[attemptKey]bool{}}
}

// begin makes j the job of that name without any rows.
func (j *job) begin(name string, seq int64, tally *source.Tally) {
	stages, edges, attempts := j.run.Stages[:0], j.run.Edges[:0], j.run.Attempts[:0]
	*j.run = *trace.NewRun(name)
	j.run.Seq, j.run.Stages, j.run.Edges, j.run.Attempts = seq, stages, edges, attempts
	j.tally, j.tasks, j.parents, j.spans, j.statuses, j.counts = tally, j.tasks[:0], j.parents[:0], j.spans[:0],
		j.statuses[:0], j.counts[:0]
	j.names.reset()
	j.numbers.reset()
	if len(j.instances) > 0 {
		clear(j.instances)
		clear(j.attempts)
	}
}

// build makes a run of the rows of a job. The run, and the text it points to, is valid until the next one.
func (j *job) build(name string, rows []groupby.Row, tally *source.Tally) (*trace.Run, []*source.Reject) {
	j.begin(name, rows[0].Line, tally)
	var rejects []*source.Reject
	for i := range rows { // tasks first: instances refer to them
		var name []byte
		var rest packed
		switch rows[i].Tag {
		case tagTask:
			name, _, _ = bytes.Cut(rows[i].Bytes, []byte{','})
			if quoted(rows[i].Bytes) {
				name = csvtable.Clean(name)
			}
		case tagPackedTask:
			rest = packed(rows[i].Bytes)
			name = rest.text()
		default:
			continue
		}
		j.tasks = append(j.tasks, taskRow{})
		t := &j.tasks[len(j.tasks)-1]
		t.row, t.rest = &rows[i], rest
		j.name(&t.named, text(name))
	}
	j.sort()
	for i := range j.order {
		if rej := j.task(&j.tasks[j.order[i].at]); rej != nil {
			rejects = append(rejects, rej)
		}
	}
	if len(j.tasks) < len(rows) {
		known := int32(len(j.run.Stages)) // from rows of batch_task
		for i := range rows {
			if !isTask(rows[i].Tag) {
				if rej := j.instance(&rows[i]); rej != nil {
					rejects = append(rejects, rej)
				}
			}
		}
		j.sum(known)
	}
	if len(rejects) == len(rows) {
		return nil, rejects
	}
	j.edges()
	trace.SortAttempts(j.run.Attempts)
	trace.NumberAttempts(j.run.Attempts) // in the order of seq_no
	j.close()
	return j.run, rejects
}

// sort orders tasks by their numbers, which nearly always puts parents before children.
func (j *job) sort() {
	j.order = j.order[:0]
	for i := range j.tasks {
		j.order = append(j.order, place{j.tasks[i].own, i})
	}
	if len(j.order) <= few {
		insertionSort(j.order)
		return
	}
	slices.SortFunc(j.order, func(a, b place) int {
		if a.own != b.own {
			return cmp.Compare(a.own, b.own)
		}
		return cmp.Compare(a.at, b.at)
	})
}

// insertionSort orders a few tasks by their numbers. Equal ones stay in their order.
func insertionSort(order []place) {
	for i := range order {
		p, k := order[i], i
		for ; k > 0 && order[k-1].own > p.own; k-- {
			order[k] = order[k-1]
		}
		order[k] = p
	}
}

// name reads the name of a task.
func (j *job) name(n *named, name string) {
	n.name, n.own = name, noNumber
	n.parents.from = int32(len(j.parents))
	if own, of, ok := parents(name, j.parents); ok {
		n.own, j.parents = own, of
	}
	n.parents.to = int32(len(j.parents))
}

// planned is a row of batch_task without its names.
type planned struct {
	instances, start, end, cpu, mem packedDecimal
	status                          trace.Status
}

// plan reads a row.
func (t *taskRow) plan() (p planned) {
	if t.row.Tag == tagPackedTask {
		r := t.rest
		p.instances = r.decimal()
		r.decimal() // the type
		p.status = statuses[r.status()].is
		p.start, p.end = r.times()
		p.cpu, p.mem = r.decimal(), r.decimal()
		return p
	}
	var f [taskFields][]byte
	fields(t.row.Bytes, f[:])
	p.instances, p.start, p.end = decimalOf(f[fieldInstances]), decimalOf(f[fieldStart]), decimalOf(f[fieldEnd])
	p.cpu, p.mem = decimalOf(f[fieldCPU]), decimalOf(f[fieldMem])
	if i, ok := statusOf(f[4]); ok {
		p.status = statuses[i].is
	}
	return p
}

// task takes a row of batch_task.
func (j *job) task(t *taskRow) *source.Reject {
	row := t.row
	if t.name == "" {
		return row.Reject("task_name", source.ReasonNoTask, "the first field is empty")
	}
	if j.has(&t.named) {
		return row.Reject("task_name", source.ReasonDuplicateTask, "%q occurred before in job %s", t.name, j.run.ID)
	}
	s, p := j.stage(&t.named), t.plan()
	rej := p.resources(row, s)
	if rej == nil {
		s.Start, s.End, rej = times(row, p.start, p.end, p.status, j.tally)
	}
	if rej != nil {
		j.dropStage()
		return rej
	}
	j.statuses[len(j.statuses)-1] = p.status
	return nil
}

// has reports whether a stage has the name of the next task. Tasks come in the order of their numbers: of a few stages
// only the last ones have its number, and other names than those.
func (j *job) has(n *named) bool {
	if len(j.numbers.keys) > few || n.own == noNumber {
		_, ok := j.names.find(n.name)
		return ok
	}
	for i := len(j.numbers.keys) - 1; i >= 0 && j.numbers.keys[i] == n.own; i-- {
		if j.names.keys[i] == n.name {
			return true
		}
	}
	return false
}

// resources sets what a task was to have.
func (p *planned) resources(row *groupby.Row, s *trace.Stage) (rej *source.Reject) {
	if s.Tasks, rej = taskCount(row, p.instances); rej != nil {
		return rej
	}
	cpu, rej := maybe(row, "plan_cpu", fieldCPU, p.cpu)
	if rej != nil {
		return rej
	}
	s.Demand[trace.CPU] = cpu / 100
	s.Demand[trace.Mem], rej = maybe(row, "plan_mem", fieldMem, p.mem)
	return rej
}

// stage appends a stage with only a name. It is valid until the next call.
func (j *job) stage(n *named) *trace.Stage {
	j.names.add(n.name)
	j.numbers.add(n.own)
	j.spans = append(j.spans, n.parents)
	j.statuses = append(j.statuses, trace.StatusUnknown)
	j.run.Stages = append(j.run.Stages, j.blank)
	s := &j.run.Stages[len(j.run.Stages)-1]
	s.Name = n.name
	return s
}

// dropStage takes the last stage back.
func (j *job) dropStage() {
	n := len(j.run.Stages) - 1
	j.run.Stages, j.statuses, j.spans = j.run.Stages[:n], j.statuses[:n], j.spans[:n]
	j.names.drop()
	j.numbers.drop()
}

// edges finds the parents in the names of stages, drops those that lead nowhere or in a circle, and sorts the stages.
func (j *job) edges() {
	for i, own := range j.numbers.keys {
		if own == noNumber {
			continue
		}
		if first, _ := j.numbers.find(own); int(first) != i {
			j.tally.Repair(RepairAmbiguous)
		}
		for _, n := range j.parents[j.spans[i].from:j.spans[i].to] {
			parent, ok := j.numbers.find(n)
			if !ok {
				j.tally.Repair(RepairUnknownParent)
				continue
			}
			j.run.Edges = append(j.run.Edges, trace.Edge{Parent: parent, Child: int32(i)})
		}
	}
	for {
		stage, ok := j.run.SortStages()
		if ok {
			return
		}
		// The edges into one stage of the cycle go, until there is none.
		j.run.Edges = slices.DeleteFunc(j.run.Edges, func(e trace.Edge) bool {
			if e.Child == stage {
				j.tally.Repair(RepairCycle)
			}
			return e.Child == stage
		})
	}
}

// close derives what the run as a whole says from its stages.
func (j *job) close() {
	run := j.run
	var met trace.Statuses
	for _, s := range j.statuses {
		met = met.With(s)
	}
	ends := !met.Has(trace.Running)
	for i := range run.Stages {
		s := &run.Stages[i]
		run.Start = run.Start.Earlier(s.Start)
		ends = ends && s.End.Known()
		run.End = max(run.End, s.End) // null is the least
	}
	if !ends || run.Start.Known() && run.End < run.Start {
		run.End = trace.None
	}
	run.Status = met.First(trace.Failed, trace.Killed, trace.Running, trace.StatusUnknown, trace.Succeeded)
}
