package work

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"racecard/datasets/trace"
)

// The encoding of a partial result is canonical: its content decides every byte. It is
//
//	magic     "racecard partial 3\n"
//	layout    SHA-256 of the names and types of all fields
//	length    of the values, uvarint
//	values    compressed with DEFLATE
//	checksum  SHA-256 of everything before it
//
// Values follow each other in the order of the fields of their struct: integers as (zigzag) varints, instants in
// milliseconds if they are whole, floats as millionths if they are whole and otherwise as 8 bytes, strings and slices
// with their length, maps ascending by the encoding of their keys, pointers as 0, or 1 and the value. Unexported fields
// are encoded, too; a field with the tag partial:"-" is not: it is an option, or can be computed again. Other tags name
// a more compact form: see columns.go. Methods Encodable and Decoded of a type, if any, are called before its fields
// are written and after they are read.
const partialMagic = "racecard partial 3\n"

// maxPartial bounds the values of a partial result.
const maxPartial = 8 << 30

// Encode returns the encoding of the value that p points to.
func Encode(p any) ([]byte, error) {
	v := valueOf(p)
	layout, err := layoutOf(v.Type())
	if err != nil {
		return nil, err
	}
	var e encoder
	e.value(v)
	if e.err != nil {
		return nil, e.err
	}
	var out bytes.Buffer
	out.WriteString(partialMagic)
	out.Write(layout[:])
	out.Write(binary.AppendUvarint(nil, uint64(len(e.b))))
	z, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(e.b); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(out.Bytes())
	return append(out.Bytes(), sum[:]...), nil
}

// Decode sets the value that p points to. Fields that are not encoded keep their values. After an error p must
// not be used.
func Decode(data []byte, p any) error {
	v := valueOf(p)
	layout, err := layoutOf(v.Type())
	if err != nil {
		return err
	}
	if len(data) < len(partialMagic)+2*sha256.Size || string(data[:len(partialMagic)]) != partialMagic {
		return errors.New("it is no partial result")
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if s := sha256.Sum256(body); !bytes.Equal(s[:], sum) {
		return errors.New("it is damaged: its checksum differs")
	}
	body = body[len(partialMagic):]
	if !bytes.Equal(body[:sha256.Size], layout[:]) {
		return errors.New("it was written by another version of racecard")
	}
	return decodeValues(body[sha256.Size:], v)
}

// decodeValues sets v from the length and the values of an encoding.
func decodeValues(body []byte, v reflect.Value) error {
	length, n := binary.Uvarint(body)
	if n <= 0 || length > maxPartial {
		return errors.New("it is damaged: its length is not plausible")
	}
	z := flate.NewReader(bytes.NewReader(body[n:]))
	var values bytes.Buffer // grows with the data, not with the stated length
	if m, err := io.Copy(&values, io.LimitReader(z, int64(length)+1)); err != nil || m != int64(length) {
		return errors.New("it is damaged: it does not decompress")
	}
	d := decoder{b: values.Bytes()}
	d.value(v)
	if d.err == nil && len(d.b) > 0 {
		d.err = errors.New("it is damaged: values are left over")
	}
	return d.err
}

// layoutOf returns the hash of the names and types of all fields of a type. It fails for types that have no encoding.
func layoutOf(t reflect.Type) ([sha256.Size]byte, error) {
	var b strings.Builder
	if err := describeType(&b, t, nil); err != nil {
		return [sha256.Size]byte{}, err
	}
	return sha256.Sum256([]byte(b.String())), nil
}

// describeType writes the parts of a type that decide its encoding. above are the types that hold it.
func describeType(b *strings.Builder, t reflect.Type, above []reflect.Type) error {
	if slices.Contains(above, t) {
		return fmt.Errorf("%s holds itself: it has no encoding", t)
	}
	above = append(above, t)
	b.WriteString(t.Kind().String())
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float64, reflect.Float32, reflect.Int, reflect.Int8, reflect.Int16,
		reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Pointer, reflect.Slice:
		return describeType(b, t.Elem(), above)
	case reflect.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		return describeType(b, t.Elem(), above)
	case reflect.Map:
		if err := describeType(b, t.Key(), above); err != nil {
			return err
		}
		return describeType(b, t.Elem(), above)
	case reflect.Struct:
		b.WriteByte('{')
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("partial") != "-" {
				b.WriteString(f.Name + " " + f.Tag.Get("partial") + " ")
				if err := describeType(b, f.Type, above); err != nil {
					return fmt.Errorf("%s.%s: %w", t, f.Name, err)
				}
				b.WriteByte(';')
			}
		}
		b.WriteByte('}')
		return nil
	}
	return fmt.Errorf("%s has no encoding", t)
}

type encoder struct {
	b   []byte
	err error
}

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		e.b = append(e.b, map[bool]byte{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v.Type() == instant {
			e.instant(v.Int())
			return
		}
		e.b = binary.AppendVarint(e.b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.b = binary.AppendUvarint(e.b, v.Uint())
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.String:
		e.b = binary.AppendUvarint(e.b, uint64(v.Len()))
		e.b = append(e.b, v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.b = append(e.b, 1)
		e.value(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.b = binary.AppendUvarint(e.b, uint64(v.Len())+1)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			e.b = append(e.b, v.Bytes()...)
			return
		}
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Map:
		e.mapping(v)
	case reflect.Struct:
		if part, ok := pointerTo(v).(interface{ Encodable() error }); ok {
			e.err = errors.Join(e.err, part.Encodable())
		}
		for i := range v.NumField() {
			switch form := v.Type().Field(i).Tag.Get("partial"); form {
			case "-":
			case "":
				e.value(v.Field(i))
			default:
				e.form(form, v.Field(i))
			}
		}
	}
}

// instant is the type of points in time, which most clocks record in milliseconds.
var instant = reflect.TypeFor[trace.Instant]()

// instant writes microseconds: whole milliseconds as a varint that is not 1, anything else as 1 and a varint.
func (e *encoder) instant(us int64) {
	if us%1000 != 0 || us == -1000 {
		e.b = binary.AppendVarint(append(e.b, 1), us)
		return
	}
	e.b = binary.AppendVarint(e.b, us/1000)
}

// millionths is the resolution of floats: times are recorded to the microsecond.
const millionths = 1e6

// float writes whole millionths as a zigzag varint plus 1, and anything else as 0 and 8 bytes.
func (e *encoder) float(x float64) {
	if m := math.Round(x * millionths); math.Abs(m) < 1<<48 &&
		math.Float64bits(float64(int64(m))/millionths) == math.Float64bits(x) {
		k := int64(m)
		e.b = binary.AppendUvarint(e.b, uint64(k<<1^k>>63)+1)
		return
	}
	e.b = binary.LittleEndian.AppendUint64(append(e.b, 0), math.Float64bits(x))
}

// pointerTo returns a pointer to a value, also of an unexported field; nil if it is not addressable.
func pointerTo(v reflect.Value) any {
	if !v.CanAddr() {
		return nil
	}
	return reflect.NewAt(v.Type(), pointer(v)).Interface()
}

// pointer returns the address of an addressable value.
func pointer(v reflect.Value) unsafe.Pointer { return unsafe.Pointer(v.UnsafeAddr()) }

// mapping writes a map, ascending by the encoding of its keys.
func (e *encoder) mapping(v reflect.Value) {
	if v.IsNil() {
		e.b = append(e.b, 0)
		return
	}
	e.b = binary.AppendUvarint(e.b, uint64(v.Len())+1)
	entries := map[string]reflect.Value{}
	for it := v.MapRange(); it.Next(); {
		var key encoder
		key.value(it.Key())
		entries[string(key.b)] = it.Value()
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		e.b = append(e.b, key...)
		e.value(entries[key])
	}
}

// decoder reads values. Its first error is kept; then it reads zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errors.New("it is damaged: a value is not plausible")
	}
	d.b = nil
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return x
}

// instant is the inverse of the encoder's.
func (d *decoder) instant() int64 {
	next := func() int64 {
		x, n := binary.Varint(d.b)
		if n <= 0 {
			d.fail()
			return 0
		}
		d.b = d.b[n:]
		return x
	}
	if ms := next(); ms != -1 { // whose varint is 1
		return ms * 1000
	}
	return next()
}

// float is the inverse of the encoder's.
func (d *decoder) float() float64 {
	k := d.uvarint()
	if k == 0 {
		return math.Float64frombits(binary.LittleEndian.Uint64(d.take(8)))
	}
	k--
	return float64(int64(k>>1)^-int64(k&1)) / millionths
}

// length reads a length, at most the number of bytes left. Every item takes a byte or more.
func (d *decoder) length(x uint64) int {
	if x > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(x)
}

// take reads n bytes.
func (d *decoder) take(n int) []byte {
	if n > len(d.b) {
		d.fail()
		return make([]byte, min(n, 8))
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

// value sets v, which must be settable or addressable.
func (d *decoder) value(v reflect.Value) {
	if d.err != nil {
		return
	}
	if !v.CanSet() { // an unexported field
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.take(1)[0] == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v.Type() == instant {
			v.SetInt(d.instant())
			return
		}
		x, n := binary.Varint(d.b)
		if n <= 0 || v.OverflowInt(x) {
			d.fail()
			return
		}
		d.b = d.b[n:]
		v.SetInt(x)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x := d.uvarint()
		if v.OverflowUint(x) {
			d.fail()
			return
		}
		v.SetUint(x)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(d.float())
	case reflect.String:
		v.SetString(string(d.take(d.length(d.uvarint()))))
	case reflect.Pointer:
		if d.take(1)[0] == 0 {
			v.SetZero()
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		d.value(v.Elem())
	case reflect.Slice:
		d.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Map:
		d.mapping(v)
	case reflect.Struct:
		for i := range v.NumField() {
			switch form := v.Type().Field(i).Tag.Get("partial"); form {
			case "-":
			case "":
				d.value(v.Field(i))
			default:
				d.form(form, v.Field(i))
			}
		}
		if whole, ok := pointerTo(v).(interface{ Decoded() error }); ok && d.err == nil {
			d.err = whole.Decoded()
		}
	}
}

func (d *decoder) slice(v reflect.Value) {
	x := d.uvarint()
	if x == 0 {
		v.SetZero()
		return
	}
	n := d.length(x - 1)
	if d.err != nil {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes(bytes.Clone(d.take(n)))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		d.value(v.Index(i))
	}
}

func (d *decoder) mapping(v reflect.Value) {
	x := d.uvarint()
	if x == 0 {
		v.SetZero()
		return
	}
	n := d.length(x - 1)
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		if d.err != nil {
			return
		}
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.value(key)
		d.value(value)
		if d.err == nil {
			v.SetMapIndex(key, value)
		}
	}
}

func valueOf(p any) reflect.Value { return reflect.ValueOf(p).Elem() }
