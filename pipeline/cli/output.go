package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
	"racecard/datasets/words"
	tables "racecard/reports/table"
)

// printJSON writes one document to standard output with --json, and nothing without it. Text for people is the other
// way round: see printf. Every type has a schema: see schema_test.go.
func (e *env) printJSON(doc any) error {
	if !e.json {
		return nil
	}
	return e.printPlain(result.Versioned(doc))
}

// printPlain writes a document to standard output as it is, without adding a version: a JSON Schema, for instance.
func (e *env) printPlain(of any) error {
	var b bytes.Buffer
	if err := encodeJSON(&b, of); err != nil {
		return err
	}
	return e.stdout.json(b.Bytes())
}

// encodeJSON writes a document as commands print it.
func encodeJSON(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// printf writes a line for people to standard output, nothing with --json.
func (e *env) printf(format string, args ...any) {
	if !e.json {
		e.stdout.printf(format, args...)
	}
}

// rows prints rows of cells in aligned columns below their headings. Cells hold anything: they are cut and cleaned.
func (e *env) rows(head []string, rows [][]string) { e.aligned(tables.Plain(head, rows)) }

// notes prints a line for each text, below the kind of them.
func (e *env) notes(kind string, texts []string) {
	for _, text := range texts {
		e.printf("%s: %s\n", kind, words.Printable(text))
	}
}

// marked marks results of a trace that was generated.
func marked(is bool) string {
	return words.When(is, " (SYNTHETIC)")
}

// table prints a table of the report as text, if it has rows.
func (e *env) table(t tables.Table) {
	if len(t.Rows) > 0 {
		e.aligned(&t)
	}
}

// aligned prints a table, nothing with --json.
func (e *env) aligned(t *tables.Table) {
	if !e.json {
		_ = t.Text(e.stdout, widthOf(e.stdout)) // the screen keeps the error
	}
}

// widthOf returns the characters of a line of a terminal, 0 for anything else.
func widthOf(w io.Writer) int {
	if s, ok := w.(*screen); ok {
		w = s.to
	}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return columns(f)
	}
	return 0
}

// folder opens a folder. If there is none, the error names the expected folder (what) and the command that makes it
// (how). In how, FILE stands for a file that was named instead.
func folder(path, what, how string) (fs.FS, error) {
	info, err := publish.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && publish.Rescue(path) == nil {
		info, err = publish.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s; want %s: make one with `%s`", publish.Shown(path), what, how)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file, not %s: make one with `%s`", path, what, strings.Replace(how, "FILE",
			path, 1))
	}
	return publish.Open(path)
}

// folderKind is a kind of folder that racecard makes: a file that each has, its name and the command that makes it.
type folderKind struct{ marker, name, how string }

var (
	storeFolder   = folderKind{store.ManifestName, "a store", "racecard import --out STORE FILE"}
	modelsFolder  = folderKind{modelfile.IndexFile, "a folder of models", "racecard fit"}
	tablesFolder  = folderKind{tablefile.IndexFile, "a folder of tables", "racecard table build"}
	resultsFolder = folderKind{result.ProvenanceFile, "a folder of results", "racecard analyze --out RESULTS STORE"}
)

// orOther replaces the error of a folder that is not of the wanted kind by its kind, if it has one. The error of a
// sweep's results names the folder of a unit.
func orOther(fsys fs.FS, path string, want folderKind, err error) error {
	has := func(file string) bool { _, err := fs.Stat(fsys, file); return err == nil }
	switch {
	case has(want.marker):
		return err
	case has(sweepFile):
		return fmt.Errorf("these are the results of a sweep, which %s lists: name one of its units, such as %s", sweepFile,
			publish.Join(publish.Shown(path), "unit-000000"))
	}
	for _, k := range []folderKind{storeFolder, modelsFolder, tablesFolder, resultsFolder} {
		if has(k.marker) {
			return fmt.Errorf("this is %s, not %s: make one with `%s`", k.name, want.name, want.how)
		}
	}
	return err
}

// openStore opens the store at a path, all of it: commands that read runs use [env.openStore].
func openStore(path string) (*store.Store, error) {
	fsys, err := folder(path, storeFolder.name, storeFolder.how)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(fsys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, orOther(fsys, path, storeFolder, err))
	}
	return s, nil
}

// writeFile replaces a file in one step.
func writeFile(name string, data []byte) (err error) {
	made, err := publish.BeginFile(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Abort()) }()
	base := publish.Name(name)
	if err := made.Write(base, data); err != nil {
		return err
	}
	return made.PublishFile(base)
}
