package cli

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A server that drains for a minute after SIGTERM ends at the next one, unless that comes in the same second: steps of
// a run get the signal of a terminal twice.
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
			if after := time.Since(began); after < sameStop {
				t.Errorf("it ended %v after the first signal", after)
			}
			return
		case <-time.After(200 * time.Millisecond):
			if time.Since(began) > 30*time.Second {
				t.Fatal("it goes on after many signals")
			}
		}
	}
}

// Every command that a signal stops says so and exits with the status of the signal, also where its libraries return the
// cause of the context.
func TestStoppedCommands(t *testing.T) {
	t.Parallel()
	store, models := sampleStore(t), sampleModels(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stoppedError{syscall.SIGTERM})
	for _, args := range [][]string{
		{"analyze", store}, {"backtest", store}, {"simulate", "eagle", store}, {"simulate", "carbyne", store, "--capacity",
			"cpu=4", "--machines", "2"}, {"simulate", "jockey", models, "--job", "customer-360"}, {"fit", store, "--all", "--out",
			filepath.Join(t.TempDir(), "m")},
		{"table", "build", models, "--replicates", "3", "--out", filepath.Join(t.TempDir(), "t")},
		{"import", "../../datasets/sample/logs", "--out", filepath.Join(t.TempDir(), "s")},
		{"desk", store, "--out", filepath.Join(t.TempDir(), "d")}, {"waste", store}, {"check", store},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(ctx, args, &stdout, &stderr)
		if status != ExitSignal+int(syscall.SIGTERM) || !strings.HasPrefix(stderr.String(), "racecard: interrupted; ") {
			t.Errorf("%q: status %d: %s", args, status, &stderr)
		}
	}
}

// A run that is stopped says so, keeps the steps that are done, tells on_failure nothing, and exits with the status that
// shells give to the signal.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		k := newKitchen(t, "  models: {fit: store, all: true}\n  tables: {table build: models, replicates: 10000}\n"+
			"on_failure:\n  command: [touch, told]\n", "a")
		cmd := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml"), "--json")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(time.Minute)
		finished := func() []string {
			done, err := filepath.Glob(filepath.Join(k.dir, "out", "objects", "*"))
			if err != nil || time.Now().After(deadline) {
				t.Fatal("two steps do not end: ", err, done)
			}
			return done
		}
		for len(finished()) < 2 {
			time.Sleep(5 * time.Millisecond)
		}
		if err := cmd.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != test.status || stdout.Len() > 0 ||
			!strings.Contains(stderr.String(), "interrupted; 2 of 3 steps are done; the same command goes on") {
			t.Errorf("%v: status %d, want %d: %s%s", test.signal, status, test.status, &stdout, &stderr)
		}
		if len(finished()) != 2 {
			t.Errorf("%v: %v are left, want the two finished steps", test.signal, finished())
		}
		if _, err := os.Stat(filepath.Join(k.dir, "told")); err == nil {
			t.Errorf("%v: on_failure was told", test.signal)
		}
	}
}

// The next run removes what an interrupted run left and what it does not go on with, also where all is up to date.
func TestRunRemovesOldWork(t *testing.T) {
	t.Parallel()
	k := newKitchen(t, "  models: {fit: store, all: true}\n", "a")
	if _, said, status := k.run(); status != ExitDone {
		t.Fatalf("status %d: %s", status, said)
	}
	for _, sub := range []string{"work", "objects"} { // half-made, and finished but not shown
		left := filepath.Join(k.dir, "out", sub, "0123456789abcdef0123456789abcdef")
		if err := os.MkdirAll(filepath.Join(left, ".store.partial"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, said, status := k.run(); status != ExitDone {
			t.Fatalf("status %d: %s", status, said)
		}
		if _, err := os.Stat(left); !os.IsNotExist(err) {
			t.Errorf("results of an interrupted run are left in %s: %v", sub, err)
		}
	}
}
