package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The outputs in docs/tutorial.md are from its commands, run in order in one folder; -regen writes them.
func TestTutorial(t *testing.T) {
	page, err := filepath.Abs(filepath.Join("..", "..", "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Abs(filepath.Join("..", "..", "datasets", "sample", "logs"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("logs", os.DirFS(logs)); err != nil {
		t.Fatal(err)
	}
	commands := 0
	got := regexp.MustCompile("(?s)```\n\\$ racecard ([^\n]*)\n.*?```").ReplaceAllStringFunc(string(text), func(block string) string {
		line, _, _ := strings.Cut(strings.TrimPrefix(block, "```\n$ racecard "), "\n")
		status, out, stderr := call(t, strings.Fields(line)...)
		if status != ExitDone && status != ExitRefused {
			t.Errorf("racecard %s: exit status %d: %s", line, status, stderr)
		}
		commands++
		return "```\n$ racecard " + line + "\n" + strings.TrimLeft(out, "\n") + "```"
	})
	if commands < 6 {
		t.Errorf("%d commands in the tutorial, want at least 6", commands)
	}
	if *regen {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != string(text) {
		t.Error("docs/tutorial.md differs from the outputs of its commands: go test ./pipeline/cli -run Tutorial -regen, and read the text again")
	}
}
