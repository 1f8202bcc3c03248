package pai

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
)

// scatter reads an input in two waves: [source.Scatter].
type scatter struct {
	reader *reader
	lines  groupby.Lines
}

// state holds the headers, group tags and ends of pod lists in the files of a process, which runs need.
type state struct {
	Layouts []csvtable.LayoutForm
	Groups  groupsForm
	Ending  ending
}

// Scatter deals the rows of files out to partitions.
func (s *scatter) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	out, err := s.lines.Scatter(ctx, files, tally, reject)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(state{s.reader.layouts.Forms(), s.reader.groups.form(), s.reader.ending})
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
		s.reader.ending.merge(of.Ending)
		numbers, err := s.reader.layouts.Adopt(of.Layouts, tables()...)
		if err != nil {
			return nil, err
		}
		tags = append(tags, numbers)
	}
	lines := s.lines
	lines.Retag = func(from int, tag uint8) uint8 { return tags[from][tag] }
	return lines.Gather(files, from)
}
