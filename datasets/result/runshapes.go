package result

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"unsafe"
)

// RunShapes is a list of shapes of runs, packed: a run takes about 90 bytes, with its id and name. The zero value is empty.
// It is not safe for concurrent use.
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

// All goes over the runs in order. A run is valid until the next one; its texts stay valid.
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
	return [...]*int32{&r.Stages, &r.Barriers, &r.Synchronisations, &r.PathStages, &r.Disjoint, &r.Width, &r.LevelStagesMax,
		&r.Parts, &r.Attempts}
}

// measures are the other numbers of a run. Those that are often equal follow each other.
func (r *RunShape) measures() [7]*float64 {
	return [...]*float64{&r.CriticalPathS, &r.CriticalPathDriverS, &r.CriticalPathMeanS, &r.TaskSeconds, &r.InputWork,
		&r.LevelTasksMean, &r.LevelTasksMax}
}

// A row begins with flags: the truths of the run, then two bits for each measure.
const (
	flagSucceeded = 1 << iota
	flagByStageTimes
	flagAboveCompletion
	flagMeasures = 3 // the first bit of measures
)

// How a measure is written.
const (
	measureBits   = iota // as 8 bytes
	measureNaN           // not at all
	measureBefore        // not at all: it is the same as the one before
	measureWhole         // as a whole number
)

// wholeMost bounds measures that are written as whole numbers: they take at most 5 bytes.
const wholeMost = 1 << 32

// add appends a row.
func (b *shapeBlock) add(r *RunShape) {
	flags := uint32(0)
	for i, is := range [...]bool{r.Succeeded, r.ByStageTimes, r.AboveCompletion} {
		if is {
			flags |= 1 << i
		}
	}
	before := math.Float64bits(0)
	var forms [7]int
	for i, x := range r.measures() {
		bits := math.Float64bits(*x)
		switch {
		case math.IsNaN(*x):
			forms[i] = measureNaN
		case bits == before:
			forms[i] = measureBefore
		case *x >= 0 && *x < wholeMost && math.Float64bits(float64(uint64(*x))) == bits: // not for -0
			forms[i] = measureWhole
		}
		flags |= uint32(forms[i]) << (flagMeasures + 2*i)
		before = bits
	}
	b.rows = binary.LittleEndian.AppendUint32(b.rows, flags)
	b.rows = binary.LittleEndian.AppendUint64(b.rows, r.Plan)
	b.rows = binary.AppendUvarint(b.rows, uint64(b.shape(r.Shape)))
	for _, n := range r.counts() {
		b.rows = binary.AppendVarint(b.rows, int64(*n))
	}
	for i, x := range r.measures() {
		switch forms[i] {
		case measureBits:
			b.rows = binary.LittleEndian.AppendUint64(b.rows, math.Float64bits(*x))
		case measureWhole:
			b.rows = binary.AppendUvarint(b.rows, uint64(*x))
		}
	}
	for _, text := range []string{r.JobID, r.Name} {
		b.rows = binary.AppendUvarint(b.rows, uint64(len(text)))
		b.rows = append(b.rows, text...)
	}
}

// shape returns the position of a class, of which there are few.
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
	flags := binary.LittleEndian.Uint32(rows)
	r.Succeeded, r.ByStageTimes = flags&flagSucceeded != 0, flags&flagByStageTimes != 0
	r.AboveCompletion = flags&flagAboveCompletion != 0
	r.Plan = binary.LittleEndian.Uint64(rows[4:])
	rows = rows[12:]
	unsigned := func() uint64 {
		x, n := binary.Uvarint(rows)
		rows = rows[n:]
		return x
	}
	r.Shape = b.shapes[unsigned()]
	for _, n := range r.counts() {
		x, size := binary.Varint(rows)
		*n, rows = int32(x), rows[size:]
	}
	before := 0.0
	for i, x := range r.measures() {
		switch flags >> (flagMeasures + 2*i) & 3 {
		case measureBits:
			*x, rows = math.Float64frombits(binary.LittleEndian.Uint64(rows)), rows[8:]
		case measureNaN:
			*x = math.NaN()
		case measureBefore:
			*x = before
		case measureWhole:
			*x = float64(unsigned())
		}
		before = *x
	}
	for _, text := range []*string{&r.JobID, &r.Name} {
		n := unsigned()
		*text, rows = unsafe.String(unsafe.SliceData(rows), n), rows[n:] // written once
	}
	return rows
}
