package ingest

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"racecard/datasets/fault"
)

// Progress is the progress of an import.
type Progress struct {
	Read, Bytes int64 // raw bytes read so far, and in total; Bytes is -1 if unknown
	// Done is the completed share of the work: reading files and, if records of a run lie apart, building runs from
	// gathered records. It is NaN if unknown.
	Done float64
}

// readingShare is the approximate share of the time of an import that reading takes if records are gathered.
const readingShare = 2. / 3

// merging counts the records that were gathered, and those that have become runs. Its methods are called by the
// goroutine that owns the tally; another goroutine reads its counts.
type merging struct{ gathered, made, before atomic.Int64 }

// began records that all files were read, with the number of gathered records and the number counted before runs were
// built.
func (m *merging) began(gathered, before int64) {
	if m.gathered.Load() == 0 && gathered > 0 {
		m.before.Store(before)
		m.gathered.Store(gathered)
	}
}

// share returns the share of the gathered records that have become runs.
func (m *merging) share() float64 {
	gathered := m.gathered.Load()
	if gathered == 0 {
		return 0
	}
	return min(1, max(0, float64(m.made.Load()-m.before.Load())/float64(gathered)))
}

// progress returns the progress of the import.
func (im *importer) progress() Progress {
	p := Progress{}
	for _, f := range im.files {
		p.Read += f.RawRead()
		if f.Size < 0 || p.Bytes < 0 {
			p.Bytes = -1
			continue
		}
		p.Bytes += f.Size
	}
	p.Done = math.NaN()
	if p.Bytes > 0 {
		p.Done = min(1, float64(p.Read)/float64(p.Bytes))
	}
	if im.format.Gathers {
		p.Done = readingShare*p.Done + (1-readingShare)*im.merge.share()
	}
	return p
}

// watch reports the progress, ten times a second, until the returned function is called.
func (im *importer) watch() (stop func()) {
	if im.Progress == nil {
		return func() {}
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
				im.Progress(im.progress())
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}
