package groupby

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"

	"racecard/datasets/lists"
	"racecard/datasets/source"
)

// Scatter deals the lines of files out to partitions: the first wave of [source.Scatter].
func (l Lines) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	g := New(l.Memory)
	var refused error
	first, err := l.scan(ctx, files, g, tally, func(r *source.Reject) bool {
		tally.Account(r)
		refused = reject(r)
		return refused == nil
	})
	if err != nil {
		_ = g.Close() // what went wrong before counts
		if refused != nil {
			return nil, refused
		}
		return nil, err
	}
	var lines []int64
	for i := range files {
		lines = append(lines, first[i+1]-first[i])
	}
	return g.Scattered(lines)
}

// Scattered returns the records that were added, for [Gathered]. lines is the number of lines of each file. No record
// can be added any more.
func (g *Grouper) Scattered(lines []int64) (*source.Scattered, error) {
	if err := g.close(); err != nil {
		return nil, err
	}
	return &source.Scattered{Lines: lines, Records: g.records[:], Load: g.encoded}, nil
}

// encoded returns the records of a partition as [join] writes them, compressed.
func (g *Grouper) encoded(p int) ([]byte, error) {
	units, err := g.units(p)
	if err != nil {
		return nil, err
	}
	var out []byte
	var room scratch
	for i := range units {
		err := g.spilled.each(&units[i], &room, false, func(p piece) { out = appendPiece(out, p) })
		if err != nil {
			return nil, err
		}
	}
	return s2.Encode(nil, out), nil
}

// appendPiece appends a piece behind its file, first line and length.
func appendPiece(out []byte, p piece) []byte {
	out = binary.AppendUvarint(out, uint64(p.file))
	out = binary.AppendUvarint(out, uint64(p.first))
	out = binary.AppendUvarint(out, uint64(len(p.data)))
	return append(out, p.data...)
}

// Gather returns chunks of scattered records: the second wave of [source.Scatter].
func (l Lines) Gather(files []*source.File, from []*source.Scattered) ([]source.Chunk, error) {
	g, first := Gathered(l.Memory, from)
	if l.Retag != nil {
		var unit []int // of each file
		for i, s := range from {
			for range s.Lines {
				unit = append(unit, i)
			}
		}
		l.tag = func(r *Record) uint8 { return l.Retag(unit[r.File], r.Tag) }
	}
	all, err := g.Chunks()
	return lists.Map(all, func(c Chunk) source.Chunk { return l.chunk(c, files, first) }), err
}

// Gathered returns a Grouper of records that several processes scattered, and the number of the first line of each
// file. Files are numbered across all processes, and no record can be added.
func Gathered(memory int64, from []*source.Scattered) (g *Grouper, first []int64) {
	g, first = New(memory), []int64{0}
	var offsets []piece // of the files and lines of each process
	for _, s := range from {
		offsets = append(offsets, piece{file: int32(len(first) - 1), first: first[len(first)-1]})
		for p, n := range s.Records {
			g.records[p] += n
		}
		for _, n := range s.Lines {
			first = append(first, first[len(first)-1]+n)
		}
	}
	g.load = func(p int) ([]unit, error) {
		var units []unit
		for i, s := range from {
			if s.Records[p] == 0 {
				continue
			}
			packed, err := s.Load(p)
			if err != nil {
				return nil, err
			}
			plain, err := s2.Decode(nil, packed)
			if err != nil {
				return nil, fmt.Errorf("records of partition %d: %w", p, err)
			}
			if units, err = pieces(units, plain, offsets[i]); err != nil {
				return nil, err
			}
		}
		return units, nil
	}
	return g, first
}

// pieces appends the pieces that appendPiece wrote, with the numbers of files and lines moved by an offset.
func pieces(units []unit, plain []byte, by piece) ([]unit, error) {
	for len(plain) > 0 {
		var head [3]uint64
		for i := range head {
			x, n := binary.Uvarint(plain)
			if n <= 0 {
				return nil, errors.New("scattered records are damaged")
			}
			head[i], plain = x, plain[n:]
		}
		if head[2] > uint64(len(plain)) {
			return nil, errors.New("scattered records are cut off")
		}
		units = append(units, unit{piece: piece{int32(head[0]) + by.file, int64(head[1]) + by.first, plain[:head[2]]}})
		plain = plain[head[2]:]
	}
	return units, nil
}
