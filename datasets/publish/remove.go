package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// RemoveFolder removes a folder of a kind: the named files and folders in it, with all that is in them, then the
// marker, so that the folder is of its kind until all else is gone, and what dead processes left of it. Other files
// stay. It does nothing where there is no such folder.
func RemoveFolder(dir string, kind Kind, names ...string) error {
	if Remote(dir) {
		return removeRemote(dir, names)
	}
	for _, name := range append(names, kind.Marker) {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(filepath.Join(dir, kind.Marker)); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err := errors.Join(sweep(path), os.RemoveAll(path)); err != nil {
			return err
		}
	}
	_ = os.Remove(dir) // fails while there are other files
	return sweep(dir)
}

// removeRemote removes the named objects and folders below a URL, and the versions of the folder. The indexes go last.
func removeRemote(dir string, names []string) error {
	l, b, err := openBucket(dir)
	if err != nil {
		return err
	}
	objects, err := b.List(l.Key+"/", 0)
	if err != nil {
		return err
	}
	slices.Reverse(objects) // indexes come before versions and names
	for _, o := range objects {
		below := strings.TrimPrefix(o.Key, l.Key+"/")
		first, _, _ := strings.Cut(below, "/")
		if !slices.Contains(names, first) && first != versionsFolder && !isVersionFolder(below) {
			continue
		}
		if err := b.Remove(o.Key); err != nil {
			return err
		}
	}
	return nil
}
