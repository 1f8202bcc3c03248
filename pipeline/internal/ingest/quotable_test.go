package ingest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"racecard/pipeline/internal/ingest"
)

// Rejects quote the input: where not everybody may read that, behind a link too, not everybody may read them.
func TestRejectsAreAsPrivateAsTheInput(t *testing.T) {
	for _, test := range []struct{ input, want fs.FileMode }{{0o600, 0o600}, {0o640, 0o640}, {0o644, 0o644},
		{0o400, 0o600}} {
		dir := t.TempDir()
		private, in, out := filepath.Join(dir, "private"), filepath.Join(dir, "in"), filepath.Join(dir, "s")
		if err := os.WriteFile(private, []byte("secret\n0 1 1 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(in, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in, "a.tr"), []byte("0 1 1 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(private, test.input); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(private, filepath.Join(in, "b.tr")); err != nil {
			t.Fatal(err)
		}
		o := ingest.DefaultOptions()
		o.Format, o.MaxRejects = "tr", 1
		found, err := (&ingest.Finder{Dir: dir}).Find(t.Context(), []string{in})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ingest.Import(t.Context(), found, out, o); err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			name string
			want fs.FileMode
		}{{"rejects/part-00000.parquet", test.want}, {"racecard.json", 0o644}} {
			info, err := os.Stat(filepath.Join(out, f.name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != f.want {
				t.Errorf("of an input that is %v, %s is %v, want %v", test.input, f.name, got, f.want)
			}
		}
	}
}
