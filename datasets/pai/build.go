package pai

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

// builder makes runs of rows. Several may be at work at the same time.
type builder struct {
	cells
	layouts csvtable.Layouts // by the tags of rows
	groups  *groups
	ending  *ending
	tally   *source.Tally
}

// job is a run of 2020 while it is built.
type job struct {
	*builder
	run       *trace.Run
	listed    bool             // whether it has a row of its own
	instID    []byte           // joins the group tags
	stages    map[string]int32 // by task_name
	statuses  []trace.Status   // of stages; StatusUnknown for those known from instances only
	tasks     []bool           // whether a stage has a row of the task table
	instances map[within]int32 // number of the task, by inst_name
	workers   map[within]bool
	rows      map[string]bool // of the instance table
	counts    []int32         // instances of a stage
}

// within is a name in a stage.
type within struct {
	stage int32
	name  string
}

// build makes a run of the rows of a job, or of a row that is a run by itself. It also takes the rows under other keys.
func (b *builder) build(name string, rows []groupby.Row, tally *source.Tally) (*trace.Run, []*source.Reject) {
	b.tally = tally
	switch {
	case name == machinesKey:
		b.machines(rows)
		return nil, nil
	case runless(name):
		b.tags(rows)
		return nil, nil
	}
	run, rejects := b.job(name, rows)
	for i := range rows {
		table := b.layouts[rows[i].Tag].Table
		if table != podTable && table != dlrmTable {
			continue
		}
		if run != nil {
			rejects = append(rejects, rows[i].Reject("id", source.ReasonDuplicateID, "%q occurred before", name))
			continue
		}
		alone := b.alone(&rows[i])
		if err := alone.Validate(); err != nil {
			rejects = append(rejects, rows[i].Reject("", source.ReasonInconsistent, "%v", err))
			continue
		}
		if run = alone; b.mended {
			tally.Repair(RepairEnd)
		}
		if table == podTable && b.ending.cut(run) {
			tally.Repair(RepairCut)
		}
	}
	return run, rejects
}

// split makes the current row of one that was split before without a fault.
func (b *builder) split(row *groupby.Row) *csvtable.Table {
	layout := &b.layouts[row.Tag]
	_ = b.row.Split(row, row.Bytes, layout)
	return layout.Table
}

// alone makes a run of a row that was parsed before without a fault.
func (b *builder) alone(row *groupby.Row) *trace.Run {
	parse := b.pod
	if b.split(row) == dlrmTable {
		parse = b.dlrm
	}
	run := parse()
	run.Seq = row.Line
	return run
}

// machines adds machines to the cluster, each once.
func (b *builder) machines(rows []groupby.Row) {
	listed := map[string]bool{}
	for i := range rows {
		parse := b.machine
		if b.split(&rows[i]) == nodeTable {
			parse = b.node
		}
		m := parse()
		if listed[m.Name] {
			b.ignore(IgnoredMachine)
			continue
		}
		listed[m.Name] = true
		b.tally.Machines = append(b.tally.Machines, m)
	}
}

// tags takes the group tags of an inst_id. The first one counts.
func (b *builder) tags(rows []groupby.Row) {
	var first []byte
	for i := range rows {
		b.split(&rows[i])
		switch tag := b.row.Field(groupTag); {
		case i == 0:
			first = tag
		case !bytes.Equal(tag, first):
			file, line := rows[i].Place()
			b.tally.Warn(WarnGroups, "%s:%d: inst_id %s has another group already", file, line, b.row.Field(groupInstID))
		}
		b.ignore(IgnoredGroupTag)
	}
}

// ignore counts a row that will count as used as ignored.
func (b *builder) ignore(kind string) {
	b.tally.Used--
	b.tally.Ignored[kind]++
}

// job makes a run of the rows of a job, nil without any row for it.
func (b *builder) job(name string, rows []groupby.Row) (*trace.Run, []*source.Reject) {
	j := &job{builder: b, run: trace.NewRun(name), stages: map[string]int32{}}
	j.run.Seq = rows[0].Line
	var rejects []*source.Reject
	taken := 0
	for _, table := range []*csvtable.Table{jobTable, taskTable, instanceTable} { // instances refer to tasks
		for i := range rows {
			layout := &b.layouts[rows[i].Tag]
			if layout.Table != table {
				continue
			}
			rej := b.row.Split(&rows[i], rows[i].Bytes, layout)
			if rej == nil {
				switch table {
				case jobTable:
					rej = j.job()
				case taskTable:
					rej = j.task()
				default:
					rej = j.instance(rows[i].Bytes)
				}
			}
			if rej != nil {
				rejects = append(rejects, rej)
				continue
			}
			taken++
		}
	}
	if taken == 0 {
		return nil, rejects
	}
	j.number()
	j.close()
	return j.run, rejects
}

// times parses start and end in two columns of the current row, and mends them.
func (j *job) times(start, end int) (s, e trace.Instant, rej *source.Reject) {
	s, e = j.row.Instant(start), j.row.Instant(end)
	if rej := j.row.Rejected(); rej != nil {
		return s, e, rej
	}
	for _, t := range []*trace.Instant{&s, &e} {
		if *t == 0 {
			j.tally.Repair(RepairZero)
			*t = trace.None
		}
	}
	if s.Known() && e.Known() && e < s {
		j.tally.Repair(RepairEnd)
		e = trace.None
	}
	return s, e, nil
}

// job takes a row of pai_job_table.
func (j *job) job() *source.Reject {
	if j.listed {
		return j.row.Reject(jobName, ReasonDuplicate, "job %s has a row already", j.run.ID)
	}
	submit, end, rej := j.times(jobStart, jobEnd)
	if rej != nil {
		return rej
	}
	j.listed, j.instID = true, j.row.Field(jobInstID)
	j.run.Submit, j.run.End = submit, end
	j.run.User, j.run.Status = j.row.Text(jobUser), statuses[string(j.row.Field(jobStatus))]
	return nil
}

// task takes a row of pai_task_table.
func (j *job) task() *source.Reject {
	row := &j.row
	s := trace.NewStage()
	s.Name = row.Text(taskName)
	if s.Name == "" {
		return row.Reject(taskName, source.ReasonNoTask, "the field is empty")
	}
	if _, twice := j.stages[s.Name]; twice {
		return row.Reject(taskName, ReasonDuplicate, "%q occurred before in job %s", s.Name, j.run.ID)
	}
	s.Tasks = row.Count(taskInstances, 1)
	s.Demand = j.demand(quantity{taskCPU, 1, hundred}, quantity{taskMem, gib, 1}, quantity{taskGPU, 1, hundred})
	var rej *source.Reject
	if s.Start, s.End, rej = j.times(taskStart, taskEnd); rej != nil {
		return rej
	}
	j.stage(s, statuses[string(row.Field(taskStatus))], true)
	return nil
}

func (j *job) stage(s trace.Stage, status trace.Status, row bool) int32 {
	n := int32(len(j.run.Stages))
	j.stages[s.Name] = n
	j.run.Stages = append(j.run.Stages, s)
	j.statuses = append(j.statuses, status)
	j.tasks = append(j.tasks, row)
	j.counts = append(j.counts, 0)
	return n
}

// instance takes a row of pai_instance_table.
func (j *job) instance(line []byte) *source.Reject {
	row := &j.row
	name := row.Field(instTask)
	if name == nil {
		return row.Reject(instTask, source.ReasonNoTask, "the field is empty")
	}
	if j.rows == nil {
		j.rows, j.instances, j.workers = map[string]bool{}, map[within]int32{}, map[within]bool{}
	}
	if j.rows[string(line)] {
		return row.Reject(instName, ReasonDuplicate, "the row occurred before in job %s", j.run.ID)
	}
	start, end, rej := j.times(instStart, instEnd)
	if rej != nil {
		return rej
	}
	j.rows[string(line)] = true
	if j.instID == nil {
		j.instID = row.Field(instID)
	}
	stage, ok := j.stages[string(name)]
	if !ok {
		j.tally.Repair(RepairNoTaskRow)
		s := trace.NewStage()
		s.Name = string(name)
		stage = j.stage(s, trace.StatusUnknown, false)
	}
	a := trace.NewAttempt(stage, j.which(stage), int32(len(j.run.Attempts)))
	a.Status, a.Start, a.End, a.Machine = statuses[string(row.Field(instStatus))], start, end, row.Text(instMachine)
	a.Duration = end.Since(start)
	j.run.Attempts = append(j.run.Attempts, a)
	return nil
}

// which returns the task of a stage that the current row of the instance table is of.
func (j *job) which(stage int32) int32 {
	row := &j.row
	worker := within{stage, row.Text(instWorker)}
	if worker.name != "" {
		if j.workers[worker] {
			j.tally.Repair(RepairWorker)
		}
		j.workers[worker] = true
	}
	instance := within{stage, row.Text(instName)}
	if instance.name == "" {
		j.tally.Repair(RepairNoName)
	} else if task, ok := j.instances[instance]; ok {
		return task
	}
	task := j.counts[stage]
	j.counts[stage]++
	if instance.name != "" {
		j.instances[instance] = task
	}
	return task
}

// number makes the attempts of a task count from 0, in the order of their start; those without one come last.
func (j *job) number() {
	attempts := j.run.Attempts
	order := func(a, b trace.Attempt) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Task, b.Task), cmp.Compare(nullLast(a.Start),
			nullLast(b.Start)), cmp.Compare(a.Attempt, b.Attempt))
	}
	slices.SortFunc(attempts, order)
	trace.NumberAttempts(attempts)
}

// nullLast makes null the greatest.
func nullLast(t trace.Instant) trace.Instant {
	if !t.Known() {
		return math.MaxInt64
	}
	return t
}

// close derives times and statuses of stages and of the run from their parts.
func (j *job) close() {
	run := j.run
	running := make([]bool, len(run.Stages)) // of stages known from instances only
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if s := &run.Stages[a.Stage]; !j.tasks[a.Stage] {
			s.Start = s.Start.Earlier(a.Start)
			running[a.Stage] = running[a.Stage] || !a.End.Known()
			s.End = max(s.End, a.End) // null is the least
		}
	}
	end, ended := trace.Instant(trace.None), true
	var met trace.Statuses
	for i := range run.Stages {
		s := &run.Stages[i]
		if running[i] {
			s.End = trace.None
		}
		run.Start, end, ended = run.Start.Earlier(s.Start), max(end, s.End), ended && s.End.Known()
		met = met.With(j.statuses[i])
	}
	if !j.listed {
		j.tally.Repair(RepairNoJobRow)
		run.Status = met.First(trace.Failed, trace.Killed, trace.Running, trace.StatusUnknown, trace.Succeeded)
		if ended {
			run.End = end
		}
	}
	if run.End.Known() && run.End < max(run.Submit, run.Start) {
		j.tally.Repair(RepairEnd)
		run.End = trace.None
	}
	run.Name = j.groups.of(j.instID)
}
