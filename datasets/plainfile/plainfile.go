// Package plainfile reads files that somebody else may have put where they are: a FIFO would never end, and a file of
// holes is as large as it likes.
package plainfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Most bounds what [Read] reads: no document of ours has a size near it.
const Most = 1 << 30

// Read returns the content of a plain file of at most [Most] bytes.
func Read(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if err := Check(info, name, Most); err != nil {
		return nil, err
	}
	return fs.ReadFile(fsys, name)
}

// ReadFile returns the content of a plain file on this machine of at most the given number of bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := Check(info, path, most); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Check refuses anything other than a plain file, and files with more bytes than most.
func Check(info fs.FileInfo, name string, most int64) error {
	switch {
	case info.Mode().IsDir():
		return fmt.Errorf("%s is a folder, want a file", name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is a pipe, device or socket, want a plain file", name)
	case info.Size() > most:
		return fmt.Errorf("%s has %d bytes, at most %d are taken", name, info.Size(), most)
	}
	return nil
}

// Walk calls do for each plain file of a folder on this machine, or for the file that path names: with its name, its
// slash-separated name below the path, and its description. Links to files are followed, and so is the path; a walk by
// itself does not enter a link to a folder. Pipes, devices, sockets and links that lead nowhere are passed over.
func Walk(path string, do func(name, below string, info fs.FileInfo) error) error {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(name)
		switch {
		case err != nil && d.Type()&fs.ModeSymlink == 0:
			return err
		case err != nil || !info.Mode().IsRegular():
			return nil //nolint:nilerr // a link that leads nowhere is no file
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return do(name, filepath.ToSlash(below), info)
	})
}
