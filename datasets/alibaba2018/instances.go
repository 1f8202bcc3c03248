package alibaba2018

import (
	"racecard/datasets/groupby"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

type instanceKey struct {
	stage int32
	name  string
}

type attemptKey struct{ stage, task, seqNo int32 }

// attempt is a row of batch_instance.
type attempt struct {
	name, task, machine         string
	status                      trace.Status
	start, end, seqNo, cpu, mem packedDecimal
}

// attemptOf reads a row.
func attemptOf(row *groupby.Row) (a attempt) {
	if row.Tag == tagPackedInstance {
		p := packed(row.Bytes)
		a.name, a.task, a.machine = text(p.text()), text(p.text()), text(p.text())
		p.decimal() // the type
		a.status = statuses[p.status()].is
		a.start, a.end = p.times()
		a.seqNo = p.decimal()
		p.decimal() // how many there are
		a.cpu = p.decimal()
		p.decimal() // the most
		a.mem = p.decimal()
		return a
	}
	var f [instanceFields][]byte
	fields(row.Bytes, f[:])
	a.name, a.task, a.machine = text(f[0]), text(f[1]), text(f[7])
	if i, ok := statusOf(f[4]); ok {
		a.status = statuses[i].is
	}
	a.start, a.end, a.seqNo = decimalOf(f[fieldStart]), decimalOf(f[fieldEnd]), decimalOf(f[fieldSeqNo])
	a.cpu, a.mem = decimalOf(f[fieldCPUAvg]), decimalOf(f[fieldMemAvg])
	return a
}

// instance takes a row of batch_instance.
func (j *job) instance(row *groupby.Row) *source.Reject {
	in := attemptOf(row)
	if in.task == "" {
		return row.Reject("task_name", source.ReasonNoTask, "the second field is empty")
	}
	seqNo, rej := sequence(row, in.seqNo)
	if rej != nil {
		return rej
	}
	cpu, rej := maybe(row, "cpu_avg", fieldCPUAvg, in.cpu)
	if rej != nil {
		return rej
	}
	mem, rej := maybe(row, "mem_avg", fieldMemAvg, in.mem)
	if rej != nil {
		return rej
	}
	start, end, rej := times(row, in.start, in.end, in.status, j.tally)
	if rej != nil {
		return rej
	}
	stage, ok := j.names.find(in.task)
	if !ok {
		j.tally.Repair(RepairNoTaskRow)
		stage = int32(len(j.run.Stages))
		var n named
		j.name(&n, in.task)
		j.stage(&n)
	}
	for len(j.counts) <= int(stage) {
		j.counts = append(j.counts, 0)
	}
	task, ok := j.instances[instanceKey{stage, in.name}]
	if !ok {
		task = j.counts[stage]
		j.counts[stage]++
		j.instances[instanceKey{stage, in.name}] = task
	}
	k := attemptKey{stage, task, seqNo}
	if j.attempts[k] {
		return row.Reject("seq_no", ReasonSeqNo, "instance %s attempt %d occurred before", in.name, seqNo)
	}
	j.attempts[k] = true
	a := trace.NewAttempt(stage, task, seqNo)
	a.Status, a.Start, a.End, a.Machine = in.status, start, end, in.machine
	a.Duration = end.Since(start)
	a.Demand[trace.CPU], a.Demand[trace.Mem] = cpu/100, mem
	j.run.Attempts = append(j.run.Attempts, a)
	return nil
}

// sum derives times and statuses of the stages from the one with a number on, which are known from instances only. Of
// each instance the last attempt counts.
func (j *job) sum(from int32) {
	last := map[attemptKey]*trace.Attempt{} // seqNo 0
	for i := range j.run.Attempts {
		a := &j.run.Attempts[i]
		if a.Stage < from {
			continue
		}
		s := &j.run.Stages[a.Stage]
		s.Start = s.Start.Earlier(a.Start)
		k := attemptKey{a.Stage, a.Task, 0}
		if b := last[k]; b == nil || b.Attempt < a.Attempt { // which are seq_no so far
			last[k] = a
		}
	}
	for i := from; i < int32(len(j.run.Stages)); i++ {
		s, ends := &j.run.Stages[i], true
		var met trace.Statuses
		for task := range j.counts[i] {
			a := last[attemptKey{i, task, 0}]
			met = met.With(a.Status)
			s.End, ends = max(s.End, a.End), ends && a.End.Known()
		}
		if !ends || s.Start.Known() && s.End < s.Start {
			s.End = trace.None
		}
		j.statuses[i] = met.First(trace.Running, trace.Failed, trace.Killed, trace.StatusUnknown, trace.Succeeded)
	}
}
