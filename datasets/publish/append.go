package publish

import (
	"fmt"
	"io"
	"os"

	"racecard/datasets/internal/filelock"
)

// AppendFile opens a file to which lines are appended, such as a journal, and makes it when it is not there. Only its
// owner can read a file that it makes. A last line that was cut off gets its line break, so that the next record begins
// on a new line. A file that another process appends to is an error, where the system has locks.
func AppendFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := prepareAppend(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func prepareAppend(f *os.File) error {
	if !filelock.Try(f) {
		return fmt.Errorf("another process writes it: choose another file, or end that process")
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, end-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = f.WriteString("\n")
	}
	return err
}
