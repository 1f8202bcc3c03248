package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validator validates documents against their schemas, and fails on fields that a schema does not name.
type validator struct {
	schemas map[string]*jsonschema.Schema
	seen    map[string]bool
}

func newValidator(t *testing.T) *validator {
	t.Helper()
	c, v := jsonschema.NewCompiler(), &validator{map[string]*jsonschema.Schema{}, map[string]bool{}}
	for _, d := range documentedTypes() {
		of, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaOf(t, d, nil, true)))
		if err == nil {
			err = c.AddResource(d.name, of)
		}
		if err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
	}
	for _, d := range documentedTypes() {
		of, err := c.Compile(d.name)
		if err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
		v.schemas[d.name] = of
	}
	return v
}

// check validates one document.
func (v *validator) check(t *testing.T, name, where string, document []byte) {
	t.Helper()
	v.seen[name] = true
	of := v.schemas[name]
	if of == nil {
		t.Errorf("%s: no schema %s", where, name)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err == nil {
		err = of.Validate(value)
	}
	if err != nil {
		text := fmt.Sprint(err)
		t.Errorf("%s is no %s: %s", where, name, text[:min(1500, len(text))])
	}
}

// folder validates the JSON files of a folder, named after their schemas but for those in as.
func (v *validator) folder(t *testing.T, dir string, as map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Errorf("no documents in %s: %v", dir, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if other := as[name]; other != "" {
			name = other
		} else if other := as["*"]; other != "" {
			name = other
		}
		v.check(t, name, f, text)
	}
}

// Documents of every command on the sample match their schemas, field by field.
func TestSchemasDescribeDocuments(t *testing.T) {
	t.Parallel()
	v, store, dir := newValidator(t), sampleStore(t), t.TempDir()
	demo := sampleDemo.in(t)
	v.folder(t, filepath.Join(demo, "sample.results"), nil)
	v.folder(t, filepath.Join(demo, "report"), nil)
	v.folder(t, filepath.Join(demo, "sample.store"), map[string]string{"racecard": "store"})
	v.folder(t, sampleFitted.in(t), map[string]string{"models": "models", "*": "profile"})
	at := func(name string) string { return filepath.Join(dir, name) }
	print := func(name string, args ...string) {
		t.Helper()
		status, out, stderr := call(t, append(args, "--json", "--quiet")...)
		if status != ExitDone && status != ExitRefused {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
			return
		}
		v.check(t, name, strings.Join(args, " "), []byte(out))
	}
	print("version", "version")
	print("formats", "formats")
	print("catalogue", "fetch")
	print("schemas", "schema")
	print("fetch-plan", "fetch", "swim", "--dry-run")
	print("inspect", "inspect", store)
	print("inspect-results", "inspect", filepath.Join(demo, "sample.results"))
	print("lineage", "provenance", filepath.Join(demo, "sample.results", "dag.json"))
	print("changes", "compare", store, "--all", "--out", at("more"))
	print("explain", "explain", store, "--job", "page-importance", "--out", at("more"))
	print("forecast", "forecast", store, "--job", "page-importance", "--tokens", "2,4", "--deadline", "1m", "--out",
		at("more"))
	print("plan", "plan", store, "--tokens", "4", "page-importance@01:50", "--out", at("more"))
	print("check", "check", store, "--now", "2026-11-21T02:00")
	print("waste", "waste", store, "--price", "cpu=0.04/h", "--jobs", "1", "--sample", "2", "--out", at("more"))
	v.folder(t, at("more"), nil)
	print("fit", "fit", store, "--all", "--out", at("models"))
	print("table-build", "table", "build", at("models"), "--out", at("tables"), "--method", "amdahl")
	v.folder(t, at("tables"), map[string]string{"tables": "tables-index"})
	print("table-list", "table", "show", at("tables"))
	print("table-show", "table", "show", at("tables"), "--job", "page-importance")
	print("table-lookup", "table", "lookup", at("tables"), "--job", "page-importance", "--progress", "0.4",
		"--allocation", "2")
	print("table-verify", "table", "verify", at("tables"))
	print("table-diff", "table", "diff", at("tables"), at("tables"))
	print("table-admit", "table", "admit", at("tables"), "--tokens", "4", "page-importance=45m")
	print("generate", "generate", "nights", "--rows", "60", "--out", at("nights"))
	print("inspect", "import", at("nights"), "--out", at("nights.store"))
	print("changes", "compare", at("nights.store"), "--all")
	print("init", "init", at("nights"), "--out", at("racecard.yaml"))
	print("work", "work", "plan", "analyze", store, "--only", "dag", "--out", at("work"))
	print("work-status", "work", "status", at("work"))
	print("work-do", "work", "do", at("work"))
	print("work-merge", "work", "merge", at("work"), "--out", at("merged"))
	print("work-engine", "work", "engine", "slurm")
	print("report-path", "report", at("merged"), "--out", at("report"))
	print("desk", "desk", store, "--out", at("desk.html"))
	v.check(t, "desk-data", "the page of racecard desk", deskData(t, at("desk.html")))
	print("refresh", "refresh", at("nights"), "--store", at("r.store"), "--models", at("r.models"), "--tables",
		at("r.tables"))
	described := map[string]documentedTable{}
	for _, of := range describedTables(t) {
		described[of.Name] = of
	}
	matchFiles(t, described, at("more"))
	matchFiles(t, described, at("tables"))
	var missing []string
	for _, d := range documentedTypes() {
		if !v.seen[d.name] {
			missing = append(missing, d.name)
		}
	}
	// A server, a download and a run of a recipe have tests of their own.
	elsewhere := []string{"cov", "desk-served", "fetch", "gc", "run", "run-plan", "serve", "steer-replay", "steered",
		"steered-report", "sweep", "unite-tables"}
	slices.Sort(missing)
	for _, name := range missing {
		if !slices.Contains(elsewhere, name) {
			t.Errorf("no document was validated against the schema %s", name)
		}
	}
}

// deskData returns the data that a page of few jobs holds.
func deskData(t *testing.T, page string) []byte {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, data, ok := bytes.Cut(text, []byte(`<script type="application/json" id="data">`))
	data, _, end := bytes.Cut(data, []byte("</script>"))
	if !ok || !end {
		t.Fatalf("%s holds no data", page)
	}
	return data
}
