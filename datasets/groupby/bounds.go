package groupby

import (
	"fmt"
	"sync"

	"racecard/datasets/source"
)

// Memory that a decoded record takes besides its bytes.
const (
	recordCost = 256 // at least: the record, its row, what is built of it
	worstCost  = 640 // where a run is built of it, and then packed, or it becomes a reject
)

// leastMemory is the least memory for runs, however small the budget: the program itself needs as much.
const leastMemory = 256 << 20

// bounds limits the output of a [Grouper] at one time, in bytes.
type bounds struct {
	job   int64 // of one job, at the worst cost: a larger one is a [TooLargeError]
	group int64 // of the jobs whose records are put together at once
	keep  int64 // of records that are kept from a first pass over a file for a second
	all   int64 // of all chunks that are read at the same time
}

func boundsOf(memory int64) bounds {
	memory = max(memory, leastMemory)
	return bounds{job: memory, group: memory / 2, keep: memory / 8, all: memory}
}

// TooLargeError says that a job has too many records for the memory. It ends no stream: the other jobs follow.
type TooLargeError struct {
	Key     []byte
	Records int64
	Bytes   int64  // that it would take
	Limit   int64  // that it may
	First   Record // without its bytes
}

// Error names the size, the limit and the remedy.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%d records of one job would take about %d MiB of memory, of which %d MiB may be "+
		"used: give more memory", e.Records, e.Bytes>>20, e.Limit>>20)
}

// Reject counts the records of the job in tally, and returns the one reject that tells of them. files and first are
// those that the records were added with: first is the number of the first line of each file.
func (e *TooLargeError) Reject(files []*source.File, first []int64, tally *source.Tally) *source.Reject {
	tally.RejectMany(source.ReasonTooLarge, e.Records)
	return source.NewReject(files[e.First.File].Name, e.First.Line-first[e.First.File]+1, "", source.ReasonTooLarge,
		e.Error(), nil)
}

// refused returns the error of a key whose records would take too much.
func refused(k *key, limit int64) *TooLargeError {
	return &TooLargeError{Key: k.bytes, Records: int64(k.records), Bytes: k.cost(worstCost), Limit: limit,
		First: Record{File: k.file, Line: k.line}}
}

// share is an amount of memory that several goroutines share.
type share struct {
	mu   sync.Mutex
	more *sync.Cond
	free int64
	all  int64
}

func newShare(all int64) *share {
	s := &share{free: all, all: all}
	s.more = sync.NewCond(&s.mu)
	return s
}

// take waits for n bytes, at most all of them, and returns how many it took.
func (s *share) take(n int64) int64 {
	n = min(n, s.all)
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.free < n {
		s.more.Wait()
	}
	s.free -= n
	return n
}

// give gives bytes back.
func (s *share) give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n
	s.more.Broadcast()
}
