package publish

import (
	"os"
	"path/filepath"
	"testing"

	"racecard/datasets/internal/filelock"
)

// A line that was cut off is ended before the next one begins.
func TestAppendFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for _, test := range []struct{ add, want string }{
		{"a\n", "a\n"}, {"b", "a\nb"}, {"c\n", "a\nb\nc\n"}, {"", "a\nb\nc\n"},
	} {
		f, err := AppendFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(test.add); err != nil {
			t.Fatal(err)
		}
		if _, err := AppendFile(path); err == nil && filelock.Folders {
			t.Error("two write at once")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != test.want {
			t.Errorf("%q, %v; want %q", got, err, test.want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file for its owner", info, err)
	}
}
