package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	_ "racecard/datasets/publish/clouds"
)

func TestLocations(t *testing.T) {
	for _, test := range []struct{ in, out, wrong string }{
		{"s3://b/a/c", "s3://b/a/c", ""},
		{"s3://b/a//c/", "s3://b/a/c", ""},
		{"s3://b", "s3://b", ""},
		{"s3://b/a?region=eu-west-1", "s3://b/a?region=eu-west-1", ""},
		{"s3://b/../../etc", "s3://b/etc", ""},
		{"s3:///a", "", "the bucket is missing"},
		{"s3://key:hunter2@b/a", "", "credentials do not belong in a URL"},
		{"s3://b/a*", "", "not supported"},
	} {
		l, err := Parse(test.in)
		switch {
		case test.wrong == "" && (err != nil || l.String() != test.out):
			t.Errorf("%s: %v, %v", test.in, l, err)
		case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("%s: %v, want %s", test.in, err, test.wrong)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("the error shows a password: %v", err)
		}
	}
	if l, _ := Parse("s3://b/a?x=1"); l.Join("c/d").String() != "s3://b/a/c/d?x=1" {
		t.Errorf("%v", l.Join("c/d"))
	}
}

// server stands for S3: it answers requests for one object, and fails as told.
type server struct {
	content  []byte
	requests atomic.Int32
	answer   func(n int32, w http.ResponseWriter, r *http.Request) bool // true: it answered
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.answer != nil && s.answer(s.requests.Add(1), w, r) {
		return
	}
	from, to := 0, len(s.content)-1
	if text, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		a, b, _ := strings.Cut(text, "-")
		from, _ = strconv.Atoi(a)
		to, _ = strconv.Atoi(b)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(s.content)))
		w.Header().Set("Content-Length", strconv.Itoa(to-from+1))
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(s.content[from : to+1])
}

const secret = "verysecretkey"

// serve starts a server, and returns the bucket that it has.
func serve(t *testing.T, s *server) *Bucket {
	t.Helper()
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "someid")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	l, err := Parse("s3://traces/a?endpoint=" + at.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// breakOff sends half of what was asked for.
func breakOff(w http.ResponseWriter, content []byte, r *http.Request) {
	a, b, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
	from, _ := strconv.Atoi(a)
	to, _ := strconv.Atoi(b)
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(content)))
	w.Header().Set("Content-Length", strconv.Itoa(to-from+1))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(content[from : from+(to-from+1)/2])
	panic(http.ErrAbortHandler)
}

// A transfer that breaks off goes on where it stopped.
func TestTransferGoesOn(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 100_000)
	var sent atomic.Int64
	s := &server{content: content, answer: func(n int32, w http.ResponseWriter, r *http.Request) bool {
		if n <= 2 {
			breakOff(w, content, r)
		}
		sent.Store(int64(n))
		return false
	}}
	b := serve(t, s)
	got := make([]byte, len(content)-7)
	if err := b.ReadAt(Object{Key: "a", Size: int64(len(content))}, got, 7); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content[7:]) {
		t.Error("other bytes were read")
	}
	if sent.Load() != 3 {
		t.Errorf("%d requests, want 3: two that broke off, and the rest", sent.Load())
	}
}

// One that breaks off again and again is an error after a bounded number of requests.
func TestTransferEnds(t *testing.T) {
	content := make([]byte, 1<<16)
	s := &server{content: content, answer: func(_ int32, w http.ResponseWriter, r *http.Request) bool {
		breakOff(w, content, r)
		return true
	}}
	b := serve(t, s)
	err := b.ReadAt(Object{Key: "a", Size: 1 << 16}, make([]byte, 1<<16), 0)
	if err == nil || !strings.Contains(err.Error(), "s3://traces/a: the transfer broke off 4 times") {
		t.Errorf("%v", err)
	}
	if n := s.requests.Load(); n != tries {
		t.Errorf("%d requests, want %d", n, tries)
	}
}

func TestReplacedWhileRead(t *testing.T) {
	b := serve(t, &server{content: make([]byte, 10)})
	if err := b.ReadAt(Object{Key: "a", Size: 11}, make([]byte, 2), 0); err == nil ||
		!strings.Contains(err.Error(), "replaced while it was read") {
		t.Errorf("%v", err)
	}
}

// Errors name the URL, the missing thing and the remedy, and no secret. Requests that cannot succeed are not repeated.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		status   int
		code     string
		want     string
		is       error
		requests int32
	}{
		{404, "NoSuchBucket", "there is no bucket traces", nil, 1},
		{404, "NoSuchKey", "there is no such object", fs.ErrNotExist, 1},
		{403, "AccessDenied", "the credentials do not allow it", fs.ErrPermission, 1},
		{403, "SignatureDoesNotMatch", "the credentials are not accepted: set AWS_ACCESS_KEY_ID", fs.ErrPermission, 1},
		{400, "InvalidBucketName", "no name of a bucket", nil, 1},
	} {
		s := &server{answer: func(_ int32, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(test.status)
			_, _ = fmt.Fprintf(w, `<Error><Code>%s</Code><Message>because</Message><RequestId>r</RequestId></Error>`,
				test.code)
			return true
		}}
		err := serve(t, s).ReadAt(Object{Key: "a/b", Size: 10}, make([]byte, 10), 0)
		if err == nil || !strings.HasPrefix(err.Error(), "s3://traces/a/b: ") ||
			!strings.Contains(err.Error(), test.want) ||
			test.is != nil && !errors.Is(err, test.is) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", test.code, err)
		}
		if n := s.requests.Load(); n > test.requests {
			t.Errorf("%s: %d requests, want at most %d", test.code, n, test.requests)
		}
	}
}

// The names of objects say nothing of what went wrong.
func TestErrorsOfNames(t *testing.T) {
	l, _ := Parse("mem://named")
	b, err := Open(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v00004038/AccessDenied", "403", "day 403/InvalidToken",
		"NoSuchBucket/ExpiredToken.json"} {
		if _, err := b.Read(name, 10); !errors.Is(err, fs.ErrNotExist) ||
			!strings.Contains(err.Error(), "there is no such object") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoCredentials(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	l, _ := Parse("s3://other/a?endpoint=http://127.0.0.1:1&region=eu-west-1")
	b, err := Open(l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = b.Stat("a"); err == nil || !strings.Contains(err.Error(), "s3://other/a: no credentials were found: "+
		"set AWS_ACCESS_KEY_ID") {
		t.Errorf("%v", err)
	}
}

// Files read like any other file system.
func TestFiles(t *testing.T) {
	l, _ := Parse("mem://files")
	b, err := Open(l)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]Object{}
	for _, name := range []string{"a", "d/b", "d/e/c"} {
		if err := b.Put("top/"+name, strings.NewReader("content of "+name), false); err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.List("top/", 0)
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, o := range all {
		objects[strings.TrimPrefix(o.Key, "top/")] = o
	}
	f := NewFiles(b, objects)
	var names []string
	err = fs.WalkDir(f, ".", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if got := strings.Join(names, " "); err != nil || got != ". a d d/b d/e d/e/c" {
		t.Errorf("%s, %v", got, err)
	}
	in, err := f.Open("d/e/c")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if data, err := io.ReadAll(in); err != nil || string(data) != "content of d/e/c" {
		t.Errorf("%q, %v", data, err)
	}
	if err := b.Put("top/a", strings.NewReader("x"), true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second object under one name: %v", err)
	}
	if _, err := f.Open("d/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
