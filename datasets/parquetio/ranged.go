package parquetio

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// tailGuess is the part of a file that is read to find the footer, in bytes: most footers fit.
const tailGuess = 16 << 10

// maxGap bounds the bytes between two columns that are read to save a request.
const maxGap = 32 << 10

// OpenRanged is [Open] for a file where each read is a request to another machine. It reads the end of the file once;
// columns take one request where they lie together: see [File.Fetch]. Pages are checked against their CRC-32 where they
// have one, since the checksum of a file cannot be compared unless all of it is read.
func OpenRanged(r io.ReaderAt, size int64) (*File, error) {
	spans := &spans{r: r}
	if err := spans.fetch(max(0, size-tailGuess), size); err != nil {
		return nil, err
	}
	f, err := Open(spans, size)
	if err == nil {
		f.spans, f.pages.verify = spans, true
	}
	return f, err
}

// Fetch reads the bytes of columns, in few requests, for the calls of [File.Column] that follow. Columns that the file
// lacks are passed over. It does nothing unless the file was opened with [OpenRanged].
func (f *File) Fetch(names []string) error {
	if f.spans == nil {
		return nil
	}
	type extent struct{ at, end int64 }
	var all []extent
	for i := range f.leaves {
		if !slices.Contains(names, f.leaves[i].Name) {
			continue
		}
		for g := range f.file.Metadata().RowGroups {
			at, end, err := checkChunk(f.size, &f.file.Metadata().RowGroups[g].Columns[f.leaves[i].column])
			if err != nil {
				return err
			}
			all = append(all, extent{at, end})
		}
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.at, b.at) })
	for i := 0; i < len(all); {
		one := all[i]
		for i++; i < len(all) && all[i].at-one.end <= maxGap; i++ {
			one.end = max(one.end, all[i].end)
		}
		if err := f.spans.fetch(one.at, one.end); err != nil {
			return err
		}
	}
	return nil
}

// spans are the parts of a file that are in memory.
type spans struct {
	r    io.ReaderAt
	held []span
}

type span struct {
	at   int64
	data []byte
}

// fetch reads a part, unless it is in memory.
func (s *spans) fetch(at, end int64) error {
	for _, h := range s.held {
		if h.at <= at && end <= h.at+int64(len(h.data)) {
			return nil
		}
	}
	data := make([]byte, end-at)
	if err := readFull(s.r, data, at); err != nil {
		return err
	}
	s.held = append(s.held, span{at, data})
	return nil
}

// ReadAt implements [io.ReaderAt]. The first bytes of the file are not worth a request: it ends with the same ones.
func (s *spans) ReadAt(p []byte, at int64) (int, error) {
	for _, h := range s.held {
		if from := at - h.at; from >= 0 && from+int64(len(p)) <= int64(len(h.data)) {
			return copy(p, h.data[from:]), nil
		}
	}
	if at == 0 && len(p) == len(parquetMagic) {
		return copy(p, parquetMagic), nil
	}
	n, err := s.r.ReadAt(p, at)
	if n == len(p) && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
