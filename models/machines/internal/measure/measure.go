// Package measure measures a replay over time: the fairness of shares, the utilisation of the cluster, and the running
// tasks of one job (Carbyne, OSDI 2016, §5.1; PAPERS C4).
//
// # Fairness
//
// Time is cut into windows of 60 s from the first arrival on. In a window, x_i is the held share of job i over
// its fair share: the integral of its dominant share, divided by the integral of 1/n(t) over its time in the
// system, with n(t) jobs in the system. Jain's index of the window is
//
//	J = (Σ x_i)² / (n · Σ x_i²)
//
// over the jobs that were there for some of it: 1 when all hold the same part of their share, 1/n when one holds all
// (R. Jain, D. Chiu and W. Hawe, "A Quantitative Measure of Fairness", DEC TR-301, 1984). Windows with fewer than two
// jobs, or in which nothing was held, are left out.
//
// The index falls when jobs get less than their share, and also when a few get more because others need it less, as
// with leftover. The capped index tells these apart: it is Jain's index of min(x_i, 1), so that resources beyond a
// job's share do not count.
package measure

import (
	"math"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/replay"
)

// Window is the length of the windows of Jain's index, in microseconds.
const Window = 60_000_000

// alike is the number of windows without an event that are kept one by one. Further windows until the next event are
// alike and kept as one, so that a task of years has no more windows than one of hours.
const alike = 1000

// Books is an observer that measures one replay.
type Books struct {
	// Follow is the id of the job whose Running to keep; "" is none.
	Follow string

	began   bool
	first   int64 // first arrival
	now     int64
	window  int64 // end of the current window
	fair    float64
	alive   []int32 // indices of jobs that are there
	jobs    []account
	gone    []float64 // x of jobs that ended in this window
	jain    []Fairness
	used    cluster.Vector
	integ   [trace.NumResources]float64 // quanta · µs
	tasks   float64                     // running tasks · µs
	running int
	series  Series
	steps   []Step
	total   cluster.Vector // of the cluster
	own     int32          // of the followed job
	all     int32
}

// Fairness is Jain's index of one window, or of several that are alike.
type Fairness struct {
	Index   float64 // of held resources relative to shares
	Capped  float64 // the same, without resources beyond a share
	Windows int64
}

// account tracks a job in the current window.
type account struct {
	place  int32   // in alive
	held   float64 // integral of its dominant share until last
	share  float64 // dominant share now
	last   int64
	fairAt float64 // the integral of 1/n when it came, or the window began
}

// Step says how many tasks of the followed job run from an instant on, by right and in all.
type Step struct {
	At       int64 // microseconds from the first arrival
	Own, All int32
}

// to advances time to an instant and closes the windows that end before it.
func (b *Books) to(s *replay.State, now int64) {
	if !b.began {
		b.began, b.first, b.now, b.window = true, now, now, now+Window
		b.series.width, b.total = 1e6, *s.Machines.Total()
	}
	for quiet := 0; b.window <= now; quiet++ {
		if len(b.alive) == 0 && len(b.gone) == 0 {
			b.window += (now - b.window) / Window * Window
			if b.window > now {
				break
			}
		}
		n := int64(1)
		if quiet >= alike {
			n += (now - b.window) / Window
		}
		b.window += (n - 1) * Window
		b.pass(s, b.window)
		b.close(n)
		b.window += Window
	}
	b.pass(s, now)
}

// pass adds up the held resources from the last instant until now. Nothing changed in between.
func (b *Books) pass(s *replay.State, now int64) {
	dt := float64(now - b.now)
	if dt == 0 {
		return
	}
	if n := len(b.alive); n > 0 {
		b.fair += dt / float64(n)
	}
	for r, x := range b.used {
		b.integ[r] += float64(x) * dt
	}
	b.tasks += float64(b.running) * dt
	shares := s.Machines.Shares(&b.used)
	b.series.add(b.now-b.first, now-b.first, &shares, float64(b.running))
	b.now = now
}

// settle brings the account of a job up to date.
func (b *Books) settle(a *account) {
	a.held += a.share * float64(b.now-a.last)
	a.last = b.now
}

// close ends so many windows, which are alike.
func (b *Books) close(windows int64) {
	xs := b.gone
	for _, i := range b.alive {
		a := &b.jobs[i]
		b.settle(a)
		if fair := b.fair - a.fairAt; fair > 0 {
			xs = append(xs, a.held/fair)
		}
		a.held, a.fairAt = 0, b.fair
	}
	if j := Jain(xs); len(xs) >= 2 && !math.IsNaN(j) {
		for i, x := range xs {
			xs[i] = min(x, 1)
		}
		b.jain = append(b.jain, Fairness{Index: j, Capped: Jain(xs), Windows: windows})
	}
	b.gone = xs[:0]
}

// Jain returns Jain's index of fairness, NaN when all are 0 or there is none.
func Jain(xs []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range xs {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(xs)) * squares)
}

// Arrive is [replay.Observer].
func (b *Books) Arrive(s *replay.State, j *replay.Job) {
	b.to(s, s.Now)
	for len(b.jobs) <= int(j.Index) {
		b.jobs = append(b.jobs, account{})
	}
	b.jobs[j.Index] = account{place: int32(len(b.alive)), last: s.Now, fairAt: b.fair}
	b.alive = append(b.alive, j.Index)
}

// Start is [replay.Observer].
func (b *Books) Start(s *replay.State, t *replay.Task) { b.change(s, t, 1) }

// End is [replay.Observer].
func (b *Books) End(s *replay.State, t *replay.Task) { b.change(s, t, -1) }

func (b *Books) change(s *replay.State, t *replay.Task, by int32) {
	b.to(s, s.Now)
	a := &b.jobs[t.Job.Index]
	b.settle(a)
	a.share = s.Machines.Dominant(&t.Job.Held)
	b.used.Add(&t.Job.Stages[t.Stage].Demand, int64(by))
	b.running += int(by)
	if t.Job.Spec.ID != b.Follow {
		return
	}
	b.all += by
	if t.Own {
		b.own += by
	}
	step := Step{s.Now - b.first, b.own, b.all}
	if k := len(b.steps) - 1; k >= 0 && b.steps[k].At == step.At {
		b.steps[k] = step
		return
	}
	b.steps = append(b.steps, step)
}

// Finish is [replay.Observer].
func (b *Books) Finish(s *replay.State, j *replay.Job) {
	b.to(s, s.Now)
	a := &b.jobs[j.Index]
	b.settle(a)
	if fair := b.fair - a.fairAt; fair > 0 {
		b.gone = append(b.gone, a.held/fair)
	}
	last := b.alive[len(b.alive)-1]
	b.alive[a.place] = last
	b.jobs[last].place = a.place
	b.alive = b.alive[:len(b.alive)-1]
}

// Scheduled is [replay.Observer].
func (b *Books) Scheduled(*replay.State) {}

// Jain returns the fairness of all windows in order of time, the last one, which may be shorter, included.
func (b *Books) Jain() []Fairness {
	if len(b.gone) > 0 || len(b.alive) > 0 {
		b.close(1)
	}
	return b.jain
}

// Utilization returns the mean share of a resource that was held, by the demands that schedulers see, from the first
// arrival to the last end. It is NaN if no time passed, or the cluster has none of the resource.
func (b *Books) Utilization(r trace.Resource) float64 {
	return b.integ[r] / float64(b.total[r]) / float64(b.now-b.first)
}

// Series returns usage over time.
func (b *Books) Series() *Series { return &b.series }

// Running returns how many tasks of the followed job ran over time.
func (b *Books) Running() []Step { return b.steps }

// Tasks returns the mean number of running tasks.
func (b *Books) Tasks() float64 { return b.tasks / float64(b.now-b.first) }
