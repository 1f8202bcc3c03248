// Package generate writes synthetic traces in the raw formats that racecard reads, at any size, for benchmarks and for
// trying things out. They are made up: their shapes follow what published traces look like, their numbers mean nothing.
//
// Names of generated files begin with [Prefix], by which an import knows to label the store, and all that is shown of it,
// as synthetic.
package generate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"racecard/datasets/seed"
)

// Prefix begins the name of every generated file.
const Prefix = "synthetic-"

// Kind is a format that can be generated.
type Kind struct {
	Name    string // of the format
	Summary string // one line: what is generated
	Rows    string // what a row is
	Ending  string // of the file's name

	// Write writes rows rows, or a few more where a job would otherwise be cut, and returns how many. progress is called
	// now and then with the rows so far; it may be nil. The same seed gives the same bytes.
	Write func(ctx context.Context, w io.Writer, rows int64, seed uint64, progress func(int64)) (int64, error)
}

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		{"alibaba2018", "batch_task of an Alibaba-like cluster: graphs of stages, rows of a job lie apart", "tasks (CSV lines)", ".batch_task.csv", alibaba2018},
		{"tr", "jobs of the Yahoo kind: task durations on one line", "jobs (lines)", ".tr", yahoo},
		{"swim", "MapReduce jobs of the Facebook kind: bytes read, shuffled and written", "jobs (lines)", ".tsv", swim},
		{"jsonl", "recurring jobs with graphs of stages, inputs that vary and attempts on machines", "runs (lines)", ".jsonl", recurring},
	}
}

// Named returns the kind of that name.
func Named(name string) (Kind, error) {
	var known []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return Kind{}, fmt.Errorf("there is no generator for %q; there are %s", name, strings.Join(known, ", "))
}

// output writes lines and calls progress.
type output struct {
	w        *bufio.Writer
	line     []byte
	rows     int64
	ctx      context.Context
	progress func(int64)
}

func newOutput(ctx context.Context, w io.Writer, progress func(int64)) *output {
	return &output{w: bufio.NewWriterSize(w, 1<<20), ctx: ctx, progress: progress}
}

// end writes the line and begins the next.
func (o *output) end() error {
	o.line = append(o.line, '\n')
	if _, err := o.w.Write(o.line); err != nil {
		return err
	}
	o.line = o.line[:0]
	o.rows++
	if o.rows%(1<<12) == 0 {
		if o.progress != nil {
			o.progress(o.rows)
		}
		return o.ctx.Err()
	}
	return nil
}

func (o *output) text(s string)   { o.line = append(o.line, s...) }
func (o *output) int(n int64)     { o.line = strconv.AppendInt(o.line, n, 10) }
func (o *output) float(x float64) { o.line = strconv.AppendFloat(o.line, x, 'g', -1, 64) }
func (o *output) round(x float64, digits int) {
	o.line = strconv.AppendFloat(o.line, x, 'f', digits, 64)
}

func source(root uint64, kind string) *rand.Rand {
	return rand.New(seed.Stream(root, "generate "+kind, 0))
}

// lognormal draws from the lognormal distribution of that median and standard deviation of the logarithm.
func lognormal(rng *rand.Rand, median, sigma float64) float64 {
	return median * math.Exp(sigma*rng.NormFloat64())
}
