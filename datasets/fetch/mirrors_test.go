package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestRedirects(t *testing.T) {
	content := noise(14, 10_000)
	other := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/chain/"))
		switch {
		case err == nil && n > 0:
			http.Redirect(w, r, fmt.Sprintf("/chain/%d", n-1), http.StatusFound)
		case err == nil:
			good(w, r, content)
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusMovedPermanently)
		case r.URL.Path == "/other":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case r.URL.Path == "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case r.URL.Path == "/nowhere":
			w.WriteHeader(http.StatusFound)
		}
	})
	safe := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/here" {
			good(w, r, content)
			return
		}
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer safe.Close()
	for _, test := range []struct{ name, url, want string }{
		{"chain of 10", s.URL + "/chain/10", ""},
		{"chain of 11", s.URL + "/chain/11", "more than 10"},
		{"loop", s.URL + "/loop", "more than 10"},
		{"other host", s.URL + "/other", ""},
		{"not HTTP", s.URL + "/file", "file"},
		{"no location", s.URL + "/nowhere", "302"},
		{"https", safe.URL + "/here", ""},
		{"https to http", safe.URL + "/plain", "redirect refused: from https to http"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			o, waits := quick()
			_, err := Get(t.Context(), safe.Client(), File{Path: "a.csv", URLs: []string{test.url}}, dir, o)
			if test.want != "" {
				says(t, err, test.want)
				lacks(t, dir, "a.csv")
				if len(*waits) > 0 {
					t.Errorf("what cannot pass was tried again after %v", *waits)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "a.csv", content)
		})
	}
}

func TestRetries(t *testing.T) {
	content := noise(15, 1_000)
	for _, test := range []struct {
		name   string
		status int
		after  string
		waits  []time.Duration // until it succeeds at the third request; jitter is at its highest
		want   string
	}{
		{"500", 500, "", []time.Duration{time.Second, 2 * time.Second}, ""},
		{"502", 502, "", []time.Duration{time.Second, 2 * time.Second}, ""},
		{"503, seconds", 503, "7", []time.Duration{7 * time.Second, 7 * time.Second}, ""},
		{"503, less than ours", 503, "0", []time.Duration{time.Second, 2 * time.Second}, ""},
		{"503, date", 503, time.Unix(1_700_000_030, 0).UTC().Format(http.TimeFormat), []time.Duration{30 * time.Second,
			30 * time.Second}, ""},
		{"503, date gone by", 503, time.Unix(1_600_000_000, 0).UTC().Format(http.TimeFormat),
			[]time.Duration{time.Second, 2 * time.Second}, ""},
		{"503, nonsense", 503, "soon", []time.Duration{time.Second, 2 * time.Second}, ""},
		{"429, too long", 429, "3600", nil, "asks to come back in 1h0m0s"},
		{"404", 404, "", nil, "404 Not Found"},
		{"403", 403, "5", nil, "403 Forbidden"},
		{"418", 418, "", nil, "418"},
		{"304", 304, "", nil, "304"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n < 2 {
					w.Header().Set("Retry-After", test.after)
					w.WriteHeader(test.status)
					return
				}
				good(w, r, content)
			})
			dir := t.TempDir()
			o, waits := quick()
			var notices []string
			o.Notice = func(text string) { notices = append(notices, text) }
			_, err := Get(t.Context(), http.DefaultClient, File{Path: "a.csv", URLs: []string{s.URL}}, dir, o)
			if !slices.Equal(*waits, test.waits) || len(notices) != len(test.waits) {
				t.Errorf("waits %v, want %v; notices %q", *waits, test.waits, notices)
			}
			if test.want != "" {
				says(t, err, test.want)
				lacks(t, dir, "a.csv")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "a.csv", content)
		})
	}
}

// Waits double, are halved at most by jitter, and never exceed the limit.
func TestWaits(t *testing.T) {
	o, _ := quick()
	for _, test := range []struct {
		idle   int
		jitter float64
		want   time.Duration
	}{
		{1, 0, 500 * time.Millisecond}, {1, 1, time.Second}, {2, 0, time.Second}, {3, 0.5, 3 * time.Second},
		{8, 1, 2 * time.Minute}, {1000, 1, 2 * time.Minute}, {1000, 0, time.Minute},
	} {
		o.Jitter = func() float64 { return test.jitter }
		d := &download{o: o}
		if got, err := d.wait(test.idle, &failure{}); err != nil || got != test.want {
			t.Errorf("wait %d with jitter %v is %v, %v, want %v", test.idle, test.jitter, got, err, test.want)
		}
	}
}

func TestMirrors(t *testing.T) {
	content := zipped(16, 30_000)
	ok := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, content) })
	gone := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	down := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	page := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		write(w, []byte("\n<!DOCTYPE html><html><body>Please log in</body></html>"))
	})
	other := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { good(w, r, zipped(17, 30_000)) })
	broken := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n > 0 {
			http.NotFound(w, r)
			return
		}
		dropping(w, r, content, 10_000, true)
	})
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	for _, test := range []struct {
		name  string
		urls  []string
		from  string
		wants []string
	}{
		{"first is gone", []string{gone.URL, ok.URL}, ok.URL, nil},
		{"first is down", []string{down.URL, ok.URL}, ok.URL, nil},
		{"first does not answer", []string{dead.URL, ok.URL}, ok.URL, nil},
		{"first is a log-in", []string{page.URL, ok.URL}, ok.URL, nil},
		{"first has another file", []string{other.URL, ok.URL}, ok.URL, nil},
		{"first gives a part", []string{broken.URL, ok.URL}, ok.URL, nil},
		{"none", []string{gone.URL, down.URL, dead.URL, page.URL, other.URL}, "", []string{"none of 5 mirrors",
			gone.URL, "404", down.URL, "503", dead.URL, "refused",
			page.URL, "web page", other.URL, sum(content), sum(zipped(17, 30_000))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			r, err := get(t, File{Path: "a.tar.gz", URLs: test.urls, SHA256: sum(content)}, dir)
			if test.wants != nil {
				says(t, err, test.wants...)
				var all *MirrorsError
				if !errors.As(err, &all) || len(all.Tried) != len(test.urls) {
					t.Errorf("not an error of all mirrors: %#v", err)
				}
				if left := files(t, dir); len(left) > 0 {
					t.Errorf("the folder holds %v", left)
				}
				return
			}
			if err != nil || r.URL != test.from {
				t.Fatalf("%+v, %v, want it from %s", r, err, test.from)
			}
			holds(t, dir, "a.tar.gz", content)
		})
	}
}
