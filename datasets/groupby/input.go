package groupby

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"iter"

	"racecard/datasets/lists"
	"racecard/datasets/source"
)

// Input is an input whose records of a job lie apart, prepared to be read at once or in two waves: [Lines], [Stateful]
// or [Records].
type Input interface {
	Chunks(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[source.Chunk, error]
	source.Scatter
}

// Format returns f with readers of such inputs. prepare is called before files are read.
func Format(f source.Format,
	prepare func(ctx context.Context, files []*source.File, tally *source.Tally) (Input, error)) source.Format {
	f.Gathers = true
	f.Chunks = func(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[source.Chunk, error] {
		in, err := prepare(ctx, files, tally)
		if err != nil {
			return func(yield func(source.Chunk, error) bool) { yield(nil, err) }
		}
		return in.Chunks(ctx, files, tally)
	}
	f.Read = source.Serially(f.Chunks)
	f.Scatter = func(ctx context.Context, files []*source.File, tally *source.Tally) (source.Scatter, error) {
		return prepare(ctx, files, tally)
	}
	return f
}

// Stateful are lines whose reader learns from files, for instance their headers, how to build runs of the rows of any
// file.
type Stateful[S any] struct {
	Lines

	// State returns the state after the files that were read, in a form for [gob]. Adopt takes over the states of other
	// processes, in their order, and returns [Lines.Retag].
	State func() S
	Adopt func([]S) (retag func(from int, tag uint8) uint8, err error)
}

// Scatter distributes the lines of files among partitions.
func (l Stateful[S]) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	out, err := l.Lines.Scatter(ctx, files, tally, reject)
	if err != nil {
		return nil, err
	}
	out.State, err = encodeState(l.State())
	return out, err
}

// Gather returns chunks of the rows of all files.
func (l Stateful[S]) Gather(files []*source.File, from []*source.Scattered) ([]source.Chunk, error) {
	states, err := statesOf[S](from)
	if err != nil {
		return nil, err
	}
	if l.Retag, err = l.Adopt(states); err != nil {
		return nil, err
	}
	return l.Lines.Gather(files, from)
}

// Records are records that a reader encodes and adds to a [Grouper] itself.
type Records[S any] struct {
	Memory int64 // of the grouper

	// Add adds the records of files. It returns their number in each file and the state that runs depend on, in a form
	// for [gob], and reports whether the caller wants more. Rejects go to yield.
	Add func(ctx context.Context, files []*source.File, tally *source.Tally, g *Grouper, yield func(error) bool) (
		lines []int64, state S, more bool)

	// Join unites the states of several processes.
	Join func([]S) (S, error)

	// Chunk yields the runs of a chunk. first is the number of the first record of each file.
	Chunk func(c Chunk, files []*source.File, first []int64, state S) source.Chunk
}

// add adds the records of files to a new grouper.
func (r Records[S]) add(ctx context.Context, files []*source.File, tally *source.Tally, yield func(error) bool) (
	g *Grouper, lines []int64, state S, more bool) {
	g = New(r.Memory)
	if lines, state, more = r.Add(ctx, files, tally, g, yield); more {
		tally.Gathered = g.Len()
	} else {
		_ = g.Close() // what went wrong before counts
	}
	return g, lines, state, more
}

// Chunks yields the runs in files in chunks: the form that [source.Format].Chunks has.
func (r Records[S]) Chunks(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[source.Chunk,
	error] {
	return func(yield func(source.Chunk, error) bool) {
		g, lines, state, more := r.add(ctx, files, tally, func(err error) bool { return yield(nil, err) })
		if !more {
			return
		}
		first := []int64{0}
		for i, n := range lines {
			first = append(first, first[i]+n)
		}
		g.yield(func(c Chunk) source.Chunk { return r.Chunk(c, files, first, state) }, yield)
	}
}

// Scatter distributes the records of files among partitions.
func (r Records[S]) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	var failed error
	g, lines, state, more := r.add(ctx, files, tally, source.Rejecting(reject, &failed))
	if !more {
		return nil, failed
	}
	out, err := g.Scattered(lines)
	if err != nil {
		return nil, err
	}
	out.State, err = encodeState(state)
	return out, err
}

// Gather returns chunks of the records of all files.
func (r Records[S]) Gather(files []*source.File, from []*source.Scattered) ([]source.Chunk, error) {
	states, err := statesOf[S](from)
	if err != nil {
		return nil, err
	}
	state, err := r.Join(states)
	if err != nil {
		return nil, err
	}
	g, first := Gathered(r.Memory, from)
	all, err := g.Chunks()
	return lists.Map(all, func(c Chunk) source.Chunk { return r.Chunk(c, files, first, state) }), err
}

// yield yields the chunks of a grouper. It is freed after its last reference: chunks may be read after the last one was
// yielded.
func (g *Grouper) yield(of func(Chunk) source.Chunk, yield func(source.Chunk, error) bool) {
	chunks, err := g.Chunks()
	if err != nil {
		yield(nil, err)
		return
	}
	for _, c := range chunks {
		if !yield(of(c), nil) {
			return
		}
	}
}

func encodeState(state any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(state)
	return b.Bytes(), err
}

func statesOf[S any](from []*source.Scattered) ([]S, error) {
	states := make([]S, len(from))
	for i, f := range from {
		if err := gob.NewDecoder(bytes.NewReader(f.State)).Decode(&states[i]); err != nil {
			return nil, fmt.Errorf("state of files: %w", err)
		}
	}
	return states, nil
}
