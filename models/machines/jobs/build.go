package jobs

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/limit"
	"racecard/models/workload"
)

// Builder makes jobs from the runs of a trace, and counts the drawn values.
type Builder struct {
	Draw  workload.Draw
	Jobs  []*Job
	Count Count
	// Keep bounds the jobs that are kept. From more jobs, a uniform sample is kept, in no order. 0 keeps all.
	Keep int

	reader workload.Reader
	made   int64      // jobs, also those not kept
	keep   *rand.Rand // decides which are
	drawn  [][]drawn  // by job: what Draw decided
}

// drawn says which demands of a stage were drawn, and whether its duration was.
type drawn struct {
	demand   [trace.NumResources]bool
	duration bool
}

// Redraw returns a builder with the same jobs, drawn anew, as if the runs had been added to one with that draw.
// Jobs without drawn values are shared.
func (b *Builder) Redraw(draw workload.Draw) *Builder {
	out := &Builder{Draw: draw, Jobs: slices.Clone(b.Jobs), Count: b.Count, drawn: b.drawn}
	out.Count.LeftOut = maps.Clone(b.Count.LeftOut)
	for i := range b.drawn {
		j := b.Jobs[i]
		if !slices.ContainsFunc(b.drawn[i], func(d drawn) bool { return d != drawn{} }) {
			continue
		}
		c := *j
		c.Stages = slices.Clone(j.Stages)
		draws := draw.Stages(j.Seq, len(c.Stages))
		for v, d := range b.drawn[i] {
			c.Stages[v].draw(d, &draws[v])
		}
		out.Jobs[i] = &c
	}
	return out
}

// draw sets the drawn values of a stage.
func (s *Stage) draw(d drawn, to *workload.Draws) {
	for r, is := range d.demand {
		if is {
			s.Demand[r], s.Seen[r] = to.Demand[r], to.Demand[r]
		}
	}
	if d.duration {
		s.Durations, s.Estimate = []int64{to.Duration()}, to.Duration()
	}
}

// Count counts the values that a trace lacked.
type Count struct {
	workload.Count
	DrawnDemands [trace.NumResources]int64 // stages with a drawn demand
	Retries      int64                     // attempts that fail
}

// LeftOutLarge is the reason for leaving out a run with more stages than schedulers can replay.
var LeftOutLarge = "more than " + words.Count(limit.Replay) + " stages"

// Add makes a job of a run, which may be modified after. It arrives at its submit time, else its start, else at
// trace.None: see [Builder.Dated].
func (b *Builder) Add(run *trace.Run) {
	defer func() { b.Count.Count = b.reader.Count }()
	if len(run.Stages) > limit.Replay {
		b.reader.Count.Leave(LeftOutLarge, 1)
		return
	}
	b.reader.Draw = b.Draw
	w, leftOut := b.reader.Read(run)
	if leftOut != "" {
		return
	}
	j := &Job{ID: run.ID, Name: run.Name, Group: run.Group, Arrival: w.Submit, Seq: w.Number,
		Stages: make([]Stage, len(w.Stages))}
	if j.Group == "" {
		j.Group = run.User
	}
	of, all := workload.ByStage(run), make([]drawn, len(w.Stages))
	for v := range w.Stages {
		all[v] = b.stage(&j.Stages[v], &w.Stages[v], &run.Stages[v], of[v], &w.Draws()[v])
	}
	b.made++
	if b.Keep == 0 || len(b.Jobs) < b.Keep {
		b.drawn = append(b.drawn, all)
		b.Jobs = append(b.Jobs, j)
		return
	}
	if b.keep == nil {
		b.keep = rand.New(seed.Stream(b.Draw.Seed, "sample of runs", 0))
	}
	// J. S. Vitter, "Random Sampling with a Reservoir", 1985, algorithm R
	if at := b.keep.Int64N(b.made); at < int64(b.Keep) {
		b.drawn[at], b.Jobs[at] = all, j
	}
}

// Made returns the number of jobs made of runs, including those that are not kept.
func (b *Builder) Made() int64 { return b.made }

// stage fills the tasks and demands of a stage, and returns which of them were drawn.
func (b *Builder) stage(s *Stage, w *workload.Stage, from *trace.Stage, attempts []trace.Attempt,
	d *workload.Draws) (is drawn) {
	s.Tasks, s.Parents, s.Estimate = int32(w.Tasks), w.Parents, w.Mean
	if w.Stated != trace.None {
		s.Estimate = w.Stated
	}
	s.Durations = slices.Clone(w.Durations)
	if !slices.ContainsFunc(s.Durations, func(x int64) bool { return x != s.Durations[0] }) {
		s.Durations = slices.Clone(s.Durations[:1])
	}
	for _, r := range w.Retries {
		if r.Status == trace.Failed {
			s.Retries = append(s.Retries, r)
		}
	}
	b.Count.Retries += int64(len(s.Retries))
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
		case !math.IsNaN(d.Demand[r]):
			is.demand[r] = true
			b.Count.DrawnDemands[r]++
		}
	}
	s.Seen = s.Demand
	is.duration = w.Basis == workload.Drawn
	s.draw(is, d)
	return is
}

// Sort puts jobs in the order of their arrival, then of their number in the trace, then of their id.
func Sort(all []*Job) {
	slices.SortFunc(all, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
}
