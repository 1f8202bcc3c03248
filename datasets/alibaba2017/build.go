package alibaba2017

import (
	"racecard/datasets/groupby"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// job is a run while it is built.
type job struct {
	*reader
	run       *trace.Run
	stages    map[string]int32 // by task_id
	statuses  []trace.Status   // of stages; StatusUnknown for those known from instances only
	rows      []bool           // whether a stage has a row of batch_task
	seen      map[place]int32  // rows of batch_instance so far
	instances map[place]int32  // tasks by stage, total_seq_no and rank; seq_no is the rank
	counts    []int32          // instances of a stage
}

// place locates a row of batch_instance among the rows of its task.
type place struct {
	stage int32
	total int64
	seqNo int64
}

// build makes a run of the rows of a job.
func (r *reader) build(id string, rows []groupby.Row, tally *source.Tally) (*trace.Run, []*source.Reject) {
	r.tally = tally
	j := &job{reader: r, run: trace.NewRun(id), stages: map[string]int32{}}
	j.run.Seq = rows[0].Line
	var rejects []*source.Reject
	for _, tasks := range []bool{true, false} { // tasks first: instances refer to them
		for i := range rows {
			layout := &r.layouts[rows[i].Tag]
			if (layout.Table == &taskTable) != tasks {
				continue
			}
			rej := r.row.Split(&rows[i], rows[i].Bytes, layout)
			if rej == nil && tasks {
				rej = j.task()
			} else if rej == nil {
				rej = j.instance()
			}
			if rej != nil {
				rejects = append(rejects, rej)
			}
		}
	}
	if len(rejects) == len(rows) {
		return nil, rejects
	}
	j.close()
	return j.run, rejects
}

// task takes a row of batch_task.
func (j *job) task() *source.Reject {
	s := trace.NewStage()
	s.Name = j.row.Text(taskID)
	if s.Name == "" {
		return j.row.Reject(taskID, ReasonNoTask, "the field is empty")
	}
	if _, twice := j.stages[s.Name]; twice {
		return j.row.Reject(taskID, source.ReasonDuplicateTask, "%q occurred before in job %s", s.Name, j.run.ID)
	}
	status := statuses[string(j.row.Field(taskStatus))]
	s.Tasks = j.row.Count(taskInstances, 1)
	s.Demand[trace.CPU], s.Demand[trace.Mem] = j.row.Number(taskCPU), j.row.Number(taskMem)
	s.Submit, s.End = j.row.Instant(taskCreate), j.row.Instant(taskEnd)
	if rej := j.row.Rejected(); rej != nil {
		return rej
	}
	s.Demand[trace.CPU] = j.cores(s.Demand[trace.CPU])
	s.Submit, s.End = j.mended(s.Submit, s.End, status)
	j.stage(s, status, true)
	return nil
}

func (j *job) stage(s trace.Stage, status trace.Status, row bool) int32 {
	n := int32(len(j.run.Stages))
	j.stages[s.Name] = n
	j.run.Stages = append(j.run.Stages, s)
	j.statuses = append(j.statuses, status)
	j.rows = append(j.rows, row)
	j.counts = append(j.counts, 0)
	return n
}

// instance takes a row of batch_instance.
func (j *job) instance() *source.Reject {
	name := j.row.Field(instTask)
	if name == nil {
		return j.row.Reject(instTask, ReasonNoTask, "the field is empty")
	}
	status := statuses[string(j.row.Field(instStatus))]
	seqNo, total := j.row.Count(instSeq, 0), j.row.Count(instTotal, 0)
	cpu, mem := j.row.Number(instCPU), j.row.Number(instMem)
	start, end := j.row.Instant(instStart), j.row.Instant(instEnd)
	if rej := j.row.Rejected(); rej != nil {
		return rej
	}
	start, end = j.mended(start, end, status)
	stage, ok := j.stages[string(name)]
	if !ok {
		j.tally.Repair(RepairNoTaskRow)
		s := trace.NewStage()
		s.Name = string(name)
		stage = j.stage(s, trace.StatusUnknown, false)
	}
	a := trace.NewAttempt(stage, j.which(stage, total, seqNo), int32(max(seqNo, 0)))
	a.Status, a.Start, a.End, a.Machine = status, start, end, j.row.Text(instMachine)
	a.Duration = end.Since(start)
	a.Demand[trace.CPU], a.Demand[trace.Mem] = cpu, mem
	j.run.Attempts = append(j.run.Attempts, a)
	return nil
}

// which returns the instance of a task that a row stands for: the n-th row with a total_seq_no and a seq_no is of the
// n-th instance with that total_seq_no.
func (j *job) which(stage int32, total, seqNo int64) int32 {
	if j.seen == nil {
		j.seen, j.instances = map[place]int32{}, map[place]int32{}
	}
	at := place{stage, total, seqNo}
	rank := j.seen[at]
	j.seen[at]++
	if seqNo > 1 {
		j.tally.Repair(RepairRetry)
	}
	at.seqNo = int64(rank)
	task, ok := j.instances[at]
	if !ok {
		task = j.counts[stage]
		j.counts[stage]++
		j.instances[at] = task
	}
	return task
}

// close derives times and statuses of stages and of the run from their parts.
func (j *job) close() {
	run := j.run
	trace.SortAttempts(run.Attempts)
	trace.NumberAttempts(run.Attempts)       // in the order of seq_no
	running := make([]bool, len(run.Stages)) // of stages known from instances only
	for i := range run.Attempts {
		a := &run.Attempts[i]
		s := &run.Stages[a.Stage]
		s.Start = s.Start.Earlier(a.Start)
		if !j.rows[a.Stage] {
			running[a.Stage] = running[a.Stage] || !a.End.Known()
			s.End = max(s.End, a.End) // null is the least
		}
	}
	for i := range run.Stages {
		s := &run.Stages[i]
		if running[i] {
			s.End = trace.None
		}
		if s.Start.Known() && s.End.Known() && s.End < s.Start {
			j.tally.Repair(RepairEnd)
			s.End = trace.None
		}
	}
	j.summarise()
}

// summarise derives what the run says from its stages.
func (j *job) summarise() {
	run := j.run
	var met trace.Statuses
	ends := true
	for i := range run.Stages {
		s := &run.Stages[i]
		met = met.With(j.statuses[i])
		run.Submit = run.Submit.Earlier(s.Submit)
		run.Start = run.Start.Earlier(s.Start)
		run.End = max(run.End, s.End)
		ends = ends && s.End.Known()
	}
	if !ends || run.End < max(run.Submit, run.Start) {
		run.End = trace.None
	}
	run.Status = met.First(trace.Failed, trace.Killed, trace.Running, trace.StatusUnknown, trace.Succeeded)
}
