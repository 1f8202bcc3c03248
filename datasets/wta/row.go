package wta

import (
	"encoding/binary"
	"strconv"

	"racecard/datasets/packed"
	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// ident is an id: a whole number, whatever the type of its column, or else text.
type ident struct {
	number int64
	text   string
}

func identOf(v *parquetio.Vector, k int) (ident, bool) {
	switch n, cell := v.Int(k); cell {
	case parquetio.Known:
		return ident{number: n}, true
	case parquetio.Bad:
		return ident{text: v.Text(k)}, true
	default:
		return ident{}, false
	}
}

// String returns the id as text.
func (id ident) String() string {
	if id.text != "" {
		return id.text
	}
	return strconv.FormatInt(id.number, 10)
}

// row is a task or a workflow.
type row struct {
	id                ident
	submit            trace.Instant
	runtime, wait     trace.Duration
	cpu, gpu, mem     float64
	user, group       string
	machine           string
	name              string // of a workflow
	count             int64  // tasks that a workflow says it has
	parents, children []ident
	negative          int64 // values that were mended for being so
}

// append encodes a row for the grouper. The number of related ids comes first, so that they can be counted without the
// rest.
func (r *row) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.parents)+len(r.children)))
	b = r.id.append(b)
	for _, n := range [...]int64{int64(r.submit), int64(r.runtime), int64(r.wait), r.count, r.negative} {
		b = binary.AppendVarint(b, n)
	}
	for _, x := range [...]float64{r.cpu, r.gpu, r.mem} {
		b = packed.AppendBits(b, x)
	}
	for _, s := range [...]string{r.user, r.group, r.machine, r.name} {
		b = packed.AppendText(b, s)
	}
	for _, list := range [...][]ident{r.parents, r.children} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, id := range list {
			b = id.append(b)
		}
	}
	return b
}

func (id ident) append(b []byte) []byte {
	b = packed.AppendText(b, id.text)
	if id.text == "" {
		b = binary.AppendVarint(b, id.number)
	}
	return b
}

// decoder reads what append wrote, and nothing else: it checks nothing.
type decoder struct{ packed.Row }

func (d *decoder) ident() ident {
	if s := d.Text(); s != "" {
		return ident{text: s}
	}
	return ident{number: d.Int()}
}

func (d *decoder) idents() []ident {
	n := d.Uint()
	if n == 0 {
		return nil
	}
	list := make([]ident, n)
	for i := range list {
		list[i] = d.ident()
	}
	return list
}

// related returns how many parents and children a row has together.
func related(b []byte) int64 {
	d := decoder{b}
	return int64(d.Uint())
}

func decode(b []byte) row {
	d := decoder{b}
	d.Uint()
	r := row{id: d.ident()}
	r.submit, r.runtime, r.wait, r.count = trace.Instant(d.Int()), trace.Duration(d.Int()),
		trace.Duration(d.Int()), d.Int()
	r.negative = d.Int()
	r.cpu, r.gpu, r.mem = d.Bits(), d.Bits(), d.Bits()
	r.user, r.group, r.machine, r.name = d.Text(), d.Text(), d.Text(), d.Text()
	r.parents, r.children = d.idents(), d.idents()
	return r
}
