package store

import (
	"errors"
	"io"
	"io/fs"
	"slices"

	"racecard/datasets/arrowtab"
	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// filterColumns are the columns that a filter reads.
var filterColumns = Projection{"jobs.submit", "jobs.start", "jobs.name", "jobs.job", "jobs.user", "jobs.group"}

// Where returns the store with only those runs that a filter selects: every method that reads runs leaves the others
// out. The manifest stays as it is, and counts all runs. Parts without such runs are not read: their Parquet statistics
// say that, or else their jobs table.
func (s *Store) Where(f trace.Filter) *Store {
	if f.IsAll() {
		return s
	}
	some := *s
	some.filter = &f
	return &some
}

// Only returns the store with only the runs of some parts, of those that it had: the others are not opened. A caller
// that knows which parts hold a run or a job reads nothing else.
func (s *Store) Only(parts []int) *Store {
	some := *s
	some.only = make([]bool, s.Parts())
	for _, part := range parts {
		some.only[part] = s.only == nil || s.only[part]
	}
	return &some
}

// Filter returns the filter of [Store.Where], nil for all runs.
func (s *Store) Filter() *trace.Filter { return s.filter }

// skips reports whether no run of a part can match the filter, from the statistics in the footer of its jobs table
// alone.
func (s *Store) skips(part int) (bool, error) {
	name := fileName(arrowtab.Jobs.String(), part)
	want, ok := s.files[name]
	if !ok {
		return false, nil
	}
	file, err := s.fsys.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	at, ok := file.(io.ReaderAt)
	if !ok {
		return false, nil
	}
	open := parquetio.Open
	if r, remote := file.(ranged); remote && r.Ranged() {
		open = parquetio.OpenRanged
	}
	f, err := open(at, want.Bytes)
	if errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	if err != nil {
		return false, nil // it is read, and its damage is said with its name
	}
	if s.filter.Since.Known() || s.filter.Until.Known() {
		low, high, nulls, ok := f.InstantBounds("submit")
		// A run that was not submitted counts by its start.
		if ok && nulls == 0 && (s.filter.Since.Known() && high < int64(s.filter.Since) || s.filter.Until.Known() &&
			low >= int64(s.filter.Until)) {
			return true, nil
		}
	}
	outside := func(column string, wanted []string) bool {
		low, high, ok := f.TextBounds(column)
		return ok && len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool {
			return low <= w && w <= high
		})
	}
	return outside("user", s.filter.Users) || outside("group", s.filter.Groups) ||
		outside("job", s.filter.Jobs) && outside("name", s.filter.Jobs), nil
}

// Selected counts the runs that the filter selects, and all runs.
func (s *Store) Selected() (selected, all int64, err error) {
	all = s.manifest.Rows[arrowtab.Jobs.String()]
	if s.filter == nil && s.only == nil {
		return all, all, nil
	}
	for part := range s.Parts() {
		b, err := s.Batch(part, nil)
		if err != nil {
			return 0, 0, err
		}
		selected += int64(b.Selected())
	}
	return selected, all, nil
}

// Span returns the first and the last instant of the store, [trace.None] where it has no times.
func (s *Store) Span() (from, to trace.Instant) {
	if s.manifest.From == nil || s.manifest.To == nil {
		return trace.None, trace.None
	}
	return trace.Instant(*s.manifest.From), trace.Instant(*s.manifest.To)
}
