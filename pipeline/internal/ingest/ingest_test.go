package ingest_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"racecard/datasets/generate"
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
