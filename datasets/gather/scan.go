package gather

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"racecard/datasets/source"
)

// errStop says that the caller wants no more.
var errStop = errors.New("stopped")

// step is a block on its way through a scan, or the end of a file.
type step struct {
	file  int32
	first int64         // number of the block's first line in the whole input
	block *source.Block // nil at the end of a file
	found scanned
	done  chan struct{} // closed when found is set

	end   error // that the file broke off with; nil when it simply ended
	lines int64 // of the file
}

// scanned is what a scan finds in a block.
type scanned struct {
	records *blockBuilder
	text    bool // the whole block is
	out     *block
	rejects []*source.Reject
	ignored map[string]int64
	cut     []byte // line that the stream broke off inside
}

func (s *scanned) ignore(kind string) {
	if s.ignored == nil {
		s.ignored = map[string]int64{}
	}
	s.ignored[kind]++
}

// scan deals the lines of files out to g and returns the number of the first line of each file. Blocks are read by one
// goroutine, scanned by others when Key is stateless, and added in their order.
func (l Lines) scan(
	ctx context.Context, files []*source.File, g *Gatherer, tally *source.Tally, reject func(*source.Reject) bool,
) (first []int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	workers := runtime.GOMAXPROCS(0)
	steps := make(chan *step, 2*workers)
	var work chan *step
	var wait sync.WaitGroup
	if l.Stateless {
		work = make(chan *step, 2*workers)
		for range workers {
			wait.Go(func() {
				var records blockBuilder
				for s := range work {
					l.block(&source.Line{File: files[s.file]}, &records, s)
					close(s.done)
				}
			})
		}
	}
	wait.Go(func() { read(ctx, files, steps, work) })
	defer func() {
		cancel() // the reader ends, and with it the others
		wait.Wait()
	}()
	var line source.Line
	var records blockBuilder
	first = []int64{0}
	var cut []byte
	for s := range steps {
		switch {
		case s.block == nil:
			first = append(first, first[s.file]+s.lines)
			if err := l.end(files[s.file], s, cut, reject); err != nil {
				return nil, err
			}
			cut = nil
			continue
		case l.Stateless:
			<-s.done
		default:
			if s.block.First == 1 {
				line = source.Line{File: files[s.file]}
			}
			l.block(&line, &records, s)
		}
		for kind, n := range s.found.ignored {
			tally.IgnoreMany(kind, n)
		}
		for _, r := range s.found.rejects {
			if !reject(r) {
				return nil, errStop
			}
		}
		cut = s.found.cut
		if s.found.out == nil {
			continue
		}
		if err := g.add(s.found.out); err != nil {
			return nil, err
		}
	}
	return first, ctx.Err()
}

// end deals with the end of a file.
func (l Lines) end(f *source.File, s *step, cut []byte, reject func(*source.Reject) bool) error {
	switch {
	case s.end == nil:
		return nil
	case s.lines == 0 && !source.IsTruncated(s.end):
		return s.end // which names the file
	case !source.IsTruncated(s.end):
		return fmt.Errorf("%s: after line %d: %w", f.Name, s.lines, s.end)
	case !reject(source.NewReject(f.Name, s.lines, "", source.ReasonTruncated, s.end.Error(), cut)):
		return errStop
	}
	return nil
}

// block scans a block. records is empty before and after.
func (l Lines) block(line *source.Line, records *blockBuilder, s *step) {
	reason, _ := source.NotText(s.block.Rest())
	s.found = scanned{records: records, text: reason == ""}
	for s.block.Next() {
		if s.block.Cut {
			s.found.cut = bytes.Clone(s.block.Line)
			break
		}
		l.take(line, s.block, &s.found)
	}
	if len(records.entries) > 0 {
		s.found.out = records.finish()
		s.found.out.file, s.found.out.first = s.file, s.first
	}
	s.block.Free()
}

// read reads files block by block, until ctx is done, and sends the blocks to steps, and to work unless it is nil.
func read(ctx context.Context, files []*source.File, steps, work chan<- *step) {
	defer close(steps)
	if work != nil {
		defer close(work)
	}
	send := func(to chan<- *step, s *step) bool {
		select {
		case to <- s:
			return true
		case <-ctx.Done():
			return false
		}
	}
	var next int64
	for i, f := range files {
		end := step{file: int32(i)}
		in, err := f.Open()
		if err != nil {
			end.end = err
			if !send(steps, &end) || !source.IsTruncated(err) {
				return
			}
			continue
		}
		blocks := source.NewBlocks(in, 0)
		more := true
		for more {
			block, ok := blocks.Next()
			if !ok {
				break
			}
			s := &step{file: end.file, first: next + block.First - 1, block: &block, done: make(chan struct{})}
			// Work first: who waits for a step can be sure that it is worked on.
			more = (work == nil || send(work, s)) && send(steps, s)
		}
		end.end, end.lines = blocks.Err(), blocks.Lines()
		next += end.lines
		in.Close() // now the checksum of the file is known
		if !more || !send(steps, &end) {
			return
		}
	}
}
