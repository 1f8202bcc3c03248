package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/catalogue"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
	"racecard/pipeline/internal/run"
	"racecard/pipeline/internal/work"
	"racecard/pipeline/live"
	desks "racecard/reports/desk"
	"racecard/reports/page"
)

var regen = flag.Bool("regen", false, "rewrite docs/schema and the outputs of the tutorial")

// documented is a document with a schema.
type documented struct {
	name, made string
	value      any
	version    int // of the field schema_version; 0 where the document has another version or is a list
}

// documentedTypes returns every document that racecard writes or prints.
func documentedTypes() []documented {
	v := result.SchemaVersion
	report, steered := page.Documents()
	all := []documented{
		{"store", "STORE/racecard.json", store.Manifest{}, 0},
		{"provenance", "RESULTS/provenance.json", result.Provenance{}, 0},
		{"report", "REPORT/report.json", report, v},
		{"steered-report", "racecard steer show --out: report.json", steered, v},
		{"steered", "racecard steer show --json", result.Steered{}, v},
		{"steer-replay", "racecard steer replay --json", replay{}, v},
		{"profile", "MODELS/*.json", modelfile.Profile{}, 0},
		{"models", "MODELS/models.json", modelfile.Index{}, 0},
		{"tables-index", "TABLES/tables.json", tablefile.Index{}, 0},
		{"run", "racecard run --json, OUT/latest/run.json", run.Record{}, v},
		{"run-plan", "racecard run --dry-run --json", []*run.Result{}, 0},
		{"work", "racecard work plan --json, WORK/plan.json", work.Plan{}, 0},
		{"work-status", "racecard work status --json", work.Status{}, v},
		{"work-do", "racecard work do --json", doneWork{}, v},
		{"work-merge", "racecard work merge --json", mergedWork{}, v},
		{"sweep", "OUT/sweep.json of racecard simulate --seeds or --vary", sweep{}, v},
		{"work-engine", "racecard work engine --json", engineText{}, v},
		{"inspect", "racecard inspect STORE --json, racecard import --json", Inspection{}, v},
		{"inspect-results", "racecard inspect RESULTS --json", ResultsInspection{}, v},
		{"formats", "racecard formats --json", []formatDoc{}, 0},
		{"catalogue", "racecard fetch --json", []catalogue.Entry{}, 0},
		{"fetch-plan", "racecard fetch NAME --dry-run --json", planDoc{}, v},
		{"fetch", "racecard fetch NAME --json", fetchDoc{}, v},
		{"generate", "racecard generate --json", generated{}, v},
		{"init", "racecard init --json", begunRecipe{}, v},
		{"report-path", "racecard report --json, racecard demo --json", drawnReport{}, v},
		{"desk", "racecard desk --json", drawnDesk{}, v},
		{"desk-served", "racecard desk --json without --out: the first line", servedDesk{}, v},
		{"desk-data", "racecard desk: the data that its page holds, in the elements data or, as gzip in base64, packed",
			desks.Data{}, 0},
		{"unite-tables", "racecard unite TABLES --json", unitedTables{}, v},
		{"fit", "racecard fit --json", fittedJobs{}, v},
		{"table-build", "racecard table build --json", builtTables{}, v},
		{"table-list", "racecard table show TABLES --json", shownTables{}, v},
		{"table-show", "racecard table show TABLES --job --json", shownTable{}, v},
		{"table-lookup", "racecard table lookup --json", lookedUp{}, v},
		{"table-verify", "racecard table verify --json", verifiedTables{}, v},
		{"table-diff", "racecard table diff --json", tableDiff{}, v},
		{"table-admit", "racecard table admit --json", live.Admission{}, v},
		{"refresh", "racecard refresh --json", refreshed{}, v},
		{"serve", "racecard serve --json: the first line", serving{}, v},
		{"gc", "racecard gc --json", collected{}, v},
		{"check", "racecard check --json", result.Check{}, v},
		{"lineage", "racecard provenance --json", lineage{}, v},
		{"schemas", "racecard schema --json", schemaList{}, v},
		{"version", "racecard version --json", build{}, v},
	}
	for _, name := range result.Names() {
		all = append(all, documented{name, madeBy(name), result.NewDocument(name), v})
	}
	return all
}

// madeBy names the commands that write a result.
func madeBy(name string) string {
	switch name {
	case "backtest":
		return "racecard backtest --json: the field backtest, RESULTS/backtest.json"
	case "waste", "whatif", "compare", "explain", "forecast", "plan":
		return "racecard " + name + " --json, RESULTS/" + name + ".json"
	case "jockey", "eagle", "carbyne":
		return "racecard simulate " + name + " --json, RESULTS/" + name + ".json"
	case "remaining":
		return "racecard table explain --json, RESULTS/remaining.json"
	case "changes":
		return "racecard compare --json, RESULTS/changes.json"
	}
	return "racecard analyze --json: the field " + name + ", RESULTS/" + name + ".json"
}

// forms are the schemas of types that write their own JSON.
func forms() map[reflect.Type]map[string]any {
	number := map[string]any{"type": []string{"number", "null"}}
	properties := map[string]any{"n": map[string]any{"type": "integer", "minimum": 0,
		"description": "Size of the sample."}}
	required := []string{"n"}
	for _, name := range []string{"mean", "min", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "max"} {
		properties[name], required = number, append(required, name)
	}
	out := page.Forms(map[string]any{"type": "object", "properties": properties, "required": required,
		"description": "Quantiles are type 7 of Hyndman and Fan; all but n are null when n is 0."})
	out[reflect.TypeFor[result.Number]()] = number
	out[reflect.TypeFor[desks.Rounded]()] = number
	out[reflect.TypeFor[desks.Column]()] = map[string]any{"type": []string{"array", "null"}, "items": number}
	return out
}

// schemaOf returns the schema of a document. A strict one allows no other fields.
func schemaOf(t *testing.T, d documented, comments sourceComments, strict bool) []byte {
	t.Helper()
	of, err := deriveSchema("urn:racecard:schema:"+d.name, d.made, d.value, schemaOptions{Comments: comments,
		Forms:   forms(),
		Header:  reflect.TypeFor[result.Header](),
		Parts:   map[reflect.Type][]string{reflect.TypeFor[result.LeftoverResource](): {"available", "missing"}},
		Version: d.version, Strict: strict})
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

const schemaFolder = "../../docs/schema"

// docs/schema holds the schema of every document, as the types and comments of the code have it; -regen writes them.
func TestSchemasAreCurrent(t *testing.T) {
	t.Parallel()
	module := strings.TrimSuffix(reflect.TypeFor[documented]().PkgPath(), "/pipeline/cli")
	comments, err := readComments(os.DirFS("../.."), module)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{"tables.json": tableColumns(t)}
	for _, d := range documentedTypes() {
		if want[d.name+".json"] != nil {
			t.Fatalf("two documents are named %s", d.name)
		}
		want[d.name+".json"] = schemaOf(t, d, comments, false)
	}
	files, err := filepath.Glob(filepath.Join(schemaFolder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if want[filepath.Base(f)] == nil {
			t.Errorf("%s belongs to no document", f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		file := filepath.Join(schemaFolder, name)
		if *regen {
			if err := os.WriteFile(file, want[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want[name]) {
			t.Errorf("%s is not current (%v): go test ./pipeline/cli -run Schema -regen", file, err)
		}
	}
}
