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

	"racecard/datasets/arrowtab"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// unixAfter separates relative from Unix time where a format does not say: 1973 in microseconds, or three years after the
// start of a trace.
const unixAfter = trace.Instant(100_000_000_000_000)

// Close writes the last part and the manifest and makes the store appear at its place, replacing an older store, or makes
// what is new part of the store that is appended to. The caller gives what only the import knows: m.Format, Sources,
// Options, TimeBase, Synthetic, Note; the rest is filled in from the tally, which must be closed, and from what was written.
func (w *Writer) Close(m Manifest, tally *source.Tally) (*Manifest, error) {
	if err := errors.Join(w.flush(), w.machines(tally.Machines)); err != nil {
		return nil, err
	}
	w.fill(&m, tally)
	if w.base != nil {
		if err := m.extend(w.base); err != nil {
			return nil, err
		}
	}
	if err := w.sync(); err != nil {
		return nil, err
	}
	data, err := m.encode()
	if err != nil {
		return nil, err
	}
	if err := writeSynced(filepath.Join(w.tmp, ManifestName), data); err != nil {
		return nil, err
	}
	publish := w.publish
	if w.base != nil {
		publish = w.join
	}
	if err := publish(); err != nil {
		return nil, err
	}
	w.tmp = ""
	return &m, w.release()
}

// machines adds those that the store does not have yet.
func (w *Writer) machines(all []trace.Machine) error {
	all = slices.Clone(all)
	number := 0
	if w.base != nil {
		s, err := Open(os.DirFS(w.dir))
		if err != nil {
			return err
		}
		known, err := s.Machines()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(m trace.Machine) bool { return slices.ContainsFunc(known, m.Same) })
		number = s.tableParts(arrowtab.Machines)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b trace.Machine) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From))
	})
	part, err := machines(all)
	if err != nil {
		return err
	}
	return w.add(part, number)
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
	m.Rows = w.state.Rows
	m.Columns = map[string]map[string]float64{}
	for table, columns := range w.state.Known {
		m.Columns[table] = map[string]float64{}
		for name, n := range columns {
			if rows := m.Rows[table]; rows > 0 {
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
	if s := &w.state; s.From.Known() {
		from, to := int64(s.From), int64(s.To)
		m.From, m.To = &from, &to
	}
	if m.TimeBase == source.TimeBaseGuess {
		m.TimeBase = source.TimeBaseRelative
		if w.state.To > unixAfter { // null is the least
			m.TimeBase = source.TimeBaseUnix
		}
	}
	m.Parts = w.state.Parts
	m.Files = slices.Clone(w.files)
	slices.SortFunc(m.Files, func(a, b PartFile) int { return strings.Compare(a.Name, b.Name) })
}

// extend adds to m, which is of what is new, what base says of what was there.
func (m *Manifest) extend(base *Manifest) error {
	if m.Format != base.Format || base.From != nil && m.TimeBase != base.TimeBase {
		return fmt.Errorf("the store holds a trace of format %s with %s times, these files are of format %s with %s times: import them into a store of their own",
			base.Format, base.TimeBase, m.Format, m.TimeBase)
	}
	m.Synthetic = m.Synthetic || base.Synthetic
	if m.Note == "" {
		m.Note = base.Note
	}
	m.Sources = slices.Concat(base.Sources, m.Sources)
	m.Read += base.Read
	m.Used += base.Used
	for _, counts := range []struct{ into, from map[string]int64 }{
		{m.Ignored, base.Ignored}, {m.Rejected, base.Rejected}, {m.Repairs, base.Repairs},
	} {
		for kind, n := range counts.from {
			counts.into[kind] += n
		}
	}
	m.Header = union(base.Header, m.Header)
	m.Warnings = union(base.Warnings, m.Warnings)
	m.Files = slices.Concat(base.Files, m.Files)
	slices.SortFunc(m.Files, func(a, b PartFile) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// union appends to a what of b is not in it.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			out = append(out, s)
		}
	}
	return out
}

// publish moves the finished directory to its place. An older store steps aside first and comes back if the move fails.
func (w *Writer) publish() error {
	if err := os.Remove(filepath.Join(w.tmp, journalName)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(w.tmp, lockName)); err != nil {
		return err
	}
	if err := syncDir(w.tmp); err != nil {
		return err
	}
	old := ""
	if _, err := os.Stat(w.dir); err == nil {
		old = w.aside()
		if err := errors.Join(os.RemoveAll(old), os.Rename(w.dir, old)); err != nil {
			return fmt.Errorf("replacing %s: %w", w.dir, err)
		}
	}
	if err := os.Rename(w.tmp, w.dir); err != nil {
		if old != "" {
			err = errors.Join(err, os.Rename(old, w.dir))
		}
		return err
	}
	if err := syncDir(filepath.Dir(w.dir)); err != nil {
		return err
	}
	if old != "" {
		return os.RemoveAll(old)
	}
	return nil
}

// join moves new files into the store that is appended to, where they are nothing until the manifest, which goes last,
// names them.
func (w *Writer) join() error {
	for i := range w.files {
		name := filepath.FromSlash(w.files[i].Name)
		to := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(w.tmp, name), to); err != nil {
			return err
		}
		if err := syncDir(filepath.Dir(to)); err != nil {
			return err
		}
	}
	if err := os.Rename(filepath.Join(w.tmp, ManifestName), filepath.Join(w.dir, ManifestName)); err != nil {
		return err
	}
	return errors.Join(syncDir(w.dir), os.RemoveAll(w.tmp))
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
