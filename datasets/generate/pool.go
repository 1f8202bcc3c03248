package generate

import (
	"math/rand/v2"

	"racecard/datasets/lists"
)

// outcome is how an attempt ends.
type outcome uint8

const (
	succeeded outcome = iota
	failed
	killed      // another copy of the task was faster
	lost        // with its group of slots
	fetchFailed // the output of an earlier stage was gone: ends its stage
)

// attempt is an attempt of a task on a slot of a pool. Times are milliseconds.
type attempt struct {
	id          int64 // in the order of launches
	task        int
	number      int // from 0
	slot        int
	start, end  int64
	outcome     outcome
	speculative bool
	copied      bool // another copy of it runs, or it is one
}

// faults are the shares of attempts that end otherwise than well.
type faults struct {
	fail, copies, lose, fetch float64
	doomed                    bool // one task fails again and again, and its stage with it
}

// mostFailures is how often a task may fail before its stage does, by default in Spark and MapReduce.
const mostFailures = 4

// pool runs the tasks of one stage in order on its slots. It keeps running tasks only, not waiting ones, so that
// its memory depends on the slots alone.
type pool struct {
	rng      *rand.Rand
	slots    int
	group    int // slots that are lost together: those of a machine or an executor
	launched int64

	free    []int
	running lists.Heap[*attempt] // the one that ends first at its top
	again   []attempt            // to launch once more
	recent  []attempt            // that succeeded in the stage
}

// stageRun is a stage while a pool runs it.
type stageRun struct {
	tasks  int
	millis func() int64 // draws how long an attempt takes
	faults faults
	event  func(a *attempt, ended bool) // a launch or an end, in the order of time
	lose   func(at int64, group int)    // a group of slots is lost; another takes its place
	redo   func(a *attempt)             // its output is lost
}

// run runs a stage that begins at some time. It returns when the stage ended and the tasks that are missing then, of a
// stage that was given up.
func (p *pool) run(at int64, s *stageRun) (end int64, missing []int) {
	if p.free == nil {
		for slot := range p.slots {
			p.free = append(p.free, p.slots-1-slot)
		}
	}
	p.again, p.recent = p.again[:0], p.recent[:0]
	next, givenUp := 0, false
	for {
		for len(p.free) > 0 && !givenUp && (next < s.tasks || len(p.again) > 0) {
			if n := len(p.again); n > 0 {
				a := p.again[n-1]
				p.again = p.again[:n-1]
				p.launch(at, a.task, a.number+1, s)
				continue
			}
			p.launch(at, next, 0, s)
			next++
		}
		if len(p.free) > 0 && !givenUp && chance(p.rng, s.faults.copies) {
			p.speculate(at, s)
		}
		if p.running.Len() == 0 {
			break
		}
		a := p.running.Pop()
		at = a.end
		p.free = append(p.free, a.slot)
		s.event(a, true)
		switch a.outcome {
		case succeeded:
			p.recent = append(p.recent, *a)
			if len(p.recent) > 2*p.slots {
				p.recent = append(p.recent[:0], p.recent[p.slots:]...)
			}
		case failed, lost:
			p.again = append(p.again, *a)
			givenUp = givenUp || a.outcome == failed && a.number >= mostFailures-1
		case fetchFailed:
			p.again = append(p.again, *a)
			givenUp = true
		}
		if s.lose != nil && !givenUp && chance(p.rng, s.faults.lose) {
			p.lose(at, a.slot/p.group, s)
		}
	}
	if givenUp {
		for _, a := range p.again {
			missing = append(missing, a.task)
		}
		for ; next < s.tasks; next++ {
			missing = append(missing, next)
		}
	}
	return at, missing
}

// launch starts an attempt and draws how it ends.
func (p *pool) launch(at int64, task, number int, s *stageRun) {
	slot := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	a := &attempt{id: p.launched, task: task, number: number, slot: slot, start: at, end: at + 1 + s.millis()}
	p.launched++
	switch x := p.rng.Float64(); {
	case s.faults.doomed && task == s.tasks/2, x < s.faults.fail && number < mostFailures-1:
		a.outcome = failed
	case x < s.faults.fail+s.faults.fetch:
		a.outcome = fetchFailed
	}
	if a.outcome != succeeded {
		a.end = at + 1 + (a.end-at)/3
	}
	p.running.Push(a)
	s.event(a, false)
}

// speculate starts a copy of the attempt that ends last. The first of the two to end stops the other.
func (p *pool) speculate(at int64, s *stageRun) {
	var slow *attempt
	for _, a := range p.running.Items {
		if a.outcome == succeeded && !a.copied &&
			(slow == nil || a.end > slow.end || a.end == slow.end && a.id < slow.id) {
			slow = a
		}
	}
	if slow == nil {
		return
	}
	slot := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	a := &attempt{id: p.launched, task: slow.task, number: slow.number + 1, slot: slot, start: at, end: at + 1 +
		s.millis(), speculative: true, copied: true}
	p.launched++
	slow.copied = true
	if a.end < slow.end {
		slow.outcome, slow.end = killed, a.end+5
	} else {
		a.outcome, a.end = killed, slow.end+5
	}
	p.running.Push(a)
	p.running.Fix()
	s.event(a, false)
}

// lose ends the running tasks of a group of slots; recent successes there must be repeated. Groups in which a
// task has a copy are spared.
func (p *pool) lose(at int64, group int, s *stageRun) {
	for _, a := range p.running.Items {
		if a.slot/p.group == group && a.copied {
			return
		}
	}
	for _, a := range p.running.Items {
		if a.slot/p.group == group {
			a.outcome, a.end = lost, at
		}
	}
	p.running.Fix()
	for p.running.Len() > 0 && p.running.Items[0].outcome == lost {
		a := p.running.Pop()
		p.free = append(p.free, a.slot)
		p.again = append(p.again, *a)
		s.event(a, true)
	}
	kept := p.recent[:0]
	for i := range p.recent {
		if a := p.recent[i]; a.slot/p.group == group && !a.copied && s.redo != nil {
			s.redo(&a)
			p.again = append(p.again, a)
		} else {
			kept = append(kept, a)
		}
	}
	p.recent = kept
	s.lose(at, group)
}

// earlier orders attempts by their end.
func earlier(a, b *attempt) bool { return a.end < b.end || a.end == b.end && a.id < b.id }
