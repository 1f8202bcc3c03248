package ingest

import (
	"sync"
	"time"

	"racecard/datasets/fault"
	"racecard/datasets/source"
)

// watch reports how much of files was read, ten times a second, until the returned function is called. The size of all is -1
// when that of one is not known.
func watch(files []*source.File, report func(done, of int64)) (stop func()) {
	if report == nil {
		return func() {}
	}
	var total int64
	for _, f := range files {
		if f.Size < 0 {
			total = -1
			break
		}
		total += f.Size
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		defer fault.Trap()
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				var read int64
				for _, f := range files {
					read += f.RawRead()
				}
				report(read, total)
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}
