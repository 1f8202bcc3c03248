// Package replaytest checks schedulers against schedules computed by hand, and against the invariants of every
// schedule.
package replaytest

import (
	"fmt"
	"testing"

	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/replay"
)

// Checker is an Observer that keeps separate books. It fails a test when a machine holds more than its capacity,
// a task starts before its parents have ended, or a second time, or a job ends with unfinished tasks. With
// Conserving it also fails when the scheduler leaves a task waiting although some machine has room: it checks
// all machines after every instant.
type Checker struct {
	T          testing.TB
	Conserving bool
	// Then, unless nil, receives all events as well.
	Then replay.Observer
	// Starts lists all starts, one line each, to compare schedules.
	Starts []string

	used []cluster.Vector
	jobs map[int32][][]taskState
}

type taskState uint8

const (
	waiting taskState = iota
	running
	done
)

// Arrive is [replay.Observer].
func (c *Checker) Arrive(s *replay.State, j *replay.Job) {
	if c.used == nil {
		c.used = make([]cluster.Vector, s.Machines.Len())
		c.jobs = map[int32][][]taskState{}
	}
	var stages [][]taskState
	for i := range j.Spec.Stages {
		stages = append(stages, make([]taskState, j.Spec.Stages[i].Tasks))
	}
	c.jobs[j.Index] = stages
	if c.Then != nil {
		c.Then.Arrive(s, j)
	}
}

// Start is [replay.Observer].
func (c *Checker) Start(s *replay.State, t *replay.Task) {
	c.Starts = append(c.Starts,
		fmt.Sprintf("%d: job %s stage %d task %d on %d", s.Now, t.Job.Spec.ID, t.Stage, t.Task, t.Machine))
	stages := c.jobs[t.Job.Index]
	if stages[t.Stage][t.Task] != waiting {
		c.T.Errorf("%s: a second time", c.Starts[len(c.Starts)-1])
	}
	stages[t.Stage][t.Task] = running
	for _, p := range t.Job.Spec.Stages[t.Stage].Parents {
		for i, state := range stages[p.Stage] {
			if state != done && (!p.OneToOne || i == int(t.Task)) {
				c.T.Errorf("%s: task %d of stage %d has not ended", c.Starts[len(c.Starts)-1], i, p.Stage)
			}
		}
	}
	used := &c.used[t.Machine]
	used.Add(&t.Job.Stages[t.Stage].Demand, 1)
	if !used.Fits(s.Machines.Capacity(t.Machine)) {
		c.T.Errorf("%s: it holds %v of %v", c.Starts[len(c.Starts)-1], *used, *s.Machines.Capacity(t.Machine))
	}
	if c.Then != nil {
		c.Then.Start(s, t)
	}
}

// End is [replay.Observer].
func (c *Checker) End(s *replay.State, t *replay.Task) {
	c.used[t.Machine].Add(&t.Job.Stages[t.Stage].Demand, -1)
	state := &c.jobs[t.Job.Index][t.Stage][t.Task]
	if *state != running || t.End != s.Now {
		c.T.Errorf("%d: job %s stage %d task %d ends, due at %d", s.Now, t.Job.Spec.ID, t.Stage, t.Task, t.End)
	}
	*state = done
	if t.Fails {
		*state = waiting
	}
	if c.Then != nil {
		c.Then.End(s, t)
	}
}

// Finish is [replay.Observer].
func (c *Checker) Finish(s *replay.State, j *replay.Job) {
	for i, stage := range c.jobs[j.Index] {
		for k, state := range stage {
			if state != done {
				c.T.Errorf("%d: job %s ends without task %d of stage %d", s.Now, j.Spec.ID, k, i)
			}
		}
	}
	if j.Work != 0 || !j.Held.Zero() || !j.Wanted.Zero() {
		c.T.Errorf("job %s ends with work %d, holding %v, wanting %v", j.Spec.ID, j.Work, j.Held, j.Wanted)
	}
	delete(c.jobs, j.Index)
	if c.Then != nil {
		c.Then.Finish(s, j)
	}
}

// ready checks the recorded ready stages of a job, and how many tasks have begun.
func (c *Checker) ready(s *replay.State, j *replay.Job) {
	need, asks, last := replay.Never, cluster.Vector{}, int32(-1)
	for _, i := range j.Ready {
		st := &j.Stages[i]
		need.Lower(&st.Demand)
		asks.Add(&st.Demand, 1)
		if last >= 0 && (j.Stages[last].Rank > st.Rank || j.Stages[last].Rank == st.Rank && last >= i) ||
			st.Pending == 0 {
			c.T.Errorf("%d: job %s: stage %d, of %d pending tasks, is ready after stage %d", s.Now, j.Spec.ID, i,
				st.Pending, last)
		}
		last = i
	}
	for i := range j.Stages {
		if st := &j.Stages[i]; j.Begun[i] != st.Running+st.Done {
			c.T.Errorf("%d: job %s: %d tasks of stage %d have begun, want %d that run and %d that ended", s.Now, j.Spec.ID,
				j.Begun[i], i, st.Running, st.Done)
		}
	}
	if need != j.Need || asks != j.Asks {
		c.T.Errorf("%d: job %s needs at least %v and asks for %v, want %v and %v", s.Now, j.Spec.ID, j.Need, j.Asks,
			need, asks)
	}
}

// Scheduled is [replay.Observer].
func (c *Checker) Scheduled(s *replay.State) {
	if c.Then != nil {
		c.Then.Scheduled(s)
	}
	for _, j := range s.Started {
		c.ready(s, j)
	}
	for _, j := range s.Changed {
		c.ready(s, j)
	}
	if !c.Conserving {
		return
	}
	for index := range s.Arrived() {
		j := s.Job(int32(index))
		if j == nil {
			continue
		}
		for i := range j.Stages {
			for m := range int32(s.Machines.Len()) {
				if st := &j.Stages[i]; st.Pending > 0 && st.Demand.Fits(s.Machines.Free(m)) {
					c.T.Fatalf("%d: a task of job %s stage %d waits, and machine %d has room", s.Now, j.Spec.ID, i, m)
				}
			}
		}
	}
}
