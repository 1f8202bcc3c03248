package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/machines/jobs"
)

// Scheduler decides which tasks start. It is called at every instant with an event, after all its events, and
// starts tasks with [State.Start]. A started task runs until it ends: nothing is preempted.
type Scheduler interface {
	Schedule(s *State)
}

// Ranker is a Scheduler that lists a job's stages in [Job.Ready] in its own order. Rank is called once, when a
// job arrives, and returns a rank for each stage, lowest first.
type Ranker interface {
	Rank(s *State, j *Job) []int32
}

// Observer receives the events. Its arguments are valid during the call only.
type Observer interface {
	Arrive(s *State, j *Job)
	Start(s *State, t *Task)
	End(s *State, t *Task) // t.Fails: the task is runnable again
	Finish(s *State, j *Job)
	Scheduled(s *State) // after every call of the scheduler
}

// State is a cluster in the middle of a replay.
type State struct {
	Now      int64 // microseconds
	Machines *Machines
	// Changed are the unfinished jobs that arrived, or had a task end, at this instant.
	Changed []*Job
	Ended   []*Job  // jobs that ended at this instant
	Started []*Job  // jobs of which tasks started at this instant, so far
	Freed   []int32 // machines on which tasks ended at this instant, ascending
	Active  int     // jobs that arrived and have not ended
	Running int     // tasks
	Steps   int64   // scheduling work: searches for room; schedulers add their own

	ctx       context.Context
	scheduler Scheduler
	observer  Observer
	all       []*jobs.Job
	arrived   int
	jobs      []*Job // by index; nil before arrival and after the end
	events    heap
	slots     []Task
	free      []int32
	gave      []int32 // machines on which tasks ended, so far
	full      int     // length of gave, and the instant, when no pending task had room: see Full
	filled    int64
	wake      int64
	instant   int64
	stretches bool // the demand of some stage of any job is misestimated: see settle
	on        [][]int32
	load      []Vector
	factor    []float64
	result    Result
}

// Result is the outcome of a replay. Times are microseconds.
type Result struct {
	Finished []int64 // by job
	Instants int64   // calls of the scheduler
	Ended    int64   // attempts
	Failed   int64   // of those
	Clamped  int64   // stages with a demand above every machine, lowered to a whole machine
	Steps    int64   // State.Steps at the end
	Makespan int64   // from the first arrival to the last end
}

// ErrStuck is returned when tasks wait, none runs, and the scheduler starts none.
var ErrStuck = errors.New("the scheduler leaves tasks waiting on an idle cluster")

// Run schedules jobs, in the order of their arrival, on machines, which it resets first. ctx is checked before every
// instant, and by schedulers that take long: see [State.Stopped].
func Run(ctx context.Context, all []*jobs.Job, m *Machines, scheduler Scheduler, observer Observer) (*Result, error) {
	for i, j := range all {
		if err := j.Validate(); err != nil {
			return nil, err
		}
		if i > 0 && j.Arrival < all[i-1].Arrival {
			return nil, fmt.Errorf("job %q arrives before the one before it; want them in order of arrival", j.ID)
		}
	}
	m.Reset()
	s := &State{ctx: ctx, Machines: m, scheduler: scheduler, observer: observer, all: all, jobs: make([]*Job, len(all))}
	s.result.Finished = make([]int64, len(all))
	s.stretches = slices.ContainsFunc(all, (*jobs.Job).Misestimated)
	for s.arrived < len(all) || s.Active > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !s.advance() {
			return nil, fmt.Errorf("at %v s: %w", float64(s.Now)/1e6, ErrStuck)
		}
	}
	s.result.Instants, s.result.Steps = s.instant, s.Steps
	if len(all) > 0 {
		s.result.Makespan = slices.Max(s.result.Finished) - all[0].Arrival
	}
	return &s.result, nil
}

// Stopped reports whether the replay is cancelled: the scheduler's further decisions have no effect.
func (s *State) Stopped() bool { return s.ctx != nil && s.ctx.Err() != nil }

// advance processes the events of the next instant; false if there is none.
func (s *State) advance() bool {
	for len(s.events) > 0 && s.slots[s.events[0].slot].version != s.events[0].version {
		s.events.pop()
	}
	next := s.wake
	if s.instant == 0 {
		next = math.MaxInt64
	}
	if len(s.events) > 0 {
		next = min(next, s.events[0].at)
	}
	if s.arrived < len(s.all) {
		next = min(next, s.all[s.arrived].Arrival)
	}
	if next == math.MaxInt64 {
		return false
	}
	s.instant++
	s.Now, s.wake = next, math.MaxInt64
	s.Changed, s.Ended, s.Started, s.Freed = s.Changed[:0], s.Ended[:0], s.Started[:0], s.Freed[:0]
	for len(s.events) > 0 && s.events[0].at <= s.Now {
		if e := s.events.pop(); s.slots[e.slot].version == e.version {
			s.end(e.slot)
		}
	}
	first := s.arrived
	for s.arrived < len(s.all) && s.all[s.arrived].Arrival <= s.Now {
		s.arrived++
		s.Active++
	}
	for i := first; i < s.arrived; i++ {
		s.arrive(int32(i))
	}
	s.Changed = slices.DeleteFunc(s.Changed, func(j *Job) bool { return j.left == 0 })
	if len(s.Freed) > 1 {
		slices.Sort(s.Freed)
		s.Freed = slices.Compact(s.Freed)
	}
	s.scheduler.Schedule(s)
	if s.observer != nil {
		s.observer.Scheduled(s)
	}
	for _, j := range s.Changed {
		j.Fresh = false
	}
	return true
}

// demand converts amounts to quanta, clamped to the capacity of a machine, and reports whether they exceeded it.
func (s *State) demand(d *trace.Demand) (v Vector, clamped bool) {
	v = s.Machines.Space().Quanta(d)
	clamped = s.Machines.Clamp(&v)
	return v, clamped
}

func (s *State) arrive(index int32) {
	j := s.newJob(index)
	s.jobs[index] = j
	if s.observer != nil {
		s.observer.Arrive(s, j)
	}
	s.Change(j)
	for i := range j.Stages {
		if st := &j.Stages[i]; st.barriers == 0 && st.waits == nil {
			s.open(j, int32(i), st.Spec.Tasks)
		}
	}
}

// Change marks a job as changed. A scheduler of several parts does so for jobs whose tasks an earlier part
// started.
func (s *State) Change(j *Job) {
	if j.changed != s.instant {
		j.changed = s.instant
		s.Changed = append(s.Changed, j)
	}
}

// open makes n more tasks of stage i pending.
func (s *State) open(j *Job, i, n int32) {
	st := &j.Stages[i]
	if st.Pending == 0 {
		st.Pending, st.opened = n, s.instant
		j.ready(i)
	} else {
		st.Pending += n
	}
	j.Version++
	j.Wanted.Add(&st.Demand, int64(n))
	j.Fresh = true
	s.Change(j)
}

// Job returns the job with an index, nil unless it has arrived and not ended.
func (s *State) Job(index int32) *Job { return s.jobs[index] }

// Arrived returns how many jobs have arrived: their indices are below it.
func (s *State) Arrived() int { return s.arrived }

// Task returns the running task in a slot of [Job.Live].
func (s *State) Task(slot int32) *Task { return &s.slots[slot] }

// Wake asks for a call of the scheduler at an instant after Now, should nothing happen before. It holds until the next
// call.
func (s *State) Wake(at int64) {
	if at > s.Now {
		s.wake = min(s.wake, at)
	}
}

// Full records that no pending task has room, as is true after a scheduler that starts every task that fits.
func (s *State) Full() { s.full, s.filled = len(s.gave), s.instant }

// Room returns the first machine that a task of a ready stage fits on, -1 when there is none. It searches the machines
// from the one on that it found the last time, and those before on which tasks ended since, unless these are many.
func (s *State) Room(j *Job, stage int32) int32 {
	s.Steps++
	st := &j.Stages[stage]
	all := int32(s.Machines.Len())
	if st.tried < s.full && st.opened <= s.filled {
		st.tried, st.below = s.full, all
	}
	const few = 32
	if st.tried < 0 || len(s.gave)-st.tried > few {
		st.tried, st.below = len(s.gave), 0
	}
	best := st.below
	for _, m := range s.gave[st.tried:] {
		if m < best && st.Demand.Fits(s.Machines.Free(m)) {
			best = m
		}
	}
	if best == st.below && best < all {
		if best = s.Machines.First(&st.Demand, best); best < 0 {
			best = all
		}
	}
	st.tried, st.below = len(s.gave), best
	if best == all {
		return -1
	}
	return best
}

// Place starts a task of a ready stage on the first machine with room, and reports whether there was one.
func (s *State) Place(j *Job, stage int32, own bool) bool {
	m := s.Room(j, stage)
	if m >= 0 {
		s.Start(j, stage, m, own)
	}
	return m >= 0
}
