package attack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"racecard/pipeline/cli"
)

// asCommand makes the test binary be racecard: a process can be killed, a goroutine cannot.
const asCommand = "RACECARD_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	if signal.Ignored(os.Interrupt) { // a shell's background jobs ignore it, and so would the commands until they listen
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	os.Exit(m.Run())
}

// long reports whether the long form of the suite runs.
func long() bool { return os.Getenv("RACECARD_LONG") != "" }

// environment returns the environment variables of a racecard process, with a folder for temporary files.
func environment(temporary string) []string {
	return append(os.Environ(), asCommand+"=1", "TMPDIR="+temporary, "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
}

// racecard runs racecard and returns what it printed on standard error. It ends the test where the command fails.
func racecard(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = environment(t.TempDir())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("racecard %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return stderr.String()
}

// tree describes all that is below a path, which may be a file: names, and the checksums of files. It is "" where
// nothing is.
func tree(t *testing.T, path string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		line := strings.TrimPrefix(name, path)
		if d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			line += " " + hex.EncodeToString(sum[:8])
		}
		lines = append(lines, line)
		return nil
	})
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// names lists what is in a folder, hidden or not.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(entries)
}
