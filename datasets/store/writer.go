package store

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"racecard/datasets/arrowtab"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Writer writes a store. Methods must not be called concurrently.
type Writer struct {
	dir    string // the store
	tmp    string // where it grows
	packer *Packer

	parts    int
	rejParts int
	files    []PartFile
	rows     map[string]int64
	known    map[string]map[string]int64 // values that are not null
	from, to trace.Instant
}

// Create starts a store that will appear at dir when it is closed. It fails when dir exists, unless it is an empty
// directory or, with replace, a store.
func Create(dir string, replace bool) (*Writer, error) {
	dir = filepath.Clean(dir)
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0:
	case err != nil:
		return nil, err
	default:
		if _, err := os.Stat(filepath.Join(dir, ManifestName)); err != nil {
			return nil, fmt.Errorf("%s is there and is not a store: choose another name", dir)
		}
		if !replace {
			return nil, fmt.Errorf("%s is there already: choose another name, or say --force to replace it", dir)
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".partial-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, errors.Join(err, os.RemoveAll(tmp))
	}
	w := &Writer{
		dir: dir, tmp: tmp, packer: NewPacker(),
		rows: map[string]int64{}, known: map[string]map[string]int64{}, from: trace.None, to: trace.None,
	}
	for _, t := range arrowtab.Tables() {
		w.rows[t.String()] = 0
		w.known[t.String()] = map[string]int64{}
		for _, f := range arrowtab.Fields(t) {
			w.known[t.String()][f.Name] = 0
		}
	}
	return w, nil
}

// Append adds one run to the part at hand, and the part when it is full. Who makes parts elsewhere uses [Writer.Add].
func (w *Writer) Append(run *trace.Run) error {
	w.packer.Append(run)
	if w.packer.Full() {
		return w.flush()
	}
	return nil
}

// Reject keeps a record that could not be used.
func (w *Writer) Reject(r *source.Reject) error { return w.packer.Reject(r) }

func (w *Writer) flush() error {
	part, err := w.packer.Pack()
	if err != nil {
		return err
	}
	return w.Add(part)
}

// Add adds a part as the next one.
func (w *Writer) Add(part *Part) error {
	if err := w.add(part, w.parts); err != nil {
		return err
	}
	if part.runs > 0 {
		w.parts++
	}
	return nil
}

// add adds what is in a part under that number.
func (w *Writer) add(part *Part, number int) error {
	for i := range part.tables {
		if err := w.file(&part.tables[i], number); err != nil {
			return err
		}
		w.rows[part.tables[i].table] += part.tables[i].rows
	}
	for i := range part.rejects {
		if err := w.file(&part.rejects[i], w.rejParts); err != nil {
			return err
		}
		w.rejParts++
	}
	for table, columns := range part.known {
		for column, n := range columns {
			w.known[table][column] += n
		}
	}
	if part.from.Known() {
		if !w.from.Known() || part.from < w.from {
			w.from = part.from
		}
		w.to = max(w.to, part.to)
	}
	return nil
}

// file writes one file of the store and remembers its checksum.
func (w *Writer) file(p *packed, part int) error {
	name := fmt.Sprintf("%s/part-%05d.parquet", p.table, part)
	full := filepath.Join(w.tmp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(full, p.data, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path.Join(filepath.Base(w.dir), name), err)
	}
	w.files = append(w.files, PartFile{Name: name, Rows: p.rows, Bytes: int64(len(p.data)), SHA256: p.sum})
	return nil
}

// Abort removes all that was written. It does nothing after Close, so it can be deferred.
func (w *Writer) Abort() error {
	if w.tmp == "" {
		return nil
	}
	tmp := w.tmp
	w.tmp = ""
	return os.RemoveAll(tmp)
}
