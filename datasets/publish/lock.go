package publish

import (
	"os"

	"racecard/datasets/internal/filelock"
)

// lockState is the outcome of an attempt to lock a folder.
type lockState int

const (
	lockHeld    lockState = iota // by this process
	lockUnknown                  // the system or the file system has no locks
	lockBusy                     // another process holds it, or the folder is no longer at its path
)

// lockFolder locks the folder at a path until the file is closed or the process ends.
func lockFolder(path string) (*os.File, lockState) {
	if !filelock.Folders {
		return nil, lockUnknown
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, lockBusy
	}
	switch err := filelock.Lock(f); {
	case filelock.IsBusy(err):
		f.Close()
		return nil, lockBusy
	case err != nil:
		return f, lockUnknown
	case !at(f, path):
		f.Close()
		return nil, lockBusy
	}
	return f, lockHeld
}

// unlock ends a lock; there may be none.
func unlock(f *os.File) {
	if f != nil {
		f.Close()
	}
}

// at reports whether an open file is the one at a path.
func at(f *os.File, path string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(is, there)
}
