package ingest

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// ordered runs jobs concurrently and hands their results on in the order the jobs came in.
type ordered[T any] struct {
	queue chan chan outcome[T] // results to come, in order
	slots chan struct{}        // taken by jobs until their result was handed on: it bounds memory
	wait  sync.WaitGroup
	stop  chan struct{} // closed at the first error
	err   error         // valid when the queue was drained
}

type outcome[T any] struct {
	result T
	err    error
}

// inOrder starts to hand results to take, which is called by one goroutine. At most width jobs are under way.
func inOrder[T any](width int, take func(T) error) *ordered[T] {
	o := &ordered[T]{queue: make(chan chan outcome[T], width), slots: make(chan struct{}, width), stop: make(chan struct{})}
	o.wait.Go(func() {
		for next := range o.queue {
			r := <-next
			if o.err == nil {
				if o.err = r.err; o.err == nil {
					o.err = take(r.result)
				}
				if o.err != nil {
					close(o.stop)
				}
			}
			<-o.slots
		}
	})
	return o
}

// submit runs a job when there is room, and reports whether more are wanted.
func (o *ordered[T]) submit(job func() (T, error)) bool {
	select {
	case <-o.stop:
		return false
	case o.slots <- struct{}{}:
	}
	result := make(chan outcome[T], 1)
	o.queue <- result
	go func() {
		r, err := job()
		result <- outcome[T]{r, err}
	}()
	return true
}

// finish waits for all results to be handed on.
func (o *ordered[T]) finish() error {
	close(o.queue)
	o.wait.Wait()
	return o.err
}

// piece is what became of a stretch of the input.
type piece struct {
	parts    []*store.Part
	tally    *source.Tally // nil for what the common tally has
	rejected []string      // the first rejects, for people
	runs     int
}

// add puts a piece into the store.
func (im *importer) add(p piece) error {
	for _, part := range p.parts {
		if err := im.store.Add(part); err != nil {
			return err
		}
	}
	im.runs += p.runs
	im.first = append(im.first, p.rejected[:min(len(p.rejected), maxShown-len(im.first))]...)
	return nil
}

// packing collects what a reader yields into the parts of a piece.
type packing struct {
	piece
	packer *store.Packer
}

// take takes a run, or a reject, and reports whether a part is full.
func (p *packing) take(run *trace.Run, err error) (full bool, _ error) {
	var rej *source.Reject
	switch {
	case errors.As(err, &rej):
		if len(p.rejected) < maxShown {
			p.rejected = append(p.rejected, rej.Error())
		}
		return false, p.packer.Reject(rej)
	case err != nil:
		return false, err
	}
	p.runs++
	p.packer.Append(run)
	return p.packer.Full(), nil
}

// pack ends the part at hand.
func (p *packing) pack() error {
	part, err := p.packer.Pack()
	if err == nil {
		p.parts = append(p.parts, part)
	}
	return err
}

// packers are used again and again: they keep the room of their columns.
type packers chan *store.Packer

func (p packers) get() *store.Packer {
	select {
	case packer := <-p:
		return packer
	default:
		return store.NewPacker()
	}
}

func (p packers) put(packer *store.Packer) {
	select {
	case p <- packer:
	default:
	}
}

// serial reads run after run; parts are encoded while the next is read.
func (im *importer) serial(ctx context.Context) error {
	width := max(1, runtime.GOMAXPROCS(0)-1)
	spare := make(packers, width)
	o := inOrder(width, im.add)
	p := &packing{packer: spare.get()}
	hand := func() bool {
		full := p
		p = &packing{packer: spare.get()}
		return o.submit(func() (piece, error) {
			err := full.pack()
			spare.put(full.packer)
			return full.piece, err
		})
	}
	for run, err := range im.format.Read(ctx, im.files, im.tally) {
		full, err := p.take(run, err)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return errors.Join(err, o.finish())
		}
		if full && !hand() {
			break
		}
	}
	hand()
	return o.finish()
}

// chunked reads chunks concurrently.
func (im *importer) chunked(ctx context.Context) error {
	width := runtime.GOMAXPROCS(0)
	spare := make(packers, width)
	chunks := source.NewTally() // im.tally belongs to the reader of chunks until it ends
	tally := im.tally
	o := inOrder(width, func(p piece) error {
		if p.tally != nil {
			chunks.Merge(p.tally)
		}
		return im.add(p)
	})
	apart := &packing{packer: spare.get()} // rejects that belong to no chunk
	for chunk, err := range im.format.Chunks(ctx, im.files, tally) {
		if err != nil {
			if _, err = apart.take(nil, err); err != nil {
				return errors.Join(err, o.finish())
			}
			continue
		}
		if !o.submit(func() (piece, error) { return read(ctx, chunk, spare) }) {
			break
		}
	}
	err := errors.Join(apart.pack(), o.finish())
	if err != nil {
		return err
	}
	tally.Merge(chunks)
	return im.add(apart.piece)
}

// read makes a piece of a chunk.
func read(ctx context.Context, chunk source.Chunk, spare packers) (piece, error) {
	p := &packing{packer: spare.get()}
	p.tally = source.NewTally()
	var err error
	chunk(ctx, p.tally, func(run *trace.Run, e error) bool {
		var full bool
		if full, err = p.take(run, e); err == nil && full {
			err = p.pack()
		}
		return err == nil
	})
	if err == nil {
		err = p.pack()
		spare.put(p.packer)
	}
	return p.piece, err
}
