package philly

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// log reads a log and reports whether the caller wants more.
func (r *reader) log(f *source.File) bool {
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	return r.objects(f, in, maxObject)
}

func (r *reader) objects(f *source.File, in io.Reader, max int) bool {
	objects := newObjects(in, max)
	for {
		if err := r.Ctx.Err(); err != nil {
			return r.Fail(err)
		}
		c, line, ok := objects.next()
		if !ok {
			return true
		}
		if err := objects.err; err != nil && !source.IsTruncated(err) {
			return r.Fail(fmt.Errorf("%s: after line %d: %w", f.Name, objects.line, err))
		}
		reject := func(field, reason, format string, args ...any) bool {
			return r.Reject(source.NewReject(f.Name, line, field, reason, fmt.Sprintf(format, args...), objects.buf))
		}
		more := true
		switch c {
		case whole:
			r.Begin()
			if run, d := r.take(objects.buf); d != nil {
				more = reject(d.Field, d.Reason, "%s", d.Detail)
			} else {
				r.Use()
				more = r.Yield(run, nil)
			}
		case broken:
			more = reject("", source.ReasonBadJSON, "the object does not end before the next job begins")
		case stray:
			more = reject("", source.ReasonBadJSON, "no JSON object")
		case tooLong:
			more = reject("", source.ReasonObjectTooLong, "more than %d bytes", max)
		case cut:
			more = reject("", source.ReasonTruncated, "the list of jobs does not end")
			if objects.err != nil {
				return more
			}
		}
		if !more {
			return false
		}
	}
}

// take makes a run of the text of a job.
func (r *reader) take(text []byte) (*trace.Run, *source.Fault) {
	if !utf8.Valid(text) {
		return nil, source.NewFault("", source.ReasonNotUTF8, "bytes that are no UTF-8")
	}
	e, d := readEntry(text)
	if d != nil {
		return nil, d
	}
	if e.jobID == "" {
		return nil, source.NewFault("jobid", source.ReasonNoID, "there is none")
	}
	run, d := r.run(e)
	if d != nil {
		return nil, d
	}
	if d := r.Admit(run, "jobid", ""); d != nil {
		return nil, d
	}
	return run, nil
}

// instant parses a local time as if it were UTC; None and nothing are null.
func (r *reader) instant(field, text string) (trace.Instant, *source.Fault) {
	if isNull(text) {
		return trace.None, nil
	}
	t, err := time.Parse(time.DateTime, text)
	if err != nil {
		return trace.None, source.NewFault(field, source.ReasonBadTime, "%.40q, want YYYY-MM-DD HH:MM:SS", text)
	}
	r.warnZone()
	return trace.Instant(t.UnixMicro()), nil
}

func isNull(text string) bool {
	return slices.Contains([]string{"", "None", "none", "null", "NaN", "nan"}, text)
}

// statuses maps the status words of the log.
var statuses = map[string]trace.Status{"Pass": trace.Succeeded, "Killed": trace.Killed, "Failed": trace.Failed}

// run makes a run of a job.
func (r *reader) run(e *entry) (*trace.Run, *source.Fault) {
	run := trace.NewRun(e.jobID)
	run.Status = statuses[e.status]
	if !isNull(e.user) {
		run.User = e.user
	}
	if !isNull(e.vc) {
		run.Group = e.vc
	}
	var d *source.Fault
	if run.Submit, d = r.instant("submitted_time", e.submitted); d != nil {
		return nil, d
	}
	machines := make([]int64, len(e.attempts)) // that attempts hold
	for i := range e.attempts {
		if machines[i], d = r.attempt(run, int32(i), &e.attempts[i]); d != nil {
			return nil, d
		}
	}
	run.Allocations = held(run.Attempts, machines)
	stage := trace.NewStage()
	stage.Tasks = 1
	if n := len(run.Attempts); n > 0 {
		last := &run.Attempts[n-1]
		if isNull(e.attempts[n-1].end) {
			r.Repair(RepairOpen)
			run.Status = trace.Running
		}
		last.Status = run.Status
		run.End = last.End
		run.Attempts[0].Queued = run.Submit
	}
	if run.End.Known() && run.End < max(run.Submit, run.Start) { // null is the least
		r.Repair(RepairEnd)
		run.End = trace.None
	}
	if run.Guaranteed != trace.None {
		stage.Demand[trace.GPU] = float64(run.Guaranteed)
	}
	stage.Submit, stage.Start, stage.End = run.Submit, run.Start, run.End
	run.Stages = []trace.Stage{stage}
	return run, nil
}

// held returns what a run holds over time: the sum of its attempts, which overlap in the hour that local time repeats
// after summer. An attempt without an end holds its GPUs until the next begins.
func held(attempts []trace.Attempt, machines []int64) (all []trace.Allocation) {
	for i := range attempts {
		a := &attempts[i]
		if !a.Start.Known() || !(a.Demand[trace.GPU] > 0) {
			continue
		}
		gpus, end := int64(a.Demand[trace.GPU]), a.End
		if !end.Known() && i+1 < len(attempts) && attempts[i+1].Start.Known() {
			end = max(a.Start, attempts[i+1].Start)
		}
		all = append(all, trace.Allocation{At: a.Start, Tokens: gpus, Spare: trace.None, Machines: machines[i]})
		if end.Known() {
			all = append(all, trace.Allocation{At: end, Tokens: -gpus, Spare: trace.None, Machines: -machines[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b trace.Allocation) int { return cmp.Compare(a.At, b.At) })
	sums := all[:0]
	for _, change := range all {
		if n := len(sums); n > 0 {
			change.Tokens += sums[n-1].Tokens
			change.Machines += sums[n-1].Machines
			if sums[n-1].At == change.At {
				sums = sums[:n-1]
			}
		}
		sums = append(sums, change)
	}
	return sums
}

// attempt adds an attempt of the one task, and returns how many machines it holds.
func (r *reader) attempt(run *trace.Run, n int32, e *entryAttempt) (held int64, d *source.Fault) {
	a := trace.NewAttempt(0, 0, n)
	if a.Start, d = r.instant("start_time", e.start); d != nil {
		return 0, d
	}
	if a.End, d = r.instant("end_time", e.end); d != nil {
		return 0, d
	}
	if a.Start.Known() && a.End.Known() && a.End < a.Start {
		r.Repair(RepairEnd)
		a.End = trace.None
	}
	a.Duration = a.End.Since(a.Start)
	slices.Sort(e.machines)
	machines := slices.Compact(e.machines)
	if len(machines) == 1 {
		a.Machine = machines[0]
	}
	if e.gpus > 0 {
		a.Demand[trace.GPU] = float64(e.gpus)
		if run.Guaranteed == trace.None {
			run.Guaranteed = e.gpus
		}
	}
	run.Start = run.Start.Earlier(a.Start)
	run.Attempts = append(run.Attempts, a)
	return int64(len(machines)), nil
}
