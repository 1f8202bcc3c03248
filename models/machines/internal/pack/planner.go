// Package pack plans when the tasks of one job start inside an allowance: how early the job can end, and how late each
// task may start without ending it later (Carbyne, OSDI 2016, Pseudocode 1, lines 16 to 25; PAPERS 2.1, C1, C2, C15).
//
// Tasks of a stage are alike, so a plan states the number of tasks of each stage that start at each time, and
// its cost depends on such groups, not on tasks. Groups of one stage that follow each other while nothing else runs are
// waves of one start. All tasks of the first stage that fit start at once, then tasks
// of the next stage. The first stage is the one that aligns best with the rest of the allowance, as in Tetris,
// or the one with the lowest rank.
//
// The allowance is one pool. Tasks that run hold theirs until their estimated end; a task with a demand above the
// allowance counts as demanding all of it, and runs alone.
package pack

import (
	"cmp"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/replay"
)

// Start says that Tasks tasks of a stage start at an instant, in microseconds, and as many Every microseconds later, in
// Waves waves. While waves follow each other, nothing else starts.
type Start struct {
	At    int64
	Every int64
	Stage int32
	Tasks int32 // of a wave
	Waves int32
}

// Planner plans for one job at a time. Its zero value is ready; it is for one goroutine, and keeps its memory.
type Planner struct {
	// Steps counts the groups of tasks that plans were made of.
	Steps int64

	stopped func() bool // [replay.State.Stopped]
	now     int64
	within  cluster.Vector
	byRank  bool
	stages  []stage
	open    []int32          // stages with tasks that run or have not started; of others only left and running count
	running []group          // that run already, ascending by end
	held    []cluster.Vector // what running[k:] hold
	longest int64            // duration of a task of open
	least   int64            // a lower bound on the end of the last task that has not started

	// Of the plan that is being made:
	backward bool
	end      int64 // instant from which backward plans are made
	starts   []Start
	ready    []candidate
	demands  []cluster.Vector // of a task of each of ready
	fitting  []int32          // scratch of place
	ends     ends
	free     cluster.Vector // part of the allowance that no placed group holds; below 0 where it is overcommitted
	visit    int32          // number of the instant at hand
	groups   []placed
	known    []placed // groups of the plan before: see Sooner
}

// stage is the unplanned part of a stage.
type stage struct {
	demand   cluster.Vector // of one task, at most the allowance
	weight   [trace.NumResources]float64
	duration int64
	rank     int32
	depth    int32
	left     int32 // tasks that have not started
	running  int32
	children []replay.Child
	parents  []int32 // stages that must end first
	pairs    []int32 // stages one to one
	release  int64   // earliest start of a task: tasks of parents run until then
	paired   int64   // the same for tasks that wait one to one for running ones

	// Bounds on any plan, see bound:
	from  int64 // earliest start of a task
	ended int64 // earliest end of the last task
	below int64 // from an instant at which none has started to the end of all that waits for them
	tail  int64 // from the start of a task to the end of all that waits for it

	// Of the plan that is being made:
	unplaced int32 // tasks to place
	waits    int32 // barriers before it
	done     int32 // tasks that ended, or from the end: that began
	allowed  int32 // tasks whose pairs are done
	queued   bool
}

// candidate is a ready stage. It is small, since most candidates do not fit when they are visited again.
type candidate struct {
	demand cluster.Coarse // of a task
	stage  int32
}

// group is some tasks of a stage that end together.
type group struct {
	end   int64
	stage int32
	tasks int32
}

// placed is a group as it was placed: at which of the instants, which of the ready stages.
type placed struct{ visit, place, tasks int32 }

// Load takes the remaining part of a job, with its running tasks, and its allowance. ByRank plans by the rank of
// stages.
func (p *Planner) Load(s *replay.State, j *replay.Job, within *cluster.Vector, byRank bool) {
	p.stopped, p.now, p.within, p.byRank = s.Stopped, s.Now, *within, byRank
	p.stages = slices.Grow(p.stages[:0], len(j.Stages))[:len(j.Stages)]
	var inverse [trace.NumResources]float64
	for r, x := range within {
		if x > 0 {
			inverse[r] = 1 / (float64(x) * float64(x))
		}
	}
	p.open, p.longest = p.open[:0], 0
	for i := range j.Stages {
		from, to := &j.Stages[i], &p.stages[i]
		left := from.Left()
		if to.left, to.running, to.unplaced = left-from.Running, from.Running, 0; left == 0 {
			continue
		}
		p.open = append(p.open, int32(i))
		to.demand, to.duration, to.rank, to.depth = from.Demand, from.Estimate, from.Rank, from.Depth
		p.longest = max(p.longest, from.Estimate)
		to.children, to.parents, to.pairs, to.release, to.paired = from.Children, from.Parents, from.Pairs, 0, 0
		to.ended, to.below = s.Now, 0
		to.demand.Lower(within)
		for r, x := range to.demand {
			to.weight[r] = float64(x) * inverse[r]
		}
	}
	p.load(s, j)
	p.bound()
}

// load adds the running tasks, as groups that end together.
func (p *Planner) load(s *replay.State, j *replay.Job) {
	p.running = p.running[:0]
	for _, slot := range j.Live {
		t := s.Task(slot)
		end := max(s.Now, t.Start+p.stages[t.Stage].duration)
		p.running = append(p.running, group{end, t.Stage, 1})
	}
	slices.SortFunc(p.running, func(a, b group) int {
		if a.end != b.end {
			return cmp.Compare(a.end, b.end)
		}
		return cmp.Compare(a.stage, b.stage)
	})
	out := p.running[:0]
	for _, g := range p.running {
		if k := len(out) - 1; k >= 0 && out[k].end == g.end && out[k].stage == g.stage {
			out[k].tasks++
			continue
		}
		out = append(out, g)
	}
	p.running = out
	for _, g := range p.running {
		for _, c := range p.stages[g.stage].children {
			to := &p.stages[c.Stage]
			if c.OneToOne {
				to.paired = max(to.paired, g.end)
			} else {
				to.release = max(to.release, g.end)
			}
		}
	}
}

// bound computes lower bounds on when tasks start and end in any plan: the longest remaining path, with each stage in
// as many waves as the allowance requires, and the earliest instant by which the allowance has room for all tasks.
func (p *Planner) bound() {
	for _, g := range p.running {
		p.stages[g.stage].ended = max(p.stages[g.stage].ended, g.end)
	}
	p.least = p.now
	var area [trace.NumResources]float64
	for _, i := range p.open {
		st := &p.stages[i]
		if st.left == 0 {
			continue
		}
		from, paired := max(p.now, st.release), p.now
		for _, q := range st.parents {
			if p.stages[q].left > 0 {
				from = max(from, p.stages[q].ended)
			}
		}
		for _, q := range st.pairs { // the last of ours waits for the last of the parent's
			if p.stages[q].left > 0 {
				paired = max(paired, p.stages[q].ended)
			}
		}
		wide := max(1, st.demand.Times(&p.within, int64(st.left)))
		st.from, st.below = from, (int64(st.left)+wide-1)/wide*st.duration
		last := max(from+st.below, paired+st.duration)
		st.ended, p.least = max(st.ended, last), max(p.least, last)
		for r := range area {
			area[r] += st.weight[r] * float64(st.left) * float64(st.duration)
		}
	}
	for r, x := range area {
		p.least = max(p.least, p.now+int64(x*float64(p.within[r])*(1-1e-9)))
	}
	for k := len(p.open) - 1; k >= 0; k-- {
		st := &p.stages[p.open[k]]
		after := int64(0)
		for _, c := range st.children {
			if !c.OneToOne {
				after = max(after, p.stages[c.Stage].below)
			}
		}
		st.below += after
		st.tail = st.duration + after
	}
}

// Least returns a lower bound on the end of any plan.
func (p *Planner) Least() int64 {
	if n := len(p.running); n > 0 {
		return max(p.least, p.running[n-1].end)
	}
	return p.least
}

// Late reports whether every plan of a job ends after limit, because a path of stages from a task that runs or may
// start is too long. Below are the longest paths that begin with each stage. False tells nothing.
func Late(s *replay.State, j *replay.Job, below []int64, limit int64) bool {
	return slices.ContainsFunc(j.Ready, func(i int32) bool { return s.Now+below[i] > limit }) ||
		slices.ContainsFunc(j.Live, func(slot int32) bool {
			t := s.Task(slot)
			return t.Start+below[t.Stage] > limit
		})
}
