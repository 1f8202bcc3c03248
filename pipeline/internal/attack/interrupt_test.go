package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"racecard/pipeline/cli"
)

// written is a command that writes to OUT.
type written struct {
	name   string
	before [][]string // commands that make the version which this one replaces; none for none
	args   []string
	// joins says that parts are added to a store: until its manifest names them, they are nothing.
	joins bool
	// grows says that files appear one after the other: each is that of the version before or after, or is not there
	// yet.
	grows bool
	// once says that the command refuses to replace what it made.
	once bool
	// steps says that the system cannot exchange names in one step.
	steps bool
	// at is the place of the output in OUT.
	at string
}

// commands are those that write, besides those of [elsewhere]. INPUT stands for the folder of [inputs].
func commands() []written {
	results := [][]string{{"analyze", "INPUT/s.store", "--only", "recurrence,dag", "--min-runs", "3", "--out", "OUT"}}
	return []written{
		{name: "import", args: []string{"import", "--out", "OUT", "INPUT/a.jsonl"}, once: true},
		{name: "import --force", before: [][]string{{"import", "--out", "OUT", "INPUT/a.jsonl"}},
			args: []string{"import", "--force", "--out", "OUT", "INPUT/b.jsonl"}},
		{name: "import --append", before: [][]string{{"import", "--out", "OUT", "INPUT/a.jsonl"}},
			args: []string{"import", "--append", "--out", "OUT", "INPUT/b.jsonl"}, joins: true},
		{name: "analyze", before: results, args: []string{"analyze", "INPUT/s.store", "--only", "dag,health",
			"--min-runs", "5", "--out", "OUT"}},
		{name: "backtest", before: results, args: []string{"backtest", "INPUT/s.store", "--min-runs", "3",
			"--replicates", "20", "--last", "2", "--out", "OUT"}},
		{name: "whatif", before: results, args: []string{"whatif", "INPUT/s.store", "--run", "r3", "--out", "OUT"}},
		{name: "fit", before: [][]string{{"fit", "INPUT/s.store", "--all", "--min-runs", "3", "--out", "OUT"}},
			args: []string{"fit", "INPUT/s.store", "--job", "hourly", "--half-life", "1h", "--out", "OUT"}},
		{name: "table build", before: [][]string{{"table", "build", "INPUT/models", "--allocations", "2",
			"--replicates", "3", "--out", "OUT"}},
			args: []string{"table", "build", "INPUT/models", "--allocations", "2,4", "--replicates", "3", "--out",
				"OUT"}},
		{name: "table explain", before: results, args: []string{"table", "explain", "INPUT/models", "--job", "hourly",
			"--replicates", "3", "--runs", "2", "--out", "OUT"}},
		{name: "simulate jockey", before: results, args: []string{"simulate", "jockey", "INPUT/models", "--job",
			"hourly", "--replicates", "1", "--bound", "1", "--simulations", "5", "--max-tokens", "4", "--out", "OUT"}},
		{name: "simulate eagle", before: results, args: []string{"simulate", "eagle", "INPUT/s.store", "--machines",
			"4", "--schedulers", "eagle", "--out", "OUT"}},
		{name: "simulate carbyne FILE", args: []string{"simulate", "carbyne", "INPUT/a.jsonl", "--machines", "2",
			"--capacity", "cpu=4", "--jobs", "5", "--interarrival", "2", "--out", "OUT"}},
		{name: "report", before: [][]string{{"report", "INPUT/results", "--title", "Before", "--out", "OUT"}},
			args: []string{"report", "INPUT/results", "--out", "OUT"}},
		{name: "waste", before: results, args: []string{"waste", "INPUT/s.store", "--out", "OUT"}},
		{name: "compare", before: results, args: []string{"compare", "INPUT/t.store", "INPUT/s.store", "--out", "OUT"}},
		{name: "explain", before: results, args: []string{"explain", "INPUT/s.store", "--run", "r3", "--out", "OUT"}},
		{name: "forecast", before: results, args: []string{"forecast", "INPUT/s.store", "--job", "hourly", "--tokens",
			"2", "--out", "OUT"}},
		{name: "plan", before: results, args: []string{"plan", "INPUT/s.store", "--tokens", "4",
			"hourly@07:00,start=05:10", "--out", "OUT"}},
		{name: "unite", args: []string{"unite", "INPUT/s.store", "INPUT/t.store", "--out", "OUT"}, once: true},
		{name: "desk", args: []string{"desk", "INPUT/s.store", "--out", "OUT"}},
		{name: "init", before: [][]string{{"init", "INPUT/a.jsonl", "--out", "OUT"}}, args: []string{"init", "--force",
			"INPUT/b.jsonl", "--out", "OUT"}},
		{name: "check", before: [][]string{{"check", "INPUT/s.store", "--now", "end", "--format", "junit", "--out",
			"OUT"}},
			args: []string{"check", "INPUT/s.store", "--now", "end", "--format", "prometheus", "--out", "OUT"}},
		{name: "check --state", args: []string{"check", "INPUT/s.store", "--now", "end", "--state", "OUT"}},
		{name: "refresh", before: [][]string{refresh("a")}, args: refresh("b"), grows: true},
		{name: "work plan", args: []string{"work", "plan", "analyze", "INPUT/s.store", "--only", "dag,recurrence",
			"--out", "OUT"}},
		{name: "work merge", before: results, args: []string{"work", "merge", "INPUT/work", "--out", "OUT"}},
		{name: "generate a file", args: []string{"generate", "jsonl", "--rows", "20", "--out", "OUT"},
			at: "synthetic-jsonl-20-seed1.jsonl"},
		{name: "generate a folder", args: []string{"generate", "wfformat", "--rows", "3", "--out", "OUT"}, once: true,
			at: "synthetic-wfformat-3-seed1"},
	}
}

// refresh returns the command that appends a file of [inputs] to a store, and publishes models and tables.
func refresh(file string) []string {
	return []string{"refresh", "INPUT/" + file + ".jsonl", "--store", "OUT/s", "--models", "OUT/m", "--tables", "OUT/t",
		"--min-runs", "3"}
}

// inputs makes the folder that commands read.
func inputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"a", "b"} {
		var lines strings.Builder
		for i := range 8 {
			for _, job := range []string{"hourly", "daily"} {
				id := fmt.Sprintf("r%d", i)
				if job == "daily" || file == "b" {
					id = fmt.Sprintf("%s-%s-%d", job, file, i)
				}
				fmt.Fprintf(&lines, `{"id":%q,"name":%q,"submit_s":%d,"start_s":%d,"end_s":%d,"guaranteed":2,"stages":[`+
					`{"name":"map","durations_s":[%d,5,4],"cpu":1},{"name":"sum","durations_s":[3],"parents":[0],"cpu":1}]}`+"\n", id, job, 100*i, 100*i, 100*i+14+i%3, 4+i%3)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, file+".jsonl"), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	racecard(t, "import", "--out", filepath.Join(dir, "s.store"), filepath.Join(dir, "a.jsonl"))
	racecard(t, "import", "--out", filepath.Join(dir, "t.store"), filepath.Join(dir, "b.jsonl"))
	racecard(t, "fit", filepath.Join(dir, "s.store"), "--all", "--min-runs", "3", "--out", filepath.Join(dir, "models"))
	racecard(t, "analyze", filepath.Join(dir, "s.store"), "--only", "dag", "--out", filepath.Join(dir, "results"))
	racecard(t, "work", "plan", "analyze", filepath.Join(dir, "s.store"), "--only", "recurrence", "--min-runs", "3",
		"--out", filepath.Join(dir, "work"))
	racecard(t, "work", "do", filepath.Join(dir, "work"))
	return dir
}

// most is how many points of a command the short form tries besides renames.
const most = 3

// chosen returns the points that are tried: all, or in the short form renames and a few others, evenly.
func chosen(all []point) []point {
	if long() {
		return all
	}
	var renames, others, some []point
	for _, p := range all {
		if strings.HasPrefix(p.call, "rename") {
			renames = append(renames, p)
		} else {
			others = append(others, p)
		}
	}
	for i := range min(most, len(others)) {
		some = append(some, others[i*len(others)/most])
	}
	return append(some, renames[:min(len(renames), most)]...)
}

func TestInterruptedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("interrupts every command at several points")
	}
	haveStrace(t)
	in := inputs(t)
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); newSandbox(t, in, c).attack(t) })
	}
}

// Where the system cannot exchange two names in one step, the older version is away for a moment. A process that dies
// in it leaves it to the next one, also one that only reads, to put the older version back.
func TestInterruptedWithoutExchange(t *testing.T) {
	if testing.Short() {
		t.Skip("interrupts a command at several points")
	}
	haveStrace(t)
	in := inputs(t)
	for _, c := range commands() {
		if c.name == "analyze" || c.name == "import --force" {
			c.steps = true
			t.Run(c.name, func(t *testing.T) { t.Parallel(); newSandbox(t, in, c).attack(t) })
		}
	}
}

// sandbox is a folder in which a command is attacked again and again, at the same path.
type sandbox struct {
	written
	input, dir, model string // model holds the version before
	last, next        string // trees of the versions before and after
	clean             string // names beside the output after the command alone
	tried, missed     int
}

func (s *sandbox) out() string       { return filepath.Join(s.dir, "out", "x") }
func (s *sandbox) place() string     { return filepath.Join(s.out(), s.at) }
func (s *sandbox) temporary() string { return filepath.Join(s.dir, "tmp") }

func newSandbox(t *testing.T, input string, c written) *sandbox {
	t.Helper()
	top := t.TempDir()
	s := &sandbox{written: c, input: input, dir: filepath.Join(top, "run"), model: filepath.Join(top, "before")}
	s.reset(t)
	for _, args := range c.before {
		racecard(t, s.filled(args)...)
		if info, err := os.Stat(s.out()); err == nil && !info.IsDir() {
			continue
		}
		if err := os.WriteFile(filepath.Join(s.out(), "notes.txt"), []byte("of somebody else"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(s.model, os.DirFS(filepath.Join(s.dir, "out"))); err != nil {
		t.Fatal(err)
	}
	s.last = tree(t, s.place())
	racecard(t, s.filled(c.args)...)
	s.next, s.clean = tree(t, s.place()), names(t, filepath.Dir(s.place()))
	if s.next == s.last || s.next == "" {
		t.Fatalf("the command writes nothing new")
	}
	return s
}

// filled puts paths into the arguments of a command.
func (s *sandbox) filled(args []string) []string {
	var all []string
	for _, a := range args {
		all = append(all, strings.NewReplacer("INPUT", s.input, "OUT", s.out()).Replace(a))
	}
	return all
}

// reset brings the state before the command back.
func (s *sandbox) reset(t *testing.T) {
	t.Helper()
	err := errors.Join(os.RemoveAll(s.dir), os.MkdirAll(filepath.Join(s.dir, "out"), 0o755), os.MkdirAll(s.temporary(),
		0o755))
	if _, statErr := os.Stat(s.model); err == nil && statErr == nil {
		err = os.CopyFS(filepath.Join(s.dir, "out"), os.DirFS(s.model))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// attack interrupts the command at its points, one after the other.
func (s *sandbox) attack(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	s.reset(t)
	cmd := traced(t, log, s.options(strings.Join(changing, ",")), s.temporary(), s.filled(s.args))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got := tree(t, s.place()); got != s.next {
		t.Fatalf("the command does not make the same bytes again:\n%s\nwant\n%s", got, s.next)
	}
	all := points(t, log, s.dir)
	if len(all) < 3 {
		t.Fatalf("only %d calls change the disk", len(all))
	}
	for _, p := range chosen(all) {
		if p.call == "renameat2" && s.steps {
			continue // fails each time
		}
		for _, how := range attacks(p.call) {
			s.interrupt(t, p, how, log)
		}
	}
	t.Logf("%d points, %d interruptions, %d of them came to nothing", len(all), s.tried, s.missed)
	if 2*s.missed > s.tried { // strace counts the calls of each thread on its own, so some numbers are never reached
		t.Errorf("%d of %d interruptions came to nothing", s.missed, s.tried)
	}
}

// options returns options of strace that trace some calls.
func (s *sandbox) options(calls string) []string {
	if s.steps {
		return []string{"-e", "trace=renameat2," + calls, "-e", "inject=renameat2:error=EINVAL"}
	}
	return []string{"-e", "trace=" + calls}
}

// interrupt interrupts the command at a point, looks at what is visible, and runs it again.
func (s *sandbox) interrupt(t *testing.T, p point, how, log string) {
	t.Helper()
	s.reset(t)
	s.tried++
	what := p.String() + ", " + how
	inject := fmt.Sprintf("inject=%s:%s:when=%d", p.call, how, p.ordinal)
	cmd := traced(t, log, append([]string{"-P", p.path, "-e", inject}, s.options(p.call)...), s.temporary(),
		s.filled(s.args))
	text, err := cmd.CombinedOutput()
	if trace, readErr := os.ReadFile(log); readErr != nil ||
		!regexp.MustCompile(`INJECTED|SIGKILL|SIGTERM|SIGINT`).Match(trace) {
		s.missed++
		t.Logf("%s: came to nothing: %v, %s", what, err, trace)
	}
	switch code := cmd.ProcessState.ExitCode(); {
	case code == cli.ExitDone: // it did without the call
		if got := tree(t, s.place()); got != s.next {
			t.Errorf("%s: exit status 0, but it makes\n%s\nwant\n%s", what, got, s.next)
		}
		if got := names(t, filepath.Dir(s.place())); got != s.clean {
			t.Errorf("%s: exit status 0, but beside the output lies %s, want %s", what, got, s.clean)
		}
	case strings.HasPrefix(how, "error") && code != cli.ExitFailed:
		t.Errorf("%s: exit status %d, %v: %s", what, code, err, text)
	}
	if strings.Contains(string(text), "panic") || strings.Contains(string(text), "goroutine ") {
		t.Errorf("%s: %s", what, text)
	}
	if s.steps && tree(t, s.place()) == "" {
		racecard(t, "inspect", s.place())
	}
	visible := tree(t, s.place())
	if !s.isVersion(t, visible) {
		t.Errorf("%s: neither the version before nor the one after is visible:\n%s", what, visible)
	}
	if visible != s.next || !s.once {
		again := exec.CommandContext(t.Context(), os.Args[0], s.filled(s.args)...)
		again.Env = environment(s.temporary())
		if text, err := again.CombinedOutput(); err != nil {
			t.Errorf("%s: the same command then ends with %v: %s", what, err, text)
			return
		}
	}
	if got := tree(t, s.place()); got != s.next {
		t.Errorf("%s: the same command then makes\n%s\nwant\n%s", what, got, s.next)
	}
	if got := names(t, filepath.Dir(s.place())); got != s.clean {
		t.Errorf("%s: beside the output lies %s, want %s", what, got, s.clean)
	}
	if got := names(t, s.temporary()); got != "[]" {
		t.Errorf("%s: temporary files are left: %s", what, got)
	}
}

// isVersion reports whether what is visible is one of the two versions.
func (s *sandbox) isVersion(t *testing.T, visible string) bool {
	t.Helper()
	if visible == s.last || visible == s.next {
		return true
	}
	if s.grows {
		known := strings.Split(s.last+"\n"+s.next, "\n")
		return !slices.ContainsFunc(strings.Split(visible, "\n"), func(line string) bool {
			return !strings.Contains(line, "/.") && !slices.Contains(known, line) // hidden is what is being made
		})
	}
	if !s.joins {
		return false
	}
	data, err := os.ReadFile(filepath.Join(s.out(), "racecard.json"))
	if err != nil {
		return false
	}
	var m struct {
		Files []struct{ Name string }
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return false
	}
	lines := strings.Split(visible, "\n")
	for version := range strings.SplitSeq(s.last+"\x00"+s.next, "\x00") {
		missing := false
		for _, f := range append(m.Files, struct{ Name string }{"racecard.json"}) {
			line := ""
			for l := range strings.SplitSeq(version, "\n") {
				if strings.HasPrefix(l, "/"+f.Name+" ") {
					line = l
				}
			}
			missing = missing || line == "" || !contains(lines, line)
		}
		if !missing {
			return true
		}
	}
	return false
}

func contains(lines []string, line string) bool {
	return slices.Contains(lines, line)
}
