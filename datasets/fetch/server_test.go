package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is a local mirror that may misbehave.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

// serve starts a mirror whose n-th request, from 0, is answered by handle.
func serve(t *testing.T, handle func(n int, w http.ResponseWriter, r *http.Request)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		handle(n, w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// asked returns how many requests there were, and the Range header of each.
func (s *server) asked() (n int, ranges []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		ranges = append(ranges, r.Header.Get("Range"))
	}
	return len(s.requests), ranges
}

// good answers as a well-behaved server does: with ranges, an ETag and a date.
func good(w http.ResponseWriter, r *http.Request, content []byte) {
	w.Header().Set("ETag", `"`+sum(content)[:16]+`"`)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(content))
}

// dropping answers like good, and breaks the connection after n bytes of the body. Without ranges it always begins
// anew.
func dropping(w http.ResponseWriter, r *http.Request, content []byte, n int, ranges bool) {
	from := 0
	if ranges {
		if f, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && r.Header.Get("If-Range") == `"`+
			sum(content)[:16]+`"` {
			from, _ = strconv.Atoi(strings.TrimSuffix(f, "-"))
		}
		w.Header().Set("ETag", `"`+sum(content)[:16]+`"`)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
	if from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
	}
	rest := content[from:]
	if n >= len(rest) {
		w.Write(rest)
		return
	}
	w.Write(rest[:n])
	w.(http.Flusher).Flush()
	hangUp(w)
}

// hangUp breaks the connection of a request.
func hangUp(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	c.Close()
}

// raw answers with exactly this text, headers and all, and closes the connection.
func raw(w http.ResponseWriter, text string) {
	c, buf, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	buf.WriteString(text)
	buf.Flush()
	c.Close()
}

func sum(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }

func short(b []byte) string { s := md5.Sum(b); return hex.EncodeToString(s[:]) }

// noise is n bytes that look like nothing.
func noise(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// zipped is a gzip file of about n bytes.
func zipped(seed uint64, n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(noise(seed, n)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// quick are options that wait for nothing, and the waits that were asked for.
func quick() (Options, *[]time.Duration) {
	waits := &[]time.Duration{}
	o := DefaultOptions()
	o.Sleep = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	o.Now = func() time.Time { return time.Unix(1_700_000_000, 0) }
	o.Jitter = func() float64 { return 1 }
	return o, waits
}

// get downloads with quick options.
func get(t *testing.T, f File, dir string) (Result, error) {
	t.Helper()
	o, _ := quick()
	return Get(t.Context(), http.DefaultClient, f, dir, o)
}

// files lists what is in a folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, err = filepath.Rel(dir, name)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// holds checks that a folder holds a file with this content, the record, and nothing else.
func holds(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content) {
		t.Errorf("%s has %d bytes that are not the %d of the original", name, len(got), len(content))
	}
	want := []string{name, RecordFile}
	slices.Sort(want)
	if left := files(t, dir); !slices.Equal(left, want) {
		t.Errorf("the folder holds %v, want %v", left, want)
	}
}

// lacks checks that nothing stands under a file's name.
func lacks(t *testing.T, dir, name string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
		t.Errorf("%s is there", name)
	}
}

// says checks that an error is there and holds all texts.
func says(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q lacks %q", err, text)
		}
	}
}

func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func write(w io.Writer, b []byte) { w.Write(b) }
