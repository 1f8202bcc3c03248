// Package each spreads independent work over all processors.
package each

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"racecard/datasets/fault"
)

// Do calls work for every number from 0 to n-1, from as many goroutines as there are processors. What work returns, one value
// for each goroutine, does one item at a time: it may keep memory from one to the next, but what comes out must not depend on
// that. Items are begun in ascending order. Do ends early, with the cause, when ctx is done.
func Do(ctx context.Context, n int, work func() func(i int)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wait.Go(func() {
			defer fault.Trap()
			one := work()
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				one(int(i))
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
