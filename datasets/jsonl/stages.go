package jsonl

import (
	"math"
	"slices"

	"racecard/datasets/source"

	"racecard/datasets/trace"
)

// maxTasks bounds the tasks of a run whose attempts come from durations: more would fill the memory from a line of a
// few bytes.
const maxTasks = 1 << 20

// stages fills run.Stages, in the order of the record, and run.Edges.
func (b *builder) stages(run *trace.Run, rec *record) {
	for i := range rec.Stages {
		s := &rec.Stages[i]
		stage := trace.NewStage()
		stage.Name = s.Name
		stage.Tasks = b.tasks(i, s)
		if s.EstimateS != nil {
			b.duration(of("stages", i, "estimate_s"), *s.EstimateS)
			stage.EstimateS = *s.EstimateS
		}
		if s.DurationS != nil {
			b.duration(of("stages", i, "duration_s"), *s.DurationS)
		}
		stage.Submit = b.instant(of("stages", i, "submit_s"), s.SubmitS)
		stage.Start = b.instant(of("stages", i, "start_s"), s.StartS)
		stage.End = b.end(of("stages", i, "end_s"), s.EndS, stage.Start)
		stage.Demand = b.demand(of("stages", i, ""), &s.demandRecord)
		run.Stages = append(run.Stages, stage)
		b.edges(run, rec, i)
	}
}

// tasks returns the number of tasks of stage i.
func (b *builder) tasks(i int, s *stageRecord) int64 {
	switch {
	case s.DurationS != nil && s.DurationsS != nil:
		b.fail(of("stages", i, "duration_s"), ReasonBadDuration, "give duration_s or durations_s, not both")
	case s.Tasks.value != nil:
		n := int64(*s.Tasks.value)
		switch {
		case n < 1:
			b.fail(of("stages", i, "tasks"), source.ReasonBadCount, "%d tasks, want at least 1; leave the stage out, "+
				"or write null for a number that is not known", n)
		case n > math.MaxInt32:
			b.fail(of("stages", i, "tasks"), source.ReasonBadCount, "%d tasks, want at most %d; write null for a number "+
				"that is not known", n, math.MaxInt32)
		}
		if s.DurationsS != nil && int64(len(s.DurationsS)) != n {
			b.fail(of("stages", i, "durations_s"), source.ReasonBadCount, "%d durations for %d tasks",
				len(s.DurationsS), n)
		}
		return n
	case s.DurationsS != nil:
		if len(s.DurationsS) == 0 {
			b.fail(of("stages", i, "durations_s"), source.ReasonBadCount, "a stage has at least one task")
		}
		return int64(len(s.DurationsS))
	case !s.Tasks.given:
		b.fail(of("stages", i, "tasks"), source.ReasonMissing, "a stage needs tasks or durations_s")
	}
	return trace.None
}

// edges adds the edges into stage i.
func (b *builder) edges(run *trace.Run, rec *record, i int) {
	s := &rec.Stages[i]
	kind := trace.AllToAll
	if s.Edge != "" {
		var ok bool
		if kind, ok = trace.ParseEdgeKind(s.Edge); !ok || kind == trace.Driver {
			b.fail(of("stages", i, "edge"), ReasonBadEdge, "%.40q, want all_to_all, one_to_one or unknown; stages "+
				"that only the driver waits for go to \"after\"", s.Edge)
		}
	}
	for _, list := range [...]struct {
		field   string
		parents []int
		kind    trace.EdgeKind
	}{{"parents", s.Parents, kind}, {"after", s.After, trace.Driver}} {
		for k, parent := range list.parents {
			if parent < 0 || parent >= len(rec.Stages) {
				b.fail(of("stages", i, list.field).element(k), ReasonUnknownParent,
					"there is no stage %d, only 0 to %d", parent, len(rec.Stages)-1)
				continue
			}
			run.Edges = append(run.Edges, trace.Edge{Parent: int32(parent), Child: int32(i), Kind: list.kind})
		}
	}
}

// attempts fills run.Attempts from the list of tasks and, for stages it does not mention, from their durations.
func (b *builder) attempts(run *trace.Run, rec *record) {
	listed := make([]bool, len(rec.Stages))
	for i := range rec.Tasks {
		t := &rec.Tasks[i]
		if t.Stage == nil || t.Task == nil {
			b.fail(of("tasks", i, "stage"), source.ReasonMissing, "every attempt needs stage and task")
			return
		}
		if *t.Stage < 0 || *t.Stage >= len(rec.Stages) {
			b.fail(of("tasks", i, "stage"), ReasonUnknownStage, "there is no stage %d, only 0 to %d", *t.Stage,
				len(rec.Stages)-1)
			return
		}
		if *t.Task < 0 || *t.Task > math.MaxInt32 || t.Attempt < 0 || t.Attempt > math.MaxInt32 {
			b.fail(of("tasks", i, "task"), source.ReasonBadCount, "task %d attempt %d, want at least 0", *t.Task,
				t.Attempt)
			return
		}
		if n := run.Stages[*t.Stage].Tasks; n != trace.None && int64(*t.Task) >= n {
			b.fail(of("tasks", i, "task"), source.ReasonBadCount, "task %d, but the stage has tasks 0 to %d", *t.Task,
				n-1)
			return
		}
		listed[*t.Stage] = true
		run.Attempts = append(run.Attempts, b.attempt(i, t))
	}
	for i := range rec.Stages {
		if !listed[i] {
			b.fromDurations(run, int32(i), &rec.Stages[i])
		}
	}
}

func (b *builder) attempt(i int, t *taskRecord) trace.Attempt {
	a := trace.NewAttempt(int32(*t.Stage), int32(*t.Task), int32(t.Attempt))
	a.Queued = b.instant(of("tasks", i, "queued_s"), t.QueuedS)
	a.Start = b.instant(of("tasks", i, "start_s"), t.StartS)
	a.End = b.end(of("tasks", i, "end_s"), t.EndS, a.Start)
	a.Status = b.status(of("tasks", i, "status"), t.Status, t.EndS)
	a.Machine, a.Reason = t.Machine, t.Reason
	a.Demand = b.demand(of("tasks", i, ""), &t.demandRecord)
	if t.Speculative != nil {
		a.Speculative = trace.TriOf(*t.Speculative)
	}
	if t.Spare != nil {
		a.Spare = trace.TriOf(*t.Spare)
	}
	if t.DurationS != nil {
		a.Duration = b.duration(of("tasks", i, "duration_s"), *t.DurationS)
	}
	if d := a.End.Since(a.Start); d.Known() {
		a.Duration = d
	}
	return a
}

// fromDurations adds one attempt per stated task duration of a stage. A stated duration belongs to a task that
// ended, so the attempts succeeded.
func (b *builder) fromDurations(run *trace.Run, stage int32, s *stageRecord) {
	add := func(task int, seconds float64, where place) {
		a := trace.NewAttempt(stage, int32(task), 0)
		a.Duration, a.Status = b.duration(where, seconds), trace.Succeeded
		run.Attempts = append(run.Attempts, a)
	}
	tasks := int64(len(s.DurationsS))
	if s.DurationS != nil {
		tasks = max(0, run.Stages[stage].Tasks) // null is negative
	}
	if int64(len(run.Attempts))+tasks > maxTasks {
		b.fail(of("stages", int(stage), "tasks"), source.ReasonBadCount, "%d tasks, at most %d a run are taken from "+
			"durations", tasks, maxTasks)
		return
	}
	run.Attempts = slices.Grow(run.Attempts, int(tasks))
	for k, seconds := range s.DurationsS {
		if b.fault != nil {
			return
		}
		add(k, seconds, of("stages", int(stage), "durations_s").element(k))
	}
	if s.DurationS != nil {
		for k := range int(tasks) {
			add(k, *s.DurationS, of("stages", int(stage), "duration_s"))
		}
	}
}
