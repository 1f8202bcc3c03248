package policy

import (
	"math"

	"racecard/models/cluster"
	"racecard/models/order"
	"racecard/models/replay"
)

// Tetris packs (Grandl et al., SIGCOMM 2014; PAPERS 6.2): a machine with room takes the task of the highest score
//
//	a − ε·p,  ε = Remaining · ā/p̄
//
// of those that fit, where a is the alignment of the task with the machine and p the work its job has left. The averages ā
// and p̄ are over stages with runnable tasks, whether they fit or not: a stage's tasks are alike, and so are one candidate.
// Machines are filled in ascending order.
type Tetris struct {
	// Fairness f in [0, 1]: only tasks of the ⌈(1−f)·n⌉ jobs are candidates that hold the least dominant share, of n with
	// runnable tasks; at least of one, and, since no task shall wait that fits, as many more as it takes until one fits.
	Fairness float64
	// Remaining is m: how much the work left weighs. 0 packs without regard to it.
	Remaining float64

	queue order.Queue // by work left, or where there is Fairness by dominant share held
	mean  averages
}

// averages are sums over stages with runnable tasks.
type averages struct {
	demand cluster.Vector
	work   float64
	stages int64
	jobs   int64
	seen   []candidate // by job: what it adds to the sums
}

type candidate struct {
	demand       cluster.Vector
	work, stages int64
}

// jobs returns 1 for a job with runnable tasks.
func (c *candidate) jobs() int64 { return min(c.stages, 1) }

// count takes the ready stages of a job into the sums; none of a job that ended.
func (a *averages) count(j *replay.Job, ended bool) {
	for len(a.seen) <= int(j.Index) {
		a.seen = append(a.seen, candidate{})
	}
	old := &a.seen[j.Index]
	a.demand.Add(&old.demand, -1)
	a.work -= float64(old.work)
	a.stages -= old.stages
	a.jobs -= old.jobs()
	*old = candidate{}
	if a.stages == 0 {
		a.work = 0 // what rounding left
	}
	if ended {
		return
	}
	old.stages = int64(len(j.Ready))
	old.work = j.Work * old.stages
	for _, i := range j.Ready {
		old.demand.Add(&j.Stages[i].Demand, 1)
	}
	a.demand.Add(&old.demand, 1)
	a.work += float64(old.work)
	a.stages += old.stages
	a.jobs += old.jobs()
}

// epsilon returns ε for a machine: the mean of alignments is the alignment of the mean demand.
func (t *Tetris) epsilon(s *replay.State, machine int32) float64 {
	if t.mean.work <= 0 {
		return 0
	}
	return t.Remaining * s.Machines.Alignment(machine, &t.mean.demand) / t.mean.work
}

func (t *Tetris) key(s *replay.State, j *replay.Job) float64 {
	if t.Fairness > 0 {
		return s.Machines.Dominant(&j.Held)
	}
	return float64(j.Work)
}

// Schedule is [replay.Scheduler].
func (t *Tetris) Schedule(s *replay.State) {
	for _, j := range s.Ended {
		t.queue.Remove(j.Index)
		t.mean.count(j, true)
	}
	for _, j := range s.Changed {
		t.update(s, j)
	}
	freed := s.Freed
	for m := int32(-1); ; {
		for len(freed) > 0 && freed[0] <= m {
			freed = freed[1:]
		}
		// All that waited before only fits where tasks ended.
		least := fresh(s)
		next := s.Machines.First(&least, m+1)
		if len(freed) > 0 && (next < 0 || freed[0] < next) {
			next = freed[0]
		}
		if next < 0 {
			return
		}
		t.fill(s, next)
		m = next
	}
}

// fresh returns the least that a task needs of a job of which tasks became runnable at this instant.
func fresh(s *replay.State) cluster.Vector {
	least := replay.Never
	for _, j := range s.Changed {
		if j.Fresh {
			least.Lower(&j.Need)
		}
	}
	return least
}

func (t *Tetris) update(s *replay.State, j *replay.Job) {
	t.queue.Set(j.Index, t.key(s, j), &j.Need)
	t.mean.count(j, false)
}

// fill starts tasks on a machine until none fits.
func (t *Tetris) fill(s *replay.State, machine int32) {
	for {
		j, stage := t.best(s, machine)
		if j == nil {
			return
		}
		s.Start(j, stage, machine, false)
		t.update(s, j)
	}
}

// search is for the task of the highest score that fits on a machine; of equal ones that which comes first in the queue.
type search struct {
	machine int32
	epsilon float64
	job     *replay.Job
	stage   int32
	score   float64
}

// look looks at the ready stages of a job.
func (b *search) look(s *replay.State, j *replay.Job) {
	free := s.Machines.Free(b.machine)
	for _, i := range j.Ready {
		d := &j.Stages[i].Demand
		if !d.Fits(free) {
			continue
		}
		if score := s.Machines.Alignment(b.machine, d) - b.epsilon*float64(j.Work); b.job == nil || score > b.score {
			b.job, b.stage, b.score = j, i, score
		}
	}
}

// best returns the task to start on a machine, no job when none fits.
func (t *Tetris) best(s *replay.State, machine int32) (*replay.Job, int32) {
	b := search{machine: machine, epsilon: t.epsilon(s, machine)}
	free := *s.Machines.Free(machine)
	if t.Fairness > 0 {
		t.deprived(s, &b)
		return b.job, b.stage
	}
	most := s.Machines.Alignment(machine, &free) // no task that fits aligns better
	s.Steps += t.queue.Each(&free, func(id int32, key float64) bool {
		if b.job != nil && most-b.epsilon*key <= b.score {
			return false // the others have no less work left
		}
		b.look(s, s.Job(id))
		return true
	})
	return b.job, b.stage
}

// deprived looks at the jobs that are furthest below their share, and at the next ones until one has a task that fits.
func (t *Tetris) deprived(s *replay.State, b *search) {
	left := int64(math.Ceil((1 - t.Fairness) * float64(t.mean.jobs)))
	key, from, any := math.Inf(-1), int32(0), replay.Never
	for r := range any {
		any[r]-- // all that need anything that there could be
	}
	for left = max(left, 1); left > 0; left-- {
		id, steps, ok := t.queue.First(key, from, &any)
		s.Steps += steps
		if !ok {
			return
		}
		b.look(s, s.Job(id))
		key, from = t.queue.Key(id), id+1
	}
	for b.job == nil {
		id, steps, ok := t.queue.First(key, from, s.Machines.Free(b.machine))
		s.Steps += steps
		if !ok {
			return
		}
		b.look(s, s.Job(id))
		key, from = t.queue.Key(id), id+1
	}
}
