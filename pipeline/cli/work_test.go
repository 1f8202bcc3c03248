package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/pipeline/internal/work"
)

// workshop is a folder with a store of several parts.
func workshop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 4 {
		trace := filepath.Join(dir, fmt.Sprintf("b%d.jsonl", i))
		if err := os.WriteFile(trace, []byte(runsOf(fmt.Sprintf("job%d", i%2), 15+i)+
			runsOf(fmt.Sprintf("job-%c", 'a'+i), 12)), 0o644); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		// ids differ from batch to batch, times move on, and the runs touch datasets
		text = bytes.ReplaceAll(text, []byte(`"id":"`),
			fmt.Appendf(nil, `"reads":["d%d"],"writes":["d%d"],"guaranteed":2,"group":"g%d","id":"%d-`, i, i+1, i%2, i))
		if err := os.WriteFile(trace, text, 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"import", "--quiet", "--out", filepath.Join(dir, "s.store"), trace}
		if i > 0 {
			args = append(args, "--append")
		}
		mustRun(t, args...)
	}
	return dir
}

// scattered adds folders to a workshop: traces holds files of runs, rows files that each hold some rows of every run.
func scattered(t *testing.T, dir string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"traces", "rows"} {
		if err := os.Mkdir(in(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		if err := os.Link(in(fmt.Sprintf("b%d.jsonl", i)), in(fmt.Sprintf("traces/b%d.jsonl", i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		var rows strings.Builder
		for k := range 300 {
			fmt.Fprintf(&rows, "M%d,1,j_%d,1,Terminated,%d,%d,100,0.5\n", i+1, k*7%307, 10+k, 20+k)
		}
		if err := os.WriteFile(in(fmt.Sprintf("rows/%d.csv", i)), []byte(rows.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// mustRun runs racecard in a process of its own, which must succeed, and returns what it prints.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	said, err := racecard(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, said)
	}
	return string(said)
}

// sameFolders fails the test unless two folders hold the same files.
func sameFolders(t *testing.T, one, other string) {
	t.Helper()
	read := func(dir string) map[string]string {
		all := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			all[strings.TrimPrefix(path, dir)] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	a, b := read(one), read(other)
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("%d and %d files", len(a), len(b))
	}
	for name, data := range a {
		if b[name] != data {
			t.Errorf("%s differs", name)
		}
	}
}

// Units that processes run in any order and twice merge to the bytes of one machine.
func TestWorkHasTheBytesOfOneMachine(t *testing.T) {
	t.Parallel()
	dir := workshop(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "fit", in("s.store"), "--all", "--min-runs", "5", "--out", in("models"), "--quiet")
	scattered(t, dir)
	for _, test := range []struct {
		name, input string
		command     []string
		options     []string
		units       int
	}{
		{"analyze", "s.store", []string{"analyze"}, []string{"--min-runs", "5"}, 4},
		{"cov", "s.store", []string{"analyze"}, []string{"--only", "cov"}, 4},
		{"tables", "models", []string{"table", "build"}, []string{"--replicates", "4", "--seed", "3"}, 6},
		{"table", "models", []string{"table", "build"}, []string{"--replicates", "4", "--job", "job-a"}, 1},
		{"import", "traces", []string{"import"}, []string{"--batch", "1"}, 4},
		{"shards", "rows", []string{"import"}, []string{"--batch", "1", "--format", "alibaba2018"}, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			one, folder, many := in(test.name+".one"), in(test.name+".work"), in(test.name+".many")
			command := append(append([]string{}, test.command...), in(test.input))
			options := test.options
			if options[0] == "--batch" { // of the plan alone
				options = options[2:]
			}
			mustRun(t, append(append(command, options...), "--out", one, "--quiet")...)
			mustRun(t, append(append([]string{"work", "plan"}, append(command, "--out", folder)...),
				test.options...)...)
			p, err := work.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Units) != test.units {
				t.Fatalf("%d units, want %d", len(p.Units), test.units)
			}
			if said, err := racecard(t, "work", "merge", folder, "--out", many).CombinedOutput(); err == nil ||
				!strings.Contains(string(said), "not done; `racecard work do ") {
				t.Errorf("merged too early: %s", said)
			}
			last, second := len(p.Units)-1, min(1, len(p.Units)-1)
			if p.Units[last].Wave > 0 {
				said, err := racecard(t, "work", "do", folder, "--index", fmt.Sprint(last)).CombinedOutput()
				if err == nil || !strings.Contains(string(said), "1 unit is left of the second wave") {
					t.Errorf("the second wave before the first: %v: %s", err, said)
				}
				last = 2
			}
			mustRun(t, "work", "do", folder, "--index", fmt.Sprint(last))
			mustRun(t, "work", "do", folder, "--unit", p.Units[second].ID)
			if p.Units[len(p.Units)-1].Wave == 0 {
				mustRun(t, "work", "do", folder, "--index", "1", "--of", "2")
			}
			if err := os.Remove(filepath.Join(folder, "done", p.Units[second].ID+".unit")); err != nil {
				t.Fatal(err)
			}
			mustRun(t, "work", "do", folder)
			mustRun(t, "work", "merge", folder, "--out", many)
			sameFolders(t, one, many)
		})
	}
}

func TestWorkSweeps(t *testing.T) {
	dir := workshop(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	plan := []string{"work", "plan", "simulate", "eagle", in("s.store"), "--schedulers", "eagle,hawk", "--seeds", "1-2",
		"--vary", "load=70%,90%", "--out"}
	for _, name := range []string{"one", "many"} {
		mustRun(t, append(plan, in(name))...)
	}
	mustRun(t, "work", "do", in("one"))
	for _, i := range []string{"3", "1", "0", "2"} {
		mustRun(t, "work", "do", in("many"), "--index", i)
	}
	mustRun(t, "work", "merge", in("one"), "--out", in("one.sweep"))
	mustRun(t, "simulate", "eagle", in("s.store"), "--schedulers", "eagle,hawk", "--seeds", "1-2", "--vary",
		"load=70%,90%", "--out", in("here.sweep"), "--quiet")
	sameFolders(t, in("one.sweep"), in("here.sweep"))
	said, err := racecard(t, "simulate", "eagle", in("s.store"), "--engine", "spark", "--work", in("w"), "--out",
		in("x")).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "one simulation is one unit") {
		t.Errorf("--engine without a sweep: %v: %s", err, said)
	}
	mustRun(t, "work", "merge", in("many"), "--out", in("many.sweep"))
	sameFolders(t, in("one.sweep"), in("many.sweep"))
	seeds, err := os.ReadFile(filepath.Join(in("many.sweep"), "unit-000001", "eagle.json"))
	first, err2 := os.ReadFile(filepath.Join(in("many.sweep"), "unit-000000", "eagle.json"))
	if err != nil || err2 != nil || bytes.Equal(seeds, first) {
		t.Errorf("%v, %v: two seeds have one result", err, err2)
	}
}

// What a simulation reads a sweep reads, too: trace files, and nothing for made-up jobs. Units of an input that changed
// since it was divided fail.
func TestWorkSweepsOfOtherInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	trace := in("t.jsonl")
	run := func(id string) string {
		return `{"id":"` + id + `","start_s":0,"end_s":9,"stages":[{"durations_s":[4,5]}]}` + "\n"
	}
	if err := os.WriteFile(trace, []byte(run("a")+run("b")), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--seeds", "1-2", "--quiet", "--out"}
	mustRun(t, append([]string{"simulate", "eagle", trace, "--machines", "2", "--schedulers", "eagle"},
		append(flags, in("files"))...)...)
	mustRun(t, append([]string{"simulate", "jockey", "--replicates", "1", "--simulations", "20", "--bound", "0"},
		append(flags, in("none"))...)...)
	v := newValidator(t)
	for folder, want := range map[string][]string{"files": {"t.jsonl"}, "none": {}} {
		v.folder(t, in(folder), nil)
		var s sweep
		text, err := os.ReadFile(filepath.Join(in(folder), sweepFile))
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil || !slices.Equal(s.Inputs, want) || len(s.Units) != 2 || len(s.Units[1].Files) == 0 {
			t.Errorf("%s: %v, %+v", folder, err, s)
		}
	}
	mustRun(t, "work", "plan", "simulate", "eagle", trace, "--machines", "2", "--schedulers", "eagle", "--out", in("w"))
	if err := os.WriteFile(trace, []byte(run("a")+run("c")), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := racecard(t, "work", "do", in("w")).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "plan it again") {
		t.Errorf("a unit of another input: %v: %s", err, said)
	}
}

// Units have the options of their plan, with those that the environment of the plan stated, whatever their own states.
func TestWorkHasTheOptionsOfItsPlan(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	trace := put(t, dir, "t.jsonl", runsOf("a", 8))
	command := []string{"simulate", "eagle", trace, "--schedulers", "sparrow", "--out"}
	t.Setenv("RACECARD_SIMULATE_EAGLE_MACHINES", "3")
	t.Setenv("RACECARD_SEEDS", "1-2")
	must(t, append(command, in("one"))...)
	must(t, append([]string{"work", "plan"}, append(command, in("w"))...)...)
	t.Setenv("RACECARD_SIMULATE_EAGLE_MACHINES", "5")
	t.Setenv("RACECARD_SEEDS", "7")
	t.Setenv("RACECARD_ENGINE", "spark")
	must(t, "work", "do", in("w"))
	must(t, "work", "merge", in("w"), "--out", in("many"))
	sameFolders(t, in("one"), in("many"))
}

// A unit of a store that was replaced since it was planned fails: the store may be the planned one again when units are
// merged.
func TestUnitsOfAnotherStoreFail(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a", "b"} {
		must(t, "import", "--out", in(name), put(t, dir, name+".jsonl", runsOf(name, 8)))
	}
	swap := func(from, to string) {
		t.Helper()
		if err := os.Rename(in(from), in(to)); err != nil {
			t.Fatal(err)
		}
	}
	swap("a", "s")
	must(t, "work", "plan", "analyze", in("s"), "--out", in("w"))
	swap("s", "a")
	swap("b", "s")
	if status, _, said := call(t, "work", "do", in("w")); status != ExitFailed || !strings.Contains(said, "plan it again") {
		t.Errorf("status %d: %s", status, said)
	}
}

// Options that would leave units out, or that say nothing to a command, are refused.
func TestWorkRefusesOptions(t *testing.T) {
	dir := t.TempDir()
	w := filepath.Join(dir, "w")
	trace := put(t, dir, "t.jsonl", runsOf("a", 8))
	must(t, "work", "plan", "simulate", "eagle", trace, "--seeds", "1-3", "--out", w)
	models := sampleModels(t)
	for _, test := range []struct{ want, args string }{
		{"wants an --index from 0 to 2", "do " + w + " --of 3"},
		{"wants an --index from 0 to 2", "do " + w + " --of 3 --index 3"},
		{"the plan has 3 units, from 0", "do " + w + " --index 3"},
		{"--batch is for import and analyze", "plan simulate eagle " + trace + " --batch 2 --out " + w},
		{"no flag --seeds", "plan import " + trace + " --seeds 1-2 --out " + w},
		// These and their like were refused by each unit.
		{"--machines or --load, not both", "plan simulate eagle " + trace + " --machines 4 --load 0.5 --out " + w},
		{"--machines or --load, not both", "plan simulate eagle " + trace + " --machines 4 --vary load=50%,60% --out " + w},
		{"--offline and --interarrival", "plan simulate carbyne " + trace + " --offline --interarrival 4 --out " + w},
		{"--utility", "plan simulate jockey --utility 5 --out " + w},
		{"ascending", "plan table build " + models + " --allocations 5,4 --out " + w},
	} {
		status, _, said := call(t, append([]string{"work"}, strings.Fields(test.args)...)...)
		if status != ExitUsage || !strings.Contains(said, test.want) {
			t.Errorf("%s: status %d, want %d and %q: %s", test.args, status, ExitUsage, test.want, said)
		}
	}
}

// A unit that fails leaves the others, and merging says which it is.
func TestWorkFails(t *testing.T) {
	dir := workshop(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "fit", in("s.store"), "--all", "--min-runs", "5", "--out", in("models"), "--quiet")
	mustRun(t, "work", "plan", "table", "build", in("models"), "--replicates", "4", "--out", in("w"))
	models, err := filepath.Glob(in("models/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := models[0]
	if filepath.Base(damaged) == "models.json" {
		damaged = models[1]
	}
	whole, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := racecard(t, "work", "do", in("w"))
	said, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != ExitFailed ||
		!strings.Contains(string(said), "1 unit failed, the others are kept") ||
		!strings.Contains(string(said), "5 units done") {
		t.Errorf("status %d: %s", cmd.ProcessState.ExitCode(), said)
	}
	said, err = racecard(t, "work", "merge", in("w"), "--out", in("tables")).CombinedOutput()
	if err == nil || !strings.Contains(string(said), filepath.Base(damaged)) {
		t.Errorf("merge: %v: %s", err, said)
	}
	if err := os.WriteFile(damaged, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(in("w/failed/*")); err != nil || len(left) != 1 {
		t.Errorf("after a failure: %v, %v", left, err)
	}
	if said := mustRun(t, "work", "do", in("w")); !strings.Contains(said, "1 unit done, 5 were there already") {
		t.Errorf("mended: %s", said)
	}

	if left, err := filepath.Glob(in("w/failed/*")); err != nil || len(left) > 0 {
		t.Errorf("what failed is done, and %v is left: %v", left, err)
	}
	outputs, err := filepath.Glob(in("w/done/*.unit"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(outputs[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	said, err = racecard(t, "work", "merge", in("w"), "--out", in("tables")).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "its checksum differs") {
		t.Errorf("a damaged output: %v: %s", err, said)
	}

	plan, err := os.ReadFile(in("w/plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("w/plan.json"), bytes.Replace(plan, []byte(`"build": "`), []byte(`"build": "x`), 1),
		0o644); err != nil {
		t.Fatal(err)
	}
	said, err = racecard(t, "work", "do", in("w")).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "planned by another build") {
		t.Errorf("another build: %v: %s", err, said)
	}
}

// The flags that were given go with the units, those that say where do not.
func TestGivenFlags(t *testing.T) {
	root := newRoot(&env{stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)})
	cmd, _, err := root.Find([]string{"analyze"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags([]string{"--out", "x", "--engine", "spark", "--work", "y", "--json", "--only", "dag,cov",
		"--min-runs", "5", "--user", "a,b", "--user", `"c,d"`}); err != nil {
		t.Fatal(err)
	}
	got, want := strings.Join(givenFlags(cmd), " "), `--min-runs=5 --only=dag,cov --user=a,b,"c,d"`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A sweep has the seed that the command states, and no unit twice; its folder says where its results are.
func TestSeedsOfSweeps(t *testing.T) {
	trace := put(t, t.TempDir(), "t.jsonl", runsOf("a", 4))
	simulate := func(out string, args ...string) (int, string) {
		status, _, stderr := call(t, append([]string{"simulate", "eagle", trace, "--schedulers", "sparrow", "--quiet", "--out", out}, args...)...)
		return status, stderr
	}
	out := filepath.Join(t.TempDir(), "out")
	if status, stderr := simulate(out, "--seed", "7", "--vary", "load=80%,90%"); status != ExitDone {
		t.Fatal(stderr)
	}
	for _, unit := range []string{"unit-000000", "unit-000001"} {
		text, err := os.ReadFile(filepath.Join(out, unit, "eagle.json"))
		var doc struct{ Options struct{ Seed int } }
		if err == nil {
			err = json.Unmarshal(text, &doc)
		}
		if err != nil || doc.Options.Seed != 7 {
			t.Errorf("%s: seed %d, %v; want 7", unit, doc.Options.Seed, err)
		}
	}
	for _, args := range [][]string{{"report", "--out", filepath.Join(t.TempDir(), "r"), out}, {"inspect", out}} {
		if status, _, stderr := call(t, args...); status != ExitFailed || !strings.Contains(stderr, "unit-000000") {
			t.Errorf("%s: status %d, %s", args[0], status, stderr)
		}
	}
	for _, test := range []struct{ want, args string }{
		{"contradict", "--seed 3 --seeds 1-2"}, {"seed 1 is there twice", "--seeds 1,1"},
		{"seed 2 is there twice", "--seeds 1-3,2"}, {"--seeds 1-20 gives", "--vary seed=1,2"},
		{"load is there twice", "--vary load=80% --vary load=90%"}, {"80% is there twice", "--vary load=80%,80%"},
		{"cannot be varied", "--vary out=x,y"},
	} {
		status, stderr := simulate(filepath.Join(t.TempDir(), "out"), strings.Fields(test.args)...)
		if status != ExitUsage || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: status %d, want %d and %q: %s", test.args, status, ExitUsage, test.want, stderr)
		}
	}
}

// The output of a unit that is cut off, empty or of another unit is not done: the unit is run again.
func TestWorkReplacesDamagedOutputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	trace := put(t, dir, "t.jsonl", runsOf("a", 8))
	flags := []string{"--schedulers", "sparrow", "--machines", "2", "--seeds", "1-3", "--quiet", "--out"}
	mustRun(t, append([]string{"simulate", "eagle", trace}, append(flags, in("whole"))...)...)
	mustRun(t, append([]string{"work", "plan", "simulate", "eagle", trace}, append(flags, in("w"))...)...)
	mustRun(t, "work", "do", in("w"))
	outputs, err := filepath.Glob(in("w/done/*.unit"))
	if err != nil || len(outputs) != 3 {
		t.Fatal(outputs, err)
	}
	text, err := os.ReadFile(outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, content := range [][]byte{text[:len(text)-1], nil, text} { // the last is of another unit
		if err := os.WriteFile(outputs[i], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if said := mustRun(t, "work", "status", in("w")); !strings.Contains(said, "0 of 3 units done") {
		t.Error(said)
	}
	mustRun(t, "work", "do", in("w"))
	mustRun(t, "work", "merge", in("w"), "--out", in("merged"))
	for _, unit := range []string{"unit-000000", "unit-000001", "unit-000002"} {
		want, err := os.ReadFile(filepath.Join(in("whole"), unit, "eagle.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(in("merged"), unit, "eagle.json")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", unit, err)
		}
	}
}

// Where even the failure cannot be kept, the unit's own error is told.
func TestUnitsOnAFullDisk(t *testing.T) {
	full := mount(t, "size=64k")
	w := filepath.Join(full, "w")
	must(t, "work", "plan", "simulate", "eagle", put(t, t.TempDir(), "t.jsonl", runsOf("a", 8)), "--seeds", "1-2", "--out", w)
	if err := os.WriteFile(filepath.Join(full, "fill"), make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	status, _, said := call(t, "work", "do", w)
	if status != ExitFailed || !strings.Contains(said, "(--seed=1)") || !strings.Contains(said, "no space left") ||
		!strings.Contains(said, ".unit: ") || strings.Contains(said, ".partial") {
		t.Errorf("status %d: %s", status, said)
	}
}

// Units of an import are of the files as they were when the work was planned, also where others have their size.
func TestUnitsOfChangedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, trace := filepath.Join(dir, "w"), filepath.Join(dir, "t.jsonl")
	plan := func(name string) {
		t.Helper()
		put(t, dir, "t.jsonl", runsOf(name, 8))
		must(t, "work", "plan", "import", trace, "--out", w)
	}
	plan("a")
	must(t, "work", "do", w)
	plan("b")
	if out := must(t, "work", "do", w); !strings.HasPrefix(out, "1 unit done, 0 were there") {
		t.Errorf("units of the file before: %s", out)
	}
	must(t, "work", "merge", w, "--out", filepath.Join(dir, "merged"))
	must(t, "import", trace, "--out", filepath.Join(dir, "whole"))
	sameFolders(t, filepath.Join(dir, "whole"), filepath.Join(dir, "merged"))
	plan("c")
	put(t, dir, "t.jsonl", runsOf("d", 8))
	if status, _, said := call(t, "work", "do", w); status != ExitFailed || !strings.Contains(said, "plan it again") {
		t.Errorf("a file that changed after the plan: status %d: %s", status, said)
	}
}

// The unit of an output with damaged content is left to do; merge removes such an output.
func TestDamagedUnitsRunAgain(t *testing.T) {
	dir := workshop(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "work", "plan", "analyze", in("s.store"), "--only", "dag", "--min-runs", "5", "--out", in("w"))
	mustRun(t, "work", "do", in("w"))
	outputs, err := filepath.Glob(in("w/done/*.unit"))
	if err != nil || len(outputs) == 0 {
		t.Fatal(outputs, err)
	}
	text, err := os.ReadFile(outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	damage := func() {
		t.Helper()
		if err := os.WriteFile(outputs[0], text, 0o600); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d of %d units done, 0 failed", len(outputs)-1, len(outputs))
		if out := mustRun(t, "work", "status", in("w")); !strings.HasPrefix(out, want) {
			t.Errorf("status: %s, want %s", out, want)
		}
	}
	damage()
	for range 2 { // removed or not
		if out := mustRun(t, "work", "do", in("w")); !strings.HasPrefix(out, "1 unit done") {
			t.Errorf("do: %s", out)
		}
		damage()
		status, _, stderr := call(t, "work", "merge", in("w"), "--out", in("r"))
		if status != ExitFailed || !strings.Contains(stderr, "it was removed: run the unit again") {
			t.Errorf("merge: exit status %d: %s", status, stderr)
		}
	}
	mustRun(t, "work", "do", in("w"))
	mustRun(t, "work", "merge", in("w"), "--out", in("r"))
}
