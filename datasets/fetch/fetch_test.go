package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGetOnceAndNotAgain(t *testing.T) {
	content := noise(1, 300_000)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
	for name, f := range map[string]File{
		"sha256":   {SHA256: sum(content)},
		"md5":      {MD5: short(content)},
		"size":     {Size: 300_000},
		"all":      {Size: 300_000, SHA256: sum(content), MD5: short(content)},
		"nothing":  {},
		"subtable": {SHA256: sum(content)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "folder")
			f.Path, f.URLs = "a.bin", []string{s.URL + "/a.bin"}
			if name == "subtable" {
				f.Path = "job_events/part.bin"
			}
			before, _ := s.asked()
			want := Result{Path: f.Path, URL: f.URLs[0], Bytes: 300_000, SHA256: sum(content), Published: f.published()}
			r, err := get(t, f, dir)
			if err != nil || r != want {
				t.Fatalf("%+v, %v, want %+v", r, err, want)
			}
			holds(t, dir, f.Path, content)
			want.URL = ""
			r, err = get(t, f, dir)
			if err != nil || r != want {
				t.Errorf("again: %+v, %v, want %+v", r, err, want)
			}
			if after, _ := s.asked(); after != before+1 {
				t.Errorf("%d requests, want 1", after-before)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	ok := File{Path: "a", URLs: []string{"https://host/a"}}
	if err := ok.Validate(); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]File{
		"no URL": {Path: "a"}, "a path for a URL": {Path: "a", URLs: []string{"/a"}},
		"ftp":     {Path: "a", URLs: []string{"ftp://host/a"}},
		"no host": {Path: "a", URLs: []string{"https:///a"}}, "negative size": {Path: "a", URLs: ok.URLs, Size: -1},
		"short sha256": {Path: "a", URLs: ok.URLs, SHA256: "abcd"}, "capital sha256": {Path: "a", URLs: ok.URLs,
			SHA256: strings.ToUpper(sum(nil))},
		"sha256 for md5": {Path: "a", URLs: ok.URLs, MD5: sum(nil)}, "not hexadecimal": {Path: "a", URLs: ok.URLs,
			MD5: strings.Repeat("g", 32)},
	} {
		if f.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, change := range map[string]func(*Options){
		"no attempts": func(o *Options) { o.Attempts = 0 }, "no wait": func(o *Options) {
			o.Backoff = 0
		}, "waits out of order": func(o *Options) { o.MaxWait = 1 },
		"no stall": func(o *Options) { o.Stall = 0 }, "no sleep": func(o *Options) {
			o.Sleep = nil
		}, "no clock": func(o *Options) { o.Now = nil },
		"no jitter": func(o *Options) { o.Jitter = nil },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := Get(t.Context(), http.DefaultClient, ok, t.TempDir(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := DefaultOptions().Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is broken off: %v", err)
	}
	if err := DefaultOptions().Sleep(t.Context(), time.Nanosecond); err != nil {
		t.Errorf("a wait: %v", err)
	}
}

func TestLength(t *testing.T) {
	content := noise(28, 1_234)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodHead:
			t.Errorf("method %s", r.Method)
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		case r.URL.Path == "/silent":
			<-r.Context().Done()
		case r.URL.Path == "/chunked":
			w.(http.Flusher).Flush()
		default:
			good(w, r, content)
		}
	})
	for _, test := range []struct {
		paths []string
		want  int64
	}{
		{[]string{"/a"}, 1_234}, {[]string{"/gone"}, 0}, {[]string{"/gone", "/a"}, 1_234}, {[]string{"/chunked"}, 0},
		{[]string{"/silent", "/a"}, 1_234},
	} {
		f := File{Path: "a"}
		for _, p := range test.paths {
			f.URLs = append(f.URLs, s.URL+p)
		}
		o, _ := quick()
		o.Stall = 100 * time.Millisecond
		if got, err := Length(t.Context(), http.DefaultClient, f, o); err != nil || got != test.want {
			t.Errorf("%v: %d, %v, want %d", test.paths, got, err, test.want)
		}
	}
}

// The record is the same, byte for byte, whatever the order of downloads.
func TestRecord(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, []byte(r.URL.Path)) })
	var records [][]byte
	for _, order := range [][]string{{"a", "b", "c/d"}, {"c/d", "a", "b"}} {
		dir := t.TempDir()
		for _, name := range order {
			f := File{Path: name, URLs: []string{s.URL + "/" + name}}
			if name == "b" {
				f.SHA256 = sum([]byte("/b"))
			}
			if _, err := get(t, f, dir); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, RecordFile))
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, data)
	}
	if !bytes.Equal(records[0], records[1]) {
		t.Errorf("%s\n%s", records[0], records[1])
	}
	want := fmt.Sprintf(`{
  "files": {
    "a": {
      "url": "%[1]s/a",
      "bytes": 2,
      "sha256": "%[2]s",
      "published": false
    },
    "b": {
      "url": "%[1]s/b",
      "bytes": 2,
      "sha256": "%[3]s",
      "published": true
    },
    "c/d": {
      "url": "%[1]s/c/d",
      "bytes": 4,
      "sha256": "%[4]s",
      "published": false
    }
  }
}
`, s.URL, sum([]byte("/a")), sum([]byte("/b")), sum([]byte("/c/d")))
	if string(records[0]) != want {
		t.Errorf("%s, want %s", records[0], want)
	}
}

// The rate at which a file comes in from a server on the same machine, checksums and all.
func BenchmarkGet(b *testing.B) {
	content := noise(30, 64<<20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { good(w, r, content) }))
	defer s.Close()
	f := File{Path: "a.csv", URLs: []string{s.URL}, SHA256: sum(content)}
	o, _ := quick()
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := Get(b.Context(), http.DefaultClient, f, b.TempDir(), o); err != nil {
			b.Fatal(err)
		}
	}
}
