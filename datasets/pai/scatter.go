package pai

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
)

// scatter reads an input in two waves: [source.Scatter].
type scatter struct {
	reader *reader
	lines  groupby.Lines
}

// state is what runs depend on of the files of a process, besides their rows.
type state struct {
	Layouts []csvtable.LayoutForm
	Groups  groupsForm
}

// Scatter deals the rows of files out to partitions.
func (s *scatter) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	out, err := s.lines.Scatter(ctx, files, tally, reject)
	if err != nil {
		return nil, err
	}
	of := state{Groups: s.reader.groups.form()}
	for i := range s.reader.layouts {
		of.Layouts = append(of.Layouts, s.reader.layouts[i].Form())
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(of)
	out.State = b.Bytes()
	return out, err
}

// Gather returns chunks of the rows of all files. It numbers the layouts of all processes anew.
func (s *scatter) Gather(files []*source.File, from []*source.Scattered) ([]source.Chunk, error) {
	var tags [][]uint8
	for _, f := range from {
		var of state
		if err := gob.NewDecoder(bytes.NewReader(f.State)).Decode(&of); err != nil {
			return nil, fmt.Errorf("layouts of files: %w", err)
		}
		if !s.reader.groups.merge(of.Groups) {
			return nil, errors.New("group tags of files are damaged")
		}
		var numbers []uint8
		for _, form := range of.Layouts {
			layout, ok := form.Of(tables()...)
			if !ok {
				return nil, errors.New("layouts of files are damaged")
			}
			n := s.reader.number(&layout)
			if n < 0 {
				return nil, &source.WholeError{Why: fmt.Sprintf("the files have more than %d different headers",
					math.MaxUint8+1)}
			}
			numbers = append(numbers, uint8(n))
		}
		tags = append(tags, numbers)
	}
	lines := s.lines
	lines.Retag = func(from int, tag uint8) uint8 { return tags[from][tag] }
	return lines.Gather(files, from)
}
