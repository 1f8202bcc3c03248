package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// unixAfter separates relative from Unix time where a format does not say: 1973 in microseconds, or three years after the
// start of a trace.
const unixAfter = trace.Instant(100_000_000_000_000)

// Close writes the last part and the manifest and makes the store appear at its place, replacing an older store. The
// caller gives what only the import knows: m.Format, Sources, Options, TimeBase, Synthetic, Note; the rest is filled in from the
// tally, which must be closed, and from what was written.
func (w *Writer) Close(m Manifest, tally *source.Tally) (*Manifest, error) {
	if err := errors.Join(w.flush(), w.machines(tally.Machines)); err != nil {
		return nil, err
	}
	if err := w.sync(); err != nil {
		return nil, err
	}
	w.fill(&m, tally)
	data, err := m.encode()
	if err != nil {
		return nil, err
	}
	if err := writeSynced(filepath.Join(w.tmp, ManifestName), data); err != nil {
		return nil, err
	}
	if err := w.publish(); err != nil {
		return nil, err
	}
	return &m, nil
}

func (w *Writer) machines(all []trace.Machine) error {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b trace.Machine) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From))
	})
	part, err := machines(all)
	if err != nil {
		return err
	}
	return w.add(part, 0)
}

// sync puts what was written on disk.
func (w *Writer) sync() error {
	dirs := map[string]bool{}
	for i := range w.files {
		name := filepath.Join(w.tmp, filepath.FromSlash(w.files[i].Name))
		dirs[filepath.Dir(name)] = true
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("writing %s: %w", filepath.Join(filepath.Base(w.dir), w.files[i].Name), err)
		}
	}
	for dir := range dirs {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) fill(m *Manifest, tally *source.Tally) {
	m.Version = Version
	m.Units = defaultUnits()
	maps.Copy(m.Units, tally.Units)
	m.Rows = w.rows
	m.Columns = map[string]map[string]float64{}
	for table, columns := range w.known {
		m.Columns[table] = map[string]float64{}
		for name, n := range columns {
			if rows := w.rows[table]; rows > 0 {
				m.Columns[table][name] = float64(n) / float64(rows)
			} else {
				m.Columns[table][name] = 0
			}
		}
	}
	m.Read, m.Used = tally.Read, tally.Used
	m.Ignored, m.Rejected, m.Repairs = maps.Clone(tally.Ignored), maps.Clone(tally.Rejected), maps.Clone(tally.Repairs)
	m.Header = slices.Clone(tally.Header)
	m.Warnings = append([]string{}, tally.Warnings...)
	if w.from.Known() {
		from, to := int64(w.from), int64(w.to)
		m.From, m.To = &from, &to
	}
	if m.TimeBase == source.TimeBaseGuess {
		m.TimeBase = source.TimeBaseRelative
		if w.from.Known() && w.to > unixAfter {
			m.TimeBase = source.TimeBaseUnix
		}
	}
	m.Parts = w.parts
	m.Files = slices.Clone(w.files)
	slices.SortFunc(m.Files, func(a, b PartFile) int { return strings.Compare(a.Name, b.Name) })
}

// publish moves the finished directory to its place. An older store steps aside first and comes back if the move fails.
func (w *Writer) publish() error {
	if err := syncDir(w.tmp); err != nil {
		return err
	}
	old := ""
	if _, err := os.Stat(w.dir); err == nil {
		old = w.tmp + ".old"
		if err := os.Rename(w.dir, old); err != nil {
			return fmt.Errorf("replacing %s: %w", w.dir, err)
		}
	}
	if err := os.Rename(w.tmp, w.dir); err != nil {
		if old != "" {
			err = errors.Join(err, os.Rename(old, w.dir))
		}
		return err
	}
	w.tmp = ""
	if err := syncDir(filepath.Dir(w.dir)); err != nil {
		return err
	}
	if old != "" {
		return os.RemoveAll(old)
	}
	return nil
}

func writeSynced(name string, data []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// toUTF8 makes text that Parquet calls a string out of any bytes.
func toUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
