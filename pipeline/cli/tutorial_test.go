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
	got, commands := outputsAnew(t, string(text))
	if commands < 6 {
		t.Errorf("%d commands in the tutorial, want at least 6", commands)
	}
	if *regen {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, decision, found := strings.Cut(got, "## 6.")
	if !found {
		t.Fatal("docs/tutorial.md has no section 6, with the decision")
	}
	decision, _, _ = strings.Cut(decision, "```")
	for _, number := range regexp.MustCompile(`0\.\d+|\d+ s\b|\d+%`).FindAllString(decision, -1) {
		if !strings.Contains(before, number) {
			t.Errorf("the decision of docs/tutorial.md rests on %s, which no output before it has", number)
		}
	}
	if got != string(text) {
		t.Error("docs/tutorial.md differs from the outputs of its commands: go test ./pipeline/cli -run Tutorial " +
			"-regen, and read the text again")
	}
}

// outputsAnew returns a page with the outputs of its commands as they are now, and the number of commands.
func outputsAnew(t *testing.T, page string) (got string, commands int) {
	t.Helper()
	got = regexp.MustCompile("(?s)```\n\\$ racecard ([^\n]*)\n.*?```").ReplaceAllStringFunc(page,
		func(block string) string {
			line, _, _ := strings.Cut(strings.TrimPrefix(block, "```\n$ racecard "), "\n")
			status, out, stderr := call(t, strings.Fields(line)...)
			if status != ExitDone && status != ExitRefused {
				t.Errorf("racecard %s: exit status %d: %s", line, status, stderr)
			}
			commands++
			return "```\n$ racecard " + line + "\n" + strings.TrimLeft(out, "\n") + "```"
		})
	return got, commands
}

// Every question of a planner has a page with one command and its output, which the list of questions names.
func TestTutorialQuestions(t *testing.T) {
	docs, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(docs, "questions.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(docs, "questions", "*.md"))
	if err != nil || len(pages) != 11 {
		t.Errorf("%d pages, want 11: %v", len(pages), err)
	}
	t.Chdir(t.TempDir())
	must(t, "generate", "nights", "--out", "nights", "--quiet")
	must(t, "import", "nights", "--out", "nights.store", "--quiet")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		if !strings.Contains(string(list), "(questions/"+name+")") {
			t.Errorf("questions.md does not name %s", name)
		}
		got, commands := outputsAnew(t, string(text))
		if commands != 1 {
			t.Errorf("%s has %d commands, want one", name, commands)
		}
		if *regen {
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(text) {
			t.Errorf("docs/questions/%s differs from the output of its command: go test ./pipeline/cli -run Tutorial "+
				"-regen, and read the text again", name)
		}
	}
}
