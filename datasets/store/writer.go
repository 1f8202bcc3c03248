package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"racecard/datasets/arrowtab"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Writer writes a store, or appends to one. Methods must not be called concurrently.
type Writer struct {
	quotes fs.FileMode     // permission bits of files that quote the input
	dir    string          // the store
	folder *publish.Folder // in which new parts grow; nil when it is over
	key    string
	base   *Manifest // of the store that is appended to; nil for none
	packer *Packer

	state   state
	files   []PartFile // new ones
	journal *os.File
	memos   []json.RawMessage
}

// Options tell [Create] how to treat existing files.
type Options struct {
	Replace bool // a store gives way
	Append  bool // a store is appended to: its parts stay as they are
	// Quotes are the permission bits of rejects, since they quote the input: 0 means the bits of other files.
	Quotes fs.FileMode
	Key    string // identifies the import: an unfinished one with the same key is taken up; "" never is
}

// folderKind is the kind of folder that holds a store.
func folderKind() publish.Kind {
	return publish.Kind{Marker: ManifestName, What: "a store", Own: func(fsys fs.FS) ([]string, error) {
		names := []string{ManifestName, journalName}
		tables := []string{"rejects"}
		for _, t := range arrowtab.Tables() {
			tables = append(tables, t.String())
		}
		for _, table := range tables {
			parts, err := fs.Glob(fsys, table+"/part-[0-9][0-9][0-9][0-9][0-9]*.parquet")
			if err != nil {
				return nil, err
			}
			names = append(names, parts...)
		}
		return names, nil
	}}
}

// ErrExists is returned if a store exists that the options neither replace nor append to.
var ErrExists = errors.New("is there already")

// Create starts a store that will appear at dir when it is closed. It fails when dir exists, unless it is an empty
// directory or the options allow for the store that is there, and while another process writes the same store.
//
// Until it is closed the store grows in a hidden directory next to dir, .NAME.partial.
func Create(dir string, o Options) (*Writer, error) {
	if !publish.Remote(dir) {
		dir = filepath.Clean(dir)
	}
	w := &Writer{dir: dir, key: o.Key, quotes: o.Quotes, packer: NewPacker()}
	if err := publish.Rescue(dir); err != nil {
		return nil, err
	}
	fsys, entries, err := list(dir)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0:
		if o.Append {
			return nil, fmt.Errorf("%s is not there: there is nothing to append to", publish.Shown(dir))
		}
	case err != nil:
		return nil, err
	default:
		if _, err := fs.Stat(fsys, ManifestName); err != nil {
			return nil, fmt.Errorf("%s is there and is not a store: choose another name", publish.Shown(dir))
		}
		if o.Append {
			s, err := Open(fsys)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", publish.Shown(dir), err)
			}
			w.base = s.Manifest()
		} else if !o.Replace {
			return nil, fmt.Errorf("%s %w: choose another name, append to it, or replace it", publish.Shown(dir),
				ErrExists)
		}
	}
	w.state = w.empty()
	if w.folder, err = publish.Resume(dir, folderKind()); err != nil {
		return nil, err
	}
	if err := w.resume(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// list opens a folder and lists it.
func list(dir string) (fs.FS, []fs.DirEntry, error) {
	fsys, err := publish.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	entries, err := fs.ReadDir(fsys, ".")
	return fsys, entries, err
}

// empty returns the state before the first new part.
func (w *Writer) empty() state {
	s := state{Rows: map[string]int64{}, Known: map[string]map[string]int64{}, From: trace.None, To: trace.None}
	for _, t := range arrowtab.Tables() {
		s.Rows[t.String()] = 0
		s.Known[t.String()] = map[string]int64{}
		for _, f := range arrowtab.Fields(t) {
			s.Known[t.String()][f.Name] = 0
		}
	}
	if w.base != nil {
		s.resume(w.base)
	}
	return s
}

// Files returns how many new files there are so far.
func (w *Writer) Files() int { return len(w.files) }

// Base returns the manifest of the store that is appended to, nil for none.
func (w *Writer) Base() *Manifest { return w.base }

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
	if err := w.add(part, w.state.Parts); err != nil {
		return err
	}
	if part.runs > 0 {
		w.state.Parts++
	}
	return nil
}

// add counts the rows of a part under its number.
func (w *Writer) add(part *Part, number int) error {
	for i := range part.tables {
		if err := w.file(&part.tables[i], number); err != nil {
			return err
		}
		w.state.Rows[part.tables[i].table] += part.tables[i].rows
	}
	for i := range part.rejects {
		if err := w.file(&part.rejects[i], w.state.RejParts); err != nil {
			return err
		}
		w.state.RejParts++
	}
	for table, columns := range part.known {
		lists.Add(w.state.Known[table], columns)
	}
	w.state.see(part.from)
	w.state.see(part.to)
	return nil
}

// see widens the span of instants.
func (s *state) see(t trace.Instant) {
	s.From, s.To = s.From.Earlier(t), max(s.To, t) // null is the least
}

// file writes one file of the store and remembers its checksum.
func (w *Writer) file(p *packed, part int) error {
	name := fileName(p.table, part)
	if len(p.data) > maxPartBytes {
		return fmt.Errorf("%s would have %d bytes, at most %d are taken: texts of the trace are too long", name,
			len(p.data), maxPartBytes)
	}
	mode := fs.FileMode(0)
	if p.table == rejectsTable {
		mode = w.quotes
	}
	if err := w.put(name, p.data, mode); err != nil {
		return fmt.Errorf("writing %s: %w", path.Join(publish.Name(w.dir), name), err)
	}
	w.files = append(w.files, PartFile{Name: name, Rows: p.rows, Bytes: int64(len(p.data)), SHA256: p.sum})
	return nil
}

// put writes a file, with at most the permission bits of a mode unless it is 0. It is synced when the store is closed.
func (w *Writer) put(name string, data []byte, mode fs.FileMode) error {
	f, err := w.folder.Create(name)
	if err != nil {
		return err
	}
	if err = restrict(f, mode); err == nil {
		_, err = f.Write(data)
	}
	return errors.Join(err, f.Close())
}

// withMode is a file with permissions.
type withMode interface {
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
}

// restrict removes from a file the permissions that a mode lacks, except its owner's; none if the mode is 0.
func restrict(f withMode, mode fs.FileMode) error {
	if mode == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode().Perm()&^(mode|0o600) == 0 {
		return err
	}
	return f.Chmod(info.Mode().Perm() & (mode | 0o600))
}

// Abort removes all that was written. It does nothing after Close, so it can be deferred.
func (w *Writer) Abort() error {
	if w.folder == nil {
		return nil
	}
	folder := w.folder
	w.folder = nil
	return errors.Join(w.release(), folder.Abort())
}

// Suspend leaves the committed parts for an import with the same key to resume. If nothing was committed,
// nothing is left.
func (w *Writer) Suspend() error {
	if w.folder == nil {
		return nil
	}
	if len(w.files) == 0 {
		return w.Abort()
	}
	folder := w.folder
	w.folder = nil
	return errors.Join(w.release(), folder.Leave())
}

// release closes the journal.
func (w *Writer) release() error {
	if w.journal == nil {
		return nil
	}
	journal := w.journal
	w.journal = nil
	return journal.Close()
}
