package alibaba2017

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"

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
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(s.reader.layouts.Forms())
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
		of, err := s.reader.layouts.Adopt(forms, &taskTable, &instanceTable)
		if err != nil {
			return nil, err
		}
		tags = append(tags, of)
	}
	lines := s.lines
	lines.Retag = func(from int, tag uint8) uint8 { return tags[from][tag] }
	return lines.Gather(files, from)
}
