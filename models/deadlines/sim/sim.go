package sim

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// Runner runs one compiled plan again and again, and allocates nothing once warm. It is for one goroutine at a time.
type Runner struct {
	c      *Compiled
	opts   *Options
	random random
	now    int64
	left   int32   // tasks to do
	done   []int32 // tasks of each stage
	res    Result

	// Attempts hold slots.
	ends  events    // of attempts, by slot
	slots []attempt // at least as many as ends has
	free  []int32   // slots that attempts have left, the last one to be taken next
	fresh int32     // slots from here on were never taken
	warm  []uint64  // per machine, a bit for each stage: an attempt of it has begun there
	ids   []int32   // scratch

	// Tasks wait for their inputs, then for a token.
	queue    []span // ring of what is ready: n spans from head
	head, n  int
	ready    int32   // tasks in it
	barriers []int32 // of each stage: barrier parents not done, and its gate if it is not open
	pairs    []int32 // of each task: one_to_one parents not done
	gates    []uint8
	openings timers // of gates
	startUp  int64

	// Tokens come and go.
	tokens, held        int32 // guaranteed ones, and attempts on them
	spare, lent         int32 // spare ones, and attempts on them
	step, spareStep     int
	nextTick, nextSpare int64
	nextLoss, nextAsk   int64
	next                int64  // first of all instants at which something other than an attempt is due
	drawn               uint64 // numbers drawn by losses of machines and changes of spare tokens

	// Kept only where options or the plan ask for it.
	lossy   bool
	state   []uint8 // of each task
	machine []int32 // where a done task ran
	retry   bool
	tries   []uint32 // attempts of each task
	begun   []int32  // attempts of each stage
	loseAt  []int32  // the number of the attempt with which a stage loses several, or 0
	late    lateness
	bare    bool // nothing but durations, latencies and failures, and a scale
	plain   bool // not even a scale
	scale   float64

	// Of the lean loop.
	toDo  []int32    // tasks of each stage that are not done
	ahead [256]int64 // durations of what starts next
}

// NewRunner makes a Runner of c.
func NewRunner(c *Compiled) *Runner {
	n, stages := int(c.total), len(c.stages)
	return &Runner{c: c, queue: make([]span, n+stages), done: make([]int32, stages), barriers: make([]int32, stages),
		pairs: make([]int32, n), gates: make([]uint8, stages), begun: make([]int32, stages),
		loseAt: make([]int32, stages)}
}

// Run simulates the plan once. It draws one number of src, whatever happens.
func (r *Runner) Run(o *Options, src rand.Source) (Result, error) {
	if err := o.validate(); err != nil {
		return Result{}, err
	}
	r.reset(o, src.Uint64())
	run := r.general
	if r.isLean() {
		run = r.lean
	}
	err := run()
	if errors.Is(err, ErrTooLong) {
		err = r.tooLong()
	}
	if err != nil {
		return Result{}, err
	}
	if !r.c.windDown.none() {
		r.now += r.c.windDown.draw(r.random.at(drawDriver, 1), 0)
	}
	r.res.End = r.now
	return r.res, nil
}

// general is the event loop. At one instant attempts end first, in the order of their slots, then come the timers.
func (r *Runner) general() error {
	r.dispatch()
	for r.left > 0 {
		top := r.ends[1]
		now := int64(top >> slotBits)
		if now > r.next {
			if top == idle && r.starved() {
				return ErrStarved
			}
			if r.now = r.next; r.now >= limit {
				return ErrTooLong
			}
			r.fire()
			r.dispatch()
			continue
		}
		if now >= limit {
			if top == idle && r.starved() {
				return ErrStarved
			}
			return ErrTooLong
		}
		id := int32(top & slotMask)
		r.now = now
		r.end(id)
		if r.n > 0 && (r.held < r.tokens || r.lent < r.spare) { // the slot's next attempt takes its place
			stage, task := r.take()
			r.ends.set(id, r.start(id, stage, task, 0))
		} else {
			r.ends.set(id, idle)
			r.free = append(r.free, id)
		}
		if (r.n > 0 || r.late.on) && (r.held < r.tokens || r.lent < r.spare) {
			r.dispatch()
		}
	}
	return nil
}

// starved says that with no attempt running, nothing will ever start one.
func (r *Runner) starved() bool {
	return r.opts.Control == nil && r.step >= len(r.opts.Allocation) && r.nextSpare == never && len(r.openings) == 0
}

func (r *Runner) reset(o *Options, seed uint64) {
	c := r.c
	r.opts, r.res = o, Result{}
	r.random = random{base: mix(seed)}
	if o.Antithetic {
		r.random.flip = ^uint64(0)
	}
	r.head, r.n, r.ready, r.fresh, r.held, r.lent, r.now, r.drawn = 0, 0, 0, 0, 0, 0, 0, 0
	r.left, r.tokens, r.spare, r.step, r.spareStep = c.total, o.Allocation[0].Tokens, 0, 1, 0
	r.free, r.openings = r.free[:0], r.openings[:0]
	clear(r.warm)
	r.ends = r.ends.room(int(min(r.tokens, c.total)))
	r.slots = grown(r.slots, len(r.ends)/2)
	r.lossy = o.Loss != nil
	r.bare = !r.lossy && o.Observe == nil && o.Spare == nil && o.Slow == nil && o.Speculate == nil &&
		len(o.Inflation) == 0
	if r.scale = o.Scale; o.Scale == 0 {
		r.scale = 1
	}
	r.plain = r.bare && r.scale == 1
	r.retry = !c.lean || !r.bare || o.Evict
	n := int(c.total)
	if r.retry {
		r.tries = grown(r.tries, n)
		clear(r.tries)
	}
	if r.lossy {
		r.state, r.machine = grown(r.state, n), grown(r.machine, n)
		clear(r.state)
	}
	if !c.startUp.none() {
		r.startUp = c.startUp.draw(r.random.at(drawDriver, 0), 0)
	}
	r.late.reset(r)
	r.resetLosing()
	for i := range c.stages {
		s := &c.stages[i]
		r.done[i], r.barriers[i], r.gates[i] = 0, s.barriers, closed
		if s.gated {
			r.barriers[i]++
		}
		if c.oneToOne {
			for t := s.first; t < s.first+s.tasks; t++ {
				r.pairs[t] = s.pairs
			}
		}
	}
	r.resetTimers()
	for _, i := range c.order {
		if s := &c.stages[i]; s.barriers+s.pairs > 0 {
			continue
		}
		if r.barriers[i] == 0 {
			r.open(i)
		} else {
			r.gate(i)
		}
	}
}

// grown is s with a length of at least n.
func grown[T any](s []T, n int) []T {
	if len(s) < n {
		s = slices.Grow(s, n-len(s))[:n]
	}
	return s
}

func (r *Runner) progress() Progress {
	return Progress{Done: r.done, Running: r.held + r.lent, Tokens: r.tokens, Spare: r.spare}
}
