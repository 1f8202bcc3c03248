package source

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"racecard/datasets/fault"
)

// Scanned is the result of scanning a block, or the end of a file.
type Scanned[T any] struct {
	File   int   // which of the files
	First  int64 // number of the block's first line in the file, from 1
	Result T     // of the block

	End    bool  // the file has ended: there is no block
	Opened bool  // it could be opened at all; Err names a file that could not
	Lines  int64 // of a file that has ended
	Err    error // that it broke off with; nil when it simply ended
}

// ScanBlocks reads files in blocks of about size bytes (0: 1 MiB). It yields the scan result of each block, and
// the end of every file, in order. One goroutine reads and workers scan, each with its own scan function;
// without workers the caller's goroutine scans, block after block. At most as many further blocks wait to be
// scanned or yielded, and a line longer than a block is alone in memory, so that memory stays bounded. The lines
// of a block stay valid until it has been yielded. A file that cannot be opened counts as one that ended at
// once, and is the last.
func ScanBlocks[T any](
	ctx context.Context, files []*File, workers, size int, newScan func() func(file int, b *Block) T,
) iter.Seq[Scanned[T]] {
	return func(yield func(Scanned[T]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := 2*workers + 1
		s := scanner[T]{
			files: files, size: cmp.Or(size, blockBytes),
			slots: make(chan struct{}, ahead), steps: make(chan *step[T], ahead), work: make(chan *step[T], ahead),
		}
		var wait sync.WaitGroup
		for range workers {
			wait.Go(func() {
				defer fault.Trap()
				scan := newScan()
				for next := range s.work {
					next.Result = scan(next.File, next.block)
					close(next.done)
				}
			})
		}
		wait.Go(func() {
			defer fault.Trap()
			s.read(ctx)
		})
		defer wait.Wait()
		defer cancel() // the reader ends, and with it the others
		var here func(int, *Block) T
		if workers == 0 {
			here = newScan()
		}
		for next := range s.steps {
			switch {
			case next.block == nil:
			case here != nil:
				next.Result = here(next.File, next.block)
				<-s.work
			default:
				<-next.done
			}
			if !yield(next.Scanned) {
				return
			}
			if next.block != nil {
				next.block.Free()
			}
			for range next.slots {
				<-s.slots
			}
		}
	}
}

// scanner is a scan of files under way.
type scanner[T any] struct {
	files []*File
	size  int
	slots chan struct{} // taken by blocks until they were yielded
	steps chan *step[T] // blocks and ends of files, in order
	work  chan *step[T] // blocks
}

// step is a block on its way, or the end of a file.
type step[T any] struct {
	Scanned[T]
	block *Block
	slots int
	done  chan struct{} // closed when the block was scanned
}

// send sends to steps, and blocks to work first: who waits for a step can be sure that it is worked on. Neither channel
// is ever full, since every block has a slot and ends have one, too.
func (s *scanner[T]) send(ctx context.Context, next *step[T]) bool {
	for range next.slots {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	if next.block != nil {
		s.work <- next
	}
	s.steps <- next
	return true
}

// read reads the files until ctx is done.
func (s *scanner[T]) read(ctx context.Context) {
	defer close(s.steps)
	defer close(s.work)
	for i, f := range s.files {
		end := step[T]{Scanned: Scanned[T]{File: i, End: true}, slots: 1}
		in, err := f.Open(ctx)
		if err != nil {
			end.Err = err
			s.send(ctx, &end)
			return
		}
		blocks := newBlocks(in, 0, s.size)
		more := true
		for more {
			block, ok := blocks.Next()
			if !ok {
				break
			}
			next := step[T]{Scanned: Scanned[T]{File: i, First: block.First}, block: &block, slots: 1,
				done: make(chan struct{})}
			if len(block.Rest()) > s.size {
				next.slots = cap(s.slots)
			}
			more = s.send(ctx, &next)
		}
		end.Opened, end.Err, end.Lines = true, blocks.Err(), blocks.Lines()
		in.Close() // now the checksum of the file is known
		if !more || !s.send(ctx, &end) {
			return
		}
	}
}
