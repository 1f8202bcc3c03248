package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"racecard/datasets/publish/internal/bucket"
)

// A bucket has no renames, so a folder in it is a list of versions:
//
//	_versions/00000003.json      the index of version 3: the names of its files, and the objects that hold them
//	v00000003-4f0c…/jobs/…       objects that version 3 brought
//
// The highest index is the folder. It is written last, and only if there is none of its number yet (If-None-Match), so
// of two processes that publish at once one goes first and the other one begins again on top of it. Objects are never
// written twice, so readers see one version; the one before stays for those that read it. Of older versions an empty
// index stays for a week: a process that read them and is slow must not take their number. An index may name objects of
// older versions: nothing is copied. A folder without any index, as `aws s3 cp --recursive` makes it, is read as it is.

const (
	versionsFolder = "_versions"
	indexFormat    = 1
	// maxIndex bounds an index, in bytes.
	maxIndex = 256 << 20
	// maxRemoteFile bounds a file that is read whole.
	maxRemoteFile = 1 << 30
)

// remoteIndex is the content of an index.
type remoteIndex struct {
	Format int          `json:"racecard_versions"`
	Files  []remoteFile `json:"files"` // by name
}

// remoteFile is a file of a version.
type remoteFile struct {
	Name   string `json:"name"`   // in the folder
	Object string `json:"object"` // below the folder
	Bytes  int64  `json:"bytes"`
}

// remoteVersion is a version of a folder.
type remoteVersion struct {
	number  int  // 0: there is no index
	fresh   bool // of one without index: an index was written meanwhile
	objects map[string]bucket.Object
}

func openBucket(text string) (bucket.Location, *bucket.Bucket, error) {
	l, err := bucket.Parse(text)
	if err != nil {
		return l, nil, err
	}
	b, err := bucket.Open(l)
	return l, b, err
}

func indexKey(l bucket.Location, number int) string {
	return l.Join(fmt.Sprintf("%s/%08d.json", versionsFolder, number)).Key
}

// indexNumbers returns the numbers of the versions of a folder that have an index, in ascending order.
func indexNumbers(b *bucket.Bucket, l bucket.Location) ([]int, error) {
	all, err := indexes(b, l)
	var numbers []int
	for _, x := range all {
		if !x.spent {
			numbers = append(numbers, x.number)
		}
	}
	return numbers, err
}

// indexObject is an index, or the remains of one.
type indexObject struct {
	number   int
	spent    bool // emptied: its version is gone, and no other one may take its number
	modified time.Time
}

// indexes returns the indexes of a folder by number.
func indexes(b *bucket.Bucket, l bucket.Location) ([]indexObject, error) {
	all, err := b.List(l.Join(versionsFolder).Key+"/", 0)
	var x []indexObject
	for _, o := range all {
		text, ok := strings.CutSuffix(path.Base(o.Key), ".json")
		if n, err := strconv.Atoi(text); ok && err == nil && n > 0 && indexKey(l, n) == o.Key {
			x = append(x, indexObject{n, o.Size == 0, o.Modified})
		}
	}
	return x, err
}

// readIndex reads the index of a version.
func readIndex(b *bucket.Bucket, l bucket.Location, number int) (remoteVersion, error) {
	v := remoteVersion{number: number, objects: map[string]bucket.Object{}}
	data, err := b.Read(indexKey(l, number), maxIndex)
	if err != nil {
		return v, err
	}
	if len(data) == 0 {
		return v, fs.ErrNotExist
	}
	var x remoteIndex
	shown := l.Join(versionsFolder).Shown() + fmt.Sprintf("/%08d.json", number)
	if err := json.Unmarshal(data, &x); err != nil {
		return v, fmt.Errorf("%s is damaged: %w; remove it, and the version before is the folder", shown, err)
	}
	if x.Format != indexFormat {
		return v, fmt.Errorf("%s is of format %d, this racecard reads format %d", shown, x.Format, indexFormat)
	}
	for _, f := range x.Files {
		if !fs.ValidPath(f.Name) || !fs.ValidPath(f.Object) || f.Bytes < 0 {
			return v, fmt.Errorf("%s is damaged: file %q, object %q, %d bytes; remove it, and the version before is "+
				"the folder", shown, f.Name, f.Object, f.Bytes)
		}
		// the hash of the content is in its name
		v.objects[f.Name] = bucket.Object{Key: l.Join(f.Object).Key, Size: f.Bytes, Tag: f.Object}
	}
	return v, nil
}

// currentVersion returns the version of a folder that readers see. One without index and objects is an empty folder.
func currentVersion(b *bucket.Bucket, l bucket.Location) (remoteVersion, error) {
	for range conflicts {
		v, err := newestVersion(b, l)
		if err != nil || v.number > 0 {
			return v, err
		}
		if v, err = plainVersion(b, l); err != nil {
			return v, err
		}
		if !v.fresh {
			return v, nil
		}
	}
	return remoteVersion{}, &ReplacedError{l.Shown()}
}

// newestVersion returns the version with the highest index, number 0 where there is none.
func newestVersion(b *bucket.Bucket, l bucket.Location) (remoteVersion, error) {
	for range conflicts {
		numbers, err := indexNumbers(b, l)
		if err != nil || len(numbers) == 0 {
			return remoteVersion{}, err
		}
		v, err := readIndex(b, l, numbers[len(numbers)-1])
		if !errors.Is(err, fs.ErrNotExist) { // else it was removed after it was listed: there are newer ones
			return v, err
		}
	}
	return remoteVersion{}, &ReplacedError{l.Shown()}
}

// plainVersion returns the files of a folder that has no index.
func plainVersion(b *bucket.Bucket, l bucket.Location) (remoteVersion, error) {
	v := remoteVersion{objects: map[string]bucket.Object{}}
	prefix := strings.TrimPrefix(l.Key+"/", "/")
	all, err := b.List(prefix, 0)
	for _, o := range all {
		name := strings.TrimPrefix(o.Key, prefix)
		if strings.HasPrefix(name, versionsFolder+"/") {
			v.fresh = true
		} else if !isVersionFolder(name) { // of an upload that did not finish
			v.objects[name] = o
		}
	}
	return v, err
}

// files returns the files of a version.
func (v *remoteVersion) files(b *bucket.Bucket, l bucket.Location) *bucket.Files {
	f := bucket.NewFiles(b, v.objects)
	f.Missing = func(err error) error {
		if numbers, _ := indexNumbers(b, l); len(numbers) > 0 && numbers[len(numbers)-1] != v.number {
			return &ReplacedError{l.Shown()}
		}
		return err
	}
	return f
}

// openRemote is [Open] for a folder in a bucket.
func openRemote(text string) (fs.FS, error) {
	l, b, err := openBucket(text)
	if err != nil {
		return nil, err
	}
	v, err := currentVersion(b, l)
	if err != nil {
		return nil, err
	}
	if len(v.objects) == 0 {
		return nil, notThere(l)
	}
	return v.files(b, l), nil
}

func notThere(l bucket.Location) error {
	return &bucket.Error{URL: l.Shown(), Reason: "there is no such file or folder", Of: fs.ErrNotExist}
}

// OpenTree returns the file at a URL, or all files below it, as they lie in the bucket. root is the name of the file in
// fsys, "." for a folder.
func OpenTree(text string) (fsys fs.FS, root string, err error) {
	l, b, err := openBucket(text)
	if err != nil {
		return nil, "", err
	}
	if _, name := l.Parent(); name != "" && !strings.HasSuffix(Shown(text), "/") {
		o, err := b.Stat(l.Key)
		if err == nil {
			return bucket.NewFiles(b, map[string]bucket.Object{name: o}), name, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", err
		}
	}
	v, err := currentVersion(b, l)
	if err == nil && len(v.objects) == 0 {
		err = notThere(l)
	}
	if err != nil {
		return nil, "", err
	}
	return v.files(b, l), ".", nil
}

// statRemote is [Stat] in a bucket.
func statRemote(text string) (fs.FileInfo, error) {
	l, b, err := openBucket(text)
	if err != nil {
		return nil, err
	}
	_, name := l.Parent()
	if name != "" {
		o, err := b.Stat(l.Key)
		if err == nil {
			return fs.Stat(bucket.NewFiles(b, map[string]bucket.Object{name: o}), name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	below, err := b.List(strings.TrimPrefix(l.Key+"/", "/"), 1)
	if err != nil {
		return nil, err
	}
	if len(below) == 0 {
		return inVersion(l, b)
	}
	return bucket.NewFiles(b, nil).Stat(".")
}

// inVersion describes a file whose name only the index of the folder above knows, such as STORE/racecard.json.
func inVersion(l bucket.Location, b *bucket.Bucket) (fs.FileInfo, error) {
	o, name, err := indexed(l, b)
	if err != nil {
		return nil, err
	}
	return fs.Stat(bucket.NewFiles(b, map[string]bucket.Object{name: o}), name)
}

// indexed finds the object of a file of the folder above it.
func indexed(l bucket.Location, b *bucket.Bucket) (bucket.Object, string, error) {
	up, name := l.Parent()
	if name == "" || up.Key == "" {
		return bucket.Object{}, "", notThere(l)
	}
	v, err := newestVersion(b, up)
	if err != nil {
		return bucket.Object{}, "", err
	}
	o, ok := v.objects[name]
	if !ok {
		return bucket.Object{}, "", notThere(l)
	}
	return o, name, nil
}

// readRemote is [ReadFile] in a bucket.
func readRemote(text string) ([]byte, error) {
	l, b, err := openBucket(text)
	if err != nil {
		return nil, err
	}
	data, err := b.Read(l.Key, maxRemoteFile)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	o, _, err := indexed(l, b)
	if err != nil {
		return nil, err
	}
	data = make([]byte, min(o.Size, maxRemoteFile))
	return data, b.ReadAt(o, data, 0)
}

// encodeIndex returns the content of an index.
func encodeIndex(files []remoteFile) (*bytes.Reader, error) {
	data, err := json.MarshalIndent(remoteIndex{indexFormat, files}, "", " ")
	return bytes.NewReader(append(data, '\n')), err
}

// orphanAge is how old an object that no version names must be before it is removed: a process may still upload it.
const orphanAge = 7 * 24 * time.Hour
