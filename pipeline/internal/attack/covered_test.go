package attack

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere are commands that write and are not among [commands], with the test that attacks them.
var elsewhere = map[string]string{
	"demo":    "runs commands that are attacked on their own, in a folder of its own",
	"fetch":   "TestFetchFailures and others of pipeline/cli: downloads go on where they stopped",
	"run":     "TestRunKilled of pipeline/cli: the trail of a run holds times, so its bytes differ",
	"gc":      "TestRunPublishesAndCollects of pipeline/cli",
	"serve":   "TestSteered of pipeline/cli: it ends when it is killed, and its journal is appended to",
	"work do": "TestWorkFails of pipeline/cli: a unit that fails leaves its reason, which a later one keeps",
	// The same document as a page is written by report.
	"steer show": "TestSteered of pipeline/cli",
}

// readers are the commands that write nothing but to standard output.
var readers = []string{
	"completion bash", "completion fish", "completion powershell", "completion zsh", "formats", "help",
	"inspect", "provenance", "schema", "spark-plugin", "steer replay", "table admit", "table diff", "table lookup",
	"table show", "table verify",
	"version", "work engine", "work status",
}

// writingFlag matches flags that name a place to write to.
var writingFlag = regexp.MustCompile(`(?m)^\s+(?:-\w, )?--(?:out|state|journal)\b`)

// Every command is attacked, or named as one that writes nothing or that another test attacks. A new command fails
// until somebody has thought of it.
func TestEveryCommandIsCovered(t *testing.T) {
	attacked := map[string]bool{}
	for _, c := range commands() {
		name := c.args[0]
		if len(c.args) > 1 && slices.Contains([]string{"simulate", "table", "work", "steer"}, name) {
			name += " " + c.args[1]
		}
		attacked[name] = true
	}
	found := map[string]bool{}
	for name, help := range leaves(t, "") {
		found[name] = true
		reads, told := slices.Contains(readers, name), elsewhere[name] != ""
		switch {
		case reads && writingFlag.MatchString(help):
			t.Errorf("racecard %s has a flag that names a place to write to, and is said to write nothing", name)
		case reads == (attacked[name] || told):
			t.Errorf("racecard %s is not covered once: attack it in commands(), or say in readers or elsewhere why not",
				name)
		case attacked[name] && told:
			t.Errorf("racecard %s is attacked here and elsewhere", name)
		}
	}
	for _, name := range readers {
		if !found[name] {
			t.Errorf("there is no command racecard %s", name)
		}
	}
	for name := range elsewhere {
		if !found[name] {
			t.Errorf("there is no command racecard %s", name)
		}
	}
}

// commandLine is a line of help that names a command below another.
var commandLine = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) +\S`)

// leaves returns the help of every command below a path that has none below itself.
func leaves(t *testing.T, path string) map[string]string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append(strings.Fields(path), "--help")...)
	c.Env = environment(t.TempDir())
	out, err := c.Output()
	if err != nil {
		t.Fatalf("racecard %s --help: %v", path, err)
	}
	help := string(out)
	_, below, ok := strings.Cut(help, " [command]\n")
	if !ok {
		return map[string]string{path: help}
	}
	below, _, _ = strings.Cut(below, "\nFlags:")
	all := map[string]string{}
	for _, m := range commandLine.FindAllStringSubmatch(below, -1) {
		if m[1] == "racecard" { // in an example
			continue
		}
		for name, text := range leaves(t, strings.TrimSpace(path+" "+m[1])) {
			all[name] = text
		}
	}
	return all
}
