package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"racecard/datasets/lists"
)

// Kind is a kind of folder, such as stores or models.
type Kind struct {
	Marker string // a file that every folder of the kind holds
	What   string // stands in messages, such as "results" or "models"
	// Own returns the names of the files that racecard wrote in a folder of the kind, with slashes. Files that it does
	// not name are foreign and are kept. It may name files that do not exist.
	Own func(fsys fs.FS) ([]string, error)
}

// Folder is a version of a folder that grows next to its place. [Folder.Write] may be called concurrently.
type Folder struct {
	kind Kind
	dir  string // the place, without symbolic links
	tmp  string // the staging folder; "" when it is over
	lock *os.File
	up   *upload // nil for a place on this machine
	file bool    // the place is one of a file

	mu      sync.Mutex
	folders map[string]bool // that files were written to, to be synced
}

// stagingMode is the mode of a folder that is new. One that replaces another takes the mode of that one.
const stagingMode = 0o755

// attempts bounds how often a staging folder is begun anew because another process took it.
const attempts = 100

// Begin starts a version of the folder at dir. It fails if dir holds files and no marker of the kind. Remains of
// dead processes next to dir are removed, or put back if they are the last version.
func Begin(dir string, kind Kind) (*Folder, error) { return begin(dir, kind, "-") }

// Resume is [Begin], but the staging folder has one name for all processes, and holds what an earlier process that was
// interrupted left in it. It fails with a [BusyError] while another process works there.
func Resume(dir string, kind Kind) (*Folder, error) { return begin(dir, kind, "") }

// BeginFile starts a version of one file, which [Folder.PublishFile] makes visible at path. Another file there gives
// way, a folder does not.
func BeginFile(path string) (*Folder, error) {
	f, err := begin(path, Kind{}, "-")
	if err != nil {
		return nil, err
	}
	f.file = true
	return f, nil
}

func begin(dir string, kind Kind, separator string) (*Folder, error) {
	if Remote(dir) {
		return beginRemote(dir, kind, separator)
	}
	return beginLocal(dir, kind, separator)
}

func beginLocal(dir string, kind Kind, separator string) (*Folder, error) {
	place, err := resolve(dir)
	if err != nil {
		return nil, notMade(dir, err)
	}
	f := &Folder{kind: kind, dir: place, folders: map[string]bool{}}
	if err := Rescue(place); err != nil {
		return nil, notMade(dir, err)
	}
	if err := f.replaceable(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(place), stagingMode); err != nil {
		return nil, notMade(dir, err)
	}
	if err := sweep(place); err != nil {
		return nil, notMade(dir, err)
	}
	for n := range attempts {
		f.tmp = staging(place)
		if separator != "" {
			f.tmp += separator + strconv.Itoa(n+1) // its lock identifies the owner
		}
		err := os.Mkdir(f.tmp, stagingMode)
		if separator != "" && errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, notMade(dir, err)
		}
		lock, state := lockFolder(f.tmp)
		switch {
		case state != lockBusy:
			f.lock = lock
			return f, nil
		case separator == "":
			return nil, &BusyError{dir}
		}
	}
	return nil, &BusyError{dir}
}

// BusyError is returned if another process writes a folder.
type BusyError struct{ Dir string }

// Error names the remedy.
func (e *BusyError) Error() string {
	return fmt.Sprintf("another process writes %s: wait until it is done", e.Dir)
}

// notMade returns the error of a folder that cannot be made, or written.
func notMade(dir string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err // the name of the staging folder would not help the user
	}
	verb := "made"
	if info, gone := os.Stat(dir); gone == nil && info.IsDir() {
		verb = "written"
	}
	return fmt.Errorf("the folder %s cannot be %s: %w; choose another folder", dir, verb, err)
}

// replaceable fails where the place holds something that is no folder of the kind. Another process may replace the
// folder meanwhile; then it looks again.
func (f *Folder) replaceable(dir string) error {
	if f.kind.Marker == "" {
		if info, err := os.Stat(f.dir); err == nil && info.IsDir() {
			return fmt.Errorf("%s is there already: remove it, or choose another folder", dir)
		}
		return nil
	}
	for range attempts {
		marked, err := f.marked()
		switch {
		case errors.As(err, new(*ReplacedError)):
			continue
		case err != nil:
			return notMade(dir, err)
		case !marked:
			return fmt.Errorf("%s is there and holds no %s: racecard only replaces what it made; choose another name",
				dir, f.kind.Marker)
		}
		return nil
	}
	return &BusyError{dir}
}

// marked reports whether the version at the place is of the kind. A folder without files is, and so is none at all.
func (f *Folder) marked() (bool, error) {
	fsys, err := Open(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil || len(entries) == 0 {
		return true, err
	}
	_, err = fs.Stat(fsys, f.kind.Marker)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, err
}

// Staging returns the path of the staging folder, for reading.
func (f *Folder) Staging() string { return f.tmp }

// Place returns the path of the folder, without symbolic links, or its URL.
func (f *Folder) Place() string { return f.dir }

// Create creates a file in the staging folder; name may hold slashes. The caller closes it.
func (f *Folder) Create(name string) (*StagedFile, error) {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	return &StagedFile{file, f}, nil
}

// OpenFile opens a file in the staging folder for writing, as [os.OpenFile] does; name may hold slashes.
func (f *Folder) OpenFile(name string, flag int) (*os.File, error) {
	full := f.path(name)
	if err := os.MkdirAll(filepath.Dir(full), stagingMode); err != nil {
		return nil, f.named(err)
	}
	f.mu.Lock()
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		f.folders[dir] = true
		if dir == f.tmp {
			break
		}
	}
	f.mu.Unlock()
	file, err := os.OpenFile(full, flag, 0o644)
	return file, f.named(err)
}

// Write writes a file into the staging folder and syncs it; name may hold slashes.
func (f *Folder) Write(name string, content []byte) error {
	file, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// Sync puts a file that was written with [Folder.Create] on the disk.
func (f *Folder) Sync(name string) error {
	file, err := os.Open(f.path(name))
	if err != nil {
		return f.named(err)
	}
	return f.named(errors.Join(file.Sync(), file.Close()))
}

// Remove removes a file of the staging folder.
func (f *Folder) Remove(name string) error { return f.named(os.Remove(f.path(name))) }

// Clean removes the files of the staging folder but for those to keep.
func (f *Folder) Clean(keep map[string]bool) error {
	return filepath.WalkDir(f.tmp, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(f.tmp, path)
		if err == nil && !keep[filepath.ToSlash(name)] {
			err = os.Remove(path)
		}
		return err
	})
}

// Keep takes a file over from the version at the place. It is for the function that [Folder.Publish] calls. A file that
// is not there is passed over.
func (f *Folder) Keep(name string) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%s: %q is not the name of a file in it", f.dir, name)
	}
	if f.up != nil {
		f.up.kept[name] = true
		return nil
	}
	from, to := filepath.Join(f.dir, filepath.FromSlash(name)), f.path(name)
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), stagingMode); err != nil {
		return f.named(err)
	}
	return f.named(carryFile(from, to, info))
}

// Abort removes the staging folder. After Publish and Leave it does nothing, so it can be deferred.
func (f *Folder) Abort() error {
	if f.tmp == "" {
		return nil
	}
	err := os.RemoveAll(f.tmp)
	return errors.Join(f.named(err), f.Leave())
}

// Leave ends the work on the staging folder, and leaves it for a later [Resume].
func (f *Folder) Leave() error {
	f.tmp = ""
	lock := f.lock
	f.lock = nil
	if lock == nil {
		return nil
	}
	return lock.Close()
}

func (f *Folder) path(name string) string { return filepath.Join(f.tmp, filepath.FromSlash(name)) }

// named replaces the name of the staging folder in a file system error by the name of the place. An error of moving the
// one to the other names the place once.
func (f *Folder) named(err error) error {
	if err == nil {
		return nil
	}
	shown := func(path string) string {
		if rel, err := filepath.Rel(f.tmp, path); err == nil && filepath.IsLocal(rel) {
			if f.file {
				return Shown(f.dir)
			}
			return Shown(Join(f.dir, filepath.ToSlash(rel)))
		}
		return path
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		of.Path = shown(of.Path)
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		if link.Old, link.New = shown(link.Old), shown(link.New); link.Old == link.New && err == error(link) { //nolint:errorlint // the error itself: what wraps one says more
			return &fs.PathError{Op: link.Op, Path: link.New, Err: link.Err}
		}
	}
	return err
}

// own returns the names of the files at the place that racecard wrote, the marker among them.
func (f *Folder) own() (map[string]bool, error) {
	names, err := f.kind.Own(os.DirFS(f.dir))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: racecard cannot tell what it may replace; remove the folder or choose "+
			"another folder", f.dir, err)
	}
	own := lists.Set(lists.Map(append(slices.Clone(names), f.kind.Marker), filepath.FromSlash))
	return own, nil
}
