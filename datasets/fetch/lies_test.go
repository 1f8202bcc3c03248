package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// A wrong Content-Length, too long or too short, ends in an error or in the right bytes.
func TestLengthsThatLie(t *testing.T) {
	content := zipped(12, 50_000)
	n := len(content)
	answer := func(length int) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) {
			raw(w, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", length, content))
		}
	}
	for _, test := range []struct {
		name   string
		length int
		f      File
		want   string
	}{
		{"too long", n + 10, File{}, "given up after 5 attempts"},
		{"too long, size known", n + 10, File{Size: int64(n)}, fmt.Sprintf("the server has a file of %d bytes, "+
			"published are %d", n+10, n)},
		{"too short, size known", n - 10, File{Size: int64(n)}, fmt.Sprintf("the server has a file of %d bytes, "+
			"published are %d", n-10, n)},
		{"too short, checksum known", n - 10, File{SHA256: sum(content)}, sum(content)},
		{"too short, nothing known but that it is gzip", n - 10, File{}, "damaged or cut"},
		{"right, size known and other", n, File{Size: int64(n) + 1}, fmt.Sprintf("published are %d", n+1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, answer(test.length))
			dir := t.TempDir()
			test.f.Path, test.f.URLs = "a.gz", []string{s.URL}
			_, err := get(t, test.f, dir)
			says(t, err, test.want, s.URL)
			lacks(t, dir, "a.gz")
		})
	}
}

// Without a length, only the end of the connection marks the end of the file: that is not enough, unless something
// tells that the file is whole.
func TestNoLengthAtAll(t *testing.T) {
	content := noise(13, 50_000)
	for _, test := range []struct {
		name, head string
		sent       []byte
		f          File
		want       string
	}{
		{"connection closed", "HTTP/1.0 200 OK\r\n\r\n", content, File{}, "neither the server nor the publisher says " +
			"how long the file is"},
		{"connection closed, checksum known", "HTTP/1.0 200 OK\r\n\r\n", content, File{SHA256: sum(content)}, ""},
		{"connection closed, size known", "HTTP/1.0 200 OK\r\n\r\n", content, File{Size: 50_000}, ""},
		{"cut, size known", "HTTP/1.0 200 OK\r\n\r\n", content[:49_999], File{Size: 50_000},
			"it ended after 49999 of 50000 bytes"},
		{"more, size known", "HTTP/1.0 200 OK\r\n\r\n", append(slices.Clip(content), 0), File{Size: 50_000},
			"more than the 50000 bytes"},
		{"cut, checksum known", "HTTP/1.0 200 OK\r\n\r\n", content[:49_999], File{SHA256: sum(content)},
			sum(content[:49_999])},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n", append(slices.Clip(content),
			"\r\n0\r\n\r\n"...), File{}, ""},
		{"chunked, cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n", append(slices.Clip(content),
			"\r\n"...), File{}, "given up"},
		{"empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", nil, File{}, "empty file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { raw(w, test.head+string(test.sent)) })
			dir := t.TempDir()
			test.f.Path, test.f.URLs = "a.csv", []string{s.URL}
			_, err := get(t, test.f, dir)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				holds(t, dir, "a.csv", content)
				return
			}
			says(t, err, test.want)
			lacks(t, dir, "a.csv")
		})
	}
}

// Garbage of the right length fails its checksum, is removed, and both sums are shown.
func TestGarbageOfTheRightLength(t *testing.T) {
	content, garbage := noise(18, 70_000), noise(19, 70_000)
	for name, f := range map[string]File{"sha256": {SHA256: sum(content)}, "md5": {MD5: short(content)}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, garbage) })
			dir := t.TempDir()
			f.Path, f.URLs, f.Size = "a.csv", []string{s.URL}, 70_000
			_, err := get(t, f, dir)
			var sums *ChecksumError
			if !errors.As(err, &sums) || sums.Published != f.SHA256+f.MD5 ||
				sums.Got != map[string]string{"sha256": sum(garbage), "md5": short(garbage)}[name] {
				t.Errorf("error %v", err)
			}
			says(t, err, sums.Got, sums.Published, name)
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("the folder holds %v", left)
			}
			if n, _ := s.asked(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestFirstBytes(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"a.gz", "<html>", "web page"}, {"a.tar.gz", "\ufeff  <!doctype html>", "web page"},
		{"a.parquet", "<?xml version='1.0'?>", "web page"},
		{"a.csv", "\r\n<HTML>", "web page"}, {"a.gz", `{"error":"quota"}`, "not a gzip file"},
		{"a.parquet", "PAR2", "not a Parquet file"},
		{"a.zip", "zip", "not a zip file"}, {"a.tgz", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
			"Git LFS pointer"},
		{"a.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"},
		{"a.csv", "a,b\n1,2\n", ""}, {"SHA256SUM", sum(nil) + " *a\n", ""},
		// Right at the start, wrong at the end.
		{"a.gz", "\x1f\x8b", "damaged or cut"}, {"a.gz", string(zipped(1, 99)[:60]), "damaged or cut"},
		{"a.parquet", "PAR1", ""}, {"a.parquet", "PAR1....", "damaged or cut"},
		{"a.parquet", "PAR1....PAR1", ""}, {"a.zip", "PK\x03\x04", "damaged or cut"}, {"a.zst", "\x28\xb5\x2f\xfdrest",
			""}, {"a.bz2", "BZ0", "not a bzip2 file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { write(w, []byte(test.body)) })
			dir := t.TempDir()
			_, err := get(t, File{Path: test.name, URLs: []string{s.URL}}, dir)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				holds(t, dir, test.name, []byte(test.body))
				return
			}
			says(t, err, test.want)
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("the folder holds %v", left)
			}
		})
	}
}

// A server that compresses on the way would spoil sizes and checksums; one that labels a .gz file as compressed does
// not.
func TestContentEncoding(t *testing.T) {
	content := zipped(22, 5_000)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if e := r.Header.Get("Accept-Encoding"); e != "identity" {
			t.Errorf("Accept-Encoding: %q", e)
		}
		w.Header().Set("Content-Encoding", "gzip")
		write(w, content)
	})
	dir := t.TempDir()
	if _, err := get(t, File{Path: "a.swf.gz", URLs: []string{s.URL}}, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.swf.gz", content)
	_, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir)
	says(t, err, "Content-Encoding")
	lacks(t, dir, "a.csv")
}
