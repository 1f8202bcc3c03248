package parquetio

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// lookUp turns places in a dictionary into values.
func (c *cursor) lookUp(dict parquet.Dictionary, index []int32) (err error) {
	if !c.hasDict {
		data := dict.Page().Data()
		c.dict.Kind = c.leaf.Kind
		c.dict.reset(false, false)
		if err := c.convert(&c.dict, &data, dict.Len()); err != nil {
			return err
		}
		c.hasDict = true
	}
	switch c.leaf.Kind {
	case Float64:
		c.values.Floats, err = picked(c.values.Floats, c.dict.Floats, index)
	case String:
		c.values.Texts, err = picked(c.values.Texts, c.dict.Texts, index)
	default:
		c.values.Ints, err = picked(c.values.Ints, c.dict.Ints, index)
	}
	return err
}

// picked appends the entries of a dictionary at some places.
func picked[T any](dst, dict []T, index []int32) ([]T, error) {
	for _, i := range index {
		if uint(i) >= uint(len(dict)) {
			return dst, fmt.Errorf("place %d in a dictionary of %d", i, len(dict))
		}
		dst = append(dst, dict[i])
	}
	return dst, nil
}

// convert copies the first n values of a page or dictionary into v, widened.
func (c *cursor) convert(v *Vector, data *encoding.Values, n int) error {
	switch c.leaf.physical {
	case parquet.Int32:
		for _, x := range first(data.Int32(), n) {
			if c.leaf.unsigned {
				v.Ints = append(v.Ints, int64(uint32(x)))
			} else {
				v.Ints = append(v.Ints, int64(x))
			}
		}
	case parquet.Int64:
		v.Ints = append(v.Ints, first(data.Int64(), n)...)
	case parquet.Float:
		for _, x := range first(data.Float(), n) {
			v.Floats = append(v.Floats, float64(x))
		}
	case parquet.Double:
		v.Floats = append(v.Floats, first(data.Double(), n)...)
	case parquet.Boolean:
		bits := data.Boolean()
		for i := range min(n, 8*len(bits)) {
			v.Ints = append(v.Ints, int64(bits[i>>3]>>(i&7)&1))
		}
	case parquet.ByteArray:
		text, offsets := data.ByteArray()
		if !slices.IsSorted(offsets) || len(offsets) > 0 && int(offsets[len(offsets)-1]) > len(text) {
			return errors.New("text that overlaps")
		}
		v.Texts = appendStrings(v.Texts, data)
	}
	return nil
}

func first[T any](values []T, n int) []T { return values[:min(n, len(values))] }
