package ingest

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"

	"racecard/datasets/fault"
	"racecard/datasets/groupby"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// ordered runs jobs concurrently and passes on their results in the order of submission.
type ordered[T any] struct {
	queue chan chan outcome[T] // pending results, in order
	slots chan struct{}        // held by jobs until their result is passed on: bounds memory
	wait  sync.WaitGroup
	stop  chan struct{} // closed at the first error
	err   error         // valid when the queue was drained
}

type outcome[T any] struct {
	result T
	err    error
}

// inOrder starts passing results to take, which is called by one goroutine. At most width jobs are under way.
func inOrder[T any](width int, take func(T) error) *ordered[T] {
	o := &ordered[T]{queue: make(chan chan outcome[T], width), slots: make(chan struct{}, width),
		stop: make(chan struct{})}
	o.wait.Go(func() {
		defer fault.Trap()
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
		defer fault.Trap()
		r, err := job()
		result <- outcome[T]{r, err}
	}()
	return true
}

// finish waits until all results are passed on.
func (o *ordered[T]) finish() error {
	close(o.queue)
	o.wait.Wait()
	return o.err
}

// piece is the outcome of a part of the input, from which an interrupted import resumes.
type piece struct {
	parts []*store.Part
	kept  bool // an interrupted import has stored the parts already
	memo
}

// memo is the record of a piece in the store's journal, next to its parts.
type memo struct {
	Runs     int           `json:"runs"`               // in the store
	Met      int           `json:"met"`                // also those that were refused
	Rejected []string      `json:"rejected,omitempty"` // the first ones, for people
	Repeats  repeats       `json:"repeats,omitempty"`
	Tally    *source.Tally `json:"-"`                 // nil for what the tally of the import has
	Counts   []byte        `json:"tally,omitempty"`   // Tally, encoded
	Sources  []string      `json:"sources,omitempty"` // checksums of the files that a chunk was made of
}

// add puts a piece into the store.
func (im *importer) add(p piece) error {
	if !p.kept {
		if p.Tally != nil {
			var err error
			if p.Counts, err = p.Tally.MarshalBinary(); err != nil {
				return err
			}
		}
		if err := im.store.Commit(p.parts, p.memo); err != nil {
			return err
		}
	}
	im.runs += p.Runs
	im.first = append(im.first, p.Rejected[:min(len(p.Rejected), maxShown-len(im.first))]...)
	im.repeats.merge(p.Repeats)
	return nil
}

// packing collects the output of a reader into the parts of a piece.
type packing struct {
	piece
	guard  *guard
	packer *store.Packer
	after  int64 // added to the numbers in the input that runs have from their reader
}

// take takes a run, or a reject, and reports whether a part is full. A run gets the next number of seq. Where seq is
// nil it keeps its own number, counted on from the last run of the store that is appended to.
func (p *packing) take(run *trace.Run, err error, seq *int64) (full bool, _ error) {
	rej, ok := rejectOf(err)
	if err != nil && !ok {
		return false, err
	}
	if rej == nil {
		p.Met++
		var ok bool
		if ok, rej = p.guard.admit(run); !ok && rej == nil {
			return false, nil
		}
	}
	if rej != nil {
		if p.guard.passed(rej) {
			return false, nil
		}
		if len(p.Rejected) < maxShown {
			p.Rejected = append(p.Rejected, rej.Error())
		}
		if rej.Reason == source.ReasonDuplicateID {
			p.Repeats.merge(repeats{rej.File: 1})
		}
		return false, p.packer.Reject(rej)
	}
	p.Runs++
	if seq != nil {
		run.Seq = *seq
		*seq++
	} else {
		run.Seq += p.after
	}
	if !p.guard.key.name(run) {
		p.guard.tally.Warn(warnNoKey, "run %s (%s): the job of runs that --job-key does not fit is their normalised name",
			words.Shorten(run.ID, 60), words.Shorten(run.Name, 60))
	}
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

// packers are reused: they keep the memory of their columns.
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

// serial reads run after run; parts are encoded while the next is read. When an interrupted import resumes, stored runs
// are read again, but not encoded again.
func (im *importer) serial(ctx context.Context, memos []memo) error {
	width := max(1, runtime.GOMAXPROCS(0)-1)
	spare := make(packers, width)
	o := inOrder(width, im.add)
	guard := im.guard(im.tally)
	p := &packing{guard: guard, packer: spare.get()}
	hand := func() bool {
		done := p
		p = &packing{guard: guard, packer: spare.get()}
		return o.submit(func() (piece, error) {
			err := done.pack()
			spare.put(done.packer)
			return done.piece, err
		})
	}
	for run, err := range stopping(ctx, im.format.Read, im.files, im.tally) {
		if err == nil {
			err = ctx.Err()
		}
		if len(memos) > 0 && (err == nil || isReject(err)) {
			// The part that contains run is stored already, up to the run that filled it.
			if err == nil {
				if ok, _ := guard.admit(run); ok { // admit keeps the tally consistent
					im.seq++
				}
				p.Met++
			} else if rej, ok := rejectOf(err); ok {
				guard.passed(rej)
			}
			if p.Met == memos[0].Met {
				kept := piece{kept: true, memo: memos[0]}
				memos = memos[1:]
				if !o.submit(func() (piece, error) { return kept, nil }) {
					break
				}
				p.Met = 0
			}
			continue
		}
		if run != nil {
			im.merge.began(im.tally.Gathered, im.tally.Read)
			im.merge.made.Store(im.tally.Read)
		}
		full, err := p.take(run, err, &im.seq)
		if run == nil && err == nil {
			err = im.giveUp(p.Rejected)
		}
		if err != nil {
			return errors.Join(err, o.finish())
		}
		if full && !hand() {
			break
		}
	}
	if len(memos) > 0 {
		return errors.Join(errChanged, o.finish())
	}
	// The last part is not full. It goes without a memo: rejects may follow its last run.
	err := p.pack()
	if err := errors.Join(err, o.finish()); err != nil {
		return err
	}
	return im.last(p)
}

// stopping yields the runs of read with a context that is cancelled as soon as the caller stops, so that files are
// closed without reading their rest, which for a stream may never come.
func stopping[T any](
	ctx context.Context, read func(context.Context, []*source.File, *source.Tally) iter.Seq2[T, error],
	files []*source.File, tally *source.Tally,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for v, err := range read(ctx, files, tally) {
			if !yield(v, err) {
				cancel()
				return
			}
		}
	}
}

// last puts a piece into the store without a journal entry, because the store is closed next.
func (im *importer) last(p *packing) error {
	for _, part := range p.parts {
		if err := im.store.Add(part); err != nil {
			return err
		}
	}
	p.kept = true
	return im.add(p.piece)
}

// errChanged reports that an input has changed since an earlier import was interrupted.
var errChanged = errors.New("the files have changed since the import was interrupted: say --restart to begin anew")

func isReject(err error) bool {
	_, ok := rejectOf(err)
	return ok
}

// rejectOf returns the reject in an error. It allocates nothing where there is no error.
func rejectOf(err error) (*source.Reject, bool) {
	if err == nil {
		return nil, false
	}
	var rej *source.Reject
	ok := errors.As(err, &rej)
	return rej, ok
}

// chunked reads chunks concurrently. When an interrupted import resumes, stored chunks are skipped.
func (im *importer) chunked(ctx context.Context, memos []memo) error {
	width := im.chunksAtOnce()
	spare := make(packers, width)
	chunks := source.NewTally() // im.tally belongs to the reader of chunks until it ends
	o := inOrder(width, func(p piece) error {
		im.merge.made.Add(p.Tally.Read)
		chunks.Merge(p.Tally)
		return im.add(p)
	})
	apart := &packing{guard: im.guard(im.tally), packer: spare.get()} // rejects that belong to no chunk
	var sources []string
	for chunk, err := range stopping(ctx, im.format.Chunks, im.files, im.tally) {
		if err != nil {
			if _, err = apart.take(nil, err, nil); err == nil {
				err = im.giveUp(apart.Rejected)
			}
			if err != nil {
				return errors.Join(err, o.finish())
			}
			continue
		}
		if sources == nil { // the files were read
			im.merge.began(im.tally.Gathered, 0)
			for _, f := range im.files {
				sources = append(sources, f.SHA256())
			}
			if len(memos) > 0 && !slices.Equal(memos[0].Sources, sources) {
				return errors.Join(errChanged, o.finish())
			}
		}
		job := func() (piece, error) { return im.read(ctx, chunk, sources, spare) }
		if len(memos) > 0 {
			known := memos[0]
			memos = memos[1:]
			job = func() (piece, error) {
				known.Tally = source.NewTally()
				return piece{kept: true, memo: known}, known.Tally.UnmarshalBinary(known.Counts)
			}
		}
		if !o.submit(job) {
			break
		}
	}
	if err := errors.Join(apart.pack(), o.finish()); err != nil {
		return err
	}
	im.tally.Merge(chunks)
	return im.last(apart)
}

// chunkBytes is the approximate memory for making a piece of a chunk.
const chunkBytes = 192 << 20

// chunksAtOnce returns the number of chunks that fit into the memory left by gathered records, which hold three
// eighths of it.
func (im *importer) chunksAtOnce() int {
	memory := im.Memory
	if memory <= 0 {
		memory = groupby.DefaultMemory
	}
	return max(1, min(runtime.GOMAXPROCS(0), int(memory/8*5/chunkBytes)))
}

// read makes a piece of a chunk.
func (im *importer) read(ctx context.Context, chunk source.Chunk, sources []string, spare packers) (piece, error) {
	p := &packing{packer: spare.get(), after: im.after}
	p.Tally, p.Sources = source.NewTally(), sources
	p.guard = im.guard(p.Tally)
	var err error
	chunk(ctx, p.Tally, func(run *trace.Run, e error) bool {
		var full bool
		if full, err = p.take(run, e, nil); err == nil && full {
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

// guard returns the guard for runs of a reader with the given tally.
func (im *importer) guard(t *source.Tally) *guard {
	strict := im.Strict && !im.united // units have refused what was repaired
	return &guard{key: &im.jobKey, strict: strict, ended: im.Ended, known: im.known, gathers: im.format.Gathers, tally: t,
		used: t.Used, refused: map[string]int64{}, seen: t.Repaired(), repairs: maps.Clone(t.Repairs)}
}
