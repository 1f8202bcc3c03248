package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"racecard/datasets/internal/filelock"
)

// Vault is a folder of finished objects, each addressed by an id, and of views: folders of links to objects. One
// process at a time has it open. An object grows in a work folder and is renamed into place whole, so a process that is
// killed leaves either a finished object or a work folder to go on with.
//
//	vault.lock     marks the folder as a vault; names its holder
//	objects/ID/    finished objects
//	work/ID/       objects that are being made
//	runs/NAME/     views
//	latest         link to the newest view
type Vault struct {
	dir  string
	lock *os.File
}

// vaultMarker is the file that every vault holds.
const vaultMarker = "vault.lock"

// vaultPatience is the time that a dying process has to give a vault up.
const vaultPatience = time.Second

// HeldError is returned if another process has a vault open.
type HeldError struct{ Dir, Holder string }

// Error names the process.
func (e *HeldError) Error() string {
	holder := strings.TrimSpace(e.Holder)
	if holder == "" {
		holder = "another process"
	}
	return fmt.Sprintf("%s is in use by %s: wait until it is done", e.Dir, holder)
}

// PeekVault opens the vault at dir, which may not be there, for reading alone: others may change it meanwhile, and
// nothing is locked.
func PeekVault(dir string) (*Vault, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, notMade(dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, vaultMarker)); err != nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s holds files and no %s: racecard only writes to what it made; choose another folder",
			dir, vaultMarker)
	}
	return &Vault{dir: dir}, nil
}

// OpenVault opens the vault at dir, which it makes if there is none. holder is the text that other processes are told.
// The lock ends with the process and with those that inherit [Vault.Lock].
func OpenVault(dir, holder string) (*Vault, error) {
	v, err := PeekVault(dir)
	if err != nil {
		return nil, err
	}
	dir = v.dir
	marker := v.path(vaultMarker)
	if err := os.MkdirAll(dir, stagingMode); err != nil {
		return nil, notMade(dir, err)
	}
	lock, err := os.OpenFile(marker, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, notMade(dir, err)
	}
	for begin := time.Now(); !filelock.Try(lock); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > vaultPatience {
			text, _ := os.ReadFile(marker)
			return nil, errors.Join(&HeldError{dir, string(text)}, lock.Close())
		}
	}
	v.lock = lock
	if err := errors.Join(lock.Truncate(0), writeAt(lock, holder)); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	for _, sub := range []string{"objects", "work", "runs"} {
		if err := os.MkdirAll(v.path(sub), stagingMode); err != nil {
			return nil, errors.Join(err, lock.Close())
		}
	}
	return v, nil
}

func writeAt(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text+"\n"), 0)
	return err
}

// Lock returns the file that holds the lock. A process that inherits it keeps the vault closed to others while it
// lives.
func (v *Vault) Lock() *os.File { return v.lock }

// Close lets other processes open the vault.
func (v *Vault) Close() error { return errors.Join(v.lock.Truncate(0), v.lock.Close()) }

// path returns the path of a name with slashes.
func (v *Vault) path(name string) string { return filepath.Join(v.dir, filepath.FromSlash(name)) }

// Dir returns the path of the vault.
func (v *Vault) Dir() string { return v.dir }

// Object returns the path of a finished object, which may not be there.
func (v *Vault) Object(id string) string { return v.path("objects/" + id) }

// Work returns the path of the work folder of an object, which it makes. It removes files of earlier processes, except
// the staging folders of [Resume].
func (v *Vault) Work(id string) (string, error) {
	dir := v.path("work/" + id)
	if err := os.MkdirAll(dir, stagingMode); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), ".partial") {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// CreateWork creates a file in the work folder of an object. The caller closes it.
func (v *Vault) CreateWork(id, name string) (*os.File, error) {
	return os.Create(filepath.Join(v.path("work/"+id), name))
}

// WriteWork writes a file in the work folder of an object.
func (v *Vault) WriteWork(id, name string, content []byte) error {
	return writeSynced(filepath.Join(v.path("work/"+id), name), content)
}

// ReadWork returns a file in the work folder of an object.
func (v *Vault) ReadWork(id, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(v.path("work/"+id), name))
}

// Commit writes the last file of an object and puts the object in place.
func (v *Vault) Commit(id, name string, content []byte) error {
	work := v.path("work/" + id)
	if err := v.complete(work, name, content); err != nil {
		return err
	}
	if err := os.Rename(work, v.Object(id)); err != nil {
		return err
	}
	return syncFolder(v.path("objects"))
}

// complete writes the last file of an object in its work folder.
func (v *Vault) complete(work, name string, content []byte) error {
	if err := writeSynced(filepath.Join(work, name), content); err != nil {
		return err
	}
	return syncFolder(work)
}

// Drop removes a finished object or the work folder of one. A process that is killed meanwhile leaves a work folder.
func (v *Vault) Drop(id string) error {
	work := v.path("work/" + id)
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.Rename(v.Object(id), work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(work)
}

// Write writes a file of the vault itself, in one step.
func (v *Vault) Write(name string, content []byte) error {
	fresh := v.path("work/." + name)
	if err := writeSynced(fresh, content); err != nil {
		return err
	}
	return os.Rename(fresh, v.path(name))
}

func writeSynced(path string, content []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// View makes the view runs/NAME and then has latest point to it. links are paths in the view, with slashes, to paths in
// the vault; files are contents.
func (v *Vault) View(name string, links map[string]string, files map[string][]byte) error {
	fresh := v.path("work/.view")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	for link, target := range links {
		to := filepath.Join(fresh, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(to), stagingMode); err != nil {
			return err
		}
		up := strings.Repeat("../", 2+strings.Count(link, "/")) // from runs/NAME/...
		if err := os.Symlink(filepath.FromSlash(up+target), to); err != nil {
			return err
		}
	}
	for file, content := range files {
		to := filepath.Join(fresh, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), stagingMode); err != nil {
			return err
		}
		if err := writeSynced(to, content); err != nil {
			return err
		}
	}
	if err := os.Rename(fresh, v.path("runs/"+name)); err != nil {
		return err
	}
	link := v.path("work/.latest")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(filepath.Join("runs", name), link); err != nil {
		return err
	}
	if err := os.Rename(link, v.path("latest")); err != nil {
		return err
	}
	return errors.Join(syncFolder(v.path("runs")), syncFolder(v.dir))
}

// DropView removes a view. A process that is killed meanwhile leaves it in work.
func (v *Vault) DropView(name string) error {
	gone := v.path("work/.gone-" + name)
	if err := os.Rename(v.path("runs/"+name), gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// Sweep removes the work folders of killed processes, unless keep reports true for their id.
func (v *Vault) Sweep(keep func(id string) bool) error {
	entries, err := os.ReadDir(v.path("work"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !keep(e.Name()) {
			err = errors.Join(err, os.RemoveAll(v.path("work/"+e.Name())))
		}
	}
	return err
}

// Replace is [Vault.Commit] for an object that is there and gives way, in one step.
func (v *Vault) Replace(id, name string, content []byte) error {
	work := v.path("work/" + id)
	if err := v.complete(work, name, content); err != nil {
		return err
	}
	old, err := exchange(work, v.Object(id))
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(v.path("objects")), os.RemoveAll(old))
}
