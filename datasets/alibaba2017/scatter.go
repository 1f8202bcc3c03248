package alibaba2017

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

// scatter reads an input in two waves: [source.Scatter]. The state of a process is the layouts of its files.
type scatter struct {
	reader *reader
	lines  groupby.Lines
}

// Scatter deals the rows of files out to partitions.
func (s *scatter) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	out, err := s.lines.Scatter(ctx, files, tally, reject)
	if err != nil {
		return nil, err
	}
	var forms []csvtable.LayoutForm
	for i := range s.reader.layouts {
		forms = append(forms, s.reader.layouts[i].Form())
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(forms)
	out.State = b.Bytes()
	return out, err
}

// Gather returns chunks of the rows of all files. It numbers the layouts of all processes anew.
func (s *scatter) Gather(files []*source.File, from []*source.Scattered) ([]source.Chunk, error) {
	var tags [][]uint8
	for _, f := range from {
		var forms []csvtable.LayoutForm
		if err := gob.NewDecoder(bytes.NewReader(f.State)).Decode(&forms); err != nil {
			return nil, fmt.Errorf("layouts of files: %w", err)
		}
		var of []uint8
		for _, form := range forms {
			layout, ok := form.Of(&taskTable, &instanceTable)
			if !ok {
				return nil, errors.New("layouts of files are damaged")
			}
			n := s.reader.number(&layout)
			if n < 0 {
				return nil, &source.WholeError{Why: fmt.Sprintf("the files have more than %d different headers",
					math.MaxUint8+1)}
			}
			of = append(of, uint8(n))
		}
		tags = append(tags, of)
	}
	lines := s.lines
	lines.Retag = func(from int, tag uint8) uint8 { return tags[from][tag] }
	return lines.Gather(files, from)
}
