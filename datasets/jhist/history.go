package jhist

import (
	"math"

	"racecard/datasets/source"

	"racecard/datasets/mapreduce"
	"racecard/datasets/trace"
)

// history is the job of one log, up to the event read last.
type history struct {
	job      *mapreduce.Job // nil until an event names it
	events   int64          // that were used
	ended    bool
	index    map[attemptKey]int // into job.Attempts
	tasks    map[taskKey]trace.Instant
	repeated int64 // attempts that start twice
}

type taskKey struct {
	kind mapreduce.Kind
	task int64
}

type attemptKey struct {
	taskKey
	number int32
}

func newHistory() *history {
	return &history{index: map[attemptKey]int{}, tasks: map[taskKey]trace.Instant{}}
}

// isUsed reports whether events of a class go into the tables.
func isUsed(class string) bool {
	switch class {
	case "JobSubmitted", "JobInited", "JobInfoChange", "JobQueueChange", "JobFinished", "JobUnsuccessfulCompletion",
		"TaskStarted", "TaskFinished", "TaskFailed", "TaskAttemptStarted", "MapAttemptFinished",
		"ReduceAttemptFinished", "TaskAttemptFinished", "TaskAttemptUnsuccessfulCompletion":
		return true
	}
	return false
}

// isAside reports whether a type of task is neither a map nor a reduce, which run the user's code.
func isAside(taskType string) bool {
	switch taskType {
	case "JOB_SETUP", "JOB_CLEANUP", "TASK_CLEANUP", "SETUP", "CLEANUP":
		return true
	}
	return false
}

// take takes in an event of a class that is used.
func (h *history) take(class string, e *event) *source.Fault {
	switch {
	case e.AttemptID != "":
		id, ok := mapreduce.ParseAttemptID(e.AttemptID)
		if !ok {
			return source.NewFault("attemptId", source.ReasonBadField, "%.80q is no id of an attempt", e.AttemptID)
		}
		if bad := h.belongs(id.Job); bad != nil {
			return bad
		}
		return h.attempt(class, id, e)
	case e.TaskID != "":
		id, ok := mapreduce.ParseTaskID(e.TaskID)
		if !ok {
			return source.NewFault("taskid", source.ReasonBadField, "%.80q is no id of a task", e.TaskID)
		}
		if bad := h.belongs(id.Job); bad != nil {
			return bad
		}
		h.task(class, id, e)
		return nil
	case e.JobID == "":
		return source.NewFault("jobid", source.ReasonMissing, "the event names no job, task or attempt")
	}
	if bad := h.belongs(e.JobID); bad != nil {
		return bad
	}
	return h.jobEvent(class, e)
}

// belongs takes the first id as the id of the log, and refuses others.
func (h *history) belongs(id string) *source.Fault {
	if h.job == nil {
		h.job = mapreduce.NewJob(id)
	}
	if h.job.ID != id {
		return source.NewFault("jobid", ReasonOtherJob, "%.80q, but the log is that of %q", id, h.job.ID)
	}
	return nil
}

// jobEvent takes the fields of a job event. Later events override earlier ones.
func (h *history) jobEvent(class string, e *event) *source.Fault {
	j := h.job
	stated := [mapreduce.NumKinds]*int64{e.Maps, e.Reduces}
	for kind, n := range stated {
		if n != nil && (*n < -1 || *n > math.MaxInt32) {
			return source.NewFault([...]string{"totalMaps", "totalReduces"}[kind], source.ReasonBadCount, "%d tasks",
				*n)
		}
		if n != nil && *n >= 0 {
			j.Stated[kind] = *n
		}
	}
	keep(&j.Name, e.JobName)
	keep(&j.User, e.User)
	keep(&j.Queue, e.Queue)
	for _, t := range [...]struct {
		into *trace.Instant
		ms   *int64
	}{{&j.Submit, e.Submit}, {&j.Launch, e.Launch}, {&j.Finish, e.Finish}} {
		if t.ms != nil {
			if at := j.Instant(*t.ms); at.Known() {
				*t.into = at
			}
		}
	}
	switch class {
	case "JobFinished":
		h.ended, j.Status = true, trace.Succeeded
	case "JobUnsuccessfulCompletion":
		h.ended, j.Status = true, j.Outcome(e.JobStatus)
	}
	return nil
}

func keep(into *string, t string) {
	if t != "" {
		*into = t
	}
}

// task records a task and the time of its first container request.
func (h *history) task(class string, id mapreduce.TaskID, e *event) {
	key := taskKey{id.Kind, id.Task}
	at, ok := h.tasks[key]
	if !ok {
		at = trace.None
	}
	if class == "TaskStarted" && e.Start != nil && !at.Known() {
		at = h.job.Instant(*e.Start)
	}
	h.tasks[key] = at
}

// attempt takes the fields of an attempt event.
func (h *history) attempt(class string, id mapreduce.TaskID, e *event) *source.Fault {
	key := attemptKey{taskKey{id.Kind, id.Task}, id.Number}
	i, ok := h.index[key]
	if !ok {
		i = len(h.job.Attempts)
		h.index[key] = i
		h.job.Attempts = append(h.job.Attempts, mapreduce.NewAttempt(id.Kind, id.Task, id.Number))
		if _, ok := h.tasks[key.taskKey]; !ok {
			h.tasks[key.taskKey] = trace.None
		}
	}
	a := &h.job.Attempts[i]
	if class == "TaskAttemptStarted" {
		h.started(a, e)
		return nil
	}
	outcome := e.TaskStatus
	if outcome == "" {
		outcome = e.Status
	}
	status := h.job.Outcome(outcome)
	switch {
	case class != "TaskAttemptUnsuccessfulCompletion":
		if status == trace.StatusUnknown {
			status = trace.Succeeded
		}
	case a.Status == trace.Succeeded:
		a.Status = trace.Lost // and its end stays that of the success
		return nil
	}
	a.Status = status
	if e.Finish != nil {
		a.Finish = h.job.Instant(*e.Finish)
	}
	if e.Host != "" {
		a.Machine = mapreduce.Host(e.Host)
	}
	if c := &e.Counters; c.given {
		a.Read, a.Written, a.MapOutput, a.Fetched = c.read, c.written, c.mapOutput, c.fetched
		if c.memory > 0 {
			a.CPUMillis, a.Memory = c.cpuMillis, c.memory
		}
	}
	return nil
}

func (h *history) started(a *mapreduce.Attempt, e *event) {
	if a.Start.Known() {
		h.repeated++
		return
	}
	if e.Start != nil {
		a.Start = h.job.Instant(*e.Start)
	}
	if a.Machine == "" {
		a.Machine = mapreduce.Host(e.Tracker)
	}
	switch e.Avataar {
	case "VIRGIN":
		a.Speculative = trace.No
	case "SPECULATIVE":
		a.Speculative = trace.Yes
	}
}

// run returns the run of the log.
func (h *history) run() *trace.Run {
	for key := range h.tasks {
		h.job.Listed[key.kind]++
	}
	for i := range h.job.Attempts {
		if a := &h.job.Attempts[i]; a.Kind == mapreduce.Map {
			a.Queued = h.tasks[taskKey{a.Kind, a.Task}]
		}
	}
	return h.job.Run()
}
