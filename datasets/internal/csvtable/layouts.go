package csvtable

import (
	"errors"
	"fmt"
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/source"
)

// Layouts are the different layouts of the files of an input. Rows carry the position of theirs as a tag of 8 bits.
type Layouts []Layout

// Number returns the position of a layout, which is appended if it is new; -1 if it would not fit into a tag.
func (all *Layouts) Number(layout *Layout) int {
	for i := range *all {
		if (*all)[i].Equal(layout) {
			return i
		}
	}
	if len(*all) > math.MaxUint8 {
		return -1
	}
	*all = append(*all, *layout)
	return len(*all) - 1
}

// Forms returns the layouts for another process.
func (all Layouts) Forms() []LayoutForm {
	return lists.Map(all, func(x Layout) LayoutForm { return x.Form() })
}

// Adopt numbers the layouts that other processes met, in these tables, and returns the position of each, given the
// number of the process and the position there.
func (all *Layouts) Adopt(from [][]LayoutForm, tables ...*Table) (func(from int, tag uint8) uint8, error) {
	tags := make([][]uint8, len(from))
	for i, forms := range from {
		for _, form := range forms {
			layout, ok := form.Of(tables...)
			if !ok {
				return nil, errors.New("layouts of files are damaged")
			}
			n := all.Number(&layout)
			if n < 0 {
				return nil, &source.WholeError{Why: fmt.Sprintf("the files have more than %d different headers",
					math.MaxUint8+1)}
			}
			tags[i] = append(tags[i], uint8(n))
		}
	}
	return func(from int, tag uint8) uint8 { return tags[from][tag] }, nil
}
