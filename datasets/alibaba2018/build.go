package alibaba2018

import (
	"bytes"
	"cmp"
	"math"
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
	tasks     []taskRow
	names     index[string]  // of stages
	numbers   index[int64]   // in their names; noNumber for names of another form
	parents   []int64        // of all stages
	ends      []int          // where those of a stage end
	statuses  []trace.Status // of stages; StatusUnknown for those known from instances only
	instances map[instanceKey]int32
	counts    []int32 // distinct instances of a stage
	attempts  map[attemptKey]bool
}

// taskRow is a row of batch_task with the number in its name.
type taskRow struct {
	row *gather.Row
	own int64
}

// noNumber is the number of stages without one: behind all others.
const noNumber = math.MaxInt64

type instanceKey struct {
	stage int32
	name  string
}

type attemptKey struct{ stage, task, seqNo int32 }

func newJob() *job {
	return &job{run: &trace.Run{}, instances: map[instanceKey]int32{}, attempts: map[attemptKey]bool{}}
}

// begin makes j the job of that name without any rows.
func (j *job) begin(name string, seq int64, tally *source.Tally) {
	stages, edges, attempts := j.run.Stages[:0], j.run.Edges[:0], j.run.Attempts[:0]
	*j.run = *trace.NewRun(name)
	j.run.Seq, j.run.Stages, j.run.Edges, j.run.Attempts = seq, stages, edges, attempts
	j.tally, j.tasks, j.parents, j.ends, j.statuses, j.counts = tally, j.tasks[:0], j.parents[:0], j.ends[:0], j.statuses[:0], j.counts[:0]
	j.names.reset()
	j.numbers.reset()
	if len(j.instances) > 0 {
		clear(j.instances)
		clear(j.attempts)
	}
}

// build makes a run of the rows of a job. The run, and the text it points to, is valid until the next one.
func (j *job) build(name string, rows []gather.Row, tally *source.Tally) (*trace.Run, []*source.Reject) {
	j.begin(name, rows[0].Number, tally)
	var rejects []*source.Reject
	for i := range rows { // tasks first: instances refer to them
		if rows[i].Tag == tagTask {
			j.tasks = append(j.tasks, taskRow{&rows[i], numberOf(rows[i].Bytes)})
		}
	}
	// In the order of their numbers, which nearly always puts parents before children.
	byNumber := func(a, b taskRow) int { return cmp.Compare(a.own, b.own) }
	if !slices.IsSortedFunc(j.tasks, byNumber) {
		slices.SortStableFunc(j.tasks, byNumber)
	}
	for i := range j.tasks {
		if rej := j.task(j.tasks[i].row); rej != nil {
			rejects = append(rejects, rej)
		}
	}
	if len(j.tasks) < len(rows) {
		for i := range rows {
			if rows[i].Tag == tagInstance {
				if rej := j.instance(&rows[i]); rej != nil {
					rejects = append(rejects, rej)
				}
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

// numberOf returns the number in the name of the task in a row.
func numberOf(row []byte) int64 {
	name, _, _ := bytes.Cut(row, []byte{','})
	if own, _, ok := ownNumber(text(name)); ok {
		return own
	}
	return noNumber
}

// task takes a row of batch_task.
func (j *job) task(row *gather.Row) *source.Reject {
	var f [taskFields][]byte
	fields(row.Bytes, f[:])
	name := text(f[0])
	if name == "" {
		return row.Reject("task_name", ReasonNoTask, "the first field is empty")
	}
	if _, twice := j.names.find(name); twice {
		return row.Reject("task_name", ReasonDuplicate, "%q occurred before in job %s", name, j.run.ID)
	}
	s := j.stage(name)
	status := statuses[text(f[4])]
	rej := j.planned(row, s, &f)
	if rej == nil {
		s.Start, s.End, rej = times(row, f[5], f[6], status, j.tally)
	}
	if rej != nil {
		j.dropStage()
		return rej
	}
	j.statuses[len(j.statuses)-1] = status
	return nil
}

// planned parses what a task was to have.
func (j *job) planned(row *gather.Row, s *trace.Stage, f *[taskFields][]byte) (rej *source.Reject) {
	if s.Tasks, rej = taskCount(row, f[1]); rej != nil {
		return rej
	}
	cpu, rej := maybe(row, "plan_cpu", f[7])
	if rej != nil {
		return rej
	}
	s.Demand[trace.CPU] = cpu / 100
	s.Demand[trace.Mem], rej = maybe(row, "plan_mem", f[8])
	return rej
}

// stage appends a stage of which nothing is known but its name. It is valid until the next one.
func (j *job) stage(name string) *trace.Stage {
	var own int64
	var ok bool
	if own, j.parents, ok = parents(name, j.parents); !ok {
		own = noNumber
	}
	j.names.add(name)
	j.numbers.add(own)
	j.ends = append(j.ends, len(j.parents))
	j.statuses = append(j.statuses, trace.StatusUnknown)
	j.run.Stages = append(j.run.Stages, trace.NewStage())
	s := &j.run.Stages[len(j.run.Stages)-1]
	s.Name = name
	return s
}

// dropStage takes the last stage back.
func (j *job) dropStage() {
	n := len(j.run.Stages) - 1
	j.run.Stages, j.statuses, j.ends = j.run.Stages[:n], j.statuses[:n], j.ends[:n]
	j.parents = j.parents[:j.begins(n)]
	j.names.drop()
	j.numbers.drop()
}

// begins returns where the parents of a stage begin.
func (j *job) begins(stage int) int {
	if stage == 0 {
		return 0
	}
	return j.ends[stage-1]
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
	stage, ok := j.names.find(text(f[1]))
	if !ok {
		j.tally.Repair(RepairNoTaskRow)
		stage = int32(len(j.run.Stages))
		j.stage(text(f[1]))
	}
	for len(j.counts) <= int(stage) {
		j.counts = append(j.counts, 0)
	}
	task, ok := j.instances[instanceKey{stage, text(f[0])}]
	if !ok {
		task = j.counts[stage]
		j.counts[stage]++
		j.instances[instanceKey{stage, text(f[0])}] = task
	}
	k := attemptKey{stage, task, int32(seqNo)}
	if j.attempts[k] {
		return row.Reject("seq_no", ReasonSeqNo, "instance %s attempt %d occurred before", f[0], seqNo)
	}
	j.attempts[k] = true
	a := trace.NewAttempt(stage, task, int32(seqNo))
	a.Status, a.Start, a.End, a.Machine = status, start, end, text(f[7])
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
	for i, own := range j.numbers.keys {
		if own == noNumber {
			continue
		}
		if first, _ := j.numbers.find(own); int(first) != i {
			j.tally.Repair(RepairAmbiguous)
		}
		for _, n := range j.parents[j.begins(i):j.ends[i]] {
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
