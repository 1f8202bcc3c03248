package bucket

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Files is a file system of the objects in one listing or one index. Listing and describing them takes no request.
// Open files are [io.ReaderAt] and [io.Seeker]; a range costs a request.
type Files struct {
	b       *Bucket
	objects map[string]Object // by name
	folders map[string][]fs.DirEntry
	// Missing, if set, replaces the error of an object that is gone although it was listed.
	Missing func(err error) error
}

// NewFiles makes a file system of objects by their names.
func NewFiles(b *Bucket, objects map[string]Object) *Files {
	f := &Files{b: b, objects: map[string]Object{}, folders: map[string][]fs.DirEntry{".": nil}}
	for name, o := range objects {
		if !fs.ValidPath(name) || name == "." {
			continue // such as the empty object that stands for a folder in some tools
		}
		f.objects[name] = o
		f.enter(name, false)
	}
	for _, entries := range f.folders {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return f
}

func (f *Files) enter(name string, folder bool) {
	dir := path.Dir(name)
	if _, ok := f.folders[dir]; !ok {
		f.folders[dir] = nil
		f.enter(dir, true)
	}
	f.folders[dir] = append(f.folders[dir], fs.FileInfoToDirEntry(f.info(name, folder)))
}

func (f *Files) info(name string, folder bool) info {
	if folder {
		return info{name: path.Base(name), mode: fs.ModeDir | 0o755}
	}
	o := f.objects[name]
	return info{path.Base(name), o.Size, 0o644, o.Modified, o.Tag}
}

// Open implements [fs.FS].
func (f *Files) Open(name string) (fs.File, error) {
	if o, ok := f.objects[name]; ok {
		return &file{f: f, object: o, info: f.info(name, false)}, nil
	}
	if entries, ok := f.folders[name]; ok {
		return &folder{f.info(name, true), entries}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Stat implements [fs.StatFS].
func (f *Files) Stat(name string) (fs.FileInfo, error) {
	if _, ok := f.objects[name]; ok {
		return f.info(name, false), nil
	}
	if _, ok := f.folders[name]; ok {
		return f.info(name, true), nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements [fs.ReadFileFS].
func (f *Files) ReadFile(name string) ([]byte, error) {
	o, ok := f.objects[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	data := make([]byte, o.Size)
	return data, f.read(o, data, 0)
}

func (f *Files) read(o Object, p []byte, at int64) error {
	err := f.b.ReadAt(o, p, at)
	if err != nil && f.Missing != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, errChanged)) {
		return f.Missing(err)
	}
	return err
}

// info describes an object or a folder.
type info struct {
	name     string
	size     int64
	mode     fs.FileMode
	modified time.Time
	tag      string
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

// Tag returns the tag of the [Object].
func (i info) Tag() string { return i.tag }

// file is an object that is open.
type file struct {
	f      *Files
	object Object
	info   info
	at     int64
	ahead  []byte // read, and not yet returned
}

// Stat implements [fs.File].
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements [fs.File].
func (f *file) Close() error { return nil }

// Ranged reports that ranges cost a request each, whatever their size.
func (f *file) Ranged() bool { return true }

// ReadAt implements [io.ReaderAt].
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at >= f.object.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), f.object.Size-at))
	if err := f.f.read(f.object, p[:n], at); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read implements [fs.File]. It reads ahead.
func (f *file) Read(p []byte) (int, error) {
	if len(f.ahead) == 0 {
		n := min(int64(max(len(p), maxRange/2)), f.object.Size-f.at)
		if n <= 0 {
			return 0, io.EOF
		}
		block := make([]byte, n)
		if err := f.f.read(f.object, block, f.at); err != nil {
			return 0, err
		}
		f.ahead = block
		f.at += n
	}
	n := copy(p, f.ahead)
	f.ahead = f.ahead[n:]
	return n, nil
}

// folder is a folder that is open.
type folder struct {
	info    info
	entries []fs.DirEntry
}

// Stat implements [fs.File].
func (d *folder) Stat() (fs.FileInfo, error) { return d.info, nil }

// Close implements [fs.File].
func (d *folder) Close() error { return nil }

// Read implements [fs.File].
func (d *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errors.New("is a folder")}
}

// ReadDir implements [fs.ReadDirFile].
func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		all := d.entries
		d.entries = nil
		return all, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	some := d.entries[:n]
	d.entries = d.entries[n:]
	return some, nil
}
