package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/arrowtab"
	"racecard/datasets/parquetio"
	"racecard/datasets/result"
)

// documentedTable is a table of docs/schema/tables.md.
type documentedTable struct {
	Name    string             `json:"name"`
	About   string             `json:"about"`
	Columns []documentedColumn `json:"columns"`
}

// documentedColumn is a column of a table. A name with a part in angle brackets stands for several columns.
type documentedColumn struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Unit    string `json:"unit"`
	Null    string `json:"null"` // meaning of null
	Meaning string `json:"meaning"`
}

// describedTables reads docs/schema/tables.md.
func describedTables(t *testing.T) []documentedTable {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(schemaFolder, "tables.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []documentedTable
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		table := documentedTable{Name: lines[0], About: lines[2]}
		for _, line := range lines[6:] {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if len(cells) != 5 {
				t.Fatalf("%s: %q", table.Name, line)
			}
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			table.Columns = append(table.Columns, documentedColumn{cells[0], cells[1], cells[2], cells[3], cells[4]})
		}
		all = append(all, table)
	}
	return all
}

// tableColumns returns docs/schema/tables.json.
func tableColumns(t *testing.T) []byte {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{"title": "columns of all Parquet and Arrow tables",
		"schema_version": result.SchemaVersion,
		"tables":         describedTables(t)}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// matchColumns compares the columns of a table with its description, in order.
func matchColumns(t *testing.T, where string, of documentedTable, fields []parquetio.Field) {
	t.Helper()
	placeholder := regexp.MustCompile(`<[a-z]+>`)
	var patterns []*regexp.Regexp
	for _, c := range of.Columns {
		patterns = append(patterns, regexp.MustCompile("^"+placeholder.ReplaceAllString(c.Name, "[a-z0-9_]+")+"$"))
		if c.Null == "" || c.Meaning == "" {
			t.Errorf("%s.%s: no meaning, or no meaning of null", of.Name, c.Name)
		}
	}
	seen := make([]bool, len(patterns))
	last := 0
	for _, f := range fields {
		at := -1
		for i, p := range patterns {
			if p.MatchString(f.Name) && (at < 0 || !strings.Contains(of.Columns[i].Name, "<")) {
				at = i
			}
		}
		switch {
		case at < 0:
			t.Errorf("%s: column %s of %s is not described in docs/schema/tables.md", where, f.Name, of.Name)
		case of.Columns[at].Type != f.Kind.String():
			t.Errorf("%s: %s.%s is %v, described as %s", where, of.Name, f.Name, f.Kind, of.Columns[at].Type)
		case at < last && !strings.Contains(of.Columns[at].Name, "<"):
			t.Errorf("%s: %s.%s comes in another place", where, of.Name, f.Name)
		}
		if at >= 0 {
			seen[at], last = true, at
		}
	}
	for i, c := range of.Columns {
		if !seen[i] {
			t.Errorf("%s: %s has no column %s", where, of.Name, c.Name)
		}
	}
}

// The canonical tables, and every table of the demo, have the columns that docs/schema/tables.md describes.
func TestColumnsAreDescribed(t *testing.T) {
	t.Parallel()
	described := map[string]documentedTable{}
	for _, of := range describedTables(t) {
		described[of.Name] = of
	}
	for _, of := range arrowtab.Tables() {
		matchColumns(t, "store", described[of.String()], arrowtab.Fields(of))
	}
	matchFiles(t, described, filepath.Join(sampleDemo.in(t), "sample.results"))
}

// matchFiles compares the Parquet files of a folder of results with their descriptions.
func matchFiles(t *testing.T, described map[string]documentedTable, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables in %s: %v", dir, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		p, err := parquetio.Open(file, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		of, ok := described[strings.TrimSuffix(filepath.Base(name), ".parquet")]
		if !ok {
			of = described["table"]
		}
		matchColumns(t, name, of, p.Fields())
		_ = file.Close() // read only
	}
}

// Rejected records are kept with the described columns.
func TestRejectsAreDescribed(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "a.store")
	must(t, "import", "--max-rejects", "100%", "--quiet", "--out", store, put(t, t.TempDir(), "a.jsonl",
		`{"id":"r","stages":[{"tasks":1}]}`+"\n"+`{"id":"s","stages":[{"tasks":-1}]}`+"\n"))
	all := describedTables(t)
	at := slices.IndexFunc(all, func(of documentedTable) bool { return of.Name == "rejects" })
	matchFiles(t, map[string]documentedTable{"part-00000": all[at]}, filepath.Join(store, "rejects"))
}
