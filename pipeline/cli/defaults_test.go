package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A flag takes its value from the command line, else from the environment of its command, of all commands, else from
// the file.
func TestDefaultsOfFlags(t *testing.T) {
	store := importJSONL(t,
		`{"id":"a","name":"n","user":"ann","submit_s":0,"end_s":9,"stages":[{"tasks":1}],"tasks":[{"stage":0,"task":0,"start_s":0,"end_s":9}]}`+"\n"+
			`{"id":"b","name":"n","user":"bob","submit_s":20,"end_s":29,"stages":[{"tasks":1}],"tasks":[{"stage":0,"task":0,"start_s":20,"end_s":29}]}`+"\n"+
			`{"id":"c","name":"n","user":"cid","submit_s":40,"end_s":49,"stages":[{"tasks":1}],"tasks":[{"stage":0,"task":0,"start_s":40,"end_s":49}]}`+"\n")
	config := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("RACECARD_CONFIG", config)
	runs := func(args ...string) int {
		t.Helper()
		status, stdout, stderr := call(t, append([]string{"waste", store, "--json"}, args...)...)
		var got struct{ Runs int }
		if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
			t.Fatal(status, stderr)
		}
		return got.Runs
	}
	write("")
	if n := runs(); n != 3 {
		t.Errorf("without defaults: %d runs", n)
	}
	write("user: [ann, bob]\nanalyze:\n  user: nobody\n")
	if n := runs(); n != 2 {
		t.Errorf("from the file: %d runs, want those of two users", n)
	}
	if n := runs("--user", "ann,bob,cid"); n != 3 {
		t.Errorf("given: %d runs, want 3", n)
	}
	t.Setenv("RACECARD_USER", "nobody")
	t.Setenv("RACECARD_WASTE_USER", "cid")
	if n := runs(); n != 1 {
		t.Errorf("from the environment of the command: %d runs, want 1", n)
	}
	t.Setenv("RACECARD_WITHIN", "much")
	if status, _, stderr := call(t, "waste", store); status != ExitUsage ||
		!strings.Contains(stderr, "RACECARD_WITHIN") {
		t.Errorf("status %d: %s", status, stderr)
	}
	t.Setenv("RACECARD_WITHIN", "")
	t.Setenv("RACECARD_WASTE_USER", "")
	t.Setenv("RACECARD_USER", "")
	if n := runs(); n != 2 {
		t.Errorf("with empty variables: %d runs, want those of the file's two users", n)
	}
	for text, want := range map[string]string{
		"usr: ann\n": "did you mean --user", "wast:\n  user: ann\n": `no command "wast"`,
		"force: true\n": "no flag --force", "a: [\n": "yaml",
		"waste:\n  within: much\n": "within", "waste:\n  files: x\n": "no flag --files",
	} {
		write(text)
		if status, _, stderr := call(t, "waste", store); status != ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d: %s, want %q", text, status, stderr, want)
		}
	}
	t.Setenv("RACECARD_CONFIG", config+"x")
	if status, _, stderr := call(t, "waste", store); status != ExitUsage || !strings.Contains(stderr, "config.yamlx") {
		t.Errorf("no such file: status %d: %s", status, stderr)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, none := range []string{"", os.DevNull} {
		t.Setenv("RACECARD_CONFIG", none)
		if status, _, stderr := call(t, "waste", store); status != ExitDone {
			t.Errorf("RACECARD_CONFIG=%s: status %d: %s", none, status, stderr)
		}
	}
}

func TestCompletion(t *testing.T) {
	store := importJSONL(t, `{"id":"a","name":"etl-2026-10-30","user":"ann","stages":[{"tasks":1}]}`+"\n"+
		`{"id":"b","name":"index","user":"bob","stages":[{"tasks":1}]}`+"\n")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"analyze", store, "--job", ""}, "etl-#\nindex\n"},
		{[]string{"waste", store, "--user", "ann,b"}, "ann,bob\n"},
		{[]string{"check", store, "--format", "g"}, "github\n"},
		{[]string{"analyze", store, "--only", "dag,rec"}, "dag,recurrence\n"},
		{[]string{"generate", "ni"}, "nights\nnights-random\n"},
		{[]string{"formats", "sp"}, "spark\n"},
	} {
		_, stdout, _ := call(t, append([]string{"__complete"}, test.args...)...)
		if got, _, _ := strings.Cut(stdout, ":"); got != test.want {
			t.Errorf("%v: got %q, want %q", test.args, got, test.want)
		}
	}
}

func TestHelpWraps(t *testing.T) {
	for _, width := range []string{"60", "80", "200"} {
		t.Setenv("COLUMNS", width)
		for _, command := range []string{"waste", "check", "import", "backtest"} {
			_, stdout, _ := call(t, command, "--help")
			text, _, _ := strings.Cut(stdout, "\nUsage:")
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width != "200" && n > 80 || n > 130 {
					t.Errorf("%s at %s: %d characters: %s", command, width, n, line)
				}
			}
		}
	}
	got := wrapText("Prose that flows\nover two lines.\n\n  name  an item that is longer than a line\nend", 24)
	want := "Prose that flows over\ntwo lines.\n\n  name  an item that is\n        longer than a\n        line\nend"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
