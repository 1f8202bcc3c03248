package fetch

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// endless answers with a body that never ends, as the headers allow.
func endless(w http.ResponseWriter, r *http.Request) {
	line := []byte(strings.Repeat("1 2 3 4\n", 8<<10))
	for r.Context().Err() == nil {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

// What is longer than was agreed to is cut, refused, and not kept.
func TestBodiesWithoutEnd(t *testing.T) {
	for name, handle := range map[string]func(w http.ResponseWriter, r *http.Request){
		"without a length": endless,
		"with a length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000000000000")
			_, _ = w.Write([]byte("1 2 3 4\n"))
		},
		"as a range": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 10-99/100")
			w.WriteHeader(http.StatusPartialContent)
			endless(w, r)
		},
	} {
		dir := t.TempDir()
		file := File{Path: "x.tr", Limit: 1 << 20}
		if name == "as a range" {
			file.SHA256 = strings.Repeat("0", 64)
			put(t, filepath.Join(dir, "x.tr.part"), make([]byte, 10))
		}
		s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { handle(w, r) })
		file.URLs = []string{s.URL + "/x.tr"}
		_, err := get(t, file, dir)
		says(t, err, "sends more than the")
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("%s: %v was left", name, left)
		}
	}
}

// A server that sends next to nothing is given up, though it never falls silent.
func TestALeastRate(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte("1 2 3 4 and more that fills the first bytes which are looked at for the " +
				"kind of the file\n")); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	o, _ := quick()
	o.Stall, o.Attempts, o.Least = 300*time.Millisecond, 2, 1<<30
	_, err := Get(t.Context(), http.DefaultClient, File{Path: "x.tr", URLs: []string{s.URL + "/x.tr"}}, t.TempDir(), o)
	says(t, err, "the server is too slow", "at least 1073741824 are wanted")
}

// A password or a token reaches the server, and no file and no message.
func TestAccessIsNeitherStoredNorShown(t *testing.T) {
	const password, token = "hunter2-secret", "sig-0123456789"
	content := noise(1, 300_000)
	good200 := true
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		user, pass, _ := r.BasicAuth()
		if user != "ann" || pass != password || r.URL.Query().Get("token") != token {
			t.Errorf("request %d comes as %q %q with %q", n, user, pass, r.URL.RawQuery)
		}
		switch {
		case !good200:
			http.Redirect(w, r, "http://127.0.0.1:1/?token="+token, http.StatusFound)
		default:
			dropping(w, r, content, 100_000, true)
		}
	})
	access := Access{User: url.UserPassword("ann", password), Query: "token=" + token}
	secret := func(what, text string) {
		t.Helper()
		if strings.Contains(text, password) || strings.Contains(text, token) {
			t.Errorf("%s tells: %s", what, text)
		}
	}
	for _, good200 = range []bool{true, false} {
		dir := t.TempDir()
		o, _ := quick()
		o.Access, o.Attempts = access, 3
		o.Notice = func(text string) {
			secret("a notice", text)
			err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				secret(path, string(data))
				if info, _ := d.Info(); strings.HasSuffix(path, stateEnding) && info.Mode().Perm() != 0o600 {
					t.Errorf("%s has mode %v", path, info.Mode())
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		put(t, filepath.Join(dir, "x.tr"+stateEnding), []byte("{}")) // of an earlier version, readable by all
		r, err := Get(t.Context(), http.DefaultClient, File{Path: "x.tr", URLs: []string{s.URL + "/x.tr"},
			SHA256: sum(content)}, dir, o)
		if (err == nil) != good200 {
			t.Errorf("%v", err)
		}
		if err != nil {
			secret("the error", err.Error())
		}
		secret("the result", r.URL)
	}
	bad := File{Path: "x.tr", URLs: []string{"https://ann:" + password + "@example.org/x.tr"}}
	err := bad.Validate()
	says(t, err, "belong to Access")
	secret("validation", err.Error())
	if !errors.Is(withoutURL(&url.Error{URL: "x", Err: os.ErrClosed}), os.ErrClosed) {
		t.Error("the cause of an error is lost")
	}
}
