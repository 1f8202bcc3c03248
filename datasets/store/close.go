package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"racecard/datasets/arrowtab"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Close writes the last part and the manifest and makes the store appear at its place. It replaces an older
// store, or adds the new parts to the store that is appended to. The caller sets the fields that only the import
// knows: m.Format, Sources, Options, TimeBase, Synthetic, Note. The rest comes from the tally, which must be
// closed, and from the written parts.
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
	if err := w.folder.Write(ManifestName, data); err != nil {
		return nil, err
	}
	appear := w.publish
	if w.base != nil {
		appear = w.join
	}
	if err := appear(); err != nil {
		return nil, err
	}
	w.folder = nil
	return &m, nil
}

// machines adds those that the store does not have yet.
func (w *Writer) machines(all []trace.Machine) error {
	all = slices.Clone(all)
	number := 0
	if w.base != nil {
		fsys, err := publish.Open(w.dir)
		if err != nil {
			return err
		}
		s, err := Open(fsys)
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

// sync syncs the written files to disk.
func (w *Writer) sync() error {
	for i := range w.files {
		if err := w.folder.Sync(w.files[i].Name); err != nil {
			return fmt.Errorf("writing %s: %w", path.Join(publish.Name(w.dir), w.files[i].Name), err)
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
		if w.state.To > source.UnixAfter { // null is the least
			m.TimeBase = source.TimeBaseUnix
			if w.state.From <= source.UnixAfter {
				m.Warnings = append(m.Warnings, "some times are before March 1973: Unix times and times that begin at 0 are "+
					"mixed, or a 0 stands for an unknown time; all count as Unix times")
			}
		}
	}
	m.Parts = w.state.Parts
	m.Files = slices.Clone(w.files)
	slices.SortFunc(m.Files, func(a, b PartFile) int { return strings.Compare(a.Name, b.Name) })
}

// extend adds the counts of base, the older store, to m, the manifest of the new parts.
func (m *Manifest) extend(base *Manifest) error {
	if m.Format != base.Format || base.From != nil && m.TimeBase != base.TimeBase {
		return fmt.Errorf("the store holds a trace of format %s with %s times, these files are of format %s with %s "+
			"times: import them into a store of their own", base.Format, base.TimeBase, m.Format, m.TimeBase)
	}
	m.Synthetic = m.Synthetic || base.Synthetic
	if m.Note == "" {
		m.Note = base.Note
	}
	m.Sources = slices.Concat(base.Sources, m.Sources)
	m.Read += base.Read
	m.Used += base.Used
	lists.Add(m.Ignored, base.Ignored)
	lists.Add(m.Rejected, base.Rejected)
	lists.Add(m.Repairs, base.Repairs)
	m.Header = union(base.Header, m.Header)
	m.Warnings = union(base.Warnings, m.Warnings)
	m.Files = slices.Concat(base.Files, m.Files)
	slices.SortFunc(m.Files, func(a, b PartFile) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// union appends the elements of b that are missing in a.
func union(a, b []string) []string {
	return append(slices.Clone(a), lists.Kept(b, func(s string) bool { return !slices.Contains(a, s) })...)
}

// publish makes the finished store visible at its place.
func (w *Writer) publish() error {
	if err := errors.Join(w.release(), w.folder.Remove(journalName)); err != nil {
		return err
	}
	return w.folder.Publish(nil)
}

// join moves new files into the store that is appended to, where they are nothing until the manifest, which goes last,
// names them.
func (w *Writer) join() error {
	names := lists.Map(w.files, func(x PartFile) string { return x.Name })
	return errors.Join(w.release(), w.folder.Join(append(names, ManifestName)))
}

// toUTF8 makes text that Parquet calls a string out of any bytes.
func toUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
