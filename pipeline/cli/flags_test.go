package cli

import (
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

// loop are the flags that README sums up as every parameter of the loop.
var loop = []string{"blend", "dead-zone", "dead-zone-share", "dwell", "gain", "hold", "hysteresis", "jump", "learn",
	"limit", "period", "period-share", "quantile", "rise", "slack"}

// choosing are the flags that README sums up as those that choose runs.
var choosing = []string{"since", "until", "job", "user", "group", "timezone"}

// The table of commands in README has every flag of every command, and no other.
func TestFlagsInREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // by command
	for line := range strings.Lines(string(readme)) {
		if !strings.HasPrefix(line, "| `racecard ") {
			continue
		}
		line = strings.ReplaceAll(line, `\|`, "/")
		words := strings.Fields(strings.Split(line, "`")[1])[1:]
		name := words[0]
		if name == "table" || name == "simulate" || name == "work" || name == "steer" {
			name += " " + words[1]
		}
		for _, last := range strings.Split(name[strings.LastIndex(name, " ")+1:], "/") { // table show/lookup/verify
			rows[name[:strings.LastIndex(name, " ")+1]+last] = line
		}
	}
	known := map[string][]string{} // flags, by row
	commands(t, func(path string, cmd *cobra.Command) {
		row, ok := rows[path]
		if !ok {
			if !strings.HasPrefix(path, "completion") && path != "help" {
				t.Errorf("no row for %s", path)
			}
			return
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			known[row] = append(known[row], f.Name)
			if f.Hidden || path == "simulate jockey" && slices.Contains(loop, f.Name) ||
				cmd.Flags().Lookup("timezone") != nil && slices.Contains(choosing, f.Name) {
				return
			}
			if !regexp.MustCompile("--" + f.Name + `\b[^-]`).MatchString(row) {
				t.Errorf("%s: no --%s", path, f.Name)
			}
		})
	})
	for path, row := range rows {
		for _, m := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(row, -1) {
			if !slices.Contains(known[row], m[1]) {
				t.Errorf("%s: --%s is not a flag of it", path, m[1])
			}
		}
	}
}
