package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
)

// nasty are names that would steer a terminal: escape sequences, C1 control characters, changes of direction, carriage
// returns, invalid UTF-8, separators of lines.
const nasty = "a\x1b[31mred\x1b[0m\u009b2Jb\u202edlrow\u2066\rroot\x00\x07\x7f\x1b]0;title\x07\xff\xfe\u2028c"

func checkShown(t interface{ Errorf(string, ...any) }, what, text string) {
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 &&
			r <= 0x2069) {
			t.Errorf("%s shows %U in %.200q", what, r, text)
			return
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s shows invalid UTF-8 in %.200q", what, text)
	}
}

// Whatever is written to a screen, in whatever pieces, is shown without control characters and in lines of bounded
// length.
func TestScreenShowsNoControlCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just(nasty),
			rapid.StringMatching(`(\x1b\[[0-9;]*[mK]|.|\x1b|é)*`)).Draw(t, "text")
		var shown strings.Builder
		s := newScreen(&shown)
		painted := rapid.Bool().Draw(t, "painted")
		if painted {
			s.draws = true
			text = s.paint("1;31", text)
		}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			fmt.Fprint(s, rest[:n])
			rest = rest[n:]
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		got := shown.String()
		if painted {
			if !strings.HasPrefix(got, "\x1b[1;31m") || !strings.HasSuffix(got, "\x1b[0m") {
				t.Fatalf("%q is shown as %q", text, got)
			}
			got = strings.TrimSuffix(strings.TrimPrefix(got, "\x1b[1;31m"), "\x1b[0m")
		}
		checkShown(t, "the screen", got)
	})
	var shown strings.Builder
	s := newScreen(&shown)
	s.printf("%s and %s\n", strings.Repeat("x", 100_000), "one\ntwo")
	fmt.Fprintln(s, strings.Repeat("many words ", 10_000))
	for line := range strings.Lines(shown.String()) {
		if utf8.RuneCountInString(line) > longestLine+2 {
			t.Errorf("a line of %d characters", utf8.RuneCountInString(line))
		}
	}
	if !strings.Contains(shown.String(), "x…") || !strings.Contains(shown.String(), "one\ufffdtwo") {
		t.Errorf("shown: %.500q", shown.String())
	}
}

// JSON keeps every character, and shows none that steers a terminal.
func TestJSONKeepsEveryCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(rapid.OneOf(rapid.String(), rapid.Just(nasty)).Draw(t, "text"), "?")
		var shown strings.Builder
		e := &env{stdout: newScreen(&shown), json: true}
		if err := e.printJSON(map[string]string{want: want}); err != nil {
			t.Fatal(err)
		}
		checkShown(t, "JSON", shown.String())
		var got map[string]any
		if err := json.Unmarshal([]byte(shown.String()), &got); err != nil || got[want] != want {
			t.Fatalf("%q is read as %q, %v", want, got, err)
		}
	})
}

// nastyTrace is a trace whose names hold what no terminal should see, and are longer than anybody reads.
func nastyTrace(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(strings.ToValidUTF8(nasty, "?"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Trim(string(text), `"`)
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, `{"id":"%s%d","name":"%s%s","user":"%s","submit_s":%d,"end_s":%d,"stages":[{"name":"%s","durations_s":[1,2]}]}`+"\n",
			name, i, name, strings.Repeat("n", 100_000), name, 100*i, 100*i+3, name)
	}
	lines.WriteString(`{"id":"` + name + `","no":1}` + "\n")
	return lines.String()
}

// No command shows what a trace, a path or an argument holds raw, nor leaks what Go's parsers say.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "x.jsonl", nastyTrace(t))
	store, models, tables, results := dir+"/s", dir+"/m", dir+"/t", dir+"/r"
	leaks := regexp.MustCompile(`strconv|invalid syntax|runtime error|out of range \[|cannot unmarshal|\.go:\d`)
	for _, args := range [][]string{
		{"import", "--out", store, "--note", nasty, "--max-rejects", "50%", in},
		{"inspect", store},
		{"inspect", store, "--json"},
		{"analyze", store, "--out", results},
		{"analyze", store, "--json"},
		{"fit", store, "--all", "--out", models},
		{"fit", store, "--job", nasty, "--out", models + nasty},
		{"backtest", store, "--replicates", "20"},
		{"whatif", store, "--run", nasty},
		{"whatif", store, "--run", strings.ToValidUTF8(nasty, "?") + "1"},
		{"table", "build", models, "--replicates", "20", "--out", tables},
		{"table", "show", tables},
		{"table", "lookup", tables, "--progress", "0", "--allocation", "1"},
		{"table", "lookup", tables, "--progress", "0", "--allocation", "1", "--job", nasty},
		{"table", "verify", tables},
		{"table", "admit", tables, "--tokens", "3", nasty + "=1h"},
		{"table", "explain", models, "--replicates", "20", "--runs", "5"},
		{"simulate", "jockey", models, "--replicates", "1", "--simulations", "20", "--bound", "0"},
		{"simulate", "eagle", store, "--per-job"},
		{"simulate", "eagle", store, "--explain", nasty},
		{"simulate", "carbyne", store, "--per-job", "--follow", nasty},
		{"simulate", "carbyne", store, "--per-job"},
		{"report", results, "--title", nasty, "--out", dir + "/p"},
		{"inspect", dir + "/" + nasty},
		{"import", "--out", store, dir + "/" + nasty},
		{"formats", nasty}, {"generate", nasty}, {"fetch", nasty}, {nasty}, {"simulate", nasty}, {"table", nasty},
		{"--" + nasty},
		{"analyze", store, "--only", nasty}, {"analyze", store, "--min-runs", nasty}, {"import", "--format", nasty},
	} {
		status, stdout, stderr := call(t, args...)
		what := fmt.Sprintf("%.60q: exit status %d", args, status)
		checkShown(t, what, stdout)
		checkShown(t, what, stderr)
		if status < 0 || status > 4 {
			t.Error(what)
		}
		if leak := leaks.FindString(stdout + stderr); leak != "" {
			t.Errorf("%s: leaks %q: %.500q", what, leak, stderr)
		}
		for line := range strings.Lines(stdout + stderr) {
			if n := utf8.RuneCountInString(line); n > longestLine+2 && !strings.Contains(fmt.Sprint(args), "--json") {
				t.Errorf("%s: a line of %d characters", what, n)
			}
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Output that is lost is a failure of every command.
func TestLostOutputIsAnError(t *testing.T) {
	dir := t.TempDir()
	line := func(id string) string {
		return `{"id":"` + id + `","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}` +
			"\n"
	}
	in := put(t, dir, "x.jsonl", line("r")+line("s"))
	store, models, tables, results := dir+"/s", dir+"/m", dir+"/t", dir+"/r"
	must(t, "import", "--out", store, in)
	must(t, "fit", store, "--all", "--min-runs", "1", "--out", models)
	must(t, "table", "build", models, "--replicates", "20", "--out", tables)
	must(t, "analyze", store, "--only", "cov", "--out", results)
	recipe, units, undone := dir+"/racecard.yaml", dir+"/w", dir+"/v"
	must(t, "init", "--out", recipe, in)
	for _, at := range []string{units, undone} {
		must(t, "work", "plan", "analyze", store, "--only", "cov", "--out", at)
	}
	must(t, "work", "do", units)
	log := put(t, dir, "log.jsonl",
		`{"at":1,"event":"decide","app":"a","job":"n","deadline_s":9,"min_tokens":1,"max_tokens":2,"slots":1,"done":[0]}`+"\n")
	args := map[string][]string{
		"version": {}, "formats": {}, "import": {"--out", "NEW", in}, "inspect": {store}, "analyze": {store},
		"backtest": {store},
		"fit":      {store, "--all", "--min-runs", "1", "--out", "NEW"}, "whatif": {store, "--run", "r"},
		"generate": {"tr-yahoo", "--rows", "10", "--out", dir},
		"report":   {results, "--out", "NEW"}, "table build": {models, "--replicates", "20", "--out", "NEW"},
		"table show":   {tables},
		"table lookup": {tables, "--progress", "0", "--allocation", "1"}, "table verify": {tables},
		"table admit":   {tables, "--tokens", "3", "n=1h"},
		"table explain": {models, "--replicates", "20", "--runs", "5"}, "simulate eagle": {store},
		"simulate carbyne": {store},
		"simulate jockey":  {models, "--replicates", "1", "--simulations", "20", "--bound", "0"}, "fetch": {},
		"help":    {"import"},
		"compare": {store}, "explain": {store, "--run", "r"}, "forecast": {store, "--job", "n", "--tokens", "2"},
		"waste": {store},
		"plan":  {store, "--tokens", "2", "n@07:00,start=05:10"}, "check": {store}, "init": {"--out", "NEW", in},
		"provenance": {results + "/cov.json"},
		"run":        {recipe, "--dry-run"}, "gc": {recipe}, "work plan": {"analyze", store, "--only", "cov", "--out",
			"NEW"},
		"work do": {undone}, "work status": {units}, "work merge": {units, "--out", "NEW"}, "work engine": {"slurm"},
		"unite": {store, "--out", "NEW"},
		"desk":  {store, "--out", dir + "/desk.html"}, "schema": {}, "table diff": {tables, tables},
		"steer show": {log}, "steer replay": {log, "--tables", tables},
		"refresh": {in, "--store", dir + "/s2", "--models", dir + "/m2", "--tables", dir + "/t2", "--min-runs",
			"1"},
		"completion bash": {}, "completion fish": {}, "completion powershell": {}, "completion zsh": {},
	}
	seen, tried := 0, 0
	try := func(path string, more ...string) {
		var stderr strings.Builder
		given := append(append(strings.Fields(path), args[path]...), more...)
		if at := slices.Index(given, "NEW"); at > 0 {
			tried++
			given[at] = fmt.Sprintf("%s/new%d", dir, tried)
		}
		status := Run(t.Context(), given, full{}, &stderr)
		if status != ExitFailed || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s %v: exit status %d; %s", path, more, status, stderr.String())
		}
	}
	commands(t, func(path string, _ *cobra.Command) {
		// they take long, run until they are told to end, need Spark
		if path == "demo" || path == "serve" || path == "spark-plugin" {
			return
		}
		if _, ok := args[path]; !ok {
			t.Errorf("%s is not tried", path)
			return
		}
		seen++
		try(path)
		if !strings.HasPrefix(path, "completion") && path != "help" {
			try(path, "--json")
		}
		try(path, "--help")
	})
	if seen < 15 {
		t.Errorf("only %d commands were tried", seen)
	}
}
