package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"racecard/datasets/fault"
	"racecard/datasets/publish/internal/bucket"
)

// upload is the way of a [Folder] into a bucket.
type upload struct {
	at   bucket.Location
	b    *bucket.Bucket
	from int             // the version that was there at first
	kept map[string]bool // files to take over from the version at the place
}

// uploads bounds the transfers at once.
const uploads = 4

// beginRemote starts a version of a folder in a bucket. It grows in a folder of the user's on this machine.
func beginRemote(dir string, kind Kind, separator string) (*Folder, error) {
	l, b, err := openBucket(dir)
	if err != nil {
		return nil, err
	}
	if l.Key == "" {
		return nil, fmt.Errorf("%s is a whole bucket: name a folder in it, such as %s/racecard", l.Shown(), l.Shown())
	}
	stage, err := stagingFolder(l)
	if err != nil {
		return nil, err
	}
	up := &upload{at: l, b: b}
	old, err := up.current(kind)
	if err != nil {
		return nil, err
	}
	up.from = old.number
	f, err := beginLocal(stage, kind, separator)
	if busy := (*BusyError)(nil); errors.As(err, &busy) {
		err = &BusyError{l.Shown()}
	}
	if err != nil {
		return nil, err
	}
	f.dir, f.up = l.String(), up
	return f, nil
}

// stagingFolder returns the path next to which versions of a folder in a bucket grow: in a folder of temporary files
// that belongs to the user alone, under a name that is the same for all processes.
func stagingFolder(l bucket.Location) (string, error) {
	top := filepath.Join(os.TempDir(), fmt.Sprintf("racecard-%d", os.Getuid()))
	if err := os.MkdirAll(top, 0o700); err != nil {
		return "", err
	}
	if info, err := os.Lstat(top); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is no folder: remove it, or set TMPDIR", top)
	}
	if err := os.Chmod(top, 0o700); err != nil { // only its owner can
		return "", fmt.Errorf("%s belongs to somebody else: set TMPDIR: %w", top, err)
	}
	sum := sha256.Sum256([]byte(l.String()))
	return filepath.Join(top, hex.EncodeToString(sum[:12])), nil
}

// current returns the version at the place, and fails where something else is there.
func (u *upload) current(kind Kind) (remoteVersion, error) {
	if kind.Marker == "" { // a file
		below, err := u.b.List(u.at.Key+"/", 1)
		if err == nil && len(below) > 0 {
			err = fmt.Errorf("%s is there already, as a folder: remove it, or choose another --out", u.at.Shown())
		}
		return remoteVersion{}, err
	}
	v, err := currentVersion(u.b, u.at)
	if err != nil || len(v.objects) == 0 {
		return v, err
	}
	if _, ok := v.objects[kind.Marker]; !ok {
		return v, fmt.Errorf("%s is there and holds no %s: racecard only replaces what it made; choose another name",
			u.at.Shown(), kind.Marker)
	}
	return v, nil
}

// conflicts bounds how often a version that another process replaced is begun, or looked for, again.
const conflicts = 20

// publishRemote is [Folder.Publish] in a bucket.
func (f *Folder) publishRemote(complete func(old fs.FS) error) error {
	for range conflicts {
		err := f.publishOn(complete)
		if !errors.Is(err, fs.ErrExist) && !errors.As(err, new(*ReplacedError)) {
			return err
		}
	}
	return &BusyError{f.up.at.Shown()}
}

// publishOn makes the next version on top of the one at the place. The error is [fs.ErrExist] or a [ReplacedError]
// where another process made that version first.
func (f *Folder) publishOn(complete func(old fs.FS) error) error {
	u := f.up
	old, err := u.current(f.kind)
	if err != nil {
		return err
	}
	u.kept = map[string]bool{}
	var before fs.FS
	if len(old.objects) > 0 {
		before = old.files(u.b, u.at)
	}
	if complete != nil {
		if err := complete(before); err != nil {
			return err
		}
	}
	own := map[string]bool{}
	if before != nil {
		names, err := f.kind.Own(before)
		if err != nil {
			return fmt.Errorf("%s: %w: racecard cannot tell what it may replace; remove the folder or choose another "+
				"--out", u.at.Shown(), err)
		}
		for _, name := range append(slices.Clone(names), f.kind.Marker) {
			own[name] = true
		}
	}
	keep := map[string]bucket.Object{}
	for name, o := range old.objects {
		if u.kept[name] || !own[name] {
			keep[name] = o
		}
	}
	return f.upload(old, keep)
}

// joinRemote is [Folder.Join] in a bucket: the version at the place with more files.
func (f *Folder) joinRemote() error {
	old, err := f.up.current(f.kind)
	if err != nil {
		return err
	}
	if old.number == f.up.from {
		err = f.upload(old, old.objects)
	}
	if old.number != f.up.from || errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("another process wrote %s meanwhile: give the command again", f.up.at.Shown())
	}
	return err
}

// upload makes the files of the staging folder, and files of the old version, the next version. The error is
// [fs.ErrExist] where another process made it first.
func (f *Folder) upload(old remoteVersion, keep map[string]bucket.Object) error {
	u := f.up
	names, sum, err := f.staged()
	if err != nil {
		return err
	}
	top := fmt.Sprintf("v%08d-%s", old.number+1, sum)
	files := map[string]remoteFile{}
	for name, o := range keep {
		files[name] = remoteFile{name, strings.TrimPrefix(o.Key, u.at.Key+"/"), o.Size}
	}
	// of an upload that was interrupted: the name of the folder tells the content
	there, err := u.b.List(u.at.Join(top).Key+"/", 0)
	if err != nil {
		return err
	}
	had := map[string]int64{}
	for _, o := range there {
		had[o.Key] = o.Size
	}
	var waiting []remoteFile
	for _, name := range names {
		info, err := os.Stat(f.path(name))
		if err != nil {
			return f.named(err)
		}
		one := remoteFile{name, top + "/" + name, info.Size()}
		files[name] = one
		if size, ok := had[u.at.Join(one.Object).Key]; !ok || size != one.Bytes {
			waiting = append(waiting, one)
		}
	}
	if err := f.transfer(waiting); err != nil {
		return err
	}
	content, err := encodeIndex(slices.SortedFunc(maps.Values(files), func(a, b remoteFile) int {
		return strings.Compare(a.Name, b.Name)
	}))
	if err != nil {
		return err
	}
	if err := u.b.Put(indexKey(u.at, old.number+1), content, true); err != nil {
		return err
	}
	u.tidy(old, files)
	return f.Abort()
}

// staged returns the files of the staging folder, and a hash of them.
func (f *Folder) staged() (names []string, sum string, err error) {
	all := sha256.New()
	err = filepath.WalkDir(f.tmp, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(f.tmp, full)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		in, err := os.Open(full)
		if err != nil {
			return err
		}
		defer in.Close()
		one := sha256.New()
		if _, err := io.Copy(one, in); err != nil {
			return err
		}
		names = append(names, name)
		fmt.Fprintf(all, "%q %x\n", name, one.Sum(nil))
		return nil
	})
	return names, hex.EncodeToString(all.Sum(nil)[:8]), f.named(err)
}

// transfer uploads files of the staging folder.
func (f *Folder) transfer(files []remoteFile) error {
	next := make(chan remoteFile)
	failed := make(chan error, uploads)
	for range uploads {
		go func() {
			defer fault.Trap()
			var err error
			for one := range next {
				if err == nil {
					err = f.transferOne(one)
				}
			}
			failed <- err
		}()
	}
	for _, one := range files {
		next <- one
	}
	close(next)
	var all error
	for range uploads {
		if err := <-failed; all == nil {
			all = err
		}
	}
	return all
}

func (f *Folder) transferOne(one remoteFile) error {
	in, err := os.Open(f.path(one.Name))
	if err != nil {
		return f.named(err)
	}
	defer in.Close()
	return f.up.b.Put(f.up.at.Join(one.Object).Key, in, false)
}

// tidy removes the objects and indexes that neither the fresh version nor the old one names. What cannot be removed is
// tried again with the next version.
func (u *upload) tidy(old remoteVersion, fresh map[string]remoteFile) {
	named := map[string]bool{}
	for _, f := range fresh {
		named[u.at.Join(f.Object).Key] = true
	}
	if old.number == 0 { // plain files, which are not read any more
		for name, o := range old.objects {
			if !named[o.Key] && !strings.HasPrefix(name, versionsFolder+"/") {
				_ = u.b.Remove(o.Key)
			}
		}
	}
	for _, o := range old.objects {
		named[o.Key] = true
	}
	older, err := indexes(u.b, u.at)
	if err != nil {
		return
	}
	for _, x := range older {
		if x.number >= old.number {
			continue
		}
		if x.spent {
			if orphaned(x.modified) {
				_ = u.b.Remove(indexKey(u.at, x.number))
			}
			continue
		}
		if v, err := readIndex(u.b, u.at, x.number); err == nil {
			for _, o := range v.objects {
				if !named[o.Key] && isVersionFolder(strings.TrimPrefix(o.Key, u.at.Key+"/")) {
					_ = u.b.Remove(o.Key)
				}
			}
		}
		_ = u.b.Put(indexKey(u.at, x.number), strings.NewReader(""), false)
	}
	all, err := u.b.List(u.at.Key+"/v", 0)
	if err != nil {
		return
	}
	for _, o := range all {
		if !named[o.Key] && isVersionFolder(strings.TrimPrefix(o.Key, u.at.Key+"/")) && orphaned(o.Modified) {
			_ = u.b.Remove(o.Key)
		}
	}
}

// orphaned reports whether an unused object is old enough to be removed.
func orphaned(modified time.Time) bool { return !modified.IsZero() && time.Since(modified) > orphanAge }

// isVersionFolder reports whether an object below a folder lies where versions bring theirs.
func isVersionFolder(object string) bool {
	top, _, ok := strings.Cut(object, "/")
	return ok && len(top) == len("v00000001-0123456789abcdef") && top[0] == 'v' && top[9] == '-' &&
		strings.Trim(top[1:9], "0123456789") == "" && strings.Trim(top[10:], "0123456789abcdef") == ""
}

// publishFileRemote is [Folder.PublishFile] in a bucket: an object appears whole.
func (f *Folder) publishFileRemote(name string) error {
	in, err := os.Open(f.path(name))
	if err != nil {
		return f.named(err)
	}
	defer in.Close()
	if err := f.up.b.Put(f.up.at.Key, in, false); err != nil {
		return err
	}
	return f.Abort()
}
