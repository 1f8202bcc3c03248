package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"

	"racecard/datasets/arrowtab"
	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Named is a store with its name in messages.
type Named struct {
	*Store
	Name string
}

// Unite makes a store at dir of the runs of several: their parts follow each other with new numbers and the same bytes,
// and the manifests are added up. The stores must hold traces of one format, with one time base, one set of units and
// one job key. A run whose id is in two of them is an error, as is a source file that is in two. The numbers of runs in
// the input go on from store to store, for which the jobs table is written anew. replace says that an existing store at
// dir gives way.
func Unite(ctx context.Context, dir string, replace bool, stores []Named) (_ *Manifest, err error) {
	quotes := fs.FileMode(0)
	for _, s := range stores {
		if info, err := fs.Stat(s.fsys, fileName(rejectsTable, 0)); err == nil {
			if mode := info.Mode().Perm() | 0o600; quotes == 0 {
				quotes = mode
			} else {
				quotes &= mode
			}
		}
	}
	w, err := Create(dir, Options{Replace: replace, Quotes: quotes})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	u := uniting{w: w, tally: source.NewTally(), ids: source.NewIDs(), sources: map[string]string{}}
	for i := range stores {
		if err := u.add(ctx, &stores[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", stores[i].Name, err)
		}
	}
	return w.Close(u.m, u.tally)
}

// uniting is the state of [Unite] after some stores.
type uniting struct {
	w       *Writer
	m       Manifest
	tally   *source.Tally
	ids     *source.IDs
	sources map[string]string // the store that holds a source file, by its checksum
	after   int64             // the number in the input that comes after those of the stores so far
	first   string            // name of the first store
}

func (u *uniting) add(ctx context.Context, s *Named) error {
	if err := u.describe(s); err != nil {
		return err
	}
	m := s.manifest
	after := u.after
	for part := range m.Parts {
		batch, err := s.Batch(part, Projection{"jobs.job_id"})
		if err != nil {
			return err
		}
		for _, id := range batch.RunIDs() {
			if !u.ids.Claim(id) {
				return fmt.Errorf("run %.100q is in another of the stores, too: each run has one id; import the "+
					"files into one store, which rejects the second, or puts the names of files before numbers", id)
			}
		}
		if err := u.jobs(ctx, s, part, after); err != nil {
			return err
		}
		for t := range arrowtab.NumRunTables {
			if t == arrowtab.Jobs {
				continue
			}
			if err := u.copy(ctx, s, t.String(), part, u.w.state.Parts); err != nil {
				return err
			}
		}
		u.w.state.Parts++
	}
	for part := 0; s.files[fileName(rejectsTable, part)].Name != ""; part++ {
		if err := u.copy(ctx, s, rejectsTable, part, u.w.state.RejParts); err != nil {
			return err
		}
		u.w.state.RejParts++
	}
	for t := range arrowtab.NumRunTables {
		for column, share := range m.Columns[t.String()] {
			u.w.state.Known[t.String()][column] += int64(math.Round(share * float64(m.Rows[t.String()])))
		}
	}
	if m.From != nil {
		u.w.state.see(trace.Instant(*m.From))
		u.w.state.see(trace.Instant(*m.To))
	}
	machines, err := s.Machines()
	for _, m := range machines {
		if !slices.ContainsFunc(u.tally.Machines, m.Same) {
			u.tally.Machines = append(u.tally.Machines, m)
		}
	}
	return err
}

// jobs adds the jobs table of a part. The numbers of its runs in the input are counted on from the store before.
func (u *uniting) jobs(ctx context.Context, s *Named, part int, after int64) error {
	var runs []trace.Run
	for run, err := range s.Runs(ctx, part, Projection{arrowtab.Jobs.String() + ".*"}) {
		if err != nil {
			return err
		}
		runs = append(runs, *run)
	}
	slices.SortFunc(runs, func(a, b trace.Run) int { return cmp.Compare(a.Seq, b.Seq) }) // as they were met
	packer := NewPacker()
	for i := range runs {
		runs[i].Seq += after
		u.after = max(u.after, runs[i].Seq+1)
		packer.Append(&runs[i])
	}
	p, err := packer.Pack()
	if err != nil {
		return err
	}
	u.w.state.Rows[p.tables[0].table] += p.tables[0].rows
	return u.w.file(&p.tables[0], u.w.state.Parts)
}

// copy copies a file of a store under a new number.
func (u *uniting) copy(ctx context.Context, s *Named, table string, part, number int) error {
	file, ok := s.files[fileName(table, part)]
	if !ok {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := s.read(file.Name)
	if err != nil {
		return err
	}
	if table != rejectsTable {
		u.w.state.Rows[table] += file.Rows
	}
	return u.w.file(&packed{table: table, rows: file.Rows, data: data, sum: file.SHA256}, number)
}

// describe adds the manifest of a store.
func (u *uniting) describe(s *Named) error {
	m := s.manifest
	if u.first == "" {
		u.first = s.Name
		u.m = Manifest{Format: m.Format, TimeBase: m.TimeBase, Note: m.Note, Options: maps.Clone(m.Options)}
		maps.Copy(u.tally.Units, m.Units)
	}
	switch {
	case m.Format != u.m.Format || m.TimeBase != u.m.TimeBase:
		return fmt.Errorf("it holds a trace of format %s with %s times, %s one of format %s with %s times", m.Format,
			m.TimeBase, u.first, u.m.Format, u.m.TimeBase)
	case !maps.Equal(m.Options, u.m.Options):
		return fmt.Errorf("it was imported with options %v, %s with %v", m.Options, u.first, u.m.Options)
	case !maps.Equal(m.Units, u.tally.Units):
		return fmt.Errorf("its units differ from those of %s", u.first)
	}
	for _, f := range m.Sources {
		if other, ok := u.sources[f.SHA256]; ok && other != s.Name && f.Bytes > 0 {
			return fmt.Errorf("%s was imported into %s, too", f.Name, other)
		}
		u.sources[f.SHA256] = s.Name
	}
	u.m.Synthetic = u.m.Synthetic || m.Synthetic
	if u.m.Note == "" {
		u.m.Note = m.Note
	}
	u.m.Sources = append(u.m.Sources, m.Sources...)
	u.tally.Read += m.Read
	u.tally.Used += m.Used
	lists.Add(u.tally.Ignored, m.Ignored)
	lists.Add(u.tally.Rejected, m.Rejected)
	lists.Add(u.tally.Repairs, m.Repairs)
	u.tally.Header = union(u.tally.Header, m.Header)
	u.tally.Warnings = union(u.tally.Warnings, m.Warnings)
	return nil
}
