package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"racecard/datasets/plainfile"
	"racecard/datasets/publish/internal/bucket"
)

// Paths that users give name a file or folder on this machine, or in a bucket: s3://BUCKET/PATH, gs://...,
// azblob://.... The functions of this file take either.

// TransferError is a request to a bucket that failed. Its text names the URL, the reason and the remedy.
type TransferError = bucket.Error

// Remote reports whether a path lies in a bucket.
func Remote(path string) bool { return bucket.Is(path) }

// Schemes are the schemes of buckets that this program can open, such as s3: none without package clouds.
func Schemes() []string { return bucket.Schemes() }

// Name returns the last element of a path, for people and for provenance.
func Name(path string) string {
	if l, err := bucket.Parse(path); Remote(path) && err == nil {
		if _, name := l.Parent(); name != "" {
			return name
		}
		return l.Bucket
	}
	return filepath.Base(filepath.Clean(path))
}

// Join returns the path of a name, with slashes, below a folder.
func Join(folder, name string) string {
	if l, err := bucket.Parse(folder); Remote(folder) && err == nil {
		return l.Join(name).String()
	}
	return filepath.Join(folder, filepath.FromSlash(name))
}

// Abs returns the path as other processes can use it.
func Abs(path string) (string, error) {
	if Remote(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

// Shown is a path for messages: a URL loses its query.
func Shown(path string) string {
	if Remote(path) {
		path, _, _ = strings.Cut(path, "?")
	}
	return path
}

// Stat describes a file or folder, links followed.
func Stat(path string) (fs.FileInfo, error) {
	if Remote(path) {
		return statRemote(path)
	}
	return os.Stat(path)
}

// ReadFile returns the content of a plain file of at most a gigabyte.
func ReadFile(path string) ([]byte, error) {
	if Remote(path) {
		return readRemote(path)
	}
	return plainfile.ReadFile(path, plainfile.Most)
}

// Tag returns the version tag of a file in a bucket, which changes with its content; "" where there is none, as for
// files on this machine.
func Tag(info fs.FileInfo) string {
	if t, ok := info.(interface{ Tag() string }); ok {
		return t.Tag()
	}
	return ""
}

// RemoveFile removes a file that racecard wrote with [BeginFile]. One that is not there is no error.
func RemoveFile(path string) error {
	if Remote(path) {
		l, b, err := openBucket(path)
		if err != nil {
			return err
		}
		return b.Remove(l.Key)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Locate returns the path of a file of a folder as other programs find it. In a bucket that is the object that holds
// it.
func Locate(folder, name string) (string, error) {
	if !Remote(folder) {
		return Join(folder, name), nil
	}
	l, b, err := openBucket(folder)
	if err != nil {
		return "", err
	}
	v, err := currentVersion(b, l)
	if err != nil {
		return "", err
	}
	o, ok := v.objects[name]
	if !ok {
		return "", notThere(l.Join(name))
	}
	l.Key = o.Key
	return l.Shown(), nil
}

// File is a file that is open for reading, anywhere in it.
type File interface {
	fs.File
	io.ReaderAt
}

// OpenFile opens a file for reading.
func OpenFile(path string) (File, error) {
	if !Remote(path) {
		return os.Open(path)
	}
	fsys, name, err := OpenTree(path)
	if err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	in, ok := f.(File)
	if !ok {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: Shown(path), Err: errors.New("is a folder")}, f.Close())
	}
	return in, nil
}
