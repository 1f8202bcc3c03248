package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"racecard/datasets/publish/internal/bucket"
)

// notes is a kind of folder whose files are listed in its marker.
func notes() Kind {
	return Kind{Marker: "index", What: "notes", Own: func(fsys fs.FS) ([]string, error) {
		text, err := fs.ReadFile(fsys, "index")
		return strings.Fields(string(text)), err
	}}
}

// put publishes a version with some files, and if kept also with the files of the version before it.
func put(t *testing.T, url string, kept bool, files ...string) error {
	t.Helper()
	f, err := Begin(url, notes())
	if err != nil {
		return err
	}
	defer func() {
		if err := f.Abort(); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range files {
		if err := f.Write(name, []byte("content of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	return f.Publish(func(old fs.FS) error {
		index := strings.Join(files, " ")
		if old != nil && kept {
			text, err := fs.ReadFile(old, "index")
			if err != nil {
				return err
			}
			for _, name := range strings.Fields(string(text)) {
				if err := f.Keep(name); err != nil {
					return err
				}
			}
			index += " " + string(text)
		}
		return f.Write("index", []byte(index))
	})
}

func namesIn(t *testing.T, fsys fs.FS) string {
	t.Helper()
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// buckets counts the buckets in memory: they last as long as the process.
var buckets atomic.Int64

// memory returns a folder in a bucket of its own.
func memory(t *testing.T) (string, *bucket.Bucket) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	url := fmt.Sprintf("mem://bucket%d/top/notes", buckets.Add(1))
	_, b, err := openBucket(url)
	if err != nil {
		t.Fatal(err)
	}
	return url, b
}

// This test binary has no driver of a cloud: URLs stay URLs, and say what is missing.
func TestWithoutDrivers(t *testing.T) {
	if got := Schemes(); len(got) > 0 {
		t.Errorf("it opens %v", got)
	}
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		url := scheme + "://bucket/notes/a"
		_, err := Open(url)
		want := fmt.Sprintf("%s: this program was built without the driver of %s://: build it without -tags no%[2]s",
			url, scheme)
		if !Remote(url) || err == nil || err.Error() != want {
			t.Errorf("%s is in a bucket: %t; %v, want %s", url, Remote(url), err, want)
		}
	}
}

// Readers see one version while others replace it; the one before stays, older ones go.
func TestRemoteVersions(t *testing.T) {
	url, b := memory(t)
	if _, err := Open(url); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is there yet: %v", err)
	}
	if err := put(t, url, false, "a", "d/b"); err != nil {
		t.Fatal(err)
	}
	first, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t, url, false, "c"); err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, first); got != "a d/b index" {
		t.Errorf("the first version has %s", got)
	}
	if data, err := fs.ReadFile(first, "d/b"); err != nil || string(data) != "content of d/b" {
		t.Errorf("while it is replaced: %q, %v", data, err)
	}
	if err := put(t, url, true, "e"); err != nil {
		t.Fatal(err)
	}
	var replaced *ReplacedError
	if _, err := fs.ReadFile(first, "a"); !errors.As(err, &replaced) {
		t.Errorf("a version that is gone: %v", err)
	}
	third, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, third); got != "c e index" {
		t.Errorf("the third version has %s", got)
	}
	if data, err := ReadFile(Join(url, "c")); err != nil || string(data) != "content of c" {
		t.Errorf("a file by its name: %q, %v", data, err)
	}
	if info, err := Stat(Join(url, "e")); err != nil || info.Size() != int64(len("content of e")) {
		t.Errorf("%v, %v", info, err)
	}
	all, err := b.List("", 0)
	if err != nil {
		t.Fatal(err)
	}
	spent := slices.DeleteFunc(slices.Clone(all), func(o bucket.Object) bool { return o.Size > 0 })
	// indexes, the first one empty; c and the index of version 2; e and the index of version 3
	if len(all) != 3+2+2 || len(spent) != 1 {
		t.Errorf("%d objects, %d empty: %v", len(all), len(spent), all)
	}
}

// What racecard did not make is not replaced, nor is a file in place of a folder.
func TestRemoteForeign(t *testing.T) {
	url, b := memory(t)
	if err := b.Put("top/notes/other", strings.NewReader("x"), false); err != nil {
		t.Fatal(err)
	}
	if err := put(t, url, false, "a"); err == nil || !strings.Contains(err.Error(), "holds no index") {
		t.Errorf("%v", err)
	}
	if _, err := BeginFile(url); err == nil || !strings.Contains(err.Error(), "as a folder") {
		t.Errorf("%v", err)
	}
}

// A folder that was copied into the bucket is read as it is, and replaced by a version; files of others stay in sight.
func TestRemotePlainFolder(t *testing.T) {
	url, b := memory(t)
	for name, content := range map[string]string{"index": "a b", "a": "1", "b": "2", "theirs": "3"} {
		if err := b.Put("top/notes/"+name, strings.NewReader(content), false); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := Open(url)
	if err != nil || namesIn(t, plain) != "a b index theirs" {
		t.Fatalf("%v", err)
	}
	if err := put(t, url, false, "c"); err != nil {
		t.Fatal(err)
	}
	fresh, err := Open(url)
	if err != nil || namesIn(t, fresh) != "c index theirs" {
		t.Errorf("%s, %v", namesIn(t, fresh), err)
	}
	if left, err := b.List("top/notes/a", 0); err != nil || len(left) != 0 {
		t.Errorf("%v, %v: nobody finds it any more", left, err)
	}
}

// An upload that did not finish is nothing, and its objects are not sent twice.
func TestRemoteInterrupted(t *testing.T) {
	url, b := memory(t)
	f, err := Begin(url, notes())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "index"} {
		if err := f.Write(name, []byte("content of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	_, sum, err := f.staged()
	if err != nil {
		t.Fatal(err)
	}
	// to be told apart
	if err := b.Put("top/notes/v00000001-"+sum+"/a", strings.NewReader("content of A"), false); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(url); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a version is seen: %v", err)
	}
	if err := f.Publish(nil); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(Join(url, "a")); err != nil || string(data) != "content of A" {
		t.Errorf("%q, %v: the object was sent again", data, err)
	}
}

// Of several processes that add to a folder at once, none loses what another one wrote.
func TestRemoteConcurrent(t *testing.T) {
	url, _ := memory(t)
	if err := put(t, url, false, "a"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if err := put(t, url, true, fmt.Sprint("n", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	fsys, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, fsys); got != "a index n0 n1 n2 n3 n4 n5" {
		t.Errorf("%s", got)
	}
}

// A process that is three versions late begins again: the number that it would take was another one's, which is gone.
func TestRemoteLate(t *testing.T) {
	url, _ := memory(t)
	if err := put(t, url, false, "a"); err != nil {
		t.Fatal(err)
	}
	f, err := Begin(url, notes())
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	err = f.Publish(func(old fs.FS) error {
		names := namesIn(t, old)
		if tries++; tries == 1 {
			for i := range 3 {
				if err := put(t, url, true, fmt.Sprint("n", i)); err != nil {
					return err
				}
			}
		}
		return f.Write("index", []byte("saw "+strings.ReplaceAll(names, "index ", "")))
	})
	if text, _ := ReadFile(Join(url, "index")); err != nil || tries != 2 || string(text) != "saw a n0 n1 n2" {
		t.Errorf("%q after %d tries, %v", text, tries, err)
	}
}

func TestRemoteFile(t *testing.T) {
	url, _ := memory(t)
	for _, content := range []string{"one", "two"} {
		f, err := BeginFile(url)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write("x", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if err := f.PublishFile("x"); err != nil {
			t.Fatal(err)
		}
		if data, err := ReadFile(url); err != nil || string(data) != content {
			t.Errorf("%q, %v", data, err)
		}
	}
}
