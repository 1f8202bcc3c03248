package publish

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/datasets/internal/filelock"
)

// A last line that was cut off is removed before the next one is written, and one process writes at a time.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	long := strings.Repeat("x", 200_000)
	for _, test := range []struct {
		add, want string
		cut       int64
	}{
		{"a\n", "a\n", 0}, {"b", "a\n", 0}, {"c\n", "a\nc\n", 1}, {long, "a\nc\n", 0}, {"d\n", "a\nc\nd\n", 200_000},
		{"\x00\x00\x00", "a\nc\nd\n", 0}, {"", "a\nc\nd\n", 3},
	} {
		l, cut, err := OpenLog(path)
		if err != nil || cut != test.cut {
			t.Fatalf("%d bytes cut off, %v; want %d", cut, err, test.cut)
		}
		if _, err := io.WriteString(l, test.add); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenLog(path); err == nil && filelock.Folders {
			t.Error("two write at once")
		}
		kept, err := io.ReadAll(l.Lines())
		if want := test.want; err != nil || !strings.HasPrefix(string(kept), want) || l.Size() != int64(len(kept)) {
			t.Errorf("%.20q, %v; want %q", kept, err, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file for its owner", info, err)
	}
	for _, other := range []string{t.TempDir(), os.DevNull} {
		if _, _, err := OpenLog(other); err == nil {
			t.Errorf("%s was opened", other)
		}
	}
}

// A log that begins anew keeps the lines before in a file next to it, also where its path is a link.
func TestRotate(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "journal"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	l, _, err := OpenLog(link)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for k := range 3 {
		if _, err := fmt.Fprintf(l, "line %d\n", k); err != nil {
			t.Fatal(err)
		}
		if err := l.Rotate(fmt.Appendf(nil, "first %d\n", k)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenLog(path); err == nil && filelock.Folders {
			t.Error("two write at once")
		}
	}
	if _, err := io.WriteString(l, "last\n"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: "first 2\nlast\n", OlderLog(path): "first 1\nline 2\n"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if l.Size() != int64(len("first 2\nlast\n")) {
		t.Errorf("%d bytes", l.Size())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("files %q, want two", left)
	}
}

// Where the next file cannot be made, the log goes on as it was.
func TestRotateFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	l, _, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := os.MkdirAll(filepath.Join(nextLog(path), "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(l, "a\n")
	if err := l.Rotate([]byte("b\n")); err == nil {
		t.Error("it began anew")
	}
	_, err = io.WriteString(l, "c\n")
	if got, _ := os.ReadFile(path); err != nil || string(got) != "a\nc\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// A rotation that was interrupted is completed where the log has stepped aside, and undone otherwise.
func TestFinishRotation(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"before": {map[string]string{"journal": "a\n", "journal.new": "half"}, "a\n"},
		"after":  {map[string]string{"journal.1": "a\n", "journal.new": "b\n"}, "b\n"},
	} {
		dir := t.TempDir()
		for file, content := range test.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, cut, err := OpenLog(filepath.Join(dir, "journal"))
		if err != nil || cut != 0 {
			t.Fatal(name, cut, err)
		}
		if got, err := io.ReadAll(l.Lines()); err != nil || string(got) != test.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "journal.new")); err == nil {
			t.Errorf("%s: the next file is still there", name)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// rotator names the log that a process writes and begins anew until it is killed.
const rotator = "RACECARD_TEST_ROTATE"

// opened opens a log and returns its lines.
func opened(t *testing.T, path string) (l *Log, lines []string) {
	t.Helper()
	l, _, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := io.ReadAll(l.Lines())
	if err != nil {
		t.Fatal(err)
	}
	return l, strings.Fields(string(kept))
}

func rotateForEver(t *testing.T, path string) {
	l, lines := opened(t, path)
	next := 0
	if len(lines) > 0 {
		if _, err := fmt.Sscan(lines[len(lines)-1], &next); err != nil {
			t.Fatal(err)
		}
	}
	for {
		next++
		if _, err := fmt.Fprintf(l, "%d\n", next); err != nil {
			t.Fatal(err)
		}
		if next%5 == 0 {
			if err := l.Rotate(fmt.Appendf(nil, "%d\n", next)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Whenever the process is killed that writes a log and begins it anew, no line is missing.
func TestKilledRotations(t *testing.T) {
	if path := os.Getenv(rotator); path != "" {
		rotateForEver(t, path)
	}
	path := filepath.Join(t.TempDir(), "journal")
	last := 0
	for kill := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRotations$")
		cmd.Env = append(os.Environ(), rotator+"="+path)
		var said bytes.Buffer
		cmd.Stdout = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+37*kill) * time.Millisecond)
		_ = cmd.Process.Kill()
		if _ = cmd.Wait(); said.Len() > 0 {
			t.Fatal(said.String())
		}
		l, lines := opened(t, path)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		before := 0
		for i, line := range lines {
			n := 0
			if _, err := fmt.Sscan(line, &n); err != nil || i > 0 && n != before+1 {
				t.Fatalf("line %q after %d: %v", line, before, err)
			}
			before = n
		}
		if before < last || kill == 11 && before < 10 {
			t.Fatalf("kill %d: the last line is %d, was %d", kill, before, last)
		}
		last = before
	}
}
