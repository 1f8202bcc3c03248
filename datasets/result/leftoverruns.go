package result

import (
	"encoding/binary"
	"iter"
	"math/bits"

	"racecard/datasets/packed"
	"racecard/datasets/trace"
)

// LeftoverRuns is a list of [LeftoverRun], packed: a run takes about 50 bytes, with its id and name, and 30 per
// resource. The zero value is empty. It is not safe for concurrent use.
type LeftoverRuns struct{ rows packed.Rows }

// Len returns the number of runs.
func (s *LeftoverRuns) Len() int { return s.rows.Len() }

// counts are the whole numbers of a run.
func (r *LeftoverRun) counts() [7]*int32 {
	return [...]*int32{&r.Stages, &r.Barriers, &r.PathStages, &r.Disjoint, &r.Width, &r.Attempts, &r.Moved}
}

// Add appends a run. Its resources must be in ascending order, each once.
func (s *LeftoverRuns) Add(r *LeftoverRun) {
	var amounts [1 + 4*trace.NumResources]float64
	of := byte(0)
	amounts[0] = r.Leftover
	for k := range r.Of {
		a := &r.Of[k]
		of |= 1 << a.Resource
		copy(amounts[1+4*k:], []float64{a.Leftover, a.Most, a.Allocated, a.Spare})
	}
	s.rows.Add(func(to []byte) []byte {
		to = append(to, of)
		to = binary.AppendVarint(binary.AppendVarint(to, int64(r.Start)), int64(r.End-r.Start)) // wraps around, and back
		for _, n := range r.counts() {
			to = binary.AppendVarint(to, int64(*n))
		}
		to = packed.AppendFloats(to, amounts[:1+4*len(r.Of)]...)
		return packed.AppendText(packed.AppendText(to, r.JobID), r.Name)
	})
}

// Append appends the runs of q, which must not be used afterwards.
func (s *LeftoverRuns) Append(q *LeftoverRuns) { s.rows.Append(&q.rows) }

// All goes over the runs in order. A run is valid until the next one, with its amounts. Its texts stay valid, and keep
// the memory of the runs around it: clone those that are to outlast the list.
func (s *LeftoverRuns) All() iter.Seq2[int, *LeftoverRun] {
	return func(yield func(int, *LeftoverRun) bool) {
		var r LeftoverRun
		i := -1
		s.rows.Each(func(rows []byte) ([]byte, bool) {
			rows = r.read(rows)
			i++
			return rows, yield(i, &r)
		})
	}
}

// read reads the first row of rows and returns the others.
func (r *LeftoverRun) read(rows []byte) []byte {
	of := rows[0]
	start, rows := packed.Int(rows[1:])
	length, rows := packed.Int(rows)
	r.Start, r.End = trace.Instant(start), trace.Instant(start+length)
	for _, n := range r.counts() {
		var x int64
		x, rows = packed.Int(rows)
		*n = int32(x)
	}
	var amounts [1 + 4*trace.NumResources]float64
	x := amounts[:1+4*bits.OnesCount8(of)]
	rows = packed.Floats(rows, x)
	r.Leftover, r.Of = x[0], r.Of[:0]
	for x = x[1:]; of != 0; x, of = x[4:], of&(of-1) {
		r.Of = append(r.Of, LeftoverAmount{
			Resource: trace.Resource(bits.TrailingZeros8(of)), Leftover: x[0], Most: x[1], Allocated: x[2], Spare: x[3],
		})
	}
	r.JobID, rows = packed.Text(rows)
	r.Name, rows = packed.Text(rows)
	return rows
}
