// Package parallel is the one parallel loop: independent items, a bounded number at once, begun in ascending order.
// Results must not depend on the number of workers: items write to places of their own, which the caller combines in
// order afterwards.
package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"racecard/datasets/fault"
)

// Options of a loop.
type Options struct {
	Workers  int                // goroutines; 0: as many as there are processors
	Progress func(done, of int) // told of every item that ends, from one goroutine at a time; may be nil
}

// Each calls one for every number from 0 to n-1. The first error, or the end of ctx, ends the context that items are
// given, and no further item begins. Each returns the error of the earliest item that failed, but for those that
// another's failure canceled, else the cause of the end of ctx.
func Each(ctx context.Context, n int, o Options, one func(ctx context.Context, i int) error) error {
	return With(ctx, n, o, func() func(context.Context, int) error { return one })
}

// Do is [Each] for items that cannot fail, on all processors.
func Do(ctx context.Context, n int, one func(i int)) error {
	return Each(ctx, n, Options{}, func(_ context.Context, i int) error { one(i); return nil })
}

// With is [Each], but worker makes one function per goroutine, which does one item at a time. The function may keep
// memory from one item to the next; results must not depend on it.
func With(ctx context.Context, n int, o Options, worker func() func(ctx context.Context, i int) error) error {
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	l := loop{n: n, failed: n, progress: o.Progress}
	var wait sync.WaitGroup
	for range min(workers, n) {
		wait.Go(func() {
			defer fault.Trap()
			one := worker()
			for i := l.take(); i < n && inside.Err() == nil; i = l.take() {
				err := one(inside, i)
				l.end(i, err)
				if err != nil {
					cancel()
				}
			}
		})
	}
	wait.Wait()
	if l.err != nil && ctx.Err() == nil {
		return l.err
	}
	return context.Cause(ctx)
}

// loop is the state that goroutines share.
type loop struct {
	mu       sync.Mutex
	n        int
	next     int
	done     int
	failed   int // earliest item that failed; n for none
	err      error
	progress func(done, of int)
}

func (l *loop) take() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	return l.next - 1
}

func (l *loop) end(i int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		canceled := l.err != nil && errors.Is(err, context.Canceled) // by the failure that came first
		if i < l.failed && !canceled {
			l.failed, l.err = i, err
		}
		return
	}
	l.done++
	if l.progress != nil {
		l.progress(l.done, l.n)
	}
}
