package wta

import (
	"encoding/binary"
	"math"
	"strconv"

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
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	for _, s := range [...]string{r.user, r.group, r.machine, r.name} {
		b = appendText(b, s)
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
	b = appendText(b, id.text)
	if id.text == "" {
		b = binary.AppendVarint(b, id.number)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decoder reads what append wrote, and nothing else: it checks nothing.
type decoder []byte

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(*d)
	*d = (*d)[size:]
	return n
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(*d)
	*d = (*d)[size:]
	return n
}

func (d *decoder) text() string {
	n := d.uvarint()
	s := string((*d)[:n])
	*d = (*d)[n:]
	return s
}

func (d *decoder) float() float64 {
	x := math.Float64frombits(binary.LittleEndian.Uint64(*d))
	*d = (*d)[8:]
	return x
}

func (d *decoder) ident() ident {
	if s := d.text(); s != "" {
		return ident{text: s}
	}
	return ident{number: d.varint()}
}

func (d *decoder) idents() []ident {
	n := d.uvarint()
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
	d := decoder(b)
	return int64(d.uvarint())
}

func decode(b []byte) row {
	d := decoder(b)
	d.uvarint()
	r := row{id: d.ident()}
	r.submit, r.runtime, r.wait, r.count = trace.Instant(d.varint()), trace.Duration(d.varint()),
		trace.Duration(d.varint()), d.varint()
	r.negative = d.varint()
	r.cpu, r.gpu, r.mem = d.float(), d.float(), d.float()
	r.user, r.group, r.machine, r.name = d.text(), d.text(), d.text(), d.text()
	r.parents, r.children = d.idents(), d.idents()
	return r
}
