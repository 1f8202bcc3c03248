package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchangeAtOnce swaps the names of two folders in one step. Its error is [errors.ErrUnsupported] where the system or
// the file system cannot.
func exchangeAtOnce(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "replace", Old: a, New: b, Err: err}
}

// nameless opens a file that has no name in a folder. Its error is [errors.ErrUnsupported] where the file system has no
// such files.
func nameless(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, 0o600)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
		return nil, errors.ErrUnsupported
	}
	return f, err
}
