package ingest

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/klauspost/compress/s2"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// event is a run or a reject that a reader yields.
type event struct {
	run    *trace.Run
	reject *source.Reject
}

// eventBytes is the approximate size of a block of events before compression.
const eventBytes = 4 << 20

// eventWriter encodes events as blocks, each compressed by itself. The input order of runs is not encoded; the reader
// of the blocks counts them.
type eventWriter struct {
	b      []byte
	blocks [][]byte
}

func (w *eventWriter) add(e event) {
	if e.run != nil {
		w.b = append(w.b, 'r')
		w.run(e.run)
	} else {
		w.b = append(w.b, 'x')
		w.reject(e.reject)
	}
	if len(w.b) >= eventBytes {
		w.flush()
	}
}

// finish returns the blocks.
func (w *eventWriter) finish() [][]byte {
	w.flush()
	return w.blocks
}

func (w *eventWriter) flush() {
	if len(w.b) > 0 {
		w.blocks = append(w.blocks, s2.Encode(nil, w.b))
		w.b = w.b[:0]
	}
}

func (w *eventWriter) int(x int64) { w.b = binary.AppendVarint(w.b, x) }

func (w *eventWriter) float(x float64) {
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
}

func (w *eventWriter) text(s string) {
	w.b = binary.AppendUvarint(w.b, uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *eventWriter) bool(x bool) {
	w.b = append(w.b, map[bool]byte{true: 1}[x])
}

// demand writes a mask of the known resources, and their amounts.
func (w *eventWriter) demand(d *trace.Demand) {
	at := len(w.b)
	w.b = append(w.b, 0)
	for r, x := range d {
		if !math.IsNaN(x) {
			w.b[at] |= 1 << r
			w.float(x)
		}
	}
}

func (w *eventWriter) reject(r *source.Reject) {
	w.text(r.File)
	w.int(r.Line)
	for _, s := range []string{r.Field, r.Reason, r.Detail, string(r.Raw)} {
		w.text(s)
	}
}

func (w *eventWriter) run(r *trace.Run) {
	for _, s := range []string{r.ID, r.Name, r.Job, r.User, r.Group, r.Cluster} {
		w.text(s)
	}
	for _, x := range runNumbers(r) {
		w.int(*x)
	}
	w.int(int64(r.Status))
	w.int(int64(r.Dynamic))
	w.int(int64(len(r.Stages)))
	for i := range r.Stages {
		s := &r.Stages[i]
		w.text(s.Name)
		w.text(s.Description)
		w.text(s.Plan)
		w.int(s.Tasks)
		w.float(s.EstimateS)
		w.int(int64(s.Submit))
		w.int(int64(s.Start))
		w.int(int64(s.End))
		w.demand(&s.Demand)
	}
	w.int(int64(len(r.Edges)))
	for _, e := range r.Edges {
		w.int(int64(e.Parent))
		w.int(int64(e.Child))
		w.int(int64(e.Kind))
	}
	w.int(int64(len(r.Attempts)))
	for i := range r.Attempts {
		w.attempt(&r.Attempts[i])
	}
	w.int(int64(len(r.Allocations)))
	for _, a := range r.Allocations {
		for _, x := range []int64{int64(a.At), a.Tokens, a.Spare, a.Machines} {
			w.int(x)
		}
	}
	w.int(int64(len(r.IO)))
	for _, a := range r.IO {
		w.text(a.Dataset)
		w.bool(a.Write)
		w.int(int64(a.At))
		w.int(a.Bytes)
	}
}

func (w *eventWriter) attempt(a *trace.Attempt) {
	for _, x := range []int64{
		int64(a.Stage), int64(a.Task), int64(a.Attempt), int64(a.Status), int64(a.Speculative), int64(a.Spare),
		int64(a.Queued), int64(a.Start), int64(a.End),
		int64(a.Duration), a.InputBytes, a.SpillBytes, a.PeakMem, int64(a.GC),
	} {
		w.int(x)
	}
	w.text(a.Machine)
	w.text(a.Reason)
	w.demand(&a.Demand)
}

// runNumbers returns the whole numbers of a run, except its order in the input.
func runNumbers(r *trace.Run) []*int64 {
	return []*int64{
		(*int64)(&r.Submit), (*int64)(&r.Start), (*int64)(&r.End), &r.InputBytes, &r.ShuffleBytes, &r.OutputBytes,
		&r.Guaranteed,
		&r.ExecutorCores, &r.ExecutorMem, &r.ExecutorPeakMem,
	}
}

var errEvents = errors.New("events of a unit are damaged")

// readEvents decodes a block. Its runs are valid, since the writer's were.
func readEvents(block []byte) ([]event, error) {
	plain, err := s2.Decode(nil, block)
	if err != nil {
		return nil, errEvents
	}
	r := eventReader{b: plain}
	var all []event
	for len(r.b) > 0 && !r.bad {
		switch r.byte() {
		case 'r':
			run := r.run()
			if err := run.Validate(); r.bad || err != nil {
				return nil, errors.Join(errEvents, err)
			}
			all = append(all, event{run: run})
		case 'x':
			all = append(all, event{reject: r.reject()})
		default:
			r.bad = true
		}
	}
	if r.bad {
		return nil, errEvents
	}
	return all, nil
}

// eventReader reads the blocks of an eventWriter. After the first fault it reads zeros.
type eventReader struct {
	b   []byte
	bad bool
}

func (r *eventReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return make([]byte, min(n, 8))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *eventReader) byte() byte { return r.take(1)[0] }

func (r *eventReader) int() int64 {
	x, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return x
}

// count reads a number of items, each of at least so many bytes.
func (r *eventReader) count(each int) int {
	n := r.int()
	if n < 0 || n > int64(len(r.b)/each) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *eventReader) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
}

func (r *eventReader) text() string {
	n, m := binary.Uvarint(r.b)
	if m <= 0 || n > uint64(len(r.b)-m) {
		r.bad, r.b = true, nil
		return ""
	}
	r.b = r.b[m:]
	return string(r.take(n))
}

func (r *eventReader) instant() trace.Instant { return trace.Instant(r.int()) }

func (r *eventReader) demand(d *trace.Demand) {
	known := r.byte()
	for k := range d {
		d[k] = math.NaN()
		if known&(1<<k) != 0 {
			d[k] = r.float()
		}
	}
}

func (r *eventReader) reject() *source.Reject {
	return &source.Reject{File: r.text(), Line: r.int(), Field: r.text(), Reason: r.text(), Detail: r.text(),
		Raw: []byte(r.text())}
}

func (r *eventReader) run() *trace.Run {
	run := &trace.Run{}
	for _, s := range []*string{&run.ID, &run.Name, &run.Job, &run.User, &run.Group, &run.Cluster} {
		*s = r.text()
	}
	for _, x := range runNumbers(run) {
		*x = r.int()
	}
	run.Status, run.Dynamic = trace.Status(r.int()), trace.Tri(r.int())
	run.Stages = make([]trace.Stage, r.count(16))
	for i := range run.Stages {
		s := &run.Stages[i]
		s.Name, s.Description, s.Plan = r.text(), r.text(), r.text()
		s.Tasks, s.EstimateS, s.Submit, s.Start, s.End = r.int(), r.float(), r.instant(), r.instant(), r.instant()
		r.demand(&s.Demand)
	}
	run.Edges = make([]trace.Edge, r.count(3))
	for i := range run.Edges {
		run.Edges[i] = trace.Edge{Parent: int32(r.int()), Child: int32(r.int()), Kind: trace.EdgeKind(r.int())}
	}
	run.Attempts = make([]trace.Attempt, r.count(17))
	for i := range run.Attempts {
		r.attempt(&run.Attempts[i])
	}
	run.Allocations = make([]trace.Allocation, r.count(4))
	for i := range run.Allocations {
		run.Allocations[i] = trace.Allocation{At: r.instant(), Tokens: r.int(), Spare: r.int(), Machines: r.int()}
	}
	run.IO = make([]trace.Access, r.count(4))
	for i := range run.IO {
		run.IO[i] = trace.Access{Dataset: r.text(), Write: r.byte() == 1, At: r.instant(), Bytes: r.int()}
	}
	return run
}

func (r *eventReader) attempt(a *trace.Attempt) {
	a.Stage, a.Task, a.Attempt = int32(r.int()), int32(r.int()), int32(r.int())
	a.Status, a.Speculative, a.Spare = trace.Status(r.int()), trace.Tri(r.int()), trace.Tri(r.int())
	a.Queued, a.Start, a.End, a.Duration = r.instant(), r.instant(), r.instant(), trace.Duration(r.int())
	a.InputBytes, a.SpillBytes, a.PeakMem, a.GC = r.int(), r.int(), r.int(), trace.Duration(r.int())
	a.Machine, a.Reason = r.text(), r.text()
	r.demand(&a.Demand)
}
