package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"racecard/datasets/internal/filelock"
	"racecard/datasets/plainfile"
)

// Log is a file to which lines are appended, such as a journal. It may begin anew; the lines before are kept once, in a
// file next to it. It is for one goroutine at a time.
type Log struct {
	path string
	f    *os.File
	size int64
}

// OlderLog returns the path of the file that keeps the lines of a log from before it began anew.
func OlderLog(path string) string { return path + ".1" }

// nextLog is the path of the file that is about to take the place of a log.
func nextLog(path string) string { return path + ".new" }

// OpenLog opens the log at a path, and makes it when it is not there. Only its owner can read a file that it makes. A
// last line that was cut off is removed; cut is the number of its bytes. A log that another process appends to is an
// error, where the system has locks.
func OpenLog(path string) (l *Log, cut int64, err error) {
	if path, err = resolve(path); err != nil {
		return nil, 0, err
	}
	if err := finishRotation(path); err != nil {
		return nil, 0, err
	}
	l = &Log{path: path}
	if err := l.open(); err != nil {
		return nil, 0, err
	}
	end, err := endOfLines(l.f, l.size)
	if cut = l.size - end; err == nil && cut > 0 {
		l.size, err = end, l.f.Truncate(end)
	}
	if err != nil {
		l.f.Close()
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return l, cut, nil
}

// open opens and locks the file of the log.
func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = plainfile.Check(info, l.path, math.MaxInt64)
	}
	if err == nil && (!filelock.Try(f) || !at(f, l.path)) {
		err = errBusyLog(l.path)
	}
	if err != nil {
		f.Close()
		return err
	}
	l.f, l.size = f, info.Size()
	return nil
}

func errBusyLog(path string) error {
	return fmt.Errorf("%s: another process writes it: choose another file, or end that process", path)
}

// finishRotation completes a [Log.Rotate] that was interrupted: the next file takes the place of a log that has stepped
// aside already, and is removed otherwise.
func finishRotation(path string) error {
	next := nextLog(path)
	f, err := os.OpenFile(next, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	busy := !filelock.Try(f)
	if f.Close(); busy {
		return errBusyLog(path)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(next, path)
	}
	return os.Remove(next)
}

// endOfLines returns the offset behind the last line break of a file.
func endOfLines(f io.ReaderAt, size int64) (int64, error) {
	part := make([]byte, 64<<10)
	for size > 0 {
		n := min(size, int64(len(part)))
		if _, err := f.ReadAt(part[:n], size-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part[:n], '\n'); i >= 0 {
			return size - n + int64(i) + 1, nil
		}
		size -= n
	}
	return 0, nil
}

// Write appends lines, all or none of them: a part of them, as on a full disk, is removed again.
func (l *Log) Write(lines []byte) (int, error) {
	n, err := l.f.Write(lines)
	if err == nil {
		l.size += int64(n)
		return n, nil
	}
	info, unknown := l.f.Stat()
	if unknown != nil || n == 0 {
		return 0, errors.Join(err, unknown)
	}
	return 0, errors.Join(err, l.f.Truncate(max(0, info.Size()-int64(n))))
}

// Size is the number of bytes of the log.
func (l *Log) Size() int64 { return l.size }

// Lines reads the log from its beginning.
func (l *Log) Lines() io.Reader { return io.NewSectionReader(l.f, 0, l.size) }

// Rotate begins the log anew with some lines. The lines so far are then at [OlderLog], in place of older ones. No line
// is lost: the new file is on the disk before the old one is renamed, and [OpenLog] completes an interrupted rotation.
// If it fails, the log goes on as it was.
func (l *Log) Rotate(first []byte) error {
	path := nextLog(l.path)
	next, err := writeNext(path, first)
	if err != nil {
		return errors.Join(err, RemoveFile(path))
	}
	if !filelock.Folders { // the system renames no file that is open
		return errors.Join(next.Close(), l.f.Close(), l.stepAside(), l.open())
	}
	if err := l.stepAside(); err != nil {
		return errors.Join(err, next.Close(), RemoveFile(path))
	}
	old := l.f
	l.f, l.size = next, int64(len(first))
	return errors.Join(old.Close(), syncFolder(filepath.Dir(l.path)))
}

// stepAside puts the next file in place of the log.
func (l *Log) stepAside() error {
	if err := os.Rename(l.path, OlderLog(l.path)); err != nil {
		return err
	}
	err := os.Rename(nextLog(l.path), l.path)
	if err != nil {
		err = errors.Join(err, os.Rename(OlderLog(l.path), l.path))
	}
	return err
}

// writeNext writes a file that only its owner can read, puts it on the disk and locks it.
func writeNext(path string, content []byte) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync()); err == nil && !filelock.Try(f) {
		err = errBusyLog(path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close closes the log.
func (l *Log) Close() error { return l.f.Close() }
