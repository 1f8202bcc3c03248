package policy

import (
	"math"

	"racecard/models/machines/internal/order"
	"racecard/models/machines/replay"
)

// Tetris packs (Grandl et al., SIGCOMM 2014; PAPERS 6.2): a machine with room takes the task of the highest score
//
//	a − ε·p,  ε = Remaining · ā/p̄
//
// among tasks that fit, where a is the alignment of the task with the machine and p the remaining work of its job. The
// averages ā and p̄ are over stages with runnable tasks, whether they fit or not: a stage is one candidate, as its
// tasks are alike. Machines are filled in ascending order.
type Tetris struct {
	// Fairness f in [0, 1]: candidates are the tasks of the ⌈(1−f)·n⌉ jobs with the least dominant share, of n jobs
	// with runnable tasks. At least one job is a candidate, and more are added until a task fits, so that no fitting
	// task waits.
	Fairness float64
	// Remaining is m, the weight of the remaining work. With 0, packing ignores it.
	Remaining float64

	queue Waiting       // by work left, or where there is Fairness by dominant share held
	ranks order.Ranking // of those with runnable tasks, the same way, where there is Fairness
	mean  averages
}

// averages are sums over stages with runnable tasks.
type averages struct {
	demand replay.Vector
	work   float64
	stages int64
	jobs   int64
	seen   []candidate // by job: its contribution to the sums
}

type candidate struct {
	demand       replay.Vector
	work, stages int64
}

// jobs returns 1 for a job with runnable tasks.
func (c *candidate) jobs() int64 { return min(c.stages, 1) }

// count updates the contribution of a job's ready stages to the sums; a job that ended contributes nothing.
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
		a.work = 0 // remove rounding errors
	}
	if ended {
		return
	}
	old.stages = int64(len(j.Ready))
	old.work = j.Work * old.stages
	old.demand = j.Asks
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
		t.ranks.Remove(j.Index)
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
		// Tasks that waited before fit only where tasks ended.
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

// fresh returns the least demand of a task of a job with tasks that became runnable at this instant.
func fresh(s *replay.State) replay.Vector {
	least := replay.Never
	for _, j := range s.Changed {
		if j.Fresh {
			least.Lower(&j.Need)
		}
	}
	return least
}

func (t *Tetris) update(s *replay.State, j *replay.Job) {
	key := t.key(s, j)
	put(&t.queue, j, key)
	if t.Fairness > 0 {
		if len(j.Ready) > 0 {
			t.ranks.Set(j.Index, key)
		} else {
			t.ranks.Remove(j.Index)
		}
	}
	t.mean.count(j, false)
}

// fill starts tasks on a machine until none fits.
func (t *Tetris) fill(s *replay.State, machine int32) {
	for !s.Stopped() {
		j, stage := t.best(s, machine)
		if j == nil {
			return
		}
		s.Start(j, stage, machine, false)
		t.update(s, j)
	}
}

// search finds the task with the highest score that fits on a machine; of equal scores, the first in the queue.
type search struct {
	t       *Tetris
	s       *replay.State
	machine int32
	epsilon float64
	job     *replay.Job
	stage   int32
	score   float64
}

// Bound is [order.Best]: a demand larger than another aligns no worse.
func (b *search) Bound(most *replay.Vector, key float64) float64 {
	a := b.s.Machines.Alignment(b.machine, most)
	if b.t.Fairness > 0 {
		return a // the key is not the work left
	}
	return a - b.epsilon*key
}

// Look is [order.Best].
func (b *search) Look(job, stage int32) (score float64, best int32) {
	j := b.s.Job(job)
	if stage != order.Any {
		b.look(j, stage)
		return b.score, b.job.Index
	}
	free := b.s.Machines.Free(b.machine)
	for _, i := range j.Ready {
		if j.Stages[i].Demand.Fits(free) {
			b.look(j, i)
		}
	}
	if b.job == nil {
		return b.score, -1
	}
	return b.score, b.job.Index
}

// look scores a stage whose task fits.
func (b *search) look(j *replay.Job, i int32) {
	score := b.s.Machines.Alignment(b.machine, &j.Stages[i].Demand) - b.epsilon*float64(j.Work)
	if b.job == nil || score > b.score || score == b.score && b.before(j, i) {
		b.job, b.stage, b.score = j, i, score
	}
}

// before reports whether a stage comes before the best one: by the place of its job in the queue, then by its place in
// the job.
func (b *search) before(j *replay.Job, i int32) bool {
	if j != b.job {
		x, y := b.t.queue.Key(j.Index), b.t.queue.Key(b.job.Index)
		return x < y || x == y && j.Index < b.job.Index
	}
	x, y := j.Stages[i].Rank, j.Stages[b.stage].Rank
	return x < y || x == y && i < b.stage
}

// best returns the task to start on a machine, no job when none fits.
func (t *Tetris) best(s *replay.State, machine int32) (*replay.Job, int32) {
	b := search{t: t, s: s, machine: machine, epsilon: t.epsilon(s, machine), score: math.Inf(-1)}
	key, id := math.Inf(1), int32(0)
	if t.Fairness > 0 {
		candidates := math.Ceil((1 - t.Fairness) * float64(t.mean.jobs))
		last, ok := t.ranks.Select(max(int(candidates), 1) - 1)
		if ok {
			key, id = t.queue.Key(last), last
		}
	}
	free := s.Machines.Free(machine)
	s.Steps += t.queue.Best(free, key, id, &b)
	for from := id + 1; b.job == nil && !math.IsInf(key, 1); from = id + 1 {
		var steps int64
		var ok bool
		id, steps, ok = t.queue.First(&order.Search{Key: key, ID: from, Room: free, Level: math.Inf(1)})
		s.Steps += steps
		if !ok {
			break
		}
		key = t.queue.Key(id)
		for _, i := range s.Job(id).Ready {
			if s.Job(id).Stages[i].Demand.Fits(free) {
				b.look(s.Job(id), i)
			}
		}
	}
	return b.job, b.stage
}
