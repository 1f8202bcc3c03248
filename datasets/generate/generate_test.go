package generate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/generate"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
)

// folder keeps the files of a trace in memory.
type folder map[string]*bytes.Buffer

func (f folder) create(name string) (io.WriteCloser, error) {
	if f[name] != nil {
		return nil, fmt.Errorf("%s is made twice", name)
	}
	f[name] = &bytes.Buffer{}
	return nopCloser{f[name]}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// files returns the files as inputs, in the order of their names.
func (f folder) files() []*source.File {
	var files []*source.File
	for _, name := range slices.Sorted(maps.Keys(f)) {
		files = append(files, source.BytesFile(name, f[name].Bytes()))
	}
	return files
}

// generated writes a trace of a kind.
func generated(t testing.TB, k generate.Kind, rows int64, seed uint64) folder {
	t.Helper()
	f := folder{}
	if n, err := k.Write(context.Background(), f.create, rows, seed, nil); err != nil || n != rows {
		t.Fatalf("%s: %d rows, %v, want %d", k.Name, n, err, rows)
	}
	return f
}

// What is generated in a format, the reader of that format recognises and reads without a reject.
func TestReadersReadWhatIsGenerated(t *testing.T) {
	for _, k := range generate.Kinds() {
		for _, rows := range []int64{1, 100, 4500} {
			if strings.HasPrefix(k.Name, "dags-") {
				rows = min(rows, 500) // a job has hundreds of tasks
			}
			f := generated(t, k, rows, 7)
			again := generated(t, k, rows, 7)
			if !maps.EqualFunc(f, again, func(a, b *bytes.Buffer) bool { return bytes.Equal(a.Bytes(), b.Bytes()) }) {
				t.Errorf("%s: the same seed gives other files", k.Name)
			}
			if !k.Folder() && len(f) != 1 {
				t.Errorf("%s: %d files, want one", k.Name, len(f))
			}
			files := f.files()
			for _, file := range files {
				if !strings.HasPrefix(path.Base(file.Name), generate.Prefix) {
					t.Errorf("%s: %s is not labelled", k.Name, file.Name)
				}
				if found, ok, err := formats.Detect(t.Context(), file, 0); err != nil || found.Name != k.Format &&
					(ok || !isEmpty(t, file)) {
					t.Errorf("%s: %s is recognised as %q, %v", k.Name, file.Name, found.Name, err)
				}
			}
			format, err := formats.Named(k.Format, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := sourcetest.Read(t, format, files...)
			if len(r.Rejects) != 0 || r.Err != nil || len(r.Runs) == 0 && rows > 10 {
				t.Errorf("%s, %d rows: %d runs, rejects %.3v, %v", k.Name, rows, len(r.Runs), r.Rejects, r.Err)
			}
			attempts := int64(0)
			for _, run := range r.Runs {
				attempts += int64(len(run.Attempts))
			}
			if k.Rows == "attempts of tasks" && attempts != rows {
				t.Errorf("%s: %d attempts, want %d", k.Name, attempts, rows)
			}
		}
	}
}

func isEmpty(t *testing.T, f *source.File) bool {
	head, err := f.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(head) == 0
}

func TestSeedsDiffer(t *testing.T) {
	for _, k := range generate.Kinds() {
		a, b := generated(t, k, 200, 1), generated(t, k, 200, 2)
		if maps.EqualFunc(a, b, func(a, b *bytes.Buffer) bool { return bytes.Equal(a.Bytes(), b.Bytes()) }) {
			t.Errorf("%s: two seeds give the same files", k.Name)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, k := range generate.Kinds() {
		if _, err := k.Write(ctx, folder{}.create, 1<<13, 1, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: did not stop: %v", k.Name, err)
		}
	}
}

// failing is a file that takes so many bytes and then no more.
type failing int

var errFull = errors.New("the disk is full")

func (f *failing) Write(p []byte) (int, error) {
	if *f -= failing(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func (*failing) Close() error { return nil }

// Whatever fails, a file that cannot be made, written or closed, Write says so.
func TestFailingFiles(t *testing.T) {
	for _, k := range generate.Kinds() {
		for name, create := range map[string]generate.Create{
			"made":    func(string) (io.WriteCloser, error) { return nil, errFull },
			"written": func(string) (io.WriteCloser, error) { f := failing(1000); return &f, nil },
			"closed":  func(string) (io.WriteCloser, error) { return closeFails{}, nil },
		} {
			if _, err := k.Write(context.Background(), create, 3000, 1, nil); !errors.Is(err, errFull) {
				t.Errorf("%s: a file that cannot be %s: %v", k.Name, name, err)
			}
		}
	}
}

type closeFails struct{}

func (closeFails) Write(p []byte) (int, error) { return len(p), nil }

func (closeFails) Close() error { return errFull }
