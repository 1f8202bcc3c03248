package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// mostLinks bounds a chain of symbolic links.
const mostLinks = 40

// resolve returns the path of a folder that may not be there yet, with symbolic links followed: the target of a link is
// replaced, not the link.
func resolve(dir string) (string, error) {
	dir = filepath.Clean(dir)
	for range mostLinks {
		info, err := os.Lstat(dir)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			if errors.Is(err, fs.ErrNotExist) || err == nil {
				return absolute(dir)
			}
			return "", err
		}
		target, err := os.Readlink(dir)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(dir), target)
		}
		dir = filepath.Clean(target)
	}
	return "", fmt.Errorf("%s: too many symbolic links", dir)
}

// absolute gives paths such as "." and ".." a name, which their staging folder needs.
func absolute(dir string) (string, error) {
	if base := filepath.Base(dir); base == "." || base == ".." {
		return filepath.Abs(dir)
	}
	return dir, nil
}

// staging returns the path of the staging folder that has one name for all processes.
func staging(place string) string {
	return filepath.Join(filepath.Dir(place), "."+filepath.Base(place)+".partial")
}

// aside is appended to the name of a staging folder to name the older version that steps aside.
const aside = ".old"

// leftovers returns paths next to a place: versions that stepped aside, or all staging folders that are not
// resumed.
func leftovers(place string, asideOnly bool) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(place))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	pattern := regexp.QuoteMeta(filepath.Base(staging(place))) + `(-[0-9]+)?` + regexp.QuoteMeta(aside)
	if !asideOnly {
		pattern += "|" + regexp.QuoteMeta(filepath.Base(staging(place))) + `-[0-9]+`
	}
	matches, err := regexp.Compile("^(" + pattern + ")$")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && matches.MatchString(e.Name()) {
			all = append(all, filepath.Join(filepath.Dir(place), e.Name()))
		}
	}
	return all, nil
}

// gap bounds how long a place may be empty while another process renames one version aside and the next one in.
const gap = 2 * time.Second

// Rescue puts a version back that stepped aside for one that never came, because the process died in between. It does
// nothing where there is a version.
func Rescue(dir string) error {
	if Remote(dir) {
		return nil // a version in a bucket does not step aside
	}
	place, err := resolve(dir)
	if err != nil {
		return err
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Lstat(place); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		all, err := leftovers(place, true)
		if err != nil {
			return err
		}
		busy := false
		for _, old := range all {
			lock, state := lockFolder(old)
			if state == lockBusy {
				busy = true
				continue
			}
			err := os.Rename(old, place)
			unlock(lock)
			return err
		}
		if !busy || time.Since(begin) > gap {
			return nil
		}
	}
}

// sweep removes the remains of dead processes next to a place. On systems without locks it removes nothing: a
// process cannot be known to be dead.
func sweep(place string) error {
	all, err := leftovers(place, false)
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range all {
		lock, state := lockFolder(path)
		if state == lockHeld {
			errs = append(errs, os.RemoveAll(path))
		}
		unlock(lock)
	}
	return errors.Join(errs...)
}
