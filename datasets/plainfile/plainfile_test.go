package plainfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"racecard/datasets/plainfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "holes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "holes"), 20e9); err != nil {
		t.Skip(err)
	}
	fsys := os.DirFS(dir)
	for name, want := range map[string]string{
		"none": "no such file", "folder": "is a folder", "fifo": "is a pipe", "holes": "has 20000000000 bytes, at " +
			"most 1073741824 are taken",
	} {
		if _, err := plainfile.Read(fsys, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if data, err := plainfile.Read(fsys, "a"); err != nil || string(data) != "abc" {
		t.Errorf("%q, %v", data, err)
	}
}

// A walk finds the files of a folder, also behind a link to it and links to files; it passes over other things.
func TestWalk(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.MkdirAll(in("real/sub"), 0o700), os.WriteFile(in("real/a"), []byte("1"), 0o600),
		os.WriteFile(in("real/sub/b"), []byte("22"), 0o600), os.Symlink("a", in("real/to-a")),
		os.Symlink("nowhere", in("real/dangling")), os.Symlink("self", in("real/self")),
		os.Symlink("sub", in("real/to-sub")), syscall.Mkfifo(in("real/pipe"), 0o600),
		os.Symlink("real", in("link"))); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"real": "a 1, sub/b 2, to-a 1", "link": "a 1, sub/b 2, to-a 1",
		"link/": "a 1, sub/b 2, to-a 1", "real/a": ". 1", "real/to-a": ". 1"} {
		var got []string
		err := plainfile.Walk(dir+"/"+path, func(_, below string, info fs.FileInfo) error {
			got = append(got, fmt.Sprintf("%s %d", below, info.Size()))
			return nil
		})
		if text := strings.Join(got, ", "); err != nil || text != want {
			t.Errorf("%s: %s, %v; want %s", path, text, err, want)
		}
	}
	for _, path := range []string{"nothing", "real/dangling"} {
		if err := plainfile.Walk(in(path), nil); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
