package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// listed is a kind of folder whose index is a list of names.
func listed() Kind {
	return Kind{Marker: "index.json", What: "files", Own: func(fsys fs.FS) ([]string, error) {
		data, err := fs.ReadFile(fsys, "index.json")
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		var names []string
		if err == nil {
			err = json.Unmarshal(data, &names)
		}
		return names, err
	}}
}

// write fills a version with files and its index.
func write(t *testing.T, f *Folder, files map[string]string) {
	t.Helper()
	var names []string
	for name, content := range files {
		names = append(names, name)
		if err := f.Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	index, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write("index.json", index); err != nil {
		t.Fatal(err)
	}
}

// published publishes files at a place.
func published(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	f, err := Begin(dir, listed())
	if err != nil {
		t.Fatal(err)
	}
	write(t, f, files)
	if err := f.Publish(nil); err != nil {
		t.Fatal(err)
	}
}

// tree lists what is below a folder, files with their content, without indexes.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.Type().IsRegular() && d.Name() != "index.json" {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all = append(all, name+"="+string(data))
		} else if d.Name() != "index.json" {
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// Files that racecard did not write stay, those of the older version go, and nothing is left beside the folder.
func TestVersionsReplaceTheirOwnFiles(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "out")
	published(t, dir, map[string]string{"a": "1", "sub/b": "1"})
	for name, content := range map[string]string{"notes.txt": "mine", "sub/mine": "too"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("nowhere", filepath.Join(dir, "link")), os.Mkdir(filepath.Join(dir, "empty"),
		0o755), os.Chmod(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	published(t, dir, map[string]string{"a": "2", "c": "2"})
	if got, want := tree(t, top),
		". out out/a=2 out/c=2 out/empty out/link out/notes.txt=mine out/sub out/sub/mine=too"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the mode of the folder is %v, %v", info.Mode(), err)
	}
	f, err := Begin(dir, listed())
	if err != nil {
		t.Fatal(err)
	}
	write(t, f, map[string]string{"notes.txt": "racecard's"})
	if err := f.Publish(nil); err == nil || !strings.Contains(err.Error(), "notes.txt is there and racecard did not "+
		"write it") {
		t.Errorf("a file of somebody else is overwritten: %v", err)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, top); !strings.Contains(got, "notes.txt=mine") || strings.Contains(got, "partial") {
		t.Errorf("after a version that was refused: %s", got)
	}
}

func TestFoldersOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(dir, listed()); err == nil || !strings.Contains(err.Error(), "only replaces what it made") {
		t.Errorf("a folder without an index is replaced: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Begin(dir, listed())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Publish(nil); err == nil || !strings.Contains(err.Error(), "cannot tell what it may replace") {
		t.Errorf("a folder with a damaged index is replaced: %v", err)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
}

// A symbolic link stays, and what it points to is replaced, also where that is not there yet.
func TestLinksStay(t *testing.T) {
	top := t.TempDir()
	link := filepath.Join(top, "link")
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"1", "2"} {
		published(t, link, map[string]string{"a": content})
		if got, want := tree(t, top), ". link target target/a="+content; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What a dead process left goes, a version that stepped aside comes back, and what a living process writes stays.
func TestLeftovers(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "out")
	living, err := Begin(dir, listed())
	if err != nil {
		t.Fatal(err)
	}
	write(t, living, map[string]string{"a": "living"})
	for _, name := range []string{".out.partial-99999999/a", ".out.partial-99999999.old/a", ".other.partial-1/a",
		".out.partial-mine/a"} {
		if err := errors.Join(os.Mkdir(filepath.Dir(filepath.Join(top, name)), 0o755),
			os.WriteFile(filepath.Join(top, name), []byte("dead"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	next, err := Begin(dir, Kind{Marker: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Abort(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(living.Staging())
	if got, want := tree(t, top), ". .other.partial-1 .other.partial-1/a=dead "+name+" "+name+
		"/a=living .out.partial-mine .out.partial-mine/a=dead out out/a=dead"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := living.Abort(); err != nil {
		t.Fatal(err)
	}
}

// Where names cannot be exchanged in one step, the older version comes back when the newer one cannot take its place.
func TestStepAside(t *testing.T) {
	top := t.TempDir()
	dir, tmp := filepath.Join(top, "out"), filepath.Join(top, ".out.partial-1")
	published(t, dir, map[string]string{"a": "1"})
	if _, err := stepAside(tmp, dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a version that is not there: %v", err)
	}
	if got, want := tree(t, top), ". out out/a=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	old, err := stepAside(tmp, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, top), ". .out.partial-1.old .out.partial-1.old/a=1 out"; got != want || old != tmp+aside {
		t.Errorf("%s in %s, want %s", got, old, want)
	}
}

func TestImportsOfOneStoreExcludeEachOther(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	first, err := Resume(dir, listed())
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := Resume(dir, listed()); !errors.As(err, &busy) {
		t.Errorf("two processes write one store: %v", err)
	}
	if err := errors.Join(first.Write("a", nil), first.Leave()); err != nil {
		t.Fatal(err)
	}
	second, err := Resume(dir, listed())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(second.Staging(), "a")); err != nil {
		t.Errorf("what was left for another process is gone: %v", err)
	}
	if err := second.Abort(); err != nil {
		t.Fatal(err)
	}
}

// A folder may be replaced, and its older version removed, while another process looks at it. There are more threads
// than cores, so that some are held up between one look and the next.
func TestBeginWhileReplaced(t *testing.T) {
	const threads, versions = 16, 150
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * threads))
	dir := filepath.Join(t.TempDir(), "out")
	published(t, dir, map[string]string{"x": ""})
	var over atomic.Bool
	var begun atomic.Int64
	var wait sync.WaitGroup
	for range threads {
		wait.Go(func() {
			for !over.Load() {
				f, err := Begin(dir, listed())
				if err != nil {
					t.Error(err)
					return
				}
				begun.Add(1)
				if err := f.Abort(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range versions {
		published(t, dir, map[string]string{"x": ""})
	}
	over.Store(true)
	wait.Wait()
	t.Logf("%d versions begun while %d were published", begun.Load(), versions)
}

// While versions replace each other and add to each other, no update is lost, and a reader sees one of them or is told
// that the folder was replaced.
func TestWritersAndReadersAtOnce(t *testing.T) {
	const writers, versions = 4, 25
	dir := filepath.Join(t.TempDir(), "out")
	published(t, dir, map[string]string{"x": "start", "y": "start"})
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for v := range versions {
				f, err := Begin(dir, listed())
				if err != nil {
					t.Error(err)
					return
				}
				err = f.Publish(func(old fs.FS) error {
					names, err := listed().Own(old)
					if err != nil {
						return err
					}
					content := fmt.Sprint(w, ".", v)
					if err := errors.Join(f.Write("x", []byte(content)), f.Write("y", []byte(content)),
						f.Write(content, nil)); err != nil {
						return err
					}
					for _, name := range names {
						if name != "x" && name != "y" {
							if err := f.Keep(name); err != nil {
								return err
							}
						}
					}
					index, err := json.Marshal(append(names, content))
					return errors.Join(err, f.Write("index.json", index))
				})
				if err := errors.Join(err, f.Abort()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	reads, replaced := 0, 0
	for open := true; open; reads++ {
		select {
		case <-done:
			open = false
		default:
		}
		fsys, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		x, errX := fs.ReadFile(fsys, "x")
		y, errY := fs.ReadFile(fsys, "y")
		var gone *ReplacedError
		switch err := errors.Join(errX, errY); {
		case errors.As(err, &gone):
			replaced++
		case err != nil:
			t.Errorf("a reader is told %v", err)
		case string(x) != string(y):
			t.Errorf("a reader sees %s and %s", x, y)
		}
	}
	names, err := listed().Own(os.DirFS(dir))
	if err != nil || len(names) != writers*versions+2 {
		t.Errorf("%d updates, want %d: %v", len(names)-2, writers*versions, err)
	}
	t.Logf("%d reads, the folder was replaced in %d of them", reads, replaced)
}
