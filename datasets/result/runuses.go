package result

import (
	"encoding/binary"
	"iter"
	"slices"

	"racecard/datasets/packed"
)

// RunUses is a list of [RunUse], packed: a run takes about 70 bytes, with its id and names. The zero value is empty. It
// is not safe for concurrent use.
type RunUses struct{ rows packed.Rows }

// What the use of a run was read from.
const (
	UseOfAttempts    = "attempts"
	UseOfAllocations = "allocations"
)

// useBases are the values of [RunUse.Basis], which rows name by their position.
var useBases = [...]string{"", UseOfAttempts, UseOfAllocations}

// Len returns the number of runs.
func (s *RunUses) Len() int { return s.rows.Len() }

// Add appends a run.
func (s *RunUses) Add(r *RunUse) {
	s.rows.Add(func(to []byte) []byte {
		to = append(to, byte(max(0, slices.Index(useBases[:], r.Basis))))
		for _, n := range [...]int64{r.Guaranteed, r.MaxParallelism, r.Sustained} {
			to = binary.AppendVarint(to, n)
		}
		to = packed.AppendFloats(to, r.Seconds, r.Unused, r.Beyond, r.SpareShare)
		for _, text := range [...]string{r.JobID, r.Name, r.User, r.Group} {
			to = packed.AppendText(to, text)
		}
		return to
	})
}

// Append appends the runs of q, which must not be used afterwards.
func (s *RunUses) Append(q *RunUses) { s.rows.Append(&q.rows) }

// All goes over the runs in order. A run is valid until the next one. Its texts stay valid, and keep the memory of the
// runs around it: clone those that are to outlast the list.
func (s *RunUses) All() iter.Seq2[int, *RunUse] {
	return func(yield func(int, *RunUse) bool) {
		var r RunUse
		i := -1
		s.rows.Each(func(rows []byte) ([]byte, bool) {
			r.Basis, rows = useBases[rows[0]], rows[1:]
			for _, n := range [...]*int64{&r.Guaranteed, &r.MaxParallelism, &r.Sustained} {
				*n, rows = packed.Int(rows)
			}
			var x [4]float64
			rows = packed.Floats(rows, x[:])
			r.Seconds, r.Unused, r.Beyond, r.SpareShare = x[0], x[1], x[2], x[3]
			for _, text := range [...]*string{&r.JobID, &r.Name, &r.User, &r.Group} {
				*text, rows = packed.Text(rows)
			}
			i++
			return rows, yield(i, &r)
		})
	}
}
