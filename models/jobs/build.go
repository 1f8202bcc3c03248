package jobs

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/limit"
	"racecard/models/workload"
)

// Builder makes jobs of the runs of a trace, and counts what it had to draw.
type Builder struct {
	Draw  Draw
	Jobs  []*Job
	Count Count

	met map[int64]int64 // runs, by their number in the input
}

// Count says what a trace lacked.
type Count struct {
	Stages         int64                     // of all jobs
	Tasks          int64                     // of all jobs
	LeftOut        map[string]int64          // runs, per reason
	DrawnDemands   [trace.NumResources]int64 // stages of which the demand was drawn
	DrawnDurations int64                     // stages of which the time was drawn
	StageDurations int64                     // stages of which all tasks take as long as the stage did
	MeanTasks      int64                     // tasks that take the mean of their stage
	Retries        int64                     // attempts that fail
}

// Reasons for which a run is left out.
const (
	LeftOutStages = "no stages"
	LeftOutTasks  = "a stage with an unknown number of tasks"
	LeftOutMany   = "too many tasks"
	LeftOutSubmit = "no submit or start time"
)

// LeftOutStagesMany is the reason for which a run is left out that has more stages than schedulers can replay.
var LeftOutStagesMany = "more than " + limit.Text(limit.Replay) + " stages"

// Add makes a job of a run, which may be modified after. It arrives at its submit time, else its start, else at trace.None:
// see [Builder.Dated].
func (b *Builder) Add(run *trace.Run) {
	if reason := b.add(run); reason != "" {
		b.leaveOut(reason, 1)
	}
}

func (b *Builder) leaveOut(reason string, n int64) {
	if b.Count.LeftOut == nil {
		b.Count.LeftOut = map[string]int64{}
	}
	b.Count.LeftOut[reason] += n
}

func (b *Builder) add(run *trace.Run) string {
	j := &Job{ID: run.ID, Name: run.Name, Group: run.Group, Arrival: trace.None}
	if j.Group == "" {
		j.Group = run.User
	}
	switch {
	case run.Submit.Known():
		j.Arrival = int64(run.Submit)
	case run.Start.Known():
		j.Arrival = int64(run.Start)
	}
	if len(run.Stages) == 0 {
		return LeftOutStages
	}
	if len(run.Stages) > limit.Replay {
		return LeftOutStagesMany
	}
	total := int64(0)
	for i := range run.Stages {
		n := run.Stages[i].Tasks
		if n == trace.None {
			return LeftOutTasks
		}
		if total += n; total > MaxTasks {
			return LeftOutMany
		}
	}
	j.Stages = make([]Stage, len(run.Stages))
	j.Seq = b.number(run.Seq)
	draws := b.Draw.stages(j.Seq, len(run.Stages))
	attempts := run.Attempts
	for i := range run.Stages {
		n := 0
		for n < len(attempts) && int(attempts[n].Stage) == i {
			n++
		}
		b.stage(&j.Stages[i], &run.Stages[i], attempts[:n], &draws[i])
		attempts = attempts[n:]
	}
	link(j, run.Edges)
	b.Jobs = append(b.Jobs, j)
	b.Count.Stages += int64(len(j.Stages))
	b.Count.Tasks += total
	return ""
}

// number returns the number of a run, and for the k-th further run of that number another one: every import into a store
// counts from 0, and runs that were appended are not to draw what those before did.
func (b *Builder) number(seq int64) int64 {
	if b.met == nil {
		b.met = map[int64]int64{}
	}
	k := b.met[seq]
	b.met[seq] = k + 1
	return seq + k<<32
}

// stage fills what a stage takes and holds from the attempts of its tasks.
func (b *Builder) stage(s *Stage, from *trace.Stage, attempts []trace.Attempt, d *drawn) {
	s.Tasks = int32(from.Tasks)
	b.durations(s, from, attempts, d)
	if !math.IsNaN(from.EstimateS) {
		s.Estimate = int64(math.Round(min(max(from.EstimateS, 0)*1e6, maxDuration)))
	}
	s.Demand = from.Demand
	for r := range s.Demand {
		if !math.IsNaN(s.Demand[r]) {
			continue
		}
		sum, n := 0.0, 0
		for i := range attempts {
			if x := attempts[i].Demand[r]; !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		switch {
		case n > 0:
			s.Demand[r] = sum / float64(n)
		case !math.IsNaN(d.demand[r]):
			s.Demand[r] = d.demand[r]
			b.Count.DrawnDemands[r]++
		}
	}
	s.Seen = s.Demand
}

// durations fills Durations, by the rule of package workload, Retries and, with the mean of durations, Estimate.
func (b *Builder) durations(s *Stage, from *trace.Stage, attempts []trace.Attempt, d *drawn) {
	tasks := workload.Of(from, attempts, maxDuration, nil)
	s.Retries = retries(s.Tasks, attempts)
	b.Count.Retries += int64(len(s.Retries))
	if tasks.Known == 0 {
		s.Durations = []int64{b.whole(from, d)}
		s.Estimate = s.Durations[0]
		return
	}
	s.Estimate, s.Durations = tasks.Mean, tasks.Durations
	b.Count.MeanTasks += tasks.Filled
	if of := s.Durations; !slices.ContainsFunc(of, func(x int64) bool { return x != of[0] }) {
		s.Durations = []int64{of[0]}
	}
}

// retries returns the attempts that failed of tasks of which another succeeded.
func retries(tasks int32, attempts []trace.Attempt) (out []Retry) {
	known := func(a *trace.Attempt) bool { return a.Duration.Known() && a.Duration <= maxDuration && a.Task < tasks }
	for from := 0; from < len(attempts); {
		to, succeeded := from, false
		for ; to < len(attempts) && attempts[to].Task == attempts[from].Task; to++ {
			succeeded = succeeded || known(&attempts[to]) && attempts[to].Status == trace.Succeeded
		}
		for i := from; i < to && succeeded; i++ {
			if a := &attempts[i]; known(a) && a.Status == trace.Failed {
				out = append(out, Retry{a.Task, int64(a.Duration)})
			}
		}
		from = to
	}
	return out
}

// whole returns how long each task of a stage takes of which no attempt is known.
func (b *Builder) whole(from *trace.Stage, d *drawn) int64 {
	if x := from.End.Since(from.Start); x != trace.Duration(trace.None) && int64(x) <= maxDuration {
		b.Count.StageDurations++
		return int64(x)
	}
	b.Count.DrawnDurations++
	return int64(math.Round(d.seconds * 1e6))
}

// link gives stages their parents; edges are sorted by child, then parent. Of two edges between the same stages the one that waits longer holds; one-to-one edges
// between different numbers of tasks are barriers.
func link(j *Job, edges []trace.Edge) {
	for _, e := range edges {
		s := &j.Stages[e.Child]
		p := Parent{e.Parent, e.Kind == trace.OneToOne && s.Tasks == j.Stages[e.Parent].Tasks}
		if k := len(s.Parents) - 1; k >= 0 && s.Parents[k].Stage == p.Stage {
			s.Parents[k].OneToOne = s.Parents[k].OneToOne && p.OneToOne
			continue
		}
		s.Parents = append(s.Parents, p)
	}
}

// Sort puts jobs in the order of their arrival, then of their number in the trace, then of their id.
func Sort(all []*Job) {
	slices.SortFunc(all, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
}
