package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands calls do with every command that does something itself.
func commands(t *testing.T, do func(path string, cmd *cobra.Command)) {
	t.Helper()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.HasSubCommands() {
			for _, c := range cmd.Commands() {
				walk(c)
			}
			return
		}
		do(strings.TrimPrefix(cmd.CommandPath(), "racecard "), cmd)
	}
	walk(newRoot(&env{stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)}))
}

// What stands in backquotes in the usage of a flag is printed in place of its type.
func TestTypesOfFlags(t *testing.T) {
	commands(t, func(path string, cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); !regexp.MustCompile(`^[a-z]*$`).MatchString(name) {
				t.Errorf("%s: --%s %s", path, f.Name, name)
			}
		})
	})
}

// The tables of commands in README have every command, and no other.
func TestCommandsInREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(readme)) {
		row, ok := strings.CutPrefix(line, "| `racecard ")
		if !ok {
			continue
		}
		group := "" // of several in a row, the first has the words before the last of all: `table show`, `verify`
		for k, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch("`"+strings.Split(row, " | ")[0], -1) {
			name := m[1]
			if words := strings.Fields(name); k == 0 && len(words) > 1 {
				group = words[0] + " "
			} else if k > 0 {
				name = group + name
			}
			listed = append(listed, name)
		}
	}
	have := []string{"completion"} // which is added when a command runs
	commands(t, func(path string, _ *cobra.Command) { have = append(have, path) })
	slices.Sort(listed)
	slices.Sort(have)
	if !slices.Equal(listed, have) {
		t.Errorf("README lists  %q\nthere are     %q", listed, have)
	}
}

// docs/commands.md ends with the help of every command; -regen writes it.
func TestCommandsPage(t *testing.T) {
	const mark = "<!-- From here on: go test ./pipeline/cli -run CommandsPage -regen -->\n"
	t.Setenv("COLUMNS", "")
	page := filepath.Join("..", "..", "docs", "commands.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s has no line %q", page, mark)
	}
	var b strings.Builder
	b.WriteString(before + mark)
	commands(t, func(path string, _ *cobra.Command) {
		help, _, _ := strings.Cut(must(t, append(strings.Fields(path), "--help")...), "\nGlobal Flags:\n")
		fmt.Fprintf(&b, "\n## racecard %s\n\n```\n%s\n```\n", path, strings.TrimSpace(help))
	})
	if *regen {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != string(text) {
		t.Error("docs/commands.md differs from the help of the commands: go test ./pipeline/cli -run CommandsPage -regen")
	}
}

// Every file of a long help is printed by the command that it is named after.
func TestLongTexts(t *testing.T) {
	printed := map[string]string{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())
		printed[strings.Join(path[min(1, len(path)-1):], "-")] = cmd.Long
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot(&env{stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)}))
	files, err := longTexts.ReadDir("long")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		text, _, _ := strings.Cut(longText(name), "{") // up to the first value
		begin := strings.Join(strings.Fields(text), " ")
		if got := strings.Join(strings.Fields(printed[name]), " "); begin == "" || !strings.HasPrefix(got, begin) {
			t.Errorf("long/%s: the help of that command is %q", f.Name(), printed[name])
		}
	}
}

// Every flag of a command whose help has headings is below one, every heading names flags that are there, and the help
// of such a command has each of its flags once.
func TestFlagsHaveHeadings(t *testing.T) {
	there := map[string]bool{}
	commands(t, func(path string, cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { there[f.Name] = true })
		if !hasHeadings(cmd) {
			return
		}
		help := localFlags(cmd, 10_000) // a line a flag
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			if flagTitle(f.Name) == "" {
				t.Errorf("%s: --%s has no heading", path, f.Name)
			}
			listed := regexp.MustCompile(`(?m)^ +(-\w, )?--` + f.Name + `\b($|[^-])`)
			if n := len(listed.FindAllString(help, -1)); n != 1 {
				t.Errorf("%s: --%s is listed %d times:\n%s", path, f.Name, n, help)
			}
		})
	})
	met := map[string]bool{}
	for _, g := range flagGroups() {
		for name := range strings.FieldsSeq(g.flags) {
			if !there[name] || met[name] {
				t.Errorf("%s: there is no flag --%s, or it is named twice", g.title, name)
			}
			met[name] = true
		}
	}
}
