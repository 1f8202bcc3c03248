package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"racecard/datasets/publish"
)

// SpoolMemory bounds the part of a stream that [Spool] keeps in memory: 64 MiB.
const SpoolMemory = 64 << 20

// Spooled is the content of a stream, readable at any place, as a Parquet file must be: its footer is at its end.
type Spooled struct {
	io.ReaderAt
	Size int64
	file *os.File
}

// Spool reads r to its end. Up to memory bytes (0: [SpoolMemory]) stay in memory; more go to a temporary file that has
// no name and therefore goes with the process, also when that is killed. An end of r that comes too early is an error.
func Spool(r io.Reader, memory int64) (*Spooled, error) {
	if memory <= 0 {
		memory = SpoolMemory
	}
	var head bytes.Buffer
	n, err := io.Copy(&head, io.LimitReader(r, memory+1))
	if err != nil {
		return nil, err
	}
	if n <= memory {
		return &Spooled{ReaderAt: bytes.NewReader(head.Bytes()), Size: n}, nil
	}
	f, err := publish.TemporaryFile("", "racecard-parquet-")
	if err != nil {
		return nil, err
	}
	s := &Spooled{ReaderAt: f, file: f}
	if s.Size, err = io.Copy(f, io.MultiReader(&head, r)); err != nil {
		return nil, errors.Join(fmt.Errorf("copy to a temporary file, since Parquet is read from its end: %w", err),
			s.Close())
	}
	return s, nil
}

// Close gives the memory or the temporary file back.
func (s *Spooled) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
