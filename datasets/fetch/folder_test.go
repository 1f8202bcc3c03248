package fetch

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Without a published checksum the first download is trusted, and one that differs later is an error until it is
// accepted.
func TestTrustOnFirstUse(t *testing.T) {
	first, second := noise(23, 9_000), noise(24, 9_500)
	content := first
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
	dir := t.TempDir()
	f := File{Path: "a.csv", URLs: []string{s.URL}}
	if _, err := get(t, f, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, f, dir); err != nil {
		t.Fatalf("the same file again: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "a.csv")); err != nil {
		t.Fatal(err)
	}
	content = second
	for range 2 { // the second time nothing is downloaded, and the answer is the same
		_, err := get(t, f, dir)
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.First != sum(first) || changed.Now != sum(second) {
			t.Fatalf("another file: %v", err)
		}
		says(t, err, sum(first), sum(second), RecordFile)
		lacks(t, dir, "a.csv")
	}
	if n, _ := s.asked(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if err := os.Remove(filepath.Join(dir, RecordFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, f, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", second)
	if n, _ := s.asked(); n != 3 {
		t.Errorf("%d requests, want 3: the accepted file was there", n)
	}
}

// A published checksum rules over what was fetched before.
func TestPublishedSumRulesOverRecord(t *testing.T) {
	first, second := noise(25, 9_000), noise(26, 9_000)
	content := first
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
	dir := t.TempDir()
	if _, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir); err != nil {
		t.Fatal(err)
	}
	f := File{Path: "a.csv", URLs: []string{s.URL}, SHA256: sum(second)}
	_, err := get(t, f, dir)
	says(t, err, "a.csv is there already and is not the published one", sum(first), sum(second))
	if err := os.Remove(filepath.Join(dir, "a.csv")); err != nil {
		t.Fatal(err)
	}
	content = second
	if _, err := get(t, f, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", second)
}

// What stands in the place of a file is never overwritten nor taken for it.
func TestExistingFiles(t *testing.T) {
	content := noise(27, 2_000)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
	for _, test := range []struct {
		name string
		make func(path string)
		f    File
		want string
	}{
		{"of unknown origin", func(p string) { put(t, p, content) }, File{}, "nothing tells where it comes from"},
		{"of the right size", func(p string) { put(t, p, content) }, File{Size: 2_000}, "nothing tells where it " +
			"comes from"},
		{"of the wrong size", func(p string) { put(t, p, content) }, File{Size: 2_001}, "it has 2000 bytes, " +
			"published are 2001"},
		{"with the published checksum", func(p string) { put(t, p, content) }, File{SHA256: sum(content)}, ""},
		{"with another checksum", func(p string) { put(t, p, content[1:]) }, File{SHA256: sum(content)}, sum(content)},
		{"a folder", func(p string) { put(t, filepath.Join(p, "x"), nil) }, File{}, "is not a file"},
		{"a link", func(p string) { os.Symlink("/etc/hostname", p) }, File{}, "is not a file"},
		{"changed since", func(p string) {
			put(t, p, content[1:])
			put(t, filepath.Join(filepath.Dir(p), RecordFile),
				[]byte(`{"files":{"a.csv":{"url":"u","bytes":2000,"sha256":"`+sum(content)+`","published":false}}}`))
		}, File{}, "has changed since it was fetched"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			test.make(filepath.Join(dir, "a.csv"))
			before := files(t, dir)
			test.f.Path, test.f.URLs = "a.csv", []string{s.URL}
			_, err := get(t, test.f, dir)
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else {
				var existing *ExistingError
				says(t, err, test.want, filepath.Join(dir, "a.csv"))
				if !errors.As(err, &existing) {
					t.Errorf("%T", err)
				}
			}
			if after := files(t, dir); !slices.Equal(before, after) {
				t.Errorf("the folder held %v, now %v", before, after)
			}
		})
	}
	if n, _ := s.asked(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

func TestNothingIsWrittenOutside(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, []byte("a,b\n")) })
	for _, name := range []string{"", ".", "..", "../a", "/a", "a/../../b", "a/..", "a//b", "a/", `a\b`, `..\a`, "c:a",
		"a\x00", RecordFile, "x/" + RecordFile, "a.part", "a.part.json"} {
		dir := filepath.Join(t.TempDir(), "in")
		if _, err := get(t, File{Path: name, URLs: []string{s.URL}}, dir); err == nil {
			t.Errorf("%q was written", name)
		}
		if left := files(t, filepath.Dir(dir)); len(left) > 0 {
			t.Errorf("%q: %v", name, left)
		}
	}
	if n, _ := s.asked(); n > 0 {
		t.Errorf("%d requests", n)
	}
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	_, err := get(t, File{Path: "sub/a.csv", URLs: []string{s.URL}}, dir)
	var local *LocalError
	if !errors.As(err, &local) {
		t.Errorf("through a link: %v", err)
	}
	if left := files(t, outside); len(left) > 0 {
		t.Errorf("through a link: %v", left)
	}
}

func TestFoldersThatCannotBeWritten(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, []byte("a,b\n")) })
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), nil)
	for _, test := range []struct{ name, dir, path string }{
		{"a file where the folder should be", filepath.Join(dir, "file"), "a.csv"},
		{"a file where a folder in it should be", dir, "file/a.csv"},
	} {
		_, err := get(t, File{Path: test.path, URLs: []string{s.URL}}, test.dir)
		var local *LocalError
		if !errors.As(err, &local) || !strings.Contains(err.Error(), filepath.Join(dir, "file")) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	put(t, filepath.Join(dir, RecordFile), []byte(`{"file`))
	_, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir)
	says(t, err, filepath.Join(dir, RecordFile), "remove it")
	lacks(t, dir, "a.csv")
	if os.Getuid() != 0 { // root may write anywhere
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		_, err := get(t, File{Path: "b.csv", URLs: []string{s.URL}}, dir)
		says(t, err, "permission denied", dir)
	}
}

// While a file arrives, nobody else downloads into the folder.
func TestOneDownloadAtATime(t *testing.T) {
	content := noise(31, 5_000)
	dir := t.TempDir()
	var second error
	var s *server
	s = serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 0 {
			_, second = get(t, File{Path: "b.csv", URLs: []string{s.URL}}, dir)
		}
		good(w, r, content)
	})
	if _, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", content)
	if second == nil {
		t.Skip("no locks on this system")
	}
	says(t, second, dir, "another download into this folder is running")
}
