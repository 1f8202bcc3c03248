package spark

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"racecard/datasets/trace"
)

// stage is a stage id with all its attempts.
type stage struct {
	id         int32
	submitted  bool // an attempt of it, or a task, is logged; else it was only listed by a job
	name       string
	about      string // description of the first job that lists it
	plan       string
	tasks      int64 // of its largest attempt, None when not logged
	listed     int64 // tasks as a job listed them, for stages whose own events are lost
	rdd        int64 // None when not logged
	parents    []int32
	hasParents bool
	submit     trace.Instant
	start      trace.Instant
	end        trace.Instant
	last       int32 // number of its last attempt
	row        int32 // in the run, once built
}

// stageAttempt is one attempt of a stage.
type stageAttempt struct {
	submit   trace.Instant
	end      trace.Instant
	complete bool // StageCompleted was logged
	failed   bool
	tasks    int64
}

func (a *app) stage(id int32) *stage {
	st := a.stages[id]
	if st == nil {
		st = &stage{id: id, tasks: trace.None, listed: trace.None, rdd: trace.None, submit: trace.None,
			start: trace.None, end: trace.None}
		a.stages[id] = st
	}
	return st
}

func (a *app) stageAttempt(key stageKey) *stageAttempt {
	at := a.attempts[key]
	if at == nil {
		at = &stageAttempt{submit: trace.None, end: trace.None, tasks: trace.None}
		a.attempts[key] = at
		st := a.stage(key.id)
		st.submitted = true
		st.last = max(st.last, key.attempt)
	}
	return at
}

// learn takes what an event tells of a stage, whichever attempt it is about.
func (st *stage) learn(info *stageInfo) {
	if st.name == "" {
		st.name = info.name
	}
	if st.plan == "" {
		st.plan = info.plan
	}
	if info.hasParents && !st.hasParents {
		st.hasParents, st.parents = true, info.parents
	}
	st.listed = max(st.listed, info.tasks)
	st.rdd = max(st.rdd, info.rdd)
}

func (a *app) addStage(info *stageInfo, completed bool) {
	st, at := a.stage(info.id), a.stageAttempt(info.stageKey)
	st.learn(info)
	st.tasks = max(st.tasks, info.tasks)
	at.tasks = max(at.tasks, info.tasks)
	at.submit = at.submit.Earlier(info.submitted)
	a.worked(at.submit)
	if completed {
		at.complete = true
		at.failed = info.failed
		at.end = info.completed
	}
}

// submittedStages returns the stages of the run in the order of their ids, which number the rows before they are
// sorted.
func (a *app) submittedStages() []*stage {
	var list []*stage
	for _, id := range slices.Sorted(maps.Keys(a.stages)) {
		if st := a.stages[id]; st.submitted {
			st.row = int32(len(list))
			list = append(list, st)
		}
	}
	return list
}

// buildStages fills the stages of the run: submissions and ends come from the attempts of a stage, starts from its
// tasks.
func (a *app) buildStages(run *trace.Run, list []*stage) {
	for i := range a.tasks {
		st := a.stages[a.tasks[i].stage.id]
		st.start = st.start.Earlier(a.tasks[i].start)
	}
	for key, at := range a.attempts {
		st := a.stages[key.id]
		if at.submit.Known() && at.end.Known() && at.end < at.submit {
			at.end = trace.None
			a.findings.reverse(RepairStageEnd)
		}
		st.submit = st.submit.Earlier(at.submit)
		st.end = max(st.end, at.end)
	}
	cpus := a.props.taskCPUs()
	for _, st := range list {
		if last := a.attempts[stageKey{st.id, st.last}]; !last.end.Known() {
			st.end = trace.None
		}
		if st.submit.Known() && st.start.Known() && st.start < st.submit {
			st.submit = trace.None
			a.findings.reverse(RepairStageSubmit)
		}
		if st.start.Known() && st.end.Known() && st.end < st.start {
			st.end = trace.None
			a.findings.reverse(RepairStageEnd)
		}
		row := trace.NewStage()
		row.Name, row.Submit, row.Start, row.End = st.name, st.submit, st.start, st.end
		row.Description, row.Plan = describe(st.about), st.plan
		row.Tasks = st.taskCount()
		if row.Tasks != trace.None && row.Tasks < 1 {
			row.Tasks = trace.None
			a.findings.repairs[RepairTaskCount]++
		}
		if a.props != nil {
			row.Demand[trace.CPU] = float64(cpus)
		}
		run.Stages = append(run.Stages, row)
	}
}

func (st *stage) taskCount() int64 {
	if st.tasks == trace.None {
		return st.listed
	}
	return st.tasks
}

// microBatch matches the description that structured streaming gives to the jobs of a batch: the name of the query, two
// ids that differ from run to run, and the number of the batch (StreamExecution.getBatchDescriptionString).
var microBatch = regexp.MustCompile(
	`^((?s:.*?))(?:\n|<br/>)?id = [-0-9a-f]+(?:\n|<br/>)runId = [-0-9a-f]+(?:\n|<br/>)batch = (\w+)$`)

// describe returns a job's description on one line: of a batch of a stream, the query's name and the batch's number.
func describe(about string) string {
	about = strings.ToValidUTF8(about, "\ufffd")
	if m := microBatch.FindStringSubmatch(about); m != nil {
		about = strings.TrimPrefix(m[1]+", batch "+m[2], ", ")
	}
	return strings.Join(strings.Fields(about), " ")
}
