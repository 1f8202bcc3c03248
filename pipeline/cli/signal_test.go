package cli

import (
	"bufio"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A server that drains for a minute after SIGTERM ends at the next one.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	models, tables := filepath.Join(dir, "m"), filepath.Join(dir, "t")
	mustRun(t, "fit", bagStore(t), "--all", "--out", models)
	mustRun(t, "table", "build", models, "--out", tables, "--replicates", "2")
	cmd := racecard(t, "serve", tables, "--listen", "127.0.0.1:0", "--drain", "1m")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("no line that says where it serves: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	began := time.Now()
	for {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
				t.Errorf("exit status %d, want an end by the signal", status.ExitStatus())
			}
			return
		case <-time.After(200 * time.Millisecond):
			if time.Since(began) > 30*time.Second {
				t.Fatal("it goes on after many signals")
			}
		}
	}
}
