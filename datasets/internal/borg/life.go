package borg

import (
	"racecard/datasets/trace"
)

// instant returns the time of an event.
func (j *Job) instant(h *Happening) trace.Instant {
	if h.Time == BeforeTrace {
		j.tally.Repair(RepairBefore)
		return trace.None
	}
	return trace.Instant(h.Time)
}

// life folds the events of the job into the run's own times and status.
func (j *Job) life() {
	run := j.Run
	var stage *trace.Stage
	if len(run.Stages) > 0 {
		stage = &run.Stages[0]
	}
	if len(j.Events) == 0 {
		run.Submit, run.Start, run.End = stage.Submit, stage.Start, stage.End
		run.Status = outcome(j.found)
		return
	}
	submits, schedules, open, ended := 0, 0, false, false
	for _, h := range j.arrange(j.Events) {
		if h.Time == AfterTrace {
			j.tally.Repair(RepairAfter)
			continue
		}
		at := j.instant(&h)
		status, ends := h.Event.status()
		switch {
		case ends:
			run.End, run.Status, open, ended = at, status, false, true
		case h.Event == Submit:
			if submits++; submits == 1 {
				run.Submit = at
			} else if !open {
				j.tally.Warn(WarnAgain, "job %s, at %d us; it is one run", run.ID, h.Time)
			}
			open = true
		case h.Event == Schedule:
			if schedules++; schedules == 1 {
				run.Start = at
			}
			open = true
		case h.Event == Queue || h.Event == Enable:
			open = true
		default: // an update: what has not ended yet is there
			open = open || !ended
		}
	}
	if open {
		j.tally.Repair(RepairCensored)
		run.End, run.Status = trace.None, trace.Running
	}
	if stage != nil && submits == 0 {
		run.Submit = stage.Submit
	}
	if stage != nil && schedules == 0 {
		run.Start = stage.Start
	}
	if run.End.Known() && run.Start > run.End { // tasks that went on after their job
		run.Start = trace.None
	}
	if run.End.Known() && run.Submit > run.End {
		run.Submit = trace.None
	}
}

// outcome derives the status of a job from its tasks.
func outcome(tasks []task) trace.Status {
	var met trace.Statuses
	for i := range tasks {
		met = met.With(tasks[i].status)
	}
	return met.First(trace.Running, trace.Failed, trace.Killed, trace.Evicted, trace.Lost, trace.StatusUnknown,
		trace.Succeeded)
}
