package parquetio

import (
	"fmt"
	"math"
)

// convert makes c a column of another kind, if that can hold all its values.
func (c *Column) convert(to Kind) error {
	from := c.Kind
	if c.Known() == 0 { // a tool that sees only nulls knows no type
		*c = Column{Field: Field{c.Name, to}, Len: c.Len, Valid: []byte{}}
		return nil
	}
	c.Kind = to
	switch {
	case from == Int32 && (to == Int64 || to == Timestamp):
		c.Int64s = make([]int64, c.Len)
		for i, x := range c.Int32s {
			c.Int64s[i] = int64(x)
		}
		c.Int32s = nil
	case from == Int64 && to == Timestamp: // microseconds
	case from == Int64 && to == Int32:
		return c.narrow()
	case (from == Int32 || from == Int64) && to == Float64:
		c.Float64s = make([]float64, c.Len)
		for i := range c.Float64s {
			if from == Int32 {
				c.Float64s[i] = float64(c.Int32s[i])
			} else {
				c.Float64s[i] = float64(c.Int64s[i])
			}
		}
		c.Int32s, c.Int64s = nil, nil
	case from == Float64 && (to == Int32 || to == Int64 || to == Timestamp):
		if err := c.round(); err != nil || to != Int32 {
			return err
		}
		return c.narrow()
	default:
		return fmt.Errorf("it holds %v, want %v", from, to)
	}
	return nil
}

// narrow turns integers into ones of 32 bits.
func (c *Column) narrow() error {
	c.Int32s = make([]int32, c.Len)
	for i, x := range c.Int64s {
		if c.IsNull(i) {
			continue
		}
		if c.Int32s[i] = int32(x); int64(c.Int32s[i]) != x {
			return fmt.Errorf("row %d: %d does not fit into 32 bits", i, x)
		}
	}
	c.Int64s = nil
	return nil
}

// round turns floating-point numbers that are whole into integers; NaN, which other tools write for null, is null.
func (c *Column) round() error {
	c.Int64s = make([]int64, c.Len)
	valid := make([]byte, (c.Len+7)/8)
	for i, x := range c.Float64s {
		if c.IsNull(i) || math.IsNaN(x) {
			continue
		}
		const exact = 1 << 53 // beyond, a double may stand for another integer
		if x != math.Trunc(x) || math.Abs(x) > exact {
			return fmt.Errorf("row %d: %v is no whole number that a double holds exactly", i, x)
		}
		c.Int64s[i] = int64(x)
		setBit(valid, i)
	}
	c.Float64s, c.Valid = nil, valid
	return nil
}
