package spark

import (
	"racecard/datasets/trace"
)

// task is one Task ID: an attempt of a task, as the log tells it.
type task struct {
	id          int64
	stage       stageKey
	index       int32 // later the number of the task in the stage
	attempt     int32 // in its stage attempt
	partition   int32 // -1 when not logged
	status      trace.Status
	speculative trace.Tri
	started     bool // TaskStart was logged
	ended       bool // TaskEnd was logged
	measured    bool // TaskEnd had metrics
	redone      bool // its output was lost after it had succeeded
	start       trace.Instant
	end         trace.Instant
	machine     string
	reason      string // of an end that was no success
	bytes       volume
	gc, peakMem int64 // milliseconds and bytes; None when not logged
}

// addTask adds a TaskStart or TaskEnd. Events that repeat a Task ID are folded into the first of their kind.
func (a *app) addTask(e *taskEvent, end bool) {
	i, known := a.taskByID[e.id]
	if !known {
		i = int32(len(a.tasks))
		a.taskByID[e.id] = i
		a.stageAttempt(e.stage)
		a.worked(e.launch)
		a.tasks = append(a.tasks, task{
			id: e.id, stage: e.stage, index: e.index, attempt: e.attempt, partition: e.partition,
			status: trace.Running, speculative: e.speculative, start: e.launch, end: trace.None, machine: a.place(e),
		})
	}
	t := &a.tasks[i]
	if !end {
		if t.started {
			a.findings.repeated++
		}
		t.started = true
		return
	}
	a.endTask(t, e)
}

func (a *app) endTask(t *task, e *taskEvent) {
	resubmitted := string(e.reason) == "Resubmitted"
	switch {
	case t.ended && resubmitted:
		t.status, t.redone, t.reason = trace.Lost, true, a.why(e)
		return
	case t.ended:
		a.findings.repeated++
		return
	}
	t.ended = true
	t.status, t.redone = endStatus(e), resubmitted
	if t.status != trace.Succeeded {
		t.reason = a.why(e)
	}
	if t.speculative == trace.TriNull {
		t.speculative = e.speculative
	}
	if !t.start.Known() {
		t.start = e.launch
		a.worked(e.launch)
	}
	switch {
	case !e.finish.Known():
		a.findings.repairs[RepairNoFinish]++
	case t.start.Known() && e.finish < t.start:
		a.findings.reverse(RepairTaskEnd)
	default:
		t.end = e.finish
	}
	a.peakMem = max(a.peakMem, e.executorMem)
	if e.metrics {
		a.measured = true
		t.measured = true
		t.bytes, t.gc, t.peakMem = e.bytes, e.gc, e.peakMem
	}
}

// endStatus says how the attempt of a TaskEnd ended.
func endStatus(e *taskEvent) trace.Status {
	switch string(e.reason) {
	case "Success":
		return trace.Succeeded
	case "TaskKilled":
		return trace.Killed
	case "ExecutorLostFailure", "ExecutorLost", "Resubmitted":
		return trace.Lost
	case "":
		switch {
		case e.killed == trace.Yes:
			return trace.Killed
		case e.failed == trace.Yes:
			return trace.Failed
		case e.failed == trace.No:
			return trace.Succeeded
		}
		return trace.StatusUnknown
	}
	return trace.Failed
}

// why returns the reason of a TaskEnd, with the class of the exception when there is one, one string for all that end
// so.
func (a *app) why(e *taskEvent) string {
	var room [128]byte
	text := append(room[:0], e.reason...)
	if len(e.exception) > 0 {
		text = append(append(text, ": "...), e.exception...)
	}
	return a.intern(text)
}

// place returns the machine of a task, one string for all tasks of an executor.
func (a *app) place(e *taskEvent) string {
	var room [128]byte
	return a.intern(appendPlace(room[:0], e.host, e.executor))
}

// intern returns text as a string, the same one for the same text.
func (a *app) intern(text []byte) string {
	if known, ok := a.texts[string(text)]; ok {
		return known
	}
	s := string(text)
	a.texts[s] = s
	return s
}

// appendPlace appends "<host>/<executor id>", or the one of them that is known.
func appendPlace[T string | []byte](name []byte, host, executor T) []byte {
	name = append(name, host...)
	if len(host) > 0 && len(executor) > 0 {
		name = append(name, '/')
	}
	return append(name, executor...)
}
