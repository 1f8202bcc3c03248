// Package filelock keeps two processes from writing to one place at once.
package filelock

import (
	"errors"
	"os"
)

// errBusy says that somebody else has locked a file.
var errBusy = errors.New("another process holds the lock")

// Lock locks a file or folder until it is closed or the process ends. [IsBusy] tells whether somebody else has locked
// it; another error means that the system or the file system has no such locks.
func Lock(f *os.File) error { return lock(f) }

// IsBusy reports whether an error of [Lock] says that somebody else has locked the file.
func IsBusy(err error) bool { return errors.Is(err, errBusy) }

// Try is [Lock] for those to whom no lock is as good as one: it reports false only when somebody else has locked the
// file.
func Try(f *os.File) bool { return !IsBusy(lock(f)) }
