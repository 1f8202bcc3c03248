package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// TemporaryFile opens a file without a name in a folder, [os.TempDir] for "". It is gone when it is closed or the
// process ends. prefix is for systems where it has a name for a moment.
func TemporaryFile(dir, prefix string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := nameless(dir)
	if !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	f, err = os.CreateTemp(dir, prefix)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// TemporaryFolder makes a folder in [os.TempDir], which the caller removes. The next process that calls it with the
// same prefix removes what dead ones left.
func TemporaryFolder(prefix string) (dir string, remove func() error, err error) {
	top := os.TempDir()
	if err := sweepTemporary(top, prefix); err != nil {
		return "", nil, err
	}
	for n := range attempts {
		dir := filepath.Join(top, prefix+strconv.Itoa(n+1))
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		lock, state := lockFolder(dir)
		if state == lockBusy {
			continue // taken for one that a dead process left
		}
		return dir, func() error {
			defer unlock(lock)
			return os.RemoveAll(dir)
		}, nil
	}
	return "", nil, &BusyError{filepath.Join(top, prefix+"*")}
}

// sweepTemporary removes the temporary folders that dead processes left. Those of other users stay.
func sweepTemporary(top, prefix string) error {
	entries, err := os.ReadDir(top)
	if err != nil {
		return err
	}
	named, err := regexp.Compile("^" + regexp.QuoteMeta(prefix) + "[0-9]+$")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !named.MatchString(e.Name()) {
			continue
		}
		dir := filepath.Join(top, e.Name())
		lock, state := lockFolder(dir)
		if state == lockHeld {
			if err := os.RemoveAll(dir); err != nil && !errors.Is(err, fs.ErrPermission) {
				unlock(lock)
				return err
			}
		}
		unlock(lock)
	}
	return nil
}
