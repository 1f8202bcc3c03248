package recurrence

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"racecard/datasets/packed"
	"racecard/datasets/trace"
)

// log holds the kept part of runs, packed, in order: about 60 bytes a run, with its id.
type log struct {
	parts  []logPart
	before []int32 // per part: the runs of the parts before it
	n      int32
}

// logPart holds rows end to end, and where each begins.
type logPart struct {
	rows  []byte
	begin []uint32
}

// partBytes bounds the rows of a part.
const partBytes = 1 << 24

// add appends a run to the last part.
func (l *log) add(o *observed) {
	if n := len(l.parts); n == 0 || len(l.parts[n-1].rows) >= partBytes {
		l.append(logPart{})
	}
	p := &l.parts[len(l.parts)-1]
	p.begin = append(p.begin, uint32(len(p.rows)))
	for _, n := range [...]int64{int64(o.at), o.input, o.tokens, int64(o.attempts), int64(o.stragglers)} {
		p.rows = binary.AppendVarint(p.rows, n)
	}
	p.rows = packed.AppendFloats(p.rows, o.seconds, o.queued, o.spare, o.lost, o.work, o.excess)
	p.rows = packed.AppendText(p.rows, o.id)
	l.n++
}

func (l *log) append(p logPart) {
	l.before = append(l.before, l.n)
	l.parts = append(l.parts, p)
	l.n += int32(len(p.begin))
}

// merge appends the runs of q, which must not be used afterwards.
func (l *log) merge(q *log) {
	for _, p := range q.parts {
		l.append(logPart{slices.Clone(p.rows), slices.Clone(p.begin)}) // without room to grow
	}
}

// at reads the run at a position.
func (l *log) at(i int32) (o observed) {
	k := sort.Search(len(l.before), func(k int) bool { return l.before[k] > i }) - 1
	p := &l.parts[k]
	row := p.rows[p.begin[i-l.before[k]]:]
	var n [5]int64
	for k := range n {
		n[k], row = packed.Int(row)
	}
	o.at, o.input, o.tokens, o.attempts, o.stragglers = trace.Instant(n[0]), n[1], n[2], int32(n[3]), int32(n[4])
	var x [6]float64
	row = packed.Floats(row, x[:])
	o.seconds, o.queued, o.spare, o.lost, o.work, o.excess = x[0], x[1], x[2], x[3], x[4], x[5]
	id, _ := packed.Text(row)
	o.id = strings.Clone(id) // a result that names it does not keep the log
	return o
}
