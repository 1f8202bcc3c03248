package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"racecard/datasets/internal/filelock"
)

// Names of the files next to a target.
const (
	partEnding  = ".part"      // what has arrived
	stateEnding = ".part.json" // what it is a part of
)

// target is the place of a file: its folder, and the auxiliary files while it arrives.
type target struct {
	file File
	dir  string
	root *os.Root
	lock *os.File // the folder, locked: two downloads into one .part file would garble it
}

// state tells what a .part file is a part of.
type state struct {
	URL          string `json:"url"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Bytes        int64  `json:"bytes,omitempty"` // of the whole file; 0 when the server does not say
}

// validator returns what If-Range can carry: a strong ETag or a date, "" if there is neither.
func (s state) validator() string {
	if s.ETag != "" && s.ETag[0] == '"' {
		return s.ETag
	}
	return s.LastModified
}

func openTarget(dir string, f File) (*target, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &LocalError{err}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &LocalError{err}
	}
	t := &target{file: f, dir: dir, root: root}
	if t.lock, err = root.Open("."); err != nil {
		return nil, errors.Join(t.local(err), root.Close())
	}
	if !filelock.Try(t.lock) {
		t.close()
		return nil, &LocalError{fmt.Errorf("%s: another download into this folder is running", dir)}
	}
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		t.close()
		return nil, t.local(err)
	}
	// earlier versions let all read it
	if err := root.Chmod(t.stateOf(), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.close()
		return nil, t.local(err)
	}
	return t, nil
}

// close closes the folder. Writes have been synced by then.
func (t *target) close() {
	t.lock.Close()
	_ = t.root.Close()
}

func (t *target) part() string    { return t.file.Path + partEnding }
func (t *target) stateOf() string { return t.file.Path + stateEnding }

// shown is a path as the user would name it.
func (t *target) shown(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// local marks an error of the file system, and names the folder in it, which os.Root leaves out.
func (t *target) local(err error) error {
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) && !strings.HasPrefix(p.Path, filepath.Clean(t.dir)) {
		p.Path = t.shown(p.Path)
	}
	return &LocalError{err}
}

// partSize returns how many bytes have arrived.
func (t *target) partSize() (int64, error) {
	info, err := t.root.Stat(t.part())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, t.local(err)
	}
	return info.Size(), nil
}

// loadState returns what the .part file is a part of; a state that is missing or unreadable is empty.
func (t *target) loadState() state {
	var s state
	if data, err := t.root.ReadFile(t.stateOf()); err == nil && json.Unmarshal(data, &s) != nil {
		return state{}
	}
	return s
}

func (t *target) saveState(s state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := t.remove(t.stateOf()); err != nil { // it may be an older one that others can read
		return err
	}
	return t.local(t.root.WriteFile(t.stateOf(), append(data, '\n'), 0o600))
}

// discard removes the bytes received so far.
func (t *target) discard() error {
	return errors.Join(t.remove(t.stateOf()), t.remove(t.part()))
}

// tidy removes a .part file without content, from which nothing can go on.
func (t *target) tidy() error {
	if n, err := t.partSize(); n > 0 || err != nil {
		return err
	}
	return t.discard()
}

func (t *target) remove(name string) error {
	if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.local(err)
	}
	return nil
}

// present reports whether the file is there, whole and verified. Another file in its place is an [*ExistingError].
func (t *target) present(ctx context.Context) (Result, bool, error) {
	info, err := t.root.Lstat(t.file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, false, nil
	}
	if err != nil {
		return Result{}, false, t.local(err)
	}
	existing := func(why string, args ...any) (Result, bool, error) {
		return Result{}, false, &ExistingError{t.shown(t.file.Path), fmt.Sprintf(why, args...)}
	}
	if !info.Mode().IsRegular() {
		return existing("is not a file")
	}
	got, err := t.measure(ctx, t.file.Path)
	if err != nil {
		return Result{}, false, err
	}
	record, err := t.loadRecord()
	if err != nil {
		return Result{}, false, err
	}
	first, known := record.Files[t.file.Path]
	var sum *ChecksumError
	switch err := got.compare(t.file); {
	case errors.As(err, &sum):
		return existing("is not the published one: its %s is %s, published is %s", sum.Algorithm, sum.Got,
			sum.Published)
	case err != nil:
		return existing("is not the published one: %v", err)
	case t.file.published():
	case !known:
		return existing("nothing tells where it comes from")
	case first.SHA256 != got.sha256:
		return existing("has changed since it was fetched: its sha256 is %s, was %s", got.sha256, first.SHA256)
	}
	return Result{Path: t.file.Path, Bytes: got.bytes, SHA256: got.sha256, Published: t.file.published()}, true, nil
}

// publish gives the file that has arrived its name, once everything of it is on the disk.
func (t *target) publish(r Result) error {
	if err := t.keep(r); err != nil {
		return err
	}
	if err := t.root.Rename(t.part(), t.file.Path); err != nil {
		return t.local(err)
	}
	return errors.Join(t.remove(t.stateOf()), t.syncFolder(path.Dir(t.file.Path)))
}

// syncFolder makes the names in a folder lasting. Systems that cannot sync folders do so by themselves.
func (t *target) syncFolder(name string) error {
	f, err := t.root.Open(name)
	if err != nil {
		return t.local(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) &&
		!errors.Is(err, fs.ErrPermission) {
		return t.local(err)
	}
	return nil
}
