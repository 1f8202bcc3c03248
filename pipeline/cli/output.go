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
	"text/tabwriter"

	"racecard/datasets/publish"
	"racecard/datasets/store"
	"racecard/reports/style"
)

// printJSON writes one document to standard output.
func (e *env) printJSON(doc any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	return e.stdout.json(b.Bytes())
}

// printf writes a line for people to standard output, nothing with --json.
func (e *env) printf(format string, args ...any) {
	if !e.json {
		e.stdout.printf(format, args...)
	}
}

// longestCell is how many characters of a cell are shown.
const longestCell = 120

// table writes rows of cells in aligned columns. Cells hold anything: they are cut and cleaned.
func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		cells := make([]string, len(r))
		for i := range r {
			cells[i] = style.Shorten(r[i], longestCell)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}

// folder returns what lies in a folder. what it must be, and how one is made, are said where there is none; FILE stands for a
// file that was named instead.
func folder(path, what, how string) (fs.FS, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && publish.Rescue(path) == nil {
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s; want %s: make one with `%s`", path, what, how)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file, not %s: make one with `%s`", path, what, strings.Replace(how, "FILE", path, 1))
	}
	return publish.Open(path)
}

// openStore opens the store at a path, all of it: commands that read runs use [env.openStore].
func openStore(path string) (*store.Store, error) {
	fsys, err := folder(path, "a store", "racecard import --out STORE FILE")
	if err != nil {
		return nil, err
	}
	s, err := store.Open(fsys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
