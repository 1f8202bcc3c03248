package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The types of Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftI8
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// maxThriftDepth bounds the nesting of structures; Parquet stays below 10.
const maxThriftDepth = 32

var errThrift = errors.New("damaged metadata")

// thriftWalker walks over a structure without building it. It exists to refuse metadata that claims more elements than
// it has bytes for before parquet-go makes room for them.
type thriftWalker struct {
	b       []byte
	at      int
	structs int // elements of lists that are structures, met so far
}

// uvarint reads a variable-length number; io.ErrUnexpectedEOF says that more bytes are needed.
func (w *thriftWalker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.b[w.at:])
	switch {
	case n > 0:
		w.at += n
		return v, nil
	case n == 0:
		return 0, io.ErrUnexpectedEOF
	default:
		return 0, errThrift
	}
}

func (w *thriftWalker) varint() (int64, error) {
	u, err := w.uvarint()
	return int64(u>>1) ^ -int64(u&1), err
}

func (w *thriftWalker) byte() (byte, error) {
	if w.at >= len(w.b) {
		return 0, io.ErrUnexpectedEOF
	}
	w.at++
	return w.b[w.at-1], nil
}

func (w *thriftWalker) advance(n uint64) error {
	if n > uint64(len(w.b)-w.at) {
		return io.ErrUnexpectedEOF
	}
	w.at += int(n)
	return nil
}

// fields walks over a structure and calls take with the id and type of each field; take walks over its value, which it
// may leave to skip.
func (w *thriftWalker) fields(take func(id int64, kind byte) error) error {
	var id int64
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		kind, delta := head&0x0f, int64(head>>4)
		if id += delta; delta == 0 {
			if id, err = w.varint(); err != nil {
				return err
			}
		}
		if err := take(id, kind); err != nil {
			return err
		}
	}
}

// skip walks over a value.
func (w *thriftWalker) skip(kind byte, depth int) error {
	if depth > maxThriftDepth {
		return fmt.Errorf("%w: too deep", errThrift)
	}
	switch kind {
	case thriftTrue, thriftFalse: // the type is the value
		return nil
	case thriftI8:
		return w.advance(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := w.uvarint()
		return err
	case thriftDouble:
		return w.advance(8)
	case thriftBinary:
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.advance(n)
	case thriftList, thriftSet:
		return w.list(depth)
	case thriftMap:
		return w.pairs(depth)
	case thriftStruct:
		return w.fields(func(_ int64, kind byte) error { return w.skip(kind, depth+1) })
	default:
		return fmt.Errorf("%w: unknown type %d", errThrift, kind)
	}
}

func (w *thriftWalker) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n, kind := uint64(head>>4), head&0x0f
	if n == 15 {
		if n, err = w.uvarint(); err != nil {
			return err
		}
	}
	if n > uint64(len(w.b)-w.at) { // every element has at least one byte
		return io.ErrUnexpectedEOF
	}
	for range n {
		if err := w.element(kind, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *thriftWalker) pairs(depth int) error {
	n, err := w.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.byte()
	if err != nil {
		return err
	}
	if n > uint64(len(w.b)-w.at) {
		return io.ErrUnexpectedEOF
	}
	for range n {
		if err := w.element(kinds>>4, depth); err != nil {
			return err
		}
		if err := w.element(kinds&0x0f, depth); err != nil {
			return err
		}
	}
	return nil
}

// element walks over an element of a collection; there, truth values take a byte.
func (w *thriftWalker) element(kind byte, depth int) error {
	if kind == thriftTrue || kind == thriftFalse {
		return w.advance(1)
	}
	if kind == thriftStruct {
		w.structs++
	}
	return w.skip(kind, depth+1)
}
