package attack

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// desk is a process that serves a store.
type desk struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr strings.Builder
	dir    string // for temporary files
}

func serveDesk(t *testing.T, store string) *desk {
	t.Helper()
	d := &desk{cmd: exec.CommandContext(t.Context(), os.Args[0], "desk", store), dir: t.TempDir()}
	d.cmd.Env, d.cmd.Stderr = environment(d.dir), &d.stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	d.stdout = bufio.NewReader(out)
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return d
}

// address returns where the desk is served, once it is.
func (d *desk) address(t *testing.T) string {
	t.Helper()
	line, err := d.stdout.ReadString('\n')
	if err != nil {
		_ = d.cmd.Wait()
		t.Fatalf("%v: %s", err, d.stderr.String())
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "http://"), "/")
}

// interrupt sends SIGINT. The desk must end soon, with one of statuses or by the signal, without a word that only
// programmers understand, and leave no file.
func (d *desk) interrupt(t *testing.T, what string, statuses ...int) {
	t.Helper()
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(wall, func() { _ = d.cmd.Process.Kill() })
	_ = d.cmd.Wait()
	if !late.Stop() {
		t.Fatalf("%s: the desk goes on after %v", what, wall)
	}
	text, good := d.stderr.String(), false
	for _, s := range statuses {
		by, ok := d.cmd.ProcessState.Sys().(syscall.WaitStatus)
		good = good || d.cmd.ProcessState.ExitCode() == s || s < 0 && ok && by.Signal() == syscall.SIGINT
	}
	for _, leak := range []string{"panic", "goroutine ", "fatal error", "fault in racecard", "closed"} {
		good = good && !strings.Contains(text, leak)
	}
	if left := names(t, d.dir); !good || left != "[]" {
		t.Errorf("%s: %v, want status %v; %s is left; %.2000s", what, d.cmd.ProcessState, statuses, left, text)
	}
}

// TestDeskInterrupted interrupts a desk while it reads, while it serves, and while requests are open: one that is
// computed, one whose head has not come as a whole, and connections without any.
func TestDeskInterrupted(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "s")
	racecard(t, "generate", "nights", "--rows", "240", "--out", dir)
	traces, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(traces) != 1 {
		t.Fatal(traces, err)
	}
	racecard(t, "import", "--out", store, traces[0])
	t.Run("reading", func(t *testing.T) {
		t.Parallel()
		for _, after := range []time.Duration{20, 60, 120} {
			d := serveDesk(t, store)
			time.Sleep(after * time.Millisecond)
			d.interrupt(t, fmt.Sprintf("after %d ms", after), 0, 130, -1) // before, or while, or after it reads
		}
	})
	t.Run("serving", func(t *testing.T) {
		t.Parallel()
		d := serveDesk(t, store)
		d.address(t)
		d.interrupt(t, "without a request", 0)
	})
	t.Run("answering", func(t *testing.T) {
		t.Parallel()
		for _, pause := range []time.Duration{0, 30, 150} {
			d := serveDesk(t, store)
			at := d.address(t)
			for _, request := range []string{
				"GET /plan?cores=6&jobs=nightly-cores@02:05+nightly-join HTTP/1.1\r\nHost: " + at + "\r\n\r\n",
				"GET /job?job=nightly-join HTTP/1.1\r\nHost: " + at + "\r\n\r\n", "GET / HTTP/1.1\r\nHo", "",
			} {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", at)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = c.Close() }()
				if _, err := c.Write([]byte(request)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(pause * time.Millisecond)
			d.interrupt(t, fmt.Sprintf("%d ms after requests", pause), 0)
		}
	})
}
