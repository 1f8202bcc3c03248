package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"racecard/datasets/arrowtab"
	"racecard/datasets/indexed"
	"racecard/datasets/lists"
	"racecard/datasets/parquetio"
	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Store is a store that is open for reading. It is safe for concurrent use.
type Store struct {
	fsys     fs.FS
	manifest *Manifest
	files    map[string]PartFile
	ids      *ids
	filter   *trace.Filter // nil: all runs
	only     []bool        // the parts whose runs are read; nil: all
}

// maxManifest bounds the manifest, in bytes: it lists files and warnings.
const maxManifest = 256 << 20

// Open reads the manifest of the store in fsys and checks that every file it names is there with the right size.
// Content is checked part by part as it is read, and all at once by [Store.Verify].
func Open(fsys fs.FS) (*Store, error) {
	info, err := fs.Stat(fsys, ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no %s: this is not a store, or its import did not finish; make one with `racecard "+
			"import`", ManifestName)
	}
	if err != nil {
		return nil, err
	}
	if err := plainfile.Check(info, ManifestName, maxManifest); err != nil {
		return nil, fmt.Errorf("%w; import the trace again", err)
	}
	data, err := fs.ReadFile(fsys, ManifestName)
	if err != nil {
		return nil, err
	}
	m, err := decode(data)
	if err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w; import the trace again", ManifestName, err)
	}
	s := &Store{fsys: fsys, manifest: m, files: map[string]PartFile{}, ids: newIDs(m)}
	for _, f := range m.Files {
		info, err := fs.Stat(fsys, f.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the store is not whole: there is no %s; import the trace again", f.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("the store is not whole: %w; import the trace again", err)
		}
		if err := plainfile.Check(info, f.Name, maxPartBytes); err != nil {
			return nil, fmt.Errorf("%w; import the trace again", err)
		}
		if info.Size() != f.Bytes {
			return nil, fmt.Errorf("%s has %d bytes, the manifest says %d: the store was cut off or changed; import "+
				"the trace again", f.Name, info.Size(), f.Bytes)
		}
		s.files[f.Name] = f
	}
	return s, nil
}

// Manifest returns the manifest of the store. It must not be modified.
func (s *Store) Manifest() *Manifest { return s.manifest }

// Parts returns the number of parts, which can be read independently of each other.
func (s *Store) Parts() int { return s.manifest.Parts }

// Verify checks the content of every file against its checksum.
func (s *Store) Verify(ctx context.Context) error {
	for _, f := range s.manifest.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := s.read(f.Name)
		if errors.Is(err, fs.ErrPermission) && strings.HasPrefix(f.Name, "rejects/") {
			continue // they quote the input, which not everybody may read; no analysis reads them
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read returns the content of a file after checking it.
func (s *Store) read(name string) ([]byte, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.readFrom(f, s.files[name])
}

// readFrom is read of an open file.
func (s *Store) readFrom(f fs.File, want PartFile) ([]byte, error) {
	name := want.Name
	_, remote := f.(ranged)
	if at, ok := f.(io.ReaderAt); ok && !remote { // a file of holes is as large as it likes
		if err := parquetio.CheckEnds(at, want.Bytes); err != nil {
			return nil, fmt.Errorf("%s is damaged: %w; import the trace again", name, err)
		}
	}
	data := make([]byte, want.Bytes)
	if _, err := io.ReadFull(f, data); err != nil {
		if errors.As(err, new(*publish.TransferError)) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w: the store was cut off after it was opened", name, err)
	}
	if indexed.Sum(data) != want.SHA256 {
		return nil, fmt.Errorf("%s is damaged: its content does not match the checksum in %s; import the trace again",
			name, ManifestName)
	}
	return data, nil
}

// Projection lists the columns to read, as "table.column"; "table.*" means all of a table. Columns that are not read
// are null in the runs. The ids of runs are always read.
type Projection []string

// All reads everything.
func All() Projection {
	return lists.Map(arrowtab.Tables(), func(t arrowtab.Table) string { return t.String() + ".*" })
}

// columns returns the columns of table t that p asks for, nil when it asks for none.
func (p Projection) columns(t arrowtab.Table) []string {
	prefix := t.String() + "."
	var asked []string
	all := false
	for _, c := range p {
		if name, ok := strings.CutPrefix(c, prefix); ok {
			asked = append(asked, name)
			all = all || name == "*"
		}
	}
	if asked == nil && t != arrowtab.Jobs {
		return nil
	}
	var names []string
	for _, f := range arrowtab.Fields(t) {
		if all || slices.Contains(asked, f.Name) || f.Name == "job_id" || needed(t, f.Name) || t == arrowtab.Jobs &&
			(f.Name == "job" && slices.Contains(asked, "name") || f.Name == "name" && slices.Contains(asked, "job")) {
			names = append(names, f.Name)
		}
	}
	return names
}

// needed reports whether rows of a table make no sense without a column.
func needed(t arrowtab.Table, column string) bool {
	switch t {
	case arrowtab.Stages:
		return column == "stage"
	case arrowtab.Tasks:
		return column == "stage" || column == "task" || column == "attempt"
	case arrowtab.Edges:
		return true
	default:
		return false
	}
}

// Batch reads some columns of one part into memory, and checks them: see the contract in the package comment. Of a
// store that [Store.Where] returned it holds the runs that match. Runs have a job wherever they have a name and the
// name is read.
func (s *Store) Batch(part int, p Projection) (*arrowtab.Batch, error) {
	if s.only != nil && !s.only[part] {
		return &arrowtab.Batch{}, nil
	}
	if s.filter != nil {
		skip, err := s.skips(part)
		if skip || err != nil {
			return &arrowtab.Batch{}, err
		}
		p = append(slices.Clone(p), filterColumns...)
	}
	var u arrowtab.Unchecked
	for t := range arrowtab.NumRunTables {
		names := p.columns(t)
		if names == nil {
			continue
		}
		// all null
		names = slices.DeleteFunc(names, func(name string) bool {
			return name != "job_id" && !s.Has(t.String()+"."+name)
		})
		var err error
		if u.Columns[t], err = s.columns(t, part, names); err != nil {
			return nil, err
		}
		if t == arrowtab.Jobs && s.filter != nil {
			jobs, err := s.checked(u, part)
			if err != nil {
				return nil, err
			}
			jobs.NameJobs()
			if jobs.Select(s.filter); jobs.Selected() == 0 {
				return &arrowtab.Batch{}, nil // without reading the other tables
			}
		}
	}
	if u.Columns[arrowtab.Stages] == nil && (u.Columns[arrowtab.Edges] != nil || u.Columns[arrowtab.Tasks] != nil) {
		ids, err := s.columns(arrowtab.Stages, part, []string{"job_id"})
		if err != nil {
			return nil, err
		}
		if ids != nil {
			u.StageIDs = &ids[0]
		}
	}
	batch, err := s.checked(u, part)
	if err != nil {
		return nil, err
	}
	if err := s.ids.claim(part, batch, s.manifest.Rows[arrowtab.Jobs.String()]); err != nil {
		return nil, err
	}
	batch.NameJobs()
	batch.Select(s.filter)
	return batch, nil
}

// checked turns columns of a part into a batch, if they keep the contract.
func (s *Store) checked(u arrowtab.Unchecked, part int) (*arrowtab.Batch, error) {
	batch, err := arrowtab.NewBatch(u)
	if b := new(arrowtab.Breach); errors.As(err, &b) {
		return nil, fmt.Errorf("%s: %w: rows that racecard did not write so; mend them where they were written, or "+
			"import the trace again", fileName(b.Table.String(), part), err)
	}
	return batch, err
}

// columns reads columns of a table's part, nil when the part has no rows of the table.
func (s *Store) columns(t arrowtab.Table, part int, names []string) ([]parquetio.Column, error) {
	file := fileName(t.String(), part)
	want, ok := s.files[file]
	if !ok {
		return nil, nil
	}
	f, done, err := s.openPart(want)
	if err != nil {
		return nil, err
	}
	defer done()
	if int64(f.NumRows()) != want.Rows {
		return nil, fmt.Errorf("%s holds %d rows, the manifest says %d; import the trace again", file, f.NumRows(),
			want.Rows)
	}
	fields := arrowtab.Fields(t)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return late(t, name) && !f.Has(name) })
	if err := f.Fetch(names); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	columns := make([]parquetio.Column, len(names))
	for i, name := range names {
		field := fields[slices.IndexFunc(fields, func(f parquetio.Field) bool { return f.Name == name })]
		if columns[i], err = f.ColumnAs(field); err != nil {
			return nil, damaged(file, err)
		}
	}
	return columns, nil
}

// ranged is an open file where a range costs a request, as in a bucket.
type ranged interface {
	io.ReaderAt
	Ranged() bool
}

// minRanged is the size above which such a file is not read whole, in bytes.
const minRanged = 64 << 10

// openPart opens a Parquet file. One on this machine is read whole, and compared with its checksum; of one in a bucket
// only those columns are read that [parquetio.File.Fetch] is asked for, and their pages have checksums of their own.
func (s *Store) openPart(want PartFile) (f *parquetio.File, done func(), err error) {
	in, err := s.fsys.Open(want.Name)
	if err != nil {
		return nil, nil, err
	}
	if r, ok := in.(ranged); ok && r.Ranged() && want.Bytes > minRanged {
		f, err = parquetio.OpenRanged(r, want.Bytes)
	} else {
		var data []byte
		if data, err = s.readFrom(in, want); err != nil {
			return nil, nil, errors.Join(err, in.Close())
		}
		f, err = parquetio.Open(bytes.NewReader(data), int64(len(data)))
	}
	if err != nil {
		return nil, nil, errors.Join(damaged(want.Name, err), in.Close())
	}
	return f, func() { in.Close() }, nil
}

// damaged names the file that cannot be read, and the remedy unless the error has one.
func damaged(file string, err error) error {
	if errors.As(err, new(*publish.TransferError)) {
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf("%s: %w; import the trace again", file, err)
}

// late reports whether a column is younger than version 1 of the layout: parts from before it was added lack it.
func late(t arrowtab.Table, column string) bool {
	switch column {
	case "job", "executor_cores", "executor_mem", "executor_peak_mem", "cluster":
		return t == arrowtab.Jobs
	case "description", "plan":
		return t == arrowtab.Stages
	case "input_bytes", "spill_bytes", "peak_mem", "gc":
		return t == arrowtab.Tasks
	}
	return false
}

// Runs yields the runs of one part in ascending order of their ids, complete except for columns that p leaves out. A
// yielded run is valid until the next one.
func (s *Store) Runs(ctx context.Context, part int, p Projection) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		batch, err := s.Batch(part, p)
		if err != nil {
			yield(nil, err)
			return
		}
		for run := range batch.Runs() {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(run, nil) {
				return
			}
		}
	}
}

// Machines returns the machines table.
func (s *Store) Machines() ([]trace.Machine, error) {
	names := lists.Map(arrowtab.Fields(arrowtab.Machines), func(f parquetio.Field) string { return f.Name })
	var all []trace.Machine
	for part := range s.tableParts(arrowtab.Machines) {
		var u arrowtab.Unchecked
		var err error
		if u.Columns[arrowtab.Machines], err = s.columns(arrowtab.Machines, part, names); err != nil {
			return nil, err
		}
		batch, err := s.checked(u, part)
		if err != nil {
			return nil, err
		}
		all = append(all, batch.Machines()...)
	}
	return all, nil
}

// tableParts returns the number of files of a table that is not of runs: one per import that added rows.
func (s *Store) tableParts(t arrowtab.Table) int {
	n := 0
	for name := range s.files {
		if strings.HasPrefix(name, t.String()+"/") {
			n++
		}
	}
	return n
}

// Rejects yields the rejected records in the order in which they were met, a few thousand at a time: there may be
// millions, and the caller may stop at any time.
func (s *Store) Rejects(ctx context.Context) iter.Seq2[*result.Table, error] {
	return func(yield func(*result.Table, error) bool) {
		for part := 0; ; part++ {
			file := fileName(rejectsTable, part)
			if _, ok := s.files[file]; !ok {
				return
			}
			t, err := s.rejects(ctx, file)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

func (s *Store) rejects(ctx context.Context, file string) (*result.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := s.read(file)
	if err != nil {
		return nil, err
	}
	return result.ReadTable(rejectsTable, bytes.NewReader(data), int64(len(data)))
}

// Has reports whether a column ("table.column") holds any value.
func (s *Store) Has(column string) bool {
	if column == "jobs.job" { // stores from before it was added state names alone
		return s.manifest.Columns["jobs"]["job"] > 0 || s.manifest.Columns["jobs"]["name"] > 0
	}
	table, name, _ := strings.Cut(column, ".")
	return s.manifest.Columns[table][name] > 0
}
