package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Publish makes the version visible at its place, in one step, and removes the older one. complete, which may be nil,
// is called with the older version, nil if there is none, while no other process can replace that: it may write further
// files, such as an index of both, and take files over with [Folder.Keep]. Files that racecard did not write stay.
// After an error the older version is in place, unless the error says otherwise, and [Folder.Abort] is due.
func (f *Folder) Publish(complete func(old fs.FS) error) error {
	if f.up != nil {
		return f.publishRemote(complete)
	}
	for {
		current, err := f.lockCurrent()
		if err != nil {
			return err
		}
		if current == nil {
			err = f.appear(complete)
			if errors.Is(err, fs.ErrExist) {
				continue // another process was faster
			}
		} else {
			err = f.replace(complete)
			unlock(current)
		}
		return err
	}
}

// patience bounds how long a process waits for another one to publish at the same place.
const patience = time.Minute

// lockCurrent locks the version that is at the place. It returns nil where there is none.
func (f *Folder) lockCurrent() (*os.File, error) {
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Lstat(f.dir); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		lock, state := lockFolder(f.dir)
		switch {
		case state == lockHeld:
			return lock, nil
		case state == lockUnknown:
			if lock == nil {
				return os.Open(os.DevNull) // stands for the lock
			}
			return lock, nil
		case time.Since(begin) > patience:
			return nil, &BusyError{f.dir}
		}
	}
}

// appear publishes the first version at a place.
func (f *Folder) appear(complete func(old fs.FS) error) error {
	if complete != nil {
		if err := complete(nil); err != nil {
			return err
		}
	}
	if err := f.syncFolders(); err != nil {
		return err
	}
	if err := os.Rename(f.tmp, f.dir); err != nil {
		return f.named(err)
	}
	return errors.Join(syncFolder(filepath.Dir(f.dir)), f.Leave())
}

// replace exchanges the version at the place, which is locked, with the new one.
func (f *Folder) replace(complete func(old fs.FS) error) error {
	if err := f.replaceable(f.dir); err != nil {
		return err
	}
	if complete != nil {
		if err := complete(os.DirFS(f.dir)); err != nil {
			return err
		}
	}
	own, err := f.own()
	if err != nil {
		return err
	}
	if err := carry(f.dir, f.tmp, own, false); err != nil {
		return f.named(err)
	}
	if info, err := os.Stat(f.dir); err == nil {
		if err := os.Chmod(f.tmp, info.Mode().Perm()); err != nil {
			return f.named(err)
		}
	}
	if err := f.syncFolders(); err != nil {
		return err
	}
	old, err := exchange(f.tmp, f.dir)
	if err != nil {
		return f.named(err)
	}
	f.tmp = "" // from here on, the new version is visible
	err = errors.Join(
		syncFolder(filepath.Dir(f.dir)),
		carry(old, f.dir, own, true), // files added meanwhile
	)
	if err == nil {
		err = os.RemoveAll(old)
	}
	if err != nil {
		err = fmt.Errorf("%s is replaced, but its older version is not removed: %w", f.dir, err)
	}
	return errors.Join(err, f.Leave())
}

// exchange gives the folder tmp the name dir, and returns the new name of the folder that was there.
func exchange(tmp, dir string) (old string, err error) {
	err = exchangeAtOnce(tmp, dir)
	if !errors.Is(err, errors.ErrUnsupported) {
		return tmp, err
	}
	return stepAside(tmp, dir)
}

// stepAside is exchange in two steps, for systems that cannot do it in one.
func stepAside(tmp, dir string) (old string, err error) {
	old = tmp + aside
	if err := os.Rename(dir, old); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return "", errors.Join(err, os.Rename(old, dir))
	}
	return old, nil
}

// syncFolders puts the names of the files on the disk.
func (f *Folder) syncFolders() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.folders[f.tmp] = true
	for dir := range f.folders {
		if err := syncFolder(dir); err != nil {
			return f.named(err)
		}
	}
	return nil
}

// syncFolder makes the names in a folder lasting. Systems that cannot sync folders do so by themselves.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// PublishFile makes one file of the staging folder visible at the place, which must not be a folder, and removes the
// rest.
func (f *Folder) PublishFile(name string) error {
	if f.up != nil {
		return f.publishFileRemote(name)
	}
	if err := os.Rename(f.path(name), f.dir); err != nil {
		return f.named(err)
	}
	return errors.Join(syncFolder(filepath.Dir(f.dir)), f.Abort())
}

// Join moves files into the folder that is at the place, in the order of names, and removes the staging folder. The
// last file is the index, without which the others are nothing: it replaces the older one.
func (f *Folder) Join(names []string) error {
	if f.up != nil {
		return f.joinRemote()
	}
	for i, name := range names {
		to := filepath.Join(f.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), stagingMode); err != nil {
			return err
		}
		if i == len(names)-1 {
			if err := f.syncJoined(names[:i]); err != nil {
				return err
			}
		}
		if err := os.Rename(f.path(name), to); err != nil {
			return f.named(err)
		}
	}
	return errors.Join(syncFolder(f.dir), f.Abort())
}

// syncJoined makes names lasting in the folder at the place.
func (f *Folder) syncJoined(names []string) error {
	done := map[string]bool{}
	for _, name := range names {
		dir := filepath.Dir(filepath.Join(f.dir, filepath.FromSlash(name)))
		if done[dir] {
			continue
		}
		done[dir] = true
		if err := syncFolder(dir); err != nil {
			return err
		}
	}
	return syncFolder(f.dir)
}
