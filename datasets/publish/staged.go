package publish

import (
	"io"
	"io/fs"
	"os"
)

// StagedFile is a file in a staging folder, open for writing. Its errors name its place, not the staging folder.
type StagedFile struct {
	file   *os.File
	folder *Folder
}

// Write implements [io.Writer].
func (f *StagedFile) Write(data []byte) (int, error) {
	n, err := f.file.Write(data)
	return n, f.folder.named(err)
}

// ReadFrom implements [io.ReaderFrom].
func (f *StagedFile) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.file.ReadFrom(r)
	return n, f.folder.named(err)
}

// Stat describes the file.
func (f *StagedFile) Stat() (fs.FileInfo, error) {
	info, err := f.file.Stat()
	return info, f.folder.named(err)
}

// Chmod sets the permissions of the file.
func (f *StagedFile) Chmod(mode fs.FileMode) error { return f.folder.named(f.file.Chmod(mode)) }

// Sync puts the file on the disk.
func (f *StagedFile) Sync() error { return f.folder.named(f.file.Sync()) }

// Close closes the file.
func (f *StagedFile) Close() error { return f.folder.named(f.file.Close()) }
