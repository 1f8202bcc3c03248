package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A connection that breaks at random points, with and without ranges, gives the right bytes. With ranges nothing is
// sent twice.
func TestBrokenConnections(t *testing.T) {
	content := noise(2, 1_000_000)
	for _, ranges := range []bool{true, false} {
		for seed := range uint64(10) {
			t.Run(fmt.Sprintf("ranges %v, seed %d", ranges, seed), func(t *testing.T) {
				random := noise(seed, 64)
				sent := 0
				s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
					at := len(content)
					if n < 4 {
						at = int(random[2*n])<<12 + int(random[2*n+1])
					}
					if r.Header.Get("Range") != "" {
						sent++
					}
					dropping(w, r, content, at, ranges)
				})
				dir := t.TempDir()
				if _, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir); err != nil {
					t.Fatal(err)
				}
				holds(t, dir, "a.csv", content)
				if ranges != (sent > 0) && sent > 0 {
					t.Errorf("%d requests for the rest of a file without validator", sent)
				}
				if n, asked := s.asked(); ranges && sent != n-1 {
					t.Errorf("of %d requests %d asked for the rest: %v", n, sent, asked)
				}
			})
		}
	}
}

// A line that breaks every 80 kB gets there all the same: what was gained makes up for the failures.
func TestManyBreaksWithProgress(t *testing.T) {
	content := noise(3, 2_000_000)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { dropping(w, r, content, 80_000, true) })
	dir := t.TempDir()
	if _, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}, SHA256: sum(content)}, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", content)
	if n, _ := s.asked(); n != 25 { // 2,000,000 / 80,000
		t.Errorf("%d requests, want 25", n)
	}
}

// One that gives a byte at a time is given up.
func TestTricklingIsGivenUp(t *testing.T) {
	content := noise(4, 1_000)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { dropping(w, r, content, 1, true) })
	dir := t.TempDir()
	_, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir)
	says(t, err, "given up after 5 attempts", s.URL, "a.csv")
	lacks(t, dir, "a.csv")
	if n, _ := s.asked(); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
}

// A call that was interrupted leaves a .part file, and the next call asks for the rest only.
func TestResumeInLaterCall(t *testing.T) {
	content := noise(5, 500_000)
	dir := t.TempDir()
	f := File{Path: "a.csv"}
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n > 0 {
			good(w, r, content)
			return
		}
		w.Header().Set("ETag", `"`+sum(content)[:16]+`"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		write(w, content[:200_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	f.URLs = []string{s.URL}
	o, _ := quick()
	o.Progress = func(done, of int64) {
		if of != 500_000 {
			t.Errorf("a file of %d bytes, want 500000", of)
		}
		if done == 200_000 {
			cancel()
		}
	}
	if _, err := Get(ctx, http.DefaultClient, f, dir, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if left := files(t, dir); !slices.Equal(left, []string{"a.csv.part", "a.csv.part.json"}) {
		t.Errorf("after an interruption the folder holds %v", left)
	}
	if _, err := get(t, f, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", content)
	if _, ranges := s.asked(); !slices.Equal(ranges, []string{"", "bytes=200000-"}) {
		t.Errorf("asked for %q", ranges)
	}
}

// What is left of an earlier download is of no use when the remote file has changed, when another mirror sends it
// without a checksum to tell, or when it is longer than the file.
func TestRemainsThatDoNotFit(t *testing.T) {
	content := noise(6, 100_000)
	for _, test := range []struct {
		name  string
		part  []byte
		state string
		f     File
		asks  []string // Range headers
	}{
		{"same file", content[:40_000], `{"url":"URL","etag":"\"` + sum(content)[:16] + `\"","bytes":100000}`, File{},
			[]string{"bytes=40000-"}},
		{"changed since", noise(7, 40_000), `{"url":"URL","etag":"\"old\"","bytes":100000}`, File{},
			[]string{"bytes=40000-"}},
		{"changed since, by date", noise(7, 40_000),
			`{"url":"URL","last_modified":"Sat, 08 Sep 2001 01:46:40 GMT","bytes":90000}`, File{},
			[]string{"bytes=40000-"}},
		{"weak validator", noise(7, 40_000), `{"url":"URL","etag":"W/\"` + sum(content)[:16] + `\""}`, File{},
			[]string{""}},
		{"no state", noise(7, 40_000), ``, File{}, []string{""}},
		{"damaged state", noise(7, 40_000), `{"url`, File{}, []string{""}},
		{"other mirror", noise(7, 40_000), `{"url":"http://elsewhere/","etag":"\"x\""}`, File{}, []string{""}},
		{"other mirror, checksum, right bytes", content[:40_000], `{"url":"http://elsewhere/","etag":"\"x\""}`,
			File{SHA256: sum(content)}, []string{"bytes=40000-"}},
		{"other mirror, checksum, wrong bytes", noise(7, 40_000), `{"url":"http://elsewhere/","etag":"\"x\""}`,
			File{SHA256: sum(content)}, []string{"bytes=40000-", ""}},
		{"longer than the file", noise(7, 100_001), `{"url":"URL","etag":"\"x\"","bytes":100000}`, File{},
			[]string{""}},
		{"longer, length not known", noise(7, 100_001), `{"url":"URL","etag":"\"` + sum(content)[:16] + `\""}`, File{},
			[]string{"bytes=100001-", ""}},
		{"everything there", content, `{"url":"URL","etag":"\"` + sum(content)[:16] + `\"","bytes":100000}`, File{},
			[]string{}},
		{"everything there, length not known", content, `{"url":"URL","etag":"\"` + sum(content)[:16] + `\""}`, File{},
			[]string{"bytes=100000-"}},
		{"everything there, and wrong", noise(7, 100_000), `{"url":"URL","etag":"\"x\"","bytes":100000}`,
			File{SHA256: sum(content)}, []string{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
			dir := t.TempDir()
			put(t, filepath.Join(dir, "a.csv.part"), test.part)
			if test.state != "" {
				put(t, filepath.Join(dir, "a.csv.part.json"), []byte(strings.ReplaceAll(test.state, "URL", s.URL)))
			}
			test.f.Path, test.f.URLs = "a.csv", []string{s.URL}
			if _, err := get(t, test.f, dir); err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "a.csv", content)
			if _, ranges := s.asked(); !slices.Equal(ranges, test.asks) {
				t.Errorf("asked for %q, want %q", ranges, test.asks)
			}
		})
	}
}

// A remote file that changes between two attempts starts again.
func TestFileChangesBetweenAttempts(t *testing.T) {
	old, fresh := noise(8, 200_000), noise(9, 210_000)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 0 {
			dropping(w, r, old, 100_000, true)
			return
		}
		good(w, r, fresh)
	})
	dir := t.TempDir()
	if _, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", fresh)
}

// A server that ignores If-Range, or answers another range than was asked for, is noticed.
func TestPartialResponsesThatLie(t *testing.T) {
	content := noise(10, 200_000)
	for _, test := range []struct{ name, contentRange, etag string }{
		{"other ETag", "bytes 100000-199999/200000", `"other"`},
		{"other size", "bytes 100000-199999/200001", `"e"`},
		{"other start", "bytes 0-199999/200000", `"e"`},
		{"no Content-Range", "", `"e"`},
		{"nonsense", "bytes -5-x/*", `"e"`},
		{"other unit", "lines 100000-199999/200000", `"e"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"e"`)
				switch n {
				case 0:
					w.Header().Set("Content-Length", "200000")
					write(w, content[:100_000])
					w.(http.Flusher).Flush()
					hangUp(w)
				case 1:
					w.Header().Set("ETag", test.etag)
					w.Header().Set("Content-Range", test.contentRange)
					w.WriteHeader(http.StatusPartialContent)
					write(w, noise(11, 100_000))
				default:
					good(w, r, content)
				}
			})
			dir := t.TempDir()
			if _, err := get(t, File{Path: "a.csv", URLs: []string{s.URL}}, dir); err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "a.csv", content)
		})
	}
}

// A server that sends a few bytes and falls silent is left alone after a while, and the rest is asked for again.
func TestStall(t *testing.T) {
	content := noise(20, 100_000)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		switch n {
		case 0: // silent from the beginning
			<-r.Context().Done()
		case 1:
			w.Header().Set("ETag", `"`+sum(content)[:16]+`"`)
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			write(w, content[:60_000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			good(w, r, content)
		}
	})
	dir := t.TempDir()
	o, waits := quick()
	o.Stall = 100 * time.Millisecond
	var notices []string
	o.Notice = func(text string) { notices = append(notices, text) }
	if _, err := Get(t.Context(), http.DefaultClient, File{Path: "a.csv", URLs: []string{s.URL}}, dir, o); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", content)
	if _, ranges := s.asked(); !slices.Equal(ranges, []string{"", "", "bytes=60000-"}) {
		t.Errorf("asked for %q", ranges)
	}
	if len(*waits) != 2 || !strings.Contains(strings.Join(notices, "\n"), "nothing arrived any more for 100ms") {
		t.Errorf("waits %v, notices %q", *waits, notices)
	}
}

// A server that is slow but steady is not taken for one that stalls.
func TestSlowIsNoStall(t *testing.T) {
	content := noise(21, 1_000)
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		for i := range 10 {
			write(w, content[100*i:100*(i+1)])
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	})
	dir := t.TempDir()
	o, _ := quick()
	o.Stall = 400 * time.Millisecond // less than the whole takes, eight times a step
	if _, err := Get(t.Context(), http.DefaultClient, File{Path: "a.csv", URLs: []string{s.URL}}, dir, o); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a.csv", content)
	if n, _ := s.asked(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}
