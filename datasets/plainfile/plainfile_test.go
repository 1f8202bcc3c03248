package plainfile_test

import (
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
