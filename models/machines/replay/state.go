package replay

import (
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
)

// Job is the state of a job. Schedulers read it and change nothing.
type Job struct {
	Spec   *jobs.Job
	Index  int32 // among all jobs, in the order of their arrival
	Stages []Stage
	Ready  []int32 // stages with pending tasks, in ascending Rank
	Begun  []int32 // tasks that run or have ended, by stage: schedulers that ask often need not visit Stages

	Held    Vector // of running tasks
	Own     Vector // of running tasks that started within the job's share
	Wanted  Vector // of running and pending tasks
	Need    Vector // the least demand of each resource over ready stages; Never if none is ready
	Asks    Vector // the sum over ready stages of the demand of one task
	Work    int64  // of tasks that have not ended, running ones whole: duration × demand, in Tetris' units
	Running int32
	Failed  int32   // attempts so far
	Live    []int32 // slots of running tasks, in no order
	Fresh   bool    // some tasks became runnable at this instant
	Version int64   // increases with every task that becomes runnable, starts or ends

	least   [trace.NumResources]int32 // ready stages that need as little as Need, by resource
	left    int32                     // stages that are not done
	changed int64                     // last instant at which it was put into State.Changed
	started int64                     // last instant at which it was put into State.Started

	actual   []Vector  // true demand of one task, by stage; nil where no job of the replay is misestimated
	failures [][]int32 // attempts that failed so far, by stage and task; nil without retries
}

// Stage is the state of a stage: four lines of a processor's cache, with what every start and end needs in two of them.
type Stage struct {
	Demand   Vector // of one task, as estimated by schedulers
	Pending  int32  // tasks that wait for room only
	Running  int32
	Done     int32
	tasks    int32
	tried    int // length of State.gave when no machine below the one that follows had room; -1: unknown
	below    int32
	next     int32 // first task that was never started, where tasks become runnable all at once
	opened   int64 // instant at which tasks became pending when none was
	Work     int64 // of one task
	Estimate int64 // of the duration of a task, in microseconds, as seen by schedulers
	Spec     *jobs.Stage
	Children []Child
	runnable []int32 // tasks that are runnable, where they become so one by one, or again
	Depth    int32   // stages on the longest path before it
	Rank     int32   // place in the order in which the stages of its job are served
	barriers int32   // parents that must end first with all tasks
	Parents  []int32 // stages that must end first, with all tasks
	Pairs    []int32 // stages it waits for one to one
	waits    []int32 // one-to-one parents that are not done, per task; nil where there is none
}

// Demand returns the demand of a task of a stage.
func (j *Job) Demand(stage int32) *Vector { return &j.Stages[stage].Demand }

// Child is a stage that waits for another.
type Child struct {
	Stage    int32
	OneToOne bool
}

// Tasks returns the number of tasks.
func (s *Stage) Tasks() int32 { return s.tasks }

// Left returns the number of tasks that have not ended.
func (s *Stage) Left() int32 { return s.tasks - s.Done }

// Open reports whether some tasks are runnable or have been.
func (s *Stage) Open() bool { return s.Pending+s.Running+s.Done > 0 }

// Never is a need that no machine has room for.
var Never = func() (v Vector) {
	for r := range v {
		v[r] = cluster.Most
	}
	return v
}()

// Task is an attempt that runs.
type Task struct {
	Job        *Job
	Stage      int32
	Task       int32
	Machine    int32
	Own        bool // set by the scheduler at the start: within the job's share, not on leftover
	Fails      bool
	Start, End int64 // microseconds; End may grow where a machine is over-committed

	place   int32 // in Job.Live
	version int32
}

// work returns the work of a task in Tetris' units: microseconds times the shares of the largest machine it holds,
// summed over resources. It is rounded up to a whole number, so that sums are exact.
func (s *State) work(d *Vector, duration int64) int64 {
	sum := 0.0
	for r, x := range d {
		if most := s.Machines.Largest()[r]; most > 0 {
			sum += float64(x) / float64(most)
		}
	}
	return int64(math.Ceil(sum * float64(duration)))
}

// newJob returns the state of a job whose stages wait for their parents.
func (s *State) newJob(index int32) *Job {
	spec := s.all[index]
	j := &Job{Spec: spec, Index: index, Stages: make([]Stage, len(spec.Stages)),
		Begun: make([]int32, len(spec.Stages)), Need: Never}
	j.left = int32(len(spec.Stages))
	for i := range spec.Stages {
		from, to := &spec.Stages[i], &j.Stages[i]
		to.Spec, to.tasks, to.Estimate, to.tried = from, from.Tasks, from.Estimate, -1
		var believed bool
		to.Demand, believed = s.demand(&from.Seen)
		actual, held := s.demand(&from.Demand)
		if believed || held {
			s.result.Clamped++
		}
		if s.stretches {
			j.actual = append(j.actual, actual)
		}
		to.Work = s.work(&to.Demand, to.Estimate)
		j.Work += to.Work * int64(from.Tasks)
		if len(from.Parents) > 0 {
			to.Parents = make([]int32, 0, len(from.Parents))
		}
		for _, p := range from.Parents {
			parent := &j.Stages[p.Stage]
			to.Depth = max(to.Depth, parent.Depth+1)
			parent.Children = append(parent.Children, Child{int32(i), p.OneToOne})
			if !p.OneToOne {
				to.barriers++
				to.Parents = append(to.Parents, p.Stage)
				continue
			}
			to.Pairs = append(to.Pairs, p.Stage)
			if to.waits == nil {
				to.waits = make([]int32, from.Tasks)
			}
			for k := range to.waits {
				to.waits[k]++
			}
		}
		if len(from.Retries) > 0 {
			if j.failures == nil {
				j.failures = make([][]int32, len(spec.Stages))
			}
			j.failures[i] = make([]int32, from.Tasks)
		}
	}
	for i, rank := range s.rank(j) {
		j.Stages[i].Rank = rank
	}
	return j
}

// rank returns the ranks of the stages of a job, breadth first unless the scheduler has its own order.
func (s *State) rank(j *Job) []int32 {
	if r, ok := s.scheduler.(Ranker); ok {
		return r.Rank(s, j)
	}
	return BreadthFirst(j)
}

// BreadthFirst ranks stages by the number of stages on the longest path before them, then by number: as Tez does.
func BreadthFirst(j *Job) []int32 {
	ranks := make([]int32, len(j.Stages))
	for i := range ranks {
		ranks[i] = j.Stages[i].Depth
	}
	return ranks
}

// ready adds stage i, whose tasks became pending, to the ready ones.
func (j *Job) ready(i int32) {
	if k, found := j.place(i); !found {
		j.Ready = slices.Insert(j.Ready, k, i)
		j.Asks.Add(&j.Stages[i].Demand, 1)
		j.needs(&j.Stages[i].Demand)
	}
}

// place returns where stage i is among the ready ones, or would be.
func (j *Job) place(i int32) (k int, found bool) {
	return slices.BinarySearchFunc(j.Ready, i, func(a, b int32) int {
		if d := j.Stages[a].Rank - j.Stages[b].Rank; d != 0 {
			return int(d)
		}
		return int(a - b)
	})
}

// unready removes stage i, which has no pending task any more, from the ready ones. It visits the others only if
// no other needs as little of some resource.
func (j *Job) unready(i int32) {
	k, _ := j.place(i)
	if k == 0 {
		j.Ready = j.Ready[1:]
	} else {
		j.Ready = slices.Delete(j.Ready, k, k+1)
	}
	demand := &j.Stages[i].Demand
	j.Asks.Add(demand, -1)
	more := false
	for r, x := range demand {
		if x == j.Need[r] {
			j.least[r]--
			more = more || j.least[r] == 0
		}
	}
	if more {
		j.Need = Never
		for _, k := range j.Ready {
			j.needs(&j.Stages[k].Demand)
		}
	}
}

// needs lowers Need to the demand of one more ready stage.
func (j *Job) needs(demand *Vector) {
	for r, x := range demand {
		switch {
		case x < j.Need[r]:
			j.Need[r], j.least[r] = x, 1
		case x == j.Need[r]:
			j.least[r]++
		}
	}
}
