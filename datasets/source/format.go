package source

import (
	"context"
	"errors"
	"iter"

	"racecard/datasets/trace"
)

// TimeBase is the meaning of instant 0 in a trace.
type TimeBase string

// The time bases. TimeBaseGuess is resolved after reading: a trace with instants after [UnixAfter] has Unix times.
const (
	TimeBaseGuess    TimeBase = ""
	TimeBaseRelative TimeBase = "relative"
	TimeBaseUnix     TimeBase = "unix"
)

// UnixAfter separates relative from Unix times where a trace does not say which it has: March 1973, or three years
// after its start.
const UnixAfter trace.Instant = 100_000_000_000_000

// Format is a raw trace format: its recognition, its reader, and the columns it can fill.
type Format struct {
	Name     string
	Summary  string   // one line about the format
	Holds    string   // one line about its content
	Lacks    string   // one line about missing columns, and the analyses that need them
	Spec     string   // where the format is specified
	Fields   []string // names of the fields, one line per kind of record; only for formats that racecard specifies
	TimeBase TimeBase // of every trace in this format
	// PerRun is set if every run has a separate log: attempts that had not ended were last observed at the end of that
	// log, not of the trace.
	PerRun bool

	Gathers bool // records of a run lie apart: they are gathered while the files are read, and runs are made after that

	// Apart is set if the runs of a file depend on no other file, except for labels ([Labels]) and duplicate ids.
	// Together, unless it is nil, names the group of a file: files of one group must be read together.
	Apart    bool
	Together func(f *File) string

	// Numbered is set if runs have no ids, and count from 1 in every file: see [IDPrefixes].
	Numbered bool

	// Named, unless it is nil, names the run of a file that is one run: see [RunIDs].
	Named func(f *File) string

	// EndsInNumber is set if records are lines whose last field is a number: of a line that is cut off inside it, another
	// number is left. See [File.WantLineEnd].
	EndsInNumber bool

	// OnceEach is set if a machine that several files name with the same properties becomes one row.
	OnceEach bool

	// ListedBefore, unless it is empty, is the kind under which a machine is ignored that was listed before, under the
	// same name and in any file.
	ListedBefore string

	// HeaderLimit, unless it is 0, bounds the bytes of [Tally.Header].
	HeaderLimit int

	// Rules, where a format has it, reports whether a file says how others are read, wherever those lie.
	Rules func(f *File) bool

	// Scatter prepares reading files in two waves, for a format that scatters the records of a run; nil for other
	// formats. files are the files of the first wave at hand, and every file for which Rules reports true.
	Scatter func(ctx context.Context, files []*File, tally *Tally) (Scatter, error)

	// Detect reports whether a file is of this format, given its name and the first bytes of its decompressed content
	// (at most [HeadSize]).
	Detect func(name string, head []byte) bool

	// Read yields the runs in files. A yielded run is valid until the next one is asked for. A record that cannot be
	// used is yielded as a [*Reject] and already counted in tally; any other error ends the stream.
	Read func(ctx context.Context, files []*File, tally *Tally) iter.Seq2[*trace.Run, error]

	// Keyed, where a format has properties, returns the format with readers that set [trace.Run.Job] to the value of a
	// property, of runs that have it. It returns an error for a property that the format cannot have.
	Keyed func(property string) (Format, error)

	// Chunks, where a format has it, yields the same runs in the same order as Read, in chunks that can be read
	// concurrently. Rejects that it yields itself are counted in tally, which is the caller's again when it has ended.
	Chunks func(ctx context.Context, files []*File, tally *Tally) iter.Seq2[Chunk, error]
}

// Scatter reads an input with scattered records in two waves, for machines that read different files. In the first
// wave, each machine reads its files and distributes their records among partitions by run. In the second, each builds
// the runs of some partitions from the records of all files.
type Scatter interface {
	// Scatter reads files. Rejects are counted in tally and passed to reject. Files are divided among machines in
	// order.
	Scatter(ctx context.Context, files []*File, tally *Tally, reject func(*Reject) error) (*Scattered, error)
	// Gather returns chunks of the records that machines scattered, in the order of the input. files are all files. A
	// [WholeError] says that one machine has to read them all.
	Gather(files []*File, from []*Scattered) ([]Chunk, error)
}

// WholeError is returned if scattered records do not determine the runs that one machine would make.
type WholeError struct{ Why string }

// Error names the reason.
func (e *WholeError) Error() string { return e.Why + ": one machine has to read all files" }

// Scattered are the records of some files, dealt out to partitions.
type Scattered struct {
	Lines   []int64 // of each file
	Records []int64 // of each partition
	State   []byte  // properties of these files that runs of other files' records depend on, in the format's encoding
	// Load returns the records of a partition, encoded. It may be called concurrently.
	Load func(partition int) ([]byte, error) `json:"-"`
}

// HeadSize is the number of decompressed bytes used to detect a format.
const HeadSize = 64 << 10

// Rejecting returns a yield function for readers that yield errors alone. Rejects go to reject; any other error, and
// one that reject returns, is kept in failed and ends the read.
func Rejecting(reject func(*Reject) error, failed *error) func(error) bool {
	return func(err error) bool {
		var rej *Reject
		if *failed = err; errors.As(err, &rej) {
			*failed = reject(rej)
		}
		return *failed == nil
	}
}
