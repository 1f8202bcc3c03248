package cpa

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"racecard/datasets/fault"
	"racecard/datasets/lists"
	"racecard/datasets/words"
	"racecard/models/deadlines/sim"
)

// simulateAll simulates columns until every one has the runs it needs. Workers take the earliest column that wants more
// runs, so that few are open at a time; which runs a column gets does not depend on them.
type simulateAll struct {
	job     Job
	o       Options
	mu      sync.Mutex
	changed *sync.Cond
	columns []*column
	stopped error
	done    int64 // runs
}

func (s *simulateAll) run(ctx context.Context, columns []*column) error {
	s.changed = sync.NewCond(&s.mu)
	s.columns = columns
	for _, c := range columns {
		c.wanted = s.o.Replicates
		if c.wanted == 0 {
			c.wanted = min(firstRuns, s.o.MaxReplicates)
		}
	}
	defer context.AfterFunc(ctx, func() { s.stop(ctx.Err()) })()
	var workers sync.WaitGroup
	for range cap(s.o.Crew) {
		workers.Go(func() {
			defer fault.Trap()
			for s.step() {
			}
		})
	}
	workers.Wait()
	s.mu.Lock() // ctx may end only now
	defer s.mu.Unlock()
	return s.stopped
}

func (s *simulateAll) stop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = err
	}
	s.changed.Broadcast()
}

// step simulates one block and reports whether there may be more.
func (s *simulateAll) step() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.take()
	if c == nil {
		return false
	}
	first := c.begun
	runs := min(blockRuns, c.wanted-c.begun)
	c.begun += runs
	s.mu.Unlock()
	s.o.Crew <- struct{}{}
	err := c.simulate(s.job, s.o, first, runs)
	<-s.o.Crew
	s.mu.Lock()
	if err != nil && c.err == nil {
		c.err, c.closed = fmt.Errorf("on %s: %w", words.Of(c.tokens, "token", "tokens"), err), true
		if !errors.Is(err, sim.ErrTooLong) && s.stopped == nil { // which another grid may avoid
			s.stopped = c.err
		}
	}
	c.done += runs
	s.done += int64(runs)
	if c.done == c.wanted && !c.closed {
		s.settle(c)
	}
	if s.o.Report != nil {
		of := lists.SumOf(s.columns, func(c *column) int64 { return int64(c.wanted - c.done) })
		s.o.Report(s.done, s.done+of)
	}
	s.changed.Broadcast()
	return true
}

// take waits for a column with runs left to begin, and returns nil when there will be none.
func (s *simulateAll) take() *column {
	for s.stopped == nil {
		open := false
		for _, c := range s.columns {
			if c.closed {
				continue
			}
			if c.begun < c.wanted {
				return c
			}
			open = true
		}
		if !open {
			return nil
		}
		s.changed.Wait()
	}
	return nil
}

// settle closes a column that has all runs that were wanted, or wants as many again. No other worker is at the column,
// so that they need not wait.
func (s *simulateAll) settle(c *column) {
	wanted := c.wanted
	s.mu.Unlock()
	more := s.o.Replicates == 0 && wanted < s.o.MaxReplicates && !c.enough(s.o)
	if !more {
		c.settle(s.o)
	}
	s.mu.Lock()
	if c.closed = !more; more {
		c.wanted = min(2*wanted, s.o.MaxReplicates)
	}
}
