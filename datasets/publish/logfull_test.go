//go:build linux || darwin

package publish

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDisk names the log that TestFullLog fills, in a process with a limit on the size of files.
const fullDisk = "RACECARD_TEST_FULL"

// mostBytes is the limit.
const mostBytes = 4096

// A line that does not fit is removed at once, so that the next one is whole; with room again, the log goes on.
func TestFullLog(t *testing.T) {
	path := os.Getenv(fullDisk)
	if path == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullLog$")
		cmd.Env = append(os.Environ(), fullDisk+"="+filepath.Join(t.TempDir(), "journal"))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = mostBytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	l, _, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 999) + "\n"
	want := strings.Repeat(line, mostBytes/len(line))
	failed := 0
	for range 6 {
		if _, err := l.Write([]byte(line)); errors.Is(err, syscall.EFBIG) {
			failed++
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want || failed != 2 || l.Size() != int64(len(want)) {
		t.Fatalf("%d bytes, %d lines failed, %v; want %d and 2", len(got), failed, err, len(want))
	}
	if _, err := l.Write([]byte("short\n")); err != nil {
		t.Fatal(err)
	}
	if err := l.Rotate(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write([]byte(line)); err != nil {
		t.Error(err)
	}
}
