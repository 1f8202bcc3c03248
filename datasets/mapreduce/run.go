package mapreduce

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Kinds of repairs: values that became null, or were counted anew.
const (
	RepairZero       = "time of 0"
	RepairTime       = "impossible time"
	RepairStatus     = "unknown status"
	RepairAttemptEnd = "attempt end before its start"
	RepairJobEnd     = "job end before its start"
	RepairTaskCount  = "fewer tasks stated than listed"
	RepairNumber     = "attempt number given twice"
)

// WarnClocks is the kind of the warning that attempts start before their job was submitted.
const WarnClocks = "clocks differ"

// Repair counts a value that a reader mended.
func (j *Job) Repair(kind string) { j.repairs[kind]++ }

// Report adds the faults of the job to the tally, once its run is in the tables.
func (j *Job) Report(file string, tally *source.Tally) {
	for kind, n := range j.repairs {
		for range n {
			tally.Repair(kind)
		}
	}
	if j.early > 0 {
		tally.Warn(WarnClocks, "%s: %d attempts of %s start before it was submitted, by up to %.0f s: the clocks of "+
			"the machines differ from the job tracker's", file, j.early, j.ID, j.lead.Seconds())
	}
}

// Run returns the run of the job, as the package comment says. The job's attempts are sorted; it must be called once.
func (j *Job) Run() *trace.Run {
	run := trace.NewRun(j.ID)
	run.Name, run.User, run.Group = j.Name, j.User, j.Queue
	j.order()
	j.runTimes(run)
	tasks := [NumKinds]int64{j.tasks(Map), j.tasks(Reduce)}
	for kind, n := range tasks {
		if n > 0 {
			j.attempts(run, Kind(kind), int32(len(run.Stages)), n)
			run.Stages = append(run.Stages, j.stage(Kind(kind), n, run.Status))
		}
	}
	if len(run.Stages) == int(NumKinds) {
		run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	}
	j.volumes(run, tasks)
	return run
}

// order sorts the attempts by kind, task and number, and numbers the attempts of a task anew where two share a number.
func (j *Job) order() {
	slices.SortStableFunc(j.Attempts, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
	})
	for from := 0; from < len(j.Attempts); {
		to, twice := from+1, false
		for to < len(j.Attempts) && j.Attempts[to].Kind == j.Attempts[from].Kind &&
			j.Attempts[to].Task == j.Attempts[from].Task {
			twice = twice || j.Attempts[to].Number == j.Attempts[to-1].Number
			to++
		}
		if twice {
			j.repairs[RepairNumber]++
			for i := from; i < to; i++ {
				j.Attempts[i].Number = int32(i - from)
			}
		}
		from = to
	}
}

// runTimes mends the times of attempts and derives the times and status of the run.
func (j *Job) runTimes(run *trace.Run) {
	first := trace.Instant(trace.None)
	for i := range j.Attempts {
		a := &j.Attempts[i]
		if a.Finish.Known() && a.Start.Known() && a.Finish < a.Start {
			a.Finish = trace.None
			j.repairs[RepairAttemptEnd]++
		}
		first = first.Earlier(a.Start)
		if lead := j.Submit.Since(a.Start); lead.Known() && lead > 0 {
			j.early++
			j.lead = max(j.lead, lead)
		}
	}
	run.Submit, run.Start, run.End, run.Status = j.Submit, j.Launch, j.Finish, j.Status
	if before(run.End, run.Submit) || before(run.End, run.Start) {
		run.End = trace.None
		j.repairs[RepairJobEnd]++
	}
	if first.Known() && (!run.Start.Known() || first > run.Start) && !before(run.End, first) {
		run.Start = first
	}
	if run.Status == trace.StatusUnknown && !j.Finish.Known() {
		run.Status = trace.Running
	}
}

func before(t, u trace.Instant) bool { return t.Known() && u.Known() && t < u }

// tasks returns how many tasks of a kind there are, 0 when there is no such stage.
func (j *Job) tasks(kind Kind) int64 {
	listed := int64(0)
	for i := range j.Attempts {
		if a := &j.Attempts[i]; a.Kind == kind &&
			(i == 0 || j.Attempts[i-1].Kind != kind || j.Attempts[i-1].Task != a.Task) {
			listed++
		}
	}
	listed = max(listed, j.Listed[kind])
	if stated := j.Stated[kind]; stated != trace.None {
		if stated >= listed {
			return stated
		}
		j.repairs[RepairTaskCount]++
	}
	return listed
}

func (j *Job) stage(kind Kind, tasks int64, status trace.Status) trace.Stage {
	s := trace.NewStage()
	s.Name, s.Tasks = kind.String(), tasks
	s.Demand[trace.Mem] = j.Memory[kind]
	for i := range j.Attempts {
		a := &j.Attempts[i]
		if a.Kind != kind {
			continue
		}
		s.Start = s.Start.Earlier(a.Start)
		if a.Finish.Known() && a.Finish > s.End && status != trace.Running {
			s.End = a.Finish
		}
	}
	if before(s.End, s.Start) { // ends are known of others than starts, on other clocks
		s.End = trace.None
	}
	return s
}

// attempts appends the attempts of a kind to the run.
func (j *Job) attempts(run *trace.Run, kind Kind, stage int32, tasks int64) {
	last := int64(-1)
	for i := range j.Attempts {
		if a := &j.Attempts[i]; a.Kind == kind {
			last = a.Task // the highest, since they are sorted
		}
	}
	rank := int64(-1)
	for i := range j.Attempts {
		a := &j.Attempts[i]
		if a.Kind != kind {
			continue
		}
		again := i > 0 && j.Attempts[i-1].Kind == kind && j.Attempts[i-1].Task == a.Task
		if !again {
			rank++
		}
		task := a.Task
		if last >= tasks {
			task = rank
		}
		queued := a.Queued
		if again {
			queued = trace.None
			p := &j.Attempts[i-1]
			ended := p.Status != trace.Succeeded && p.Status != trace.Lost // a success asks for no other attempt
			if ended && a.Speculative != trace.Yes {
				queued = p.Finish
			}
		}
		run.Attempts = append(run.Attempts, a.row(stage, int32(task), queued))
	}
}

func (a *Attempt) row(stage, task int32, queued trace.Instant) trace.Attempt {
	row := trace.NewAttempt(stage, task, a.Number)
	row.Status, row.Speculative, row.Machine = a.Status, a.Speculative, a.Machine
	row.Start, row.End, row.Duration = a.Start, a.Finish, a.Finish.Since(a.Start)
	if !before(a.Start, queued) {
		row.Queued = queued
	}
	if row.Status == trace.StatusUnknown && !row.End.Known() {
		row.Status = trace.Running
	}
	if d := row.Duration.Seconds(); d > 0 && a.CPUMillis >= 0 {
		row.Demand[trace.CPU] = float64(a.CPUMillis) / 1000 / d
	}
	if a.Memory > 0 {
		row.Demand[trace.Mem] = float64(a.Memory)
	}
	return row
}

// volumes sums the bytes of succeeded attempts.
func (j *Job) volumes(run *trace.Run, tasks [NumKinds]int64) {
	mapOutput := int64(trace.None)
	for i := range j.Attempts {
		a := &j.Attempts[i]
		if a.Status != trace.Succeeded {
			continue
		}
		if a.Kind == Map {
			add(&run.InputBytes, a.Read)
			add(&mapOutput, a.MapOutput)
		} else {
			add(&run.ShuffleBytes, a.Fetched)
		}
		add(&run.OutputBytes, a.Written)
	}
	switch {
	case tasks[Map] > 0 && tasks[Reduce] == 0 && j.Stated[Reduce] == 0:
		run.ShuffleBytes = 0
	case run.ShuffleBytes == trace.None && tasks[Reduce] > 0:
		run.ShuffleBytes = mapOutput
	}
}

// add adds n to sum; negative counts are unknown, and sums stay below the largest int64.
func add(sum *int64, n int64) {
	switch {
	case n < 0:
	case *sum == trace.None:
		*sum = n
	case n > math.MaxInt64-*sum:
		*sum = math.MaxInt64
	default:
		*sum += n
	}
}
