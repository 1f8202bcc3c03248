package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReplacedError reports that a folder was replaced while it was read. The requested file is gone; read the
// folder again from the start.
type ReplacedError struct{ Dir string }

// Error names the remedy.
func (e *ReplacedError) Error() string {
	return fmt.Sprintf("%s was replaced again and again while it was read: try again", e.Dir)
}

// Open returns the files of the folder at dir. All are of one version, also while another process replaces the folder;
// when a file is not there because that happened, the error is a [ReplacedError]. A version that stepped aside and was
// left so is put back first.
func Open(dir string) (fs.FS, error) {
	if Remote(dir) {
		return openRemote(dir)
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) && Rescue(dir) == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, err
	}
	id, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &version{dir, root, id}, nil
}

// version is one version of a folder. Its root is closed when it is no longer used.
type version struct {
	dir  string
	root *os.Root
	id   fs.FileInfo
}

// Open opens a file.
func (v *version) Open(name string) (fs.File, error) {
	f, err := v.root.FS().Open(name)
	if err != nil && v.elsewhere(err) {
		return os.DirFS(v.dir).Open(name)
	}
	return f, v.checked(err)
}

// Stat describes a file.
func (v *version) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(v.root.FS(), name)
	if err != nil && v.elsewhere(err) {
		return fs.Stat(os.DirFS(v.dir), name)
	}
	return info, v.checked(err)
}

// ReadDir lists a folder in it.
func (v *version) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(v.root.FS(), name)
	return entries, v.checked(err)
}

// elsewhere reports whether a name could not be opened because it is a symbolic link that leads out of the folder,
// which [os.Root] does not follow.
func (v *version) elsewhere(err error) bool {
	return !errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "escapes from parent")
}

// checked replaces the error of a missing file if the folder was replaced.
func (v *version) checked(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there, statErr := os.Stat(filepath.Clean(v.dir))
	if statErr == nil && os.SameFile(v.id, there) {
		return err
	}
	return &ReplacedError{v.dir}
}
