package ingest_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"racecard/datasets/generate"
	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/pipeline/internal/ingest"
)

// generated returns a synthetic trace.
func generated(t testing.TB, name string, rows int64) *source.File {
	t.Helper()
	kind, err := generate.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	create := func(string) (io.WriteCloser, error) { return buffer{&content}, nil }
	if _, err := kind.Write(t.Context(), create, rows, 1, nil); err != nil {
		t.Fatal(err)
	}
	return source.BytesFile("synthetic-"+name, content.Bytes())
}

// buffer is a file in memory.
type buffer struct{ *bytes.Buffer }

func (buffer) Close() error { return nil }

// importInto imports a file and returns the manifest, which holds the checksums of all files.
func importInto(t *testing.T, file *source.File, o ingest.Options) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "store")
	if _, err := ingest.Import(t.Context(), source.Found{Files: []*source.File{file}}, out, o); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(out, store.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	return string(manifest)
}

func TestWorkersAndMemoryDoNotChangeTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("imports 700,000 rows twice")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, test := range []struct {
		format string
		rows   int64
	}{{"alibaba2018", 700_000}, {"tr-yahoo", 30_000}} {
		file := generated(t, test.format, test.rows)
		want := ""
		for workers, memory := range map[int]int64{1: 0, 4: 32 << 20} {
			runtime.GOMAXPROCS(workers)
			o := ingest.DefaultOptions()
			o.Memory = memory
			got := importInto(t, file, o)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d workers with %d bytes make another store", test.format, workers, memory)
			}
		}
	}
}

// An import whose server fails goes on when it is given again, and makes the same store.
func TestImportGoesOnAfterTransfersFailed(t *testing.T) {
	const tasks = 1 << 20 // a part
	text := fmt.Sprintf(`{"id":"a","stages":[{"tasks":%d,"duration_s":1}]}`+"\n", tasks) +
		strings.Repeat("\n", 4<<20) + `{"id":"b","stages":[{"tasks":2}]}` + "\n"
	failing := true
	file := func() source.Found {
		return source.Found{Files: []*source.File{source.NewFile("s3://b/a.jsonl", int64(len(text)),
			func() (io.ReadCloser, error) {
				if !failing {
					return io.NopCloser(strings.NewReader(text)), nil
				}
				return io.NopCloser(io.MultiReader(strings.NewReader(text[:len(text)-10]), iotest.ErrReader(
					&publish.TransferError{URL: "s3://b/a.jsonl", Reason: "no answer", Again: true}))), nil
			})}}
	}
	out := filepath.Join(t.TempDir(), "store")
	_, err := ingest.Import(t.Context(), file(), out, ingest.DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), "no answer; 3 finished files are kept: the same command goes on") {
		t.Errorf("the server fails: %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a store is there")
	}
	failing = false
	parts := func(name string) []os.DirEntry {
		entries, err := os.ReadDir(name)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	before, err := parts(filepath.Join(filepath.Dir(out), ".store.partial", "tasks"))[0].Info()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Import(t.Context(), file(), out, ingest.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	after, err := parts(filepath.Join(out, "tasks"))[0].Info()
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the part was made anew: %v", err)
	}
	manifest, err := os.ReadFile(filepath.Join(out, store.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	if want := importInto(t, file().Files[0], ingest.DefaultOptions()); string(manifest) != want {
		t.Errorf("%s\nof one import %s", manifest, want)
	}
}
