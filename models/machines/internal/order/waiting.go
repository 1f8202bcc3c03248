package order

import (
	"math"
	"slices"

	"racecard/models/machines/internal/cluster"
)

// Waiting is a priority queue of jobs, ordered by (key, id), indexed by task demand. Searches return the first
// job with a task that fits the free capacity, in time sublinear in the number of jobs. Demands lie in a k-d
// tree with the first job below every node: a search leaves out demands that do not fit, and jobs after the best
// one found. The tree knows a range that the job's key is in, not the key, since keys change with every task, a
// little: most changes cost nothing, and a search looks at some more jobs.
//
// A job may be open: then it is found whatever it demands.
type Waiting struct {
	open  Ranking
	boxes boxes
	jobs  []waiter // by id
	point []int32  // by stage + 1, of the job that changes: the number of its point + 1; else 0
	old   []int32  // stages that it had
}

// waiter is a job.
type waiter struct {
	in     bool
	key    float64
	span   span    // of its points
	stages []int32 // in the tree
	points []int32 // numbers of their points
}

// Any stands for all stages of a job with more than [MaxIndexed].
const Any = int32(-1)

// MaxIndexed is the largest number of stages of a job that are indexed one by one: each holds a copy of the job's key.
const MaxIndexed = 1024

// Has reports whether a job is in.
func (w *Waiting) Has(id int32) bool { return int(id) < len(w.jobs) && w.jobs[id].in }

// Key returns the key of a job that is in.
func (w *Waiting) Key(id int32) float64 { return w.jobs[id].key }

// Set puts a job, its id at least 0, at a key with some of its stages, or moves it there; demand returns the
// demand of a stage's task. The demand of a stage does not change while the job is in. The key must not be NaN.
func (w *Waiting) Set(id int32, key float64, stages []int32, demand func(stage int32) *cluster.Vector) {
	if len(stages) <= MaxIndexed {
		w.set(id, key, stages, demand)
		return
	}
	least := *demand(stages[0])
	for _, i := range stages[1:] {
		least.Lower(demand(i))
	}
	w.SetLeast(id, key, &least)
}

// SetLeast is Set for a job whose tasks' demands are known only by a lower bound per resource: its stage is
// [Any].
func (w *Waiting) SetLeast(id int32, key float64, least *cluster.Vector) {
	if w.Has(id) {
		if j := &w.jobs[id]; len(j.stages) == 1 && j.stages[0] == Any && w.boxes.at(j.points[0]) != *least {
			w.keep(j, nil)
		}
	}
	w.set(id, key, []int32{Any}, func(int32) *cluster.Vector { return least })
}

func (w *Waiting) set(id int32, key float64, stages []int32, demand func(stage int32) *cluster.Vector) {
	for len(w.jobs) <= int(id) {
		w.jobs = append(w.jobs, waiter{})
	}
	j := &w.jobs[id]
	same := slices.Equal(j.stages, stages)
	if !same {
		w.keep(j, stages)
	}
	w.move(j, id, key)
	if same {
		return
	}
	for k, i := range stages {
		if j.points[k] == missing {
			j.points[k] = w.boxes.add(point{at: *demand(i), span: j.span, job: id, stage: i})
		}
	}
}

// missing is the number of a point that is not in the tree.
const missing = int32(-1)

// keep gives a job other stages. Those that it did not have are missing in the tree.
func (w *Waiting) keep(j *waiter, stages []int32) {
	for k, i := range j.stages {
		w.point[i+1] = j.points[k] + 1
	}
	w.old = append(w.old[:0], j.stages...)
	j.stages, j.points = append(j.stages[:0], stages...), j.points[:0]
	for _, i := range stages {
		for len(w.point) <= int(i)+1 {
			w.point = append(w.point, 0)
		}
		j.points = append(j.points, w.point[i+1]-1)
		w.point[i+1] = 0
	}
	for _, i := range w.old {
		if p := w.point[i+1]; p > 0 {
			w.boxes.remove(p - 1)
			w.point[i+1] = 0
		}
	}
}

// move puts a job at a key. Its points are told only when the key leaves their span.
func (w *Waiting) move(j *waiter, id int32, key float64) {
	if !j.in {
		j.in, j.key, j.span = true, key, span{key, key}
		return
	}
	if j.key != key && w.open.Has(id) {
		w.open.Set(id, key)
	}
	j.key = key
	if to := j.span.to(key); to != j.span {
		j.span = to
		for _, p := range j.points {
			if p != missing {
				w.boxes.move(p, to)
			}
		}
	}
}

// Remove takes a job out, if it is in.
func (w *Waiting) Remove(id int32) {
	if !w.Has(id) {
		return
	}
	j := &w.jobs[id]
	for _, p := range j.points {
		w.boxes.remove(p)
	}
	*j = waiter{}
	w.open.Remove(id)
}

// Open makes searches find a job in the queue whatever room there is.
func (w *Waiting) Open(id int32) { w.open.Set(id, w.jobs[id].key) }

// Close undoes Open.
func (w *Waiting) Close(id int32) { w.open.Remove(id) }

// Least returns the least demand of any job for each resource, zero if a job is open; false if there is no job.
func (w *Waiting) Least() (least cluster.Vector, ok bool) {
	if w.open.Len() > 0 {
		return least, true
	}
	if w.boxes.root == 0 || w.boxes.nodes[w.boxes.root].count == 0 {
		return least, false
	}
	return w.boxes.nodes[w.boxes.root].least, true
}

// Level sets the levels from which on stages of a job may start a task: see [Search]. New stages are at 0.
func (w *Waiting) Level(id int32, level func(stage int32) float64) {
	j := &w.jobs[id]
	for k, i := range j.stages {
		if i != Any {
			w.boxes.raise(j.points[k], level(i))
		}
	}
}

// Search describes the wanted jobs: at or after (Key, ID), with a stage whose task demands no more than Room, at
// a level of at most Level, and accepted by OK, unless it is nil. For [Any], OK means that some stage might do.
// Unless nil, Beyond leaves out stages whose task demands no more than it, Fits accepts demands, which for [Any] are a
// lower bound, and Refused leaves out demands at least as large as a refused one.
type Search struct {
	Key     float64
	ID      int32
	Room    *cluster.Vector
	Beyond  *cluster.Vector
	Refused func(demand *cluster.Vector) bool
	Fits    func(demand *cluster.Vector) bool
	Level   float64
	OK      func(job, stage int32) bool
}

// First returns the first job at or after (Key, ID) that is open, or that is searched for; false when there is none.
// steps is the number of points visited.
func (w *Waiting) First(s *Search) (id int32, steps int64, ok bool) {
	id, steps = w.sooner(s, math.Inf(1), none)
	return id, steps, id != none
}

// Sooner is First restricted to jobs before the job than, which is in the queue; it returns than if there is none.
func (w *Waiting) Sooner(s *Search, than int32) (id int32, steps int64) {
	return w.sooner(s, w.jobs[than].key, than)
}

func (w *Waiting) sooner(s *Search, key float64, than int32) (id int32, steps int64) {
	f := first{Search: s, jobs: w.jobs, best: key, job: than}
	if w.open.Len() > 0 {
		o, n, ok := w.open.From(s.Key, s.ID)
		f.steps = n
		if ok && before(w.open.Key(o), o, key, than) {
			f.best, f.job = w.open.Key(o), o
		}
	}
	if w.boxes.root != 0 {
		f.look(&w.boxes, w.boxes.root)
	}
	return f.job, f.steps
}

// Best is a search for the highest score: see [Waiting.Best].
type Best interface {
	// Bound returns an upper bound on the scores of tasks that demand at most most, of jobs with a key of at least key.
	Bound(most *cluster.Vector, key float64) float64
	// Look scores a stage of a job, or [Any], whose task fits. It returns the highest score so far and its job,
	// -1 if there is none. Of equal scores, the one of the first job in the queue counts.
	Look(job, stage int32) (score float64, best int32)
}

// Best passes to b all demands within room of jobs up to (key, id), except those whose bound is below the highest score
// so far, or equal to it where their jobs come later. It returns the number of points visited.
func (w *Waiting) Best(room *cluster.Vector, key float64, id int32, b Best) (steps int64) {
	if w.boxes.root == 0 {
		return 0
	}
	s := best{jobs: w.jobs, room: room, key: key, id: id, with: b, score: math.Inf(-1), first: math.Inf(1), job: none}
	s.look(&w.boxes, w.boxes.root)
	return s.steps
}
