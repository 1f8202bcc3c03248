// Package sim simulates one job's plan on tokens, event by event, as the offline
// simulator of Jockey (EuroSys 2012, §4.1) does: a task becomes ready when what it
// reads is there, takes a token, waits its initialisation latency, runs, and may
// fail and be queued again. Ready tasks start first come, first served; tasks
// made ready together start in the order of their indices.
//
// Time is int64 microseconds from the start of the job. A run depends on the
// plan, the options and the random source alone.
package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// Step sets the allocation to Tokens at the instant At and after it.
type Step struct {
	At     int64
	Tokens int32
}

// Options says on what a plan runs.
type Options struct {
	// Allocation holds the guaranteed tokens over time: ascending instants, the first 0.
	// It grows at once, and shrinks as attempts end unless Evict is set.
	Allocation []Step
	// Control, unless nil, is asked for the tokens every Period microseconds,
	// first at Period; what it is given is valid during the call.
	Control func(now int64, p Progress) int32
	Period  int64
	// Evict ends attempts at once when the allocation shrinks, highest slots
	// first; their tasks are queued again.
	Evict bool
	// Loss, unless nil, is how machines are lost.
	Loss *Loss
	// Scale multiplies drawn durations (not latencies): input scale. 0 and 1 are none.
	Scale float64
	// Observe, unless nil, is told of every start and end of an attempt.
	Observe func(Event, Progress)
}

// Loss says when machines are lost, with all that runs on them and the outputs
// of tasks that ended there, as far as a stage that is not done reads them.
// Attempts of such stages that have started have read their input and go on.
type Loss struct {
	Between Dist  // time from one loss to the next
	Tokens  int32 // slots of one machine: machine m has slots [m·Tokens, (m+1)·Tokens)
}

// Kind is what happened to an attempt.
type Kind uint8

// What may happen to an attempt, or to the output of one.
const (
	Started    Kind = iota
	Completed       // its task is done
	Failed          // by itself
	Evicted         // the allocation shrank
	Lost            // its machine was lost
	OutputLost      // a done task must be computed again
)

// Event is one thing that happened to a task, numbered within its stage.
type Event struct {
	Now         int64
	Kind        Kind
	Stage, Task int32
	Slot        int32
}

// Progress is the state of a run. Done is the number of distinct tasks done of
// every stage; it is the Runner's own and must not be modified or kept.
type Progress struct {
	Done            []int32
	Running, Tokens int32
}

// Result is what one run took.
type Result struct {
	End                         int64 // microseconds from the start of the job
	TokenTime                   int64 // microseconds of tokens held, of every attempt
	Attempts                    int64
	Failures, Evictions, Losses int64 // attempts that ended so
	OutputsLost                 int64 // done tasks computed again
	PeakRunning                 int32
}

// ErrStarved says that tasks are left and no token will ever come.
var ErrStarved = errors.New("simulation: tasks are left, but the allocation is 0 for good")

// ErrTooLong says that a run takes more than 2^44 microseconds (203 days).
var ErrTooLong = errors.New("simulation: the run takes more than 2^44 µs")

type slot struct {
	stage, task int32 // task among all tasks
	start, ends int64
	failed      bool
}

type span struct{ stage, next, end int32 }

const (
	waiting = iota
	queued
	running
	done
)

// Runner runs one compiled plan again and again, and allocates nothing once made.
// It is for one goroutine at a time.
type Runner struct {
	c        *Compiled
	heap     []uint64
	slots    []slot
	free     []int32
	queue    []span // ring
	head, n  int
	done     []int32
	barriers []int32 // barrier parents not done, of each stage
	pairs    []int32 // one_to_one parents not done, of each task
	state    []uint8 // of each task; kept only where machines may be lost
	machine  []int32 // where a done task ran
	ids      []int32 // scratch
	left     int32
	running  int32
	tokens   int32
	step     int
	next     int64 // next instant of Control
	now      int64
	random   random
	opts     *Options
	lossy    bool
	plain    bool // no observer, scale or loss
	res      Result
}

// NewRunner makes a Runner of c.
func NewRunner(c *Compiled) *Runner {
	n := int(c.total)
	return &Runner{c: c, heap: make([]uint64, 0, n+3), slots: make([]slot, n), free: make([]int32, 0, n),
		queue: make([]span, n+len(c.stages)), done: make([]int32, len(c.stages)), barriers: make([]int32, len(c.stages)),
		pairs: make([]int32, n), state: make([]uint8, n), machine: make([]int32, n), ids: make([]int32, 0, n)}
}

func (o *Options) validate() error {
	if len(o.Allocation) == 0 || o.Allocation[0].At != 0 {
		return fmt.Errorf("simulation: want an allocation from instant 0 on")
	}
	for i, s := range o.Allocation {
		if s.Tokens < 0 || i > 0 && s.At <= o.Allocation[i-1].At || s.At > maxDuration {
			return fmt.Errorf("simulation: step %d of the allocation: %d tokens at %d µs; want at least 0, at ascending instants", i, s.Tokens, s.At)
		}
	}
	if o.Control != nil && o.Period < 1 {
		return fmt.Errorf("simulation: control period of %d µs; want at least 1", o.Period)
	}
	if !(o.Scale >= 0 && o.Scale <= 1e6) {
		return fmt.Errorf("simulation: input scale %v; want 0 to 1e6", o.Scale)
	}
	if l := o.Loss; l != nil && (l.Tokens < 1 || len(l.Between.table) == 0 || l.Between.table[0] < 1) {
		return fmt.Errorf("simulation: machine loss: want tokens of a machine and times between losses of at least 1")
	}
	return nil
}

// Run simulates the plan once. It draws one number of src, whatever happens.
func (r *Runner) Run(o *Options, src rand.Source) (Result, error) {
	if err := o.validate(); err != nil {
		return Result{}, err
	}
	r.reset(o, random(src.Uint64()))
	r.dispatch()
	for r.left > 0 {
		if len(r.heap) == 0 || r.running == 0 && r.tokens == 0 && o.Control == nil && r.step >= len(o.Allocation) {
			return Result{}, ErrStarved
		}
		top := r.heap[0]
		r.now = int64(top >> slotBits)
		if r.now > maxDuration {
			return Result{}, ErrTooLong
		}
		switch id := int32(top & slotMask); id {
		case tickSlot:
			r.pop()
			r.tick()
		case lossSlot:
			r.pop()
			r.lose()
			r.push(r.now+o.Loss.Between.draw(&r.random), lossSlot)
		default:
			r.end(id)
			if r.n > 0 && r.running <= r.tokens { // the slot's next attempt takes the root's place
				siftDown(r.heap, r.start(id))
			} else {
				r.pop()
				r.running--
				r.free = append(r.free, id)
			}
		}
		r.dispatch()
	}
	r.res.End = r.now
	return r.res, nil
}

func (r *Runner) reset(o *Options, seed random) {
	r.opts, r.random, r.res = o, seed, Result{}
	r.heap, r.free = r.heap[:0], r.free[:0]
	r.head, r.n, r.running, r.now = 0, 0, 0, 0
	r.left, r.tokens, r.step, r.next = r.c.total, o.Allocation[0].Tokens, 1, o.Period
	r.lossy = o.Loss != nil
	r.plain = !r.lossy && o.Observe == nil && !o.Evict && (o.Scale == 0 || o.Scale == 1)
	for i := r.c.total - 1; i >= 0; i-- {
		r.free = append(r.free, i)
	}
	if r.lossy {
		clear(r.state)
		r.push(o.Loss.Between.draw(&r.random), lossSlot)
	}
	for i := range r.c.stages {
		s := &r.c.stages[i]
		r.done[i], r.barriers[i] = 0, s.barriers
		if r.c.oneToOne {
			for t := s.first; t < s.first+s.tasks; t++ {
				r.pairs[t] = s.pairs
			}
		}
	}
	for _, i := range r.c.order {
		if r.barriers[i] == 0 {
			r.open(i)
		}
	}
	r.schedule()
}

func (r *Runner) push(at int64, id uint64) {
	r.heap = append(r.heap, uint64(at)<<slotBits|id)
	siftUp(r.heap)
}

func (r *Runner) pop() {
	last := len(r.heap) - 1
	x := r.heap[last]
	r.heap = r.heap[:last]
	if last > 0 {
		siftDown(r.heap, x)
	}
}

// schedule pushes the next instant at which the allocation may change.
func (r *Runner) schedule() {
	at := int64(maxTime)
	if r.step < len(r.opts.Allocation) {
		at = r.opts.Allocation[r.step].At
	}
	if r.opts.Control != nil {
		at = min(at, r.next)
	}
	if at < maxTime {
		r.push(at, tickSlot)
	}
}

func (r *Runner) tick() {
	o := r.opts
	if r.step < len(o.Allocation) && o.Allocation[r.step].At == r.now {
		r.tokens = o.Allocation[r.step].Tokens
		r.step++
	}
	if o.Control != nil && r.next == r.now {
		r.tokens = max(0, o.Control(r.now, r.progress()))
		r.next += o.Period
	}
	if o.Evict && r.running > r.tokens {
		r.evict()
	}
	r.schedule()
}

func (r *Runner) progress() Progress {
	return Progress{Done: r.done, Running: r.running, Tokens: r.tokens}
}

// open queues the tasks of stage i of which all inputs are there.
func (r *Runner) open(i int32) {
	s := &r.c.stages[i]
	if s.pairs == 0 && !r.lossy {
		r.enqueue(span{i, s.first, s.first + s.tasks})
		return
	}
	for t := s.first; t < s.first+s.tasks; t++ {
		if r.pairs[t] == 0 && (!r.lossy || r.state[t] == waiting) {
			r.enqueue(span{i, t, t + 1})
		}
	}
}

func (r *Runner) enqueue(q span) {
	if r.lossy {
		for t := q.next; t < q.end; t++ {
			r.state[t] = queued
		}
	}
	i := r.head + r.n
	if i >= len(r.queue) {
		i -= len(r.queue)
	}
	r.queue[i] = q
	r.n++
}

// dispatch starts ready tasks on tokens nobody holds.
func (r *Runner) dispatch() {
	for r.n > 0 && r.running < r.tokens {
		id := r.free[len(r.free)-1]
		r.free = r.free[:len(r.free)-1]
		r.running++
		r.res.PeakRunning = max(r.res.PeakRunning, r.running)
		r.heap = append(r.heap, r.start(id))
		siftUp(r.heap)
	}
}

// start gives slot id the first ready task, and returns the event of its end.
func (r *Runner) start(id int32) uint64 {
	q := &r.queue[r.head]
	stage, task := q.stage, q.next
	if q.next++; q.next == q.end {
		if r.head++; r.head == len(r.queue) {
			r.head = 0
		}
		r.n--
	}
	s := &r.c.stages[stage]
	d := s.duration.draw(&r.random)
	if !r.plain && r.opts.Scale > 0 {
		d = int64(min(float64(d)*r.opts.Scale, maxDuration))
	}
	failed := false
	if s.fail > 0 && r.random.next() < s.fail {
		failed = true
		if n := len(s.share); n > 0 {
			d = int64(float64(d) * s.share[r.random.next()%uint64(n)])
		}
	}
	if len(s.latency.table) > 0 {
		d += s.latency.draw(&r.random)
	}
	r.res.Attempts++
	r.res.TokenTime += d
	ends := min(r.now+d, maxTime)
	r.slots[id] = slot{stage, task, r.now, ends, failed}
	if !r.plain {
		if r.lossy {
			r.state[task] = running
		}
		r.observe(Started, id)
	}
	return uint64(ends)<<slotBits | uint64(id)
}

func (r *Runner) observe(k Kind, id int32) {
	if r.opts.Observe != nil {
		s := &r.slots[id]
		r.opts.Observe(Event{r.now, k, s.stage, s.task - r.c.stages[s.stage].first, id}, r.progress())
	}
}

// end ends the attempt of slot id, and queues what becomes ready.
func (r *Runner) end(id int32) {
	a := &r.slots[id]
	if a.failed {
		r.res.Failures++
		r.enqueue(span{a.stage, a.task, a.task + 1})
		if !r.plain {
			r.observe(Failed, id)
		}
		return
	}
	s := &r.c.stages[a.stage]
	r.left--
	r.done[a.stage]++
	if r.lossy {
		r.state[a.task] = done
		r.machine[a.task] = id / r.opts.Loss.Tokens
	}
	for _, child := range s.pairsTo {
		t := a.task - s.first + r.c.stages[child].first
		if r.pairs[t]--; r.pairs[t] == 0 && r.barriers[child] == 0 && (!r.lossy || r.state[t] == waiting) {
			r.enqueue(span{child, t, t + 1})
		}
	}
	if r.done[a.stage] == s.tasks {
		for _, child := range s.barrierTo {
			if r.barriers[child]--; r.barriers[child] == 0 {
				r.open(child)
			}
		}
	}
	if !r.plain {
		r.observe(Completed, id)
	}
}
