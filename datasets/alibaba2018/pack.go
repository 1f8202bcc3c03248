package alibaba2018

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/decimal"
	"racecard/datasets/trace"
)

// Rows in their usual form are kept packed until their job is built: less than a third of the memory, and numbers are
// parsed while the line is in the processor's cache. Every row that is packed can be written as the line it was.

// packedDecimal is a field: 0 for an empty one, otherwise one more than its digits, as a number, times 8, plus the
// number of those behind the point.
type packedDecimal uint64

// maxScale is how many digits behind the point a decimal has at most, maxDecimal the largest number its digits make:
// those are whole as floating-point numbers, too.
const (
	maxScale   = 7
	maxDecimal = 1e15 - 1
)

// decimalAt reads the field that begins at a place of a line. It returns the start of the next field, or one
// past the end of the line after the last field. Fields that are not numbers, or are written unusually (007, 1.,
// .5, +1, 1e3), are not ok.
func decimalAt(line []byte, at int) (d packedDecimal, next int, ok bool) {
	n, from := uint64(0), at
	for at < len(line) && line[at]-'0' <= 9 {
		n = 10*n + uint64(line[at]-'0')
		at++
	}
	digits, scale := at-from, 0
	if digits > 1 && line[from] == '0' {
		return 0, 0, false
	}
	if digits > 0 && at < len(line) && line[at] == '.' {
		point := at
		for at++; at < len(line) && line[at]-'0' <= 9; at++ {
			n = 10*n + uint64(line[at]-'0')
		}
		scale = at - point - 1
		digits += scale
		ok = scale > 0 && scale <= maxScale
	} else {
		ok = true
	}
	if at < len(line) && line[at] != ',' || !ok || digits > decimal.MaxDigits {
		return 0, 0, false
	}
	if digits > 0 {
		d = packedDecimal(n<<3|uint64(scale)) + 1
	}
	return d, at + 1, true
}

// parts returns the digits and how many of them are behind the point, of a field that is not empty.
func (d packedDecimal) parts() (n uint64, scale int) { return uint64(d-1) >> 3, int(d-1) & 7 }

// float returns the number; d is not empty.
func (d packedDecimal) float() float64 {
	n, scale := d.parts()
	if scale == 0 {
		return float64(n)
	}
	return decimal.Shifted(n, scale)
}

// append writes the field.
func (d packedDecimal) append(to []byte) []byte {
	if d == 0 {
		return to
	}
	n, scale := d.parts()
	from := len(to)
	to = strconv.AppendUint(to, n, 10)
	if scale == 0 {
		return to
	}
	for len(to)-from <= scale { // 0.05 is 5
		to = append(to, 0)
		copy(to[from+1:], to[from:])
		to[from] = '0'
	}
	to = append(to, 0)
	point := len(to) - 1 - scale
	copy(to[point+1:], to[point:])
	to[point] = '.'
	return to
}

// statuses maps the trace's status words. Attempts that were interrupted ran twice: the trace kills the slower
// copy.
var statuses = [...]struct {
	name string
	is   trace.Status
}{
	{"Terminated", trace.Succeeded}, {"Failed", trace.Failed}, {"Cancelled", trace.Killed},
	{"Interrupted", trace.Killed},
	{"Running", trace.Running}, {"Ready", trace.Running}, {"Waiting", trace.Running},
}

// statusOf returns which of statuses a field is.
func statusOf(field []byte) (int, bool) {
	for i := range statuses {
		if statuses[i].name == string(field) {
			return i, true
		}
	}
	return 0, false
}

// textAt returns the field at a place of a line and where the next one begins. A field with a quote is not ok.
func textAt(line []byte, at int) (field []byte, next int, ok bool) {
	from := at
	for at+wordBytes <= len(line) {
		word := binary.LittleEndian.Uint64(line[at:])
		if ends := zeroBytes(word^everyByte*',') | zeroBytes(word^everyByte*'"'); ends != 0 {
			at += bits.TrailingZeros64(ends) / 8
			return line[from:at], at + 1, line[at] == ','
		}
		at += wordBytes
	}
	for ; at < len(line) && line[at] != ','; at++ {
		if line[at] == '"' {
			return nil, 0, false
		}
	}
	if from > len(line) { // there is no such field
		return nil, from + 1, true
	}
	return line[from:at], at + 1, true
}

// A word has eight bytes of a line, the first one lowest. The product of everyByte and a byte repeats the byte.
const (
	wordBytes = 8
	everyByte = 0x0101010101010101
)

// zeroBytes marks the bytes that are 0 by their highest bit. Only bytes behind the first one may be marked wrongly (H.
// S. Warren, Hacker's Delight, 2nd edition, 2012, §6-1).
func zeroBytes(word uint64) uint64 { return (word - everyByte) &^ word & (everyByte * 0x80) }

// pack packs a row without quotes whose names are not empty, whose numbers are decimals and whose status is known.
func pack(line, room []byte) (job, record []byte, tag uint8, ok bool) {
	if job, record, ok = packTask(line, room); ok {
		return job, record, tagPackedTask, true
	}
	job, record, ok = packInstance(line, room)
	return job, record, tagPackedInstance, ok
}

// packTask packs a row of batch_task: name with its length, number of instances, type, status, start, end, cpu, memory.
func packTask(line, room []byte) (job, record []byte, ok bool) {
	name, at, ok1 := textAt(line, 0)
	instances, at, ok2 := decimalAt(line, at)
	if !ok1 || !ok2 {
		return nil, room, false
	}
	job, at, ok1 = textAt(line, at)
	kind, at, ok2 := decimalAt(line, at)
	if !ok1 || !ok2 {
		return nil, room, false
	}
	status, at, ok1 := textAt(line, at)
	start, at, ok2 := decimalAt(line, at)
	end, at, ok3 := decimalAt(line, at)
	cpu, at, ok4 := decimalAt(line, at)
	mem, at, ok5 := decimalAt(line, at)
	is, known := statusOf(status)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !known || at != len(line)+1 || len(name) == 0 || len(job) == 0 ||
		isHeader(job) {
		return nil, room, false
	}
	b := appendText(room, name)
	b = appendDecimal(b, instances)
	b = appendDecimal(b, kind)
	b = append(b, byte(is))
	b = appendTimes(b, start, end)
	b = appendDecimal(b, cpu)
	return job, appendDecimal(b, mem), true
}

// packInstance packs a row of batch_instance: its names (instance, task, machine) with their lengths, type, status,
// start, end, and the six numbers at its end.
func packInstance(line, room []byte) (job, record []byte, ok bool) {
	name, at, ok1 := textAt(line, 0)
	task, at, ok2 := textAt(line, at)
	job, at, ok3 := textAt(line, at)
	kind, at, ok4 := decimalAt(line, at)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, room, false
	}
	status, at, ok1 := textAt(line, at)
	start, at, ok2 := decimalAt(line, at)
	end, at, ok3 := decimalAt(line, at)
	machine, at, ok4 := textAt(line, at)
	is, known := statusOf(status)
	if !ok1 || !ok2 || !ok3 || !ok4 || !known || len(task) == 0 || len(job) == 0 || isHeader(job) {
		return nil, room, false
	}
	b := appendText(room, name)
	b = appendText(b, task)
	b = appendText(b, machine)
	b = appendDecimal(b, kind)
	b = append(b, byte(is))
	b = appendTimes(b, start, end)
	for range 6 {
		var d packedDecimal
		if d, at, ok = decimalAt(line, at); !ok {
			return nil, room, false
		}
		b = appendDecimal(b, d)
	}
	return job, b, at == len(line)+1
}

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendDecimal(b []byte, d packedDecimal) []byte { return binary.AppendUvarint(b, uint64(d)) }

// appendTimes packs start and end: mostly they lie close together.
func appendTimes(b []byte, start, end packedDecimal) []byte {
	return binary.AppendVarint(appendDecimal(b, start), int64(end)-int64(start))
}

// packed reads what pack wrote.
type packed []byte

func (p *packed) decimal() packedDecimal {
	b := *p
	if b[0] < 0x80 {
		*p = b[1:]
		return packedDecimal(b[0])
	}
	if b[1] < 0x80 {
		*p = b[2:]
		return packedDecimal(b[0]&0x7f) | packedDecimal(b[1])<<7
	}
	x, n := binary.Uvarint(b)
	*p = b[n:]
	return packedDecimal(x)
}

func (p *packed) text() []byte {
	n := int(p.decimal())
	b := *p
	*p = b[n:]
	return b[:n]
}

func (p *packed) status() int {
	b := *p
	*p = b[1:]
	return int(b[0])
}

func (p *packed) times() (start, end packedDecimal) {
	start = p.decimal()
	zigzag := uint64(p.decimal())
	return start, start + (packedDecimal(zigzag>>1) ^ -packedDecimal(zigzag&1))
}

// unpack returns the line that a row of a job was.
func unpack(job string, row *groupby.Row) []byte {
	p := packed(row.Bytes)
	var line []byte
	text := func(field []byte) { line = append(append(line, field...), ',') }
	number := func(d packedDecimal) { line = append(d.append(line), ',') }
	numbers := 2
	switch row.Tag {
	case tagPackedTask:
		text(p.text())
		number(p.decimal())
		text([]byte(job))
		number(p.decimal())
	case tagPackedInstance:
		name, task := p.text(), p.text()
		text(name)
		text(task)
		text([]byte(job))
	default:
		return row.Bytes
	}
	var machine []byte
	if row.Tag == tagPackedInstance {
		machine, numbers = p.text(), 6
		number(p.decimal())
	}
	text([]byte(statuses[p.status()].name))
	start, end := p.times()
	number(start)
	number(end)
	if row.Tag == tagPackedInstance {
		text(machine)
	}
	for range numbers {
		number(p.decimal())
	}
	return line[:len(line)-1]
}
