package attack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changing are the calls that change the disk.
var changing = []string{"openat", "mkdirat", "renameat", "renameat2", "unlinkat", "linkat", "symlinkat", "fsync",
	"ftruncate", "fchmodat", "write"}

// point is a call of a command that changes the disk.
type point struct {
	call    string
	path    string // of the file that it is about
	ordinal int    // among the calls of the command with this name and path, from 1
}

func (p point) String() string {
	return fmt.Sprintf("%s of %s, number %d", p.call, filepath.Base(p.path), p.ordinal)
}

var (
	callLine = regexp.MustCompile(`^\d+ +([a-z0-9]+)\((.*)`)
	quoted   = regexp.MustCompile(`"(/[^"]*)"`)
	opened   = regexp.MustCompile(`<(/[^>]*)>`)
)

// paths returns the absolute paths in a traced call, those that it was given before those of open files.
func paths(args string) []string {
	var all []string
	for _, of := range []*regexp.Regexp{quoted, opened} {
		for _, m := range of.FindAllStringSubmatch(args, -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// points returns the calls in the log of a trace that change files below a folder.
func points(t *testing.T, log, below string) []point {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var all []point
	seen := map[point]int{}
	for line := range strings.Lines(string(data)) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		args := m[2]
		if m[1] == "write" { // what is written may look like a path
			args, _, _ = strings.Cut(args, ", \"")
		}
		of := paths(args)
		for _, path := range slices.Compact(slices.Sorted(slices.Values(of))) {
			seen[point{call: m[1], path: path}]++
		}
		if len(of) == 0 || !strings.HasPrefix(of[0], below+"/") && of[0] != below {
			continue
		}
		if m[1] == "openat" && !strings.Contains(args, "O_WRONLY") && !strings.Contains(args, "O_RDWR") &&
			!strings.Contains(args, "O_CREAT") {
			continue
		}
		all = append(all, point{m[1], of[0], seen[point{call: m[1], path: of[0]}]})
	}
	return all
}

// traced returns a command that runs another one under strace.
func traced(t *testing.T, log string, options []string, temporary string, args []string) *exec.Cmd {
	t.Helper()
	all := append([]string{"-f", "-qq", "-y", "-o", log}, options...) // with --seccomp-bpf no signal is injected
	cmd := exec.CommandContext(t.Context(), "strace", append(append(all, os.Args[0]), args...)...)
	cmd.Env = environment(temporary)
	return cmd
}

// attacks are the ways to interrupt a call: options of strace.
func attacks(call string) []string {
	kinds := []string{"signal=KILL", "error=EIO", "signal=TERM", "signal=INT", "error=ENOSPC"}
	switch {
	case long():
		return kinds
	case call == "write" || call == "openat":
		return []string{"signal=KILL", "error=ENOSPC"}
	}
	return kinds[:2]
}

// haveStrace skips the test where strace is not there or may not trace.
func haveStrace(t *testing.T) {
	t.Helper()
	err := exec.Command("strace", "-f", "-qq", "-o", os.DevNull, "-e", "trace=openat", "true").Run()
	var failed *exec.ExitError
	if errors.Is(err, exec.ErrNotFound) || errors.As(err, &failed) {
		t.Skipf("interruptions need strace, which is not there or cannot trace: %v", err)
	}
}
