package result

import (
	"encoding/binary"
	"iter"
	"slices"

	"racecard/datasets/packed"
)

// RunShapes is a list of shapes of runs, packed: a run takes about 90 bytes, with its id and name. The zero value is
// empty. It is not safe for concurrent use, but several goroutines may read it at once.
type RunShapes struct {
	full []shapeBlock
	last shapeBlock
	n    int
}

// shapeBlock holds rows end to end.
type shapeBlock struct {
	rows   []byte
	shapes []string // the classes that rows name by their position
}

// blockBytes is the size from which a block is full.
const blockBytes = 1 << 20

// Len returns the number of runs.
func (s *RunShapes) Len() int { return s.n }

// Add appends a run.
func (s *RunShapes) Add(r *RunShape) {
	if len(s.last.rows) >= blockBytes {
		s.seal()
	}
	s.last.add(r)
	s.n++
}

// Append appends the runs of q, which must not be used afterwards.
func (s *RunShapes) Append(q *RunShapes) {
	s.seal()
	q.seal()
	s.full = append(s.full, q.full...)
	s.n += q.n
}

// seal closes the last block.
func (s *RunShapes) seal() {
	if len(s.last.rows) > 0 {
		s.last.rows = slices.Clone(s.last.rows) // without room to grow
		s.full, s.last = append(s.full, s.last), shapeBlock{}
	}
}

// All goes over the runs in order. A run is valid until the next one. Its texts stay valid, and keep the memory of the
// runs around it: clone those that are to outlast the list.
func (s *RunShapes) All() iter.Seq2[int, *RunShape] {
	return func(yield func(int, *RunShape) bool) {
		var r RunShape
		i := 0
		for k := range len(s.full) + 1 {
			b := &s.last
			if k < len(s.full) {
				b = &s.full[k]
			}
			for rest := b.rows; len(rest) > 0; i++ {
				rest = b.next(rest, &r)
				if !yield(i, &r) {
					return
				}
			}
		}
	}
}

// counts are the whole numbers of a run.
func (r *RunShape) counts() [9]*int32 {
	return [...]*int32{&r.Stages, &r.Barriers, &r.Synchronisations, &r.PathStages, &r.Disjoint, &r.Width,
		&r.LevelStagesMax, &r.Parts, &r.Attempts}
}

// A row begins with the truths of the run.
const (
	rowSucceeded = 1 << iota
	rowByStageTimes
	rowAboveCompletion
)

// add appends a row.
func (b *shapeBlock) add(r *RunShape) {
	truths := byte(0)
	for i, is := range [...]bool{r.Succeeded, r.ByStageTimes, r.AboveCompletion} {
		if is {
			truths |= 1 << i
		}
	}
	b.rows = append(b.rows, truths)
	b.rows = binary.LittleEndian.AppendUint64(b.rows, r.Plan)
	b.rows = binary.AppendUvarint(b.rows, uint64(b.shape(r.Shape)))
	for _, n := range r.counts() {
		b.rows = binary.AppendVarint(b.rows, int64(*n))
	}
	b.rows = packed.AppendFloats(b.rows, r.CriticalPathS, r.CriticalPathDriverS, r.CriticalPathMeanS, r.TaskSeconds,
		r.InputWork, r.LevelTasksMean, r.LevelTasksMax)
	b.rows = packed.AppendText(packed.AppendText(b.rows, r.JobID), r.Name)
}

// shape returns the position of a class. There are few classes.
func (b *shapeBlock) shape(class string) int {
	i := slices.Index(b.shapes, class)
	if i < 0 {
		i = len(b.shapes)
		b.shapes = append(b.shapes, class)
	}
	return i
}

// next reads the first row of rows into r and returns the others.
func (b *shapeBlock) next(rows []byte, r *RunShape) []byte {
	truths := rows[0]
	r.Succeeded, r.ByStageTimes = truths&rowSucceeded != 0, truths&rowByStageTimes != 0
	r.AboveCompletion = truths&rowAboveCompletion != 0
	r.Plan = binary.LittleEndian.Uint64(rows[1:])
	shape, rows := packed.Uint(rows[9:])
	r.Shape = b.shapes[shape]
	for _, n := range r.counts() {
		var x int64
		x, rows = packed.Int(rows)
		*n = int32(x)
	}
	var m [7]float64
	rows = packed.Floats(rows, m[:])
	r.CriticalPathS, r.CriticalPathDriverS, r.CriticalPathMeanS, r.TaskSeconds = m[0], m[1], m[2], m[3]
	r.InputWork, r.LevelTasksMean, r.LevelTasksMax = m[4], m[5], m[6]
	r.JobID, rows = packed.Text(rows)
	r.Name, rows = packed.Text(rows)
	return rows
}
