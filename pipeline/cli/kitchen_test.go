package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/pipeline/internal/run"
)

// kitchen is a folder with traces and a recipe.
type kitchen struct {
	t   *testing.T
	dir string
}

// newKitchen returns one with traces of the names, each of a dozen runs of one job, and a recipe with steps.
func newKitchen(t *testing.T, steps string, traces ...string) kitchen {
	t.Helper()
	k := kitchen{t, t.TempDir()}
	recipe := "out: out\ntraces:\n"
	for i, name := range traces {
		k.write(name+".jsonl", runsOf(name, 12+i))
		recipe += "  " + name + ": {paths: " + name + ".jsonl, format: jsonl}\n"
	}
	k.write("racecard.yaml", recipe+"steps:\n"+steps)
	return k
}

// runsOf returns a trace of n runs.
func runsOf(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"%s-%d","name":"%s","submit_s":%d,"start_s":%d,"end_s":%d,"stages":[{"durations_s":[1,2,%d]},{"tasks":1,"duration_s":1,"parents":[0]}]}`+"\n",
			name, i, name, 10*i, 10*i, 10*i+5+i%3, 1+i%4)
	}
	return b.String()
}

func (k kitchen) write(name, text string) {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour) // such that the time of the last change tells the content
	if strings.HasPrefix(text, " ") {
		old = old.Add(time.Second)
	}
	if err := os.Chtimes(path, old, old); err != nil {
		k.t.Fatal(err)
	}
}

// run runs the recipe in a process of its own, and returns the record, the messages and the exit status.
func (k kitchen) run(args ...string) (*run.Record, string, int) {
	k.t.Helper()
	cmd := racecard(k.t, append([]string{"run", filepath.Join(k.dir, "racecard.yaml"), "--json"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var record run.Record
	if len(out) > 0 {
		if err := json.Unmarshal(out, &record); err != nil {
			k.t.Fatalf("%v: %s", err, out)
		}
	} else if err == nil {
		k.t.Fatal("no record")
	}
	return &record, stderr.String(), cmd.ProcessState.ExitCode()
}

// taken returns the steps that a run took, in the order of their names.
func taken(r *run.Record) string {
	names := stepsIn(r, run.Done)
	slices.Sort(names)
	return strings.Join(names, " ")
}

// bytesOf returns the checksums of all results that a run shows.
func (k kitchen) bytesOf() map[string]string {
	k.t.Helper()
	all := map[string]string{}
	latest := filepath.Join(k.dir, "out", "latest")
	var walk func(dir, name string)
	walk = func(dir, name string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			k.t.Fatal(err)
		}
		for _, e := range entries {
			path, to := filepath.Join(dir, e.Name()), name+"/"+e.Name()
			if to == "/"+run.RecordFile {
				continue
			}
			info, err := os.Stat(path) // a link that leads nowhere is half a result
			if err != nil {
				k.t.Fatal(err)
			}
			if info.IsDir() {
				walk(path, to)
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				k.t.Fatal(err)
			}
			all[to] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	if _, err := os.Stat(latest); err == nil {
		walk(latest, "")
	}
	return all
}

const usualSteps = "  results: {analyze: store, only: [recurrence, dag]}\n  models: {fit: store, all: true}\n" +
	"  tables: {table build: models, replicates: 5}\n  report: {report: results}\n"
