package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"racecard/datasets/store"
)

// night is a trace of that many runs.
func night(runs int) string {
	var b strings.Builder
	for i := range runs {
		fmt.Fprintf(&b, `{"id":"r%d","name":"job%d","submit_s":%d,"stages":[{"name":"map","durations_s":[%d.5,7,%s1]}]}`+"\n",
			i, i%4, 300*i, i, strings.Repeat("9.25,", 60))
	}
	return b.String()
}

// A trace through a pipe has all its runs, with --format and without, packed and plain. Detection once took the first
// ones.
func TestImportFromPipes(t *testing.T) {
	dir := t.TempDir()
	plain := night(240)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Skip("NOT TESTED: named pipes: ", err)
	}
	number := 0
	for _, path := range []string{"-", "/dev/stdin", fifo} {
		for what, content := range map[string]string{"plain": plain, "gzip": gzipped(plain)} {
			for _, flags := range [][]string{nil, {"--format", "jsonl"}} {
				number++
				out := filepath.Join(dir, fmt.Sprint("store", number))
				cmd := racecard(t, append([]string{"import", "--out", out, path}, flags...)...)
				if path == fifo {
					go func() {
						if w, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
							_, _ = io.WriteString(w, content) // what is missing is missed below
							w.Close()
						}
					}()
				} else {
					cmd.Stdin = strings.NewReader(content)
				}
				if log, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s from %s %v: %v: %s", what, path, flags, err, log)
					continue
				}
				s, err := store.Open(os.DirFS(out))
				if err != nil {
					t.Fatal(err)
				}
				if m := s.Manifest(); m.Rows["jobs"] != 240 || m.Read != 240 || m.Used != 240 ||
					m.Sources[0].Bytes != int64(len(content)) {
					t.Errorf("%s from %s %v: %d of 240 runs, %d records, source %+v", what, path, flags, m.Rows["jobs"],
						m.Read, m.Sources)
				}
			}
		}
	}
}

// An import of a pipe that is interrupted leaves nothing, and says that it cannot go on.
func TestInterruptedPipe(t *testing.T) {
	dir := t.TempDir()
	cmd := racecard(t, "import", "-q", "--format", "jsonl", "--out", filepath.Join(dir, "s"), "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, night(1000)); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for left, _ := os.ReadDir(dir); len(left) == 0 && time.Now().Before(deadline); left, _ = os.ReadDir(dir) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 ||
		!strings.Contains(log.String(), "a stream cannot be read again") {
		t.Errorf("%v: %s", err, log.String())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v was left", left, err)
	}
}

// Documents that a command reads whole are plain files: a pipe that nobody writes to would hang it, and a device that
// never ends would fill the memory.
func TestDocumentsArePlainFiles(t *testing.T) {
	sample := sampleImported.in(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Skip("NOT TESTED: named pipes: ", err)
	}
	for _, name := range []string{fifo, "/dev/zero"} {
		for _, args := range [][]string{
			{"run", name},
			{"gc", name},
			{"steer", "show", name},
			{"steer", "replay", name, "--tables", sample},
			{"waste", sample, "--price", name},
			{"check", sample, "--rules", name},
			{"check", sample, "--state", name},
			{"provenance", name},
			{"inspect", name},
		} {
			if status, _, stderr := call(t, args...); status == ExitDone || !strings.Contains(stderr, filepath.Base(name)) {
				t.Errorf("%v: exit status %d, %q", args, status, stderr)
			}
		}
	}
}
