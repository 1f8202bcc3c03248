package attack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a command may take, whatever its input: memory in KiB, time on a processor in seconds, and time on the clock,
// which a command that waits for ever would take. Addresses are bounded by more, so that a command that goes on and on
// is stopped: Go reserves about a gigabyte that it does not use.
const (
	memoryKiB  = 1536 << 10
	addresses  = "4194304"
	cpuSeconds = "20"
	wall       = 2 * time.Minute
)

// bounded runs racecard within limits and returns its exit status and output. It fails the test where the command takes
// more, panics, or ends with a status that has no meaning. TMPDIR is below dir.
func bounded(t *testing.T, dir string, args ...string) (status int, stdout []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wall)
	defer cancel()
	shell := append([]string{"-c", "ulimit -v " + addresses + " -t " + cpuSeconds + ` && exec "$0" "$@"`, os.Args[0]},
		args...)
	cmd := exec.CommandContext(ctx, "bash", shell...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+dir, "GOMAXPROCS=2")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	status = cmd.ProcessState.ExitCode()
	text := stderr.String()
	leaks := strings.Contains(text, "panic:") || strings.Contains(text, "fatal error:") ||
		strings.Contains(text, "goroutine ")
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && u.Maxrss > memoryKiB {
		t.Errorf("racecard %s: %d KiB of memory", strings.Join(args, " "), u.Maxrss)
	}
	if status < 0 || status > 4 || leaks {
		t.Errorf("racecard %s: status %d (%v): %.3000s", strings.Join(args, " "), status, err, text)
	}
	return status, out.Bytes()
}

// haveLimits skips the test where processes cannot be limited.
func haveLimits(t *testing.T) {
	t.Helper()
	if err := exec.Command("bash", "-c", "ulimit -v "+addresses+" -t "+cpuSeconds).Run(); err != nil {
		t.Skipf("memory of processes cannot be limited here: %v", err)
	}
}

// cases is how many cases of an attack are tried.
func cases(short, full int) int {
	switch {
	case long():
		return full
	case testing.Short():
		return max(short/4, 2)
	default:
		return short
	}
}

// copied copies a folder to a new place.
func copied(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "x")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}
