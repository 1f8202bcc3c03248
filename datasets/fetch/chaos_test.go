package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// faults are what a mirror may do to a request, besides answering it well. content is the file, older an earlier
// version.
var faults = []struct {
	name string
	do   func(rng *rand.Rand, w http.ResponseWriter, r *http.Request, content, older []byte)
}{
	{"drop, ranges", func(rng *rand.Rand, w http.ResponseWriter, r *http.Request, content, _ []byte) {
		dropping(w, r, content, rng.IntN(len(content)), true)
	}},
	{"drop, no ranges", func(rng *rand.Rand, w http.ResponseWriter, r *http.Request, content, _ []byte) {
		dropping(w, r, content, rng.IntN(len(content)), false)
	}},
	{"older version", func(_ *rand.Rand, w http.ResponseWriter, r *http.Request, _, older []byte) {
		good(w, r, older)
	}},
	{"older version, dropped", func(rng *rand.Rand, w http.ResponseWriter, r *http.Request, _, older []byte) {
		dropping(w, r, older, rng.IntN(len(older)), true)
	}},
	{"length too short", func(rng *rand.Rand, w http.ResponseWriter, _ *http.Request, content, _ []byte) {
		raw(w, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", rng.IntN(len(content)), content))
	}},
	{"length too long", func(rng *rand.Rand, w http.ResponseWriter, _ *http.Request, content, _ []byte) {
		raw(w, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(content)+1+rng.IntN(99), content))
	}},
	{"no length, cut", func(rng *rand.Rand, w http.ResponseWriter, _ *http.Request, content, _ []byte) {
		raw(w, "HTTP/1.0 200 OK\r\n\r\n"+string(content[:rng.IntN(len(content))]))
	}},
	{"garbage", func(rng *rand.Rand, w http.ResponseWriter, _ *http.Request, content, _ []byte) {
		write(w, noise(rng.Uint64(), len(content)))
	}},
	{"page", func(_ *rand.Rand, w http.ResponseWriter, _ *http.Request, _, _ []byte) {
		write(w, []byte("<html></html>"))
	}},
	{"empty", func(_ *rand.Rand, _ http.ResponseWriter, _ *http.Request, _, _ []byte) {}},
	{"hang up", func(_ *rand.Rand, w http.ResponseWriter, _ *http.Request, _, _ []byte) { hangUp(w) }},
	{"no HTTP", func(rng *rand.Rand, w http.ResponseWriter, _ *http.Request, _, _ []byte) {
		raw(w, string(noise(rng.Uint64(), 300)))
	}},
	{"500", func(_ *rand.Rand, w http.ResponseWriter, _ *http.Request, _, _ []byte) {
		w.WriteHeader(http.StatusInternalServerError)
	}},
	{"404", func(_ *rand.Rand, w http.ResponseWriter, _ *http.Request, _, _ []byte) {
		w.WriteHeader(http.StatusNotFound)
	}},
	{"416", func(_ *rand.Rand, w http.ResponseWriter, _ *http.Request, _, _ []byte) {
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	}},
	{"loop", func(_ *rand.Rand, w http.ResponseWriter, r *http.Request, _, _ []byte) {
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	}},
	{"wrong part", func(rng *rand.Rand, w http.ResponseWriter, _ *http.Request, content, _ []byte) {
		from := rng.IntN(len(content))
		w.Header().Set("Content-Range", "bytes "+strconv.Itoa(from)+"-"+strconv.Itoa(len(content)-1)+"/"+
			strconv.Itoa(len(content)))
		w.WriteHeader(http.StatusPartialContent)
		write(w, content[from:])
	}},
}

// Whatever two mirrors do, in whatever order and over several calls, the outcome is the right bytes under the file's
// name, or an error and nothing there. Without a checksum and with a file that changes, a whole version is right, a
// mixture of two is not.
func TestChaos(t *testing.T) {
	content, older := zipped(100, 120_000), zipped(101, 90_000)
	rapid.Check(t, func(rt *rapid.T) {
		picked := make([]int, rapid.IntRange(0, 30).Draw(rt, "faulty requests"))
		for i := range picked {
			picked[i] = rapid.IntRange(-1, len(faults)-1).Draw(rt, "fault") // -1 is none
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		var done []string
		s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n >= len(picked) || picked[n] < 0 {
				done = append(done, "good")
				good(w, r, content)
				return
			}
			done = append(done, faults[picked[n]].name)
			faults[picked[n]].do(rng, w, r, content, older)
		})
		defer s.Close()
		f := File{Path: "x/a.csv.gz", URLs: []string{s.URL + "/1", s.URL + "/2"}}
		known := rapid.SampledFrom([]string{"nothing", "sha256", "md5", "size", "size and sha256"}).Draw(rt, "known")
		if strings.Contains(known, "sha256") {
			f.SHA256 = sum(content)
		}
		if known == "md5" {
			f.MD5 = short(content)
		}
		if strings.Contains(known, "size") {
			f.Size = int64(len(content))
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		o, _ := quick()
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for range 3 {
			done = nil
			r, err := Get(t.Context(), client, f, dir, o)
			got, readErr := os.ReadFile(filepath.Join(dir, "x", "a.csv.gz"))
			right := bytes.Equal(got, content) || known == "nothing" && bytes.Equal(got, older)
			switch {
			case err != nil && readErr == nil:
				rt.Fatalf("%v: error %v, and a file of %d bytes", done, err, len(got))
			case err == nil && (readErr != nil || !right):
				rt.Fatalf("%v: no error, but %d bytes that are not the original's %d or %d; %v", done, len(got),
					len(content), len(older), readErr)
			case err == nil && (r.SHA256 != sum(got) || r.Bytes != int64(len(got))):
				rt.Fatalf("%+v is not about the file of %d bytes", r, len(got))
			}
			var mirrors *MirrorsError
			if err != nil && !errors.As(err, &mirrors) {
				rt.Fatalf("%v: an error of another kind: %v", done, err)
			}
			for _, name := range files(t, dir) {
				if name != "x/a.csv.gz" && name != "x/a.csv.gz.part" && name != "x/a.csv.gz.part.json" &&
					name != RecordFile {
					rt.Fatalf("%s was left behind", name)
				}
			}
		}
	})
}
