package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"racecard/datasets/result"
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s; want %s: make one with `%s`", path, what, how)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file, not %s: make one with `%s`", path, what, strings.Replace(how, "FILE", path, 1))
	}
	return os.DirFS(path), nil
}

// openStore opens the store at a path.
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

// outDir is a directory that appears whole: files are written into one beside it, which takes its name in the end.
type outDir struct {
	dir, tmp string
}

// newOutDir begins a directory. marker is a file that tells that an existing directory is an older output of the same
// kind, which then gives way; any other existing directory that is not empty is an error.
func newOutDir(dir, marker string) (*outDir, error) {
	dir = filepath.Clean(dir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, notMade(dir, err)
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return nil, fmt.Errorf("%s is there and holds no %s: racecard only replaces what it made; choose another name", dir, marker)
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, notMade(dir, err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".partial-")
	if err != nil {
		return nil, notMade(dir, err)
	}
	return &outDir{dir: dir, tmp: tmp}, os.Chmod(tmp, 0o755)
}

// notMade says that a folder cannot be made.
func notMade(dir string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err // the folder beside it that takes its name in the end says nothing to anyone
	}
	return fmt.Errorf("the folder %s cannot be made: %w; choose another --out", dir, err)
}

// checkOut returns an error where results cannot be written to a folder. Commands that work for long ask before they begin.
func checkOut(out string) error {
	if out == "" {
		return nil
	}
	dir, err := newOutDir(out, result.ProvenanceFile)
	if err != nil {
		return err
	}
	return dir.abort()
}

// write adds a file; name may hold slashes.
func (o *outDir) write(name string, content []byte) error {
	full := filepath.Join(o.tmp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	f, err := os.Create(full)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// publish gives the directory its name.
func (o *outDir) publish() error {
	old := o.tmp + ".old"
	if err := os.Rename(o.dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(o.tmp, o.dir); err != nil {
		return err
	}
	o.tmp = ""
	return os.RemoveAll(old)
}

// abort removes what was written; after publish it does nothing.
func (o *outDir) abort() error {
	if o.tmp == "" {
		return nil
	}
	return os.RemoveAll(o.tmp)
}
