package fetch

import (
	"fmt"
	"strings"
	"time"

	"racecard/datasets/lists"
)

// MirrorsError says that no mirror gave a file.
type MirrorsError struct {
	Path  string
	Tried []error // per mirror, in order, with its URL
}

// Error names every mirror and its failure.
func (e *MirrorsError) Error() string {
	if len(e.Tried) == 1 {
		return fmt.Sprintf("%s: %v", e.Path, e.Tried[0])
	}
	lines := lists.Map(e.Tried, func(err error) string { return "\n  " + err.Error() })
	return fmt.Sprintf("%s: none of %d mirrors gave it:%s", e.Path, len(e.Tried), strings.Join(lines, ""))
}

// Unwrap returns the errors of the mirrors.
func (e *MirrorsError) Unwrap() []error { return e.Tried }

// ChecksumError reports content that differs from the published checksum.
type ChecksumError struct {
	Algorithm      string // "sha256" or "md5"
	Got, Published string
}

// Error shows both checksums.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("what arrived has %s %s, published is %s; it was removed", e.Algorithm, e.Got, e.Published)
}

// ExistingError says that another file stands where a file belongs. It is left as it is.
type ExistingError struct {
	File string // as the user would name it
	Why  string
}

// Error describes the fault of the existing file and its remedy.
func (e *ExistingError) Error() string {
	return fmt.Sprintf("%s is there already and %s: move it away to fetch the file anew", e.File, e.Why)
}

// ChangedError says that a file without a published checksum is not the one that was downloaded first.
type ChangedError struct {
	File       string
	First, Now string // SHA-256
}

// Error shows both checksums and says how to accept the change.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s differs from what was fetched first: sha256 was %s, is now %s. If the publisher has "+
		"replaced the file, remove its entry from %s and fetch again; what "+
		"arrived is kept as %s%s", e.File, e.First, e.Now, RecordFile, e.File, partEnding)
}

// LocalError says that this machine cannot read or write the folder.
type LocalError struct{ err error }

// Error is the error of the file system.
func (e *LocalError) Error() string { return e.err.Error() }

// Unwrap returns the error of the file system.
func (e *LocalError) Unwrap() error { return e.err }

// failure is a failed attempt at a mirror; errors that are none are fatal to the whole download.
type failure struct {
	err       error
	permanent bool          // trying this mirror again is no use
	after     time.Duration // how long the server asks to wait; 0 if it does not
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// passing is a failure that may be gone next time.
func passing(format string, args ...any) error { return &failure{err: fmt.Errorf(format, args...)} }

// lasting is a failure that will be there next time.
func lasting(format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), permanent: true}
}
