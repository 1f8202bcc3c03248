package publish

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/lists"
	"racecard/datasets/publish/internal/bucket"
)

// Folders that are removed keep the files of others, and what is no folder of the kind stays as it is.
func TestRemovedFolders(t *testing.T) {
	url, b := memory(t)
	dir := filepath.Join(t.TempDir(), "notes")
	for _, place := range []string{dir, url} {
		if err := put(t, place, false, "a"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"done/x", "done/y", "mine"} {
			f, err := BeginFile(Join(place, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Write("x", []byte(name)); err != nil {
				t.Fatal(err)
			}
			if err := f.PublishFile("x"); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // one that is gone is no error
			if err := RemoveFolder(place, notes(), "a", "done"); err != nil {
				t.Error(err)
			}
		}
	}
	if got := tree(t, dir); got != ". mine=mine" {
		t.Errorf("left in the folder: %s", got)
	}
	objects, err := b.List("top/", 0)
	keys := lists.Map(objects, func(o bucket.Object) string { return o.Key })
	if err != nil || strings.Join(keys, " ") != "top/notes/mine" {
		t.Errorf("left in the bucket: %v, %v", keys, err)
	}
	alone := filepath.Join(t.TempDir(), "notes")
	if err := put(t, alone, false, "a"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{staging(alone) + "-1", staging(filepath.Join(alone, "done")) + "-1"} { // of dead processes
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveFolder(alone, notes(), "a", "done"); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, filepath.Dir(alone)); got != "." {
		t.Errorf("left beside other folders: %s", got)
	}
}
