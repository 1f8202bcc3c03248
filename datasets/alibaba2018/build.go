package alibaba2018

import (
	"slices"
	"strconv"

	"racecard/datasets/gather"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// job is a run while it is built. It is used for one run after the other, so that its memory is.
type job struct {
	run       *trace.Run
	tally     *source.Tally
	stages    map[string]int32 // by task name
	statuses  []trace.Status   // of stages; StatusUnknown for those known from instances only
	instances map[instanceKey]int32
	counts    []int32 // distinct instances of a stage
	attempts  map[attemptKey]bool
	numbers   map[int64]int32 // stages by the number in their name
	parents   []int64
}

type instanceKey struct {
	stage int32
	name  string
}

type attemptKey struct{ stage, task, seqNo int32 }

func newJob() *job {
	return &job{
		run: &trace.Run{}, stages: map[string]int32{}, instances: map[instanceKey]int32{}, attempts: map[attemptKey]bool{},
		numbers: map[int64]int32{},
	}
}

// begin makes j the job of that name without any rows.
func (j *job) begin(name string, seq int64, tally *source.Tally) {
	stages, edges, attempts := j.run.Stages[:0], j.run.Edges[:0], j.run.Attempts[:0]
	*j.run = *trace.NewRun(name)
	j.run.Seq, j.run.Stages, j.run.Edges, j.run.Attempts = seq, stages, edges, attempts
	j.tally, j.statuses, j.counts = tally, j.statuses[:0], j.counts[:0]
	clear(j.stages)
	clear(j.instances)
	clear(j.attempts)
	clear(j.numbers)
}

// build makes a run of the rows of a job. The run is valid until the next one.
func (j *job) build(name string, rows []gather.Row, tally *source.Tally) (*trace.Run, []*source.Reject) {
	j.begin(name, rows[0].Number, tally)
	var rejects []*source.Reject
	for _, tag := range []uint8{tagTask, tagInstance} { // tasks first: instances refer to them
		for i := range rows {
			if rows[i].Tag != tag {
				continue
			}
			var rej *source.Reject
			if tag == tagTask {
				rej = j.task(&rows[i])
			} else {
				rej = j.instance(&rows[i])
			}
			if rej != nil {
				rejects = append(rejects, rej)
			}
		}
	}
	if len(rejects) == len(rows) {
		return nil, rejects
	}
	j.edges()
	j.number()
	j.close()
	return j.run, rejects
}

// task takes a row of batch_task.
func (j *job) task(row *gather.Row) *source.Reject {
	var f [taskFields][]byte
	fields(row.Bytes, f[:])
	name := string(f[0])
	if name == "" {
		return row.Reject("task_name", ReasonNoTask, "the first field is empty")
	}
	if _, twice := j.stages[name]; twice {
		return row.Reject("task_name", ReasonDuplicate, "%q occurred before in job %s", name, j.run.ID)
	}
	s := trace.NewStage()
	s.Name = name
	status := statuses[string(f[4])]
	var rej *source.Reject
	if s.Tasks, rej = taskCount(row, f[1]); rej != nil {
		return rej
	}
	cpu, rej := maybe(row, "plan_cpu", f[7])
	if rej != nil {
		return rej
	}
	if s.Demand[trace.Mem], rej = maybe(row, "plan_mem", f[8]); rej != nil {
		return rej
	}
	s.Demand[trace.CPU] = cpu / 100
	if s.Start, s.End, rej = times(row, f[5], f[6], status, j.tally); rej != nil {
		return rej
	}
	j.stage(name, s, status)
	return nil
}

func (j *job) stage(name string, s trace.Stage, status trace.Status) int32 {
	n := int32(len(j.run.Stages))
	j.stages[name] = n
	j.run.Stages = append(j.run.Stages, s)
	j.statuses = append(j.statuses, status)
	return n
}

// instance takes a row of batch_instance.
func (j *job) instance(row *gather.Row) *source.Reject {
	var f [instanceFields][]byte
	fields(row.Bytes, f[:])
	if len(f[1]) == 0 {
		return row.Reject("task_name", ReasonNoTask, "the second field is empty")
	}
	status := statuses[string(f[4])]
	seqNo, err := strconv.ParseInt(text(f[8]), 10, 32)
	if err != nil || seqNo < 0 {
		return row.Reject("seq_no", ReasonBadNumber, "%.40q, want a whole number", f[8])
	}
	cpu, rej := maybe(row, "cpu_avg", f[10])
	if rej != nil {
		return rej
	}
	mem, rej := maybe(row, "mem_avg", f[12])
	if rej != nil {
		return rej
	}
	start, end, rej := times(row, f[5], f[6], status, j.tally)
	if rej != nil {
		return rej
	}
	stage, ok := j.stages[text(f[1])]
	if !ok {
		j.tally.Repair(RepairNoTaskRow)
		s := trace.NewStage()
		s.Name = string(f[1])
		stage = j.stage(s.Name, s, trace.StatusUnknown)
	}
	for len(j.counts) <= int(stage) {
		j.counts = append(j.counts, 0)
	}
	task, ok := j.instances[instanceKey{stage, text(f[0])}]
	if !ok {
		task = j.counts[stage]
		j.counts[stage]++
		j.instances[instanceKey{stage, string(f[0])}] = task
	}
	k := attemptKey{stage, task, int32(seqNo)}
	if j.attempts[k] {
		return row.Reject("seq_no", ReasonSeqNo, "instance %s attempt %d occurred before", f[0], seqNo)
	}
	j.attempts[k] = true
	a := trace.NewAttempt(stage, task, int32(seqNo))
	a.Status, a.Start, a.End, a.Machine = status, start, end, string(f[7])
	a.Duration = end.Since(start)
	a.Demand[trace.CPU], a.Demand[trace.Mem] = cpu/100, mem
	j.run.Attempts = append(j.run.Attempts, a)
	return nil
}

// number makes the attempts of a task count from 0, in the order of seq_no.
func (j *job) number() {
	trace.SortAttempts(j.run.Attempts)
	for i := range j.run.Attempts {
		a := &j.run.Attempts[i]
		a.Attempt = 0
		if i > 0 {
			if b := &j.run.Attempts[i-1]; b.Stage == a.Stage && b.Task == a.Task {
				a.Attempt = b.Attempt + 1
			}
		}
	}
}

// edges finds the parents in the names of stages, drops those that lead nowhere or in a circle, and sorts the stages.
func (j *job) edges() {
	for i := range j.run.Stages {
		if own, _, ok := parents(j.run.Stages[i].Name, j.parents[:0]); ok {
			if _, twice := j.numbers[own]; twice {
				j.tally.Repair(RepairAmbiguous)
				continue
			}
			j.numbers[own] = int32(i)
		}
	}
	for i := range j.run.Stages {
		_, j.parents, _ = parents(j.run.Stages[i].Name, j.parents[:0])
		for _, n := range j.parents {
			parent, ok := j.numbers[n]
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
	open, failed, killed, unknown := false, false, false, false
	for _, s := range j.statuses {
		open = open || s == trace.Running
		failed = failed || s == trace.Failed
		killed = killed || s == trace.Killed
		unknown = unknown || s == trace.StatusUnknown
	}
	ends := !open
	for i := range run.Stages {
		s := &run.Stages[i]
		if s.Start.Known() && (!run.Start.Known() || s.Start < run.Start) {
			run.Start = s.Start
		}
		ends = ends && s.End.Known()
		run.End = max(run.End, s.End) // null is the least
	}
	if !ends || run.Start.Known() && run.End < run.Start {
		run.End = trace.None
	}
	switch {
	case failed:
		run.Status = trace.Failed
	case killed:
		run.Status = trace.Killed
	case open:
		run.Status = trace.Running
	case !unknown:
		run.Status = trace.Succeeded
	}
}
