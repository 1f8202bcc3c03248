package groupby

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"

	"racecard/datasets/source"
)

// errStop says that the caller wants no more.
var errStop = errors.New("stopped")

// scanned is the result of scanning a block.
type scanned struct {
	records *blockBuilder
	text    bool // the whole block is
	out     *block
	rejects []*source.Reject
	ignored map[string]int64
	cut     []byte // line that the stream broke off inside
}

func (s *scanned) ignore(kind string) {
	if s.ignored == nil {
		s.ignored = map[string]int64{}
	}
	s.ignored[kind]++
}

// scan deals the lines of files out to g and returns the number of the first line of each file. Blocks are scanned by
// several goroutines when Key is stateless, and added in their order.
func (l Lines) scan(
	ctx context.Context, files []*source.File, g *Grouper, tally *source.Tally, reject func(*source.Reject) bool,
) (first []int64, err error) {
	workers := 0
	if l.Stateless {
		workers = runtime.GOMAXPROCS(0)
	}
	newScan := func() func(int, *source.Block) *scanned {
		var line source.Line
		var records blockBuilder
		return func(file int, b *source.Block) *scanned {
			if b.First == 1 || l.Stateless {
				line = source.Line{File: files[file]}
			}
			return l.block(&line, &records, b)
		}
	}
	first = []int64{0}
	var cut []byte
	for s := range source.ScanBlocks(ctx, files, workers, 0, newScan) {
		if s.End {
			first = append(first, first[s.File]+s.Lines)
			if err := end(files[s.File].Name, &s, cut, reject); err != nil {
				return nil, err
			}
			cut = nil
			continue
		}
		found := s.Result
		if found.out != nil {
			tally.Gathered += int64(found.out.len())
		}
		for kind, n := range found.ignored {
			tally.IgnoreMany(kind, n)
		}
		for _, r := range found.rejects {
			if !reject(r) {
				return nil, errStop
			}
		}
		cut = found.cut
		if found.out == nil {
			continue
		}
		found.out.file, found.out.first = int32(s.File), first[s.File]+s.First-1
		if err := g.add(found.out); err != nil {
			return nil, err
		}
	}
	return first, ctx.Err()
}

// end deals with the end of a file.
func end(name string, s *source.Scanned[*scanned], cut []byte, reject func(*source.Reject) bool) error {
	switch {
	case s.Err == nil:
		return nil
	case source.IsTruncated(s.Err):
		if !reject(source.NewReject(name, s.Lines, "", source.ReasonTruncated, s.Err.Error(), cut)) {
			return errStop
		}
		return nil
	case !s.Opened:
		return s.Err // which names the file
	default:
		return fmt.Errorf("%s: after line %d: %w", name, s.Lines, s.Err)
	}
}

// block scans a block. records is empty before and after.
func (l Lines) block(line *source.Line, records *blockBuilder, b *source.Block) *scanned {
	reason, _ := source.NotText(b.Rest())
	s := &scanned{records: records, text: reason == ""}
	for b.Next() {
		if b.Cut {
			s.cut = bytes.Clone(b.Line)
			break
		}
		l.take(line, b, s)
	}
	if records.n > 0 {
		s.out = records.finish()
	}
	return s
}
