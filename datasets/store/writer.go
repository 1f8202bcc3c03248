package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"racecard/datasets/arrowtab"
	"racecard/datasets/filelock"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Writer writes a store, or appends to one. Methods must not be called concurrently.
type Writer struct {
	dir    string // the store
	tmp    string // where what is new grows; "" when it is over
	key    string
	base   *Manifest // of the store that is appended to; nil for none
	packer *Packer
	lock   *os.File

	state   state
	files   []PartFile // new ones
	journal *os.File
	memos   []json.RawMessage
}

// Options say what [Create] does where something is there already.
type Options struct {
	Replace bool   // a store gives way
	Append  bool   // a store is appended to: its parts stay as they are
	Key     string // identifies the import: an unfinished one with the same key is taken up; "" never is
}

// lockName is the file that an import locks while it is under way.
const lockName = "lock"

// Create starts a store that will appear at dir when it is closed. It fails when dir exists, unless it is an empty directory
// or the options allow for the store that is there, and while another process writes the same store.
//
// Until it is closed the store grows in a hidden directory beside dir, .NAME.partial.
func Create(dir string, o Options) (*Writer, error) {
	dir = filepath.Clean(dir)
	w := &Writer{dir: dir, key: o.Key, packer: NewPacker()}
	w.tmp = filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".partial")
	if err := w.rescue(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0:
		if o.Append {
			return nil, fmt.Errorf("%s is not there: there is nothing to append to", dir)
		}
	case err != nil:
		return nil, err
	default:
		if _, err := os.Stat(filepath.Join(dir, ManifestName)); err != nil {
			return nil, fmt.Errorf("%s is there and is not a store: choose another name", dir)
		}
		if o.Append {
			s, err := Open(os.DirFS(dir))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", dir, err)
			}
			w.base = s.Manifest()
		} else if !o.Replace {
			return nil, fmt.Errorf("%s is there already: choose another name, say --append to add to it, or --force to replace it", dir)
		}
	}
	w.state = w.empty()
	if err := os.MkdirAll(w.tmp, 0o755); err != nil {
		return nil, err
	}
	if w.lock, err = os.OpenFile(filepath.Join(w.tmp, lockName), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	if !filelock.Try(w.lock) {
		return nil, errors.Join(fmt.Errorf("another process writes %s: wait until it is done", dir), w.lock.Close())
	}
	if err := w.resume(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// rescue puts a store back that stepped aside for one that never came, because the process was killed in between.
func (w *Writer) rescue() error {
	if _, err := os.Stat(w.dir); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(w.aside()); err != nil {
		return nil //nolint:nilerr // there is none
	}
	return os.Rename(w.aside(), w.dir)
}

// aside is where an older store waits while it is replaced.
func (w *Writer) aside() string { return w.tmp + ".old" }

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

// add adds what is in a part under that number.
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
		for column, n := range columns {
			w.state.Known[table][column] += n
		}
	}
	w.state.see(part.from)
	w.state.see(part.to)
	return nil
}

// see widens the span of instants.
func (s *state) see(t trace.Instant) {
	if t.Known() {
		if !s.From.Known() || t < s.From {
			s.From = t
		}
		s.To = max(s.To, t)
	}
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
	return errors.Join(os.RemoveAll(tmp), w.release())
}

// Suspend leaves what was committed for an import with the same key to take up. Where nothing was, nothing is left.
func (w *Writer) Suspend() error {
	if w.tmp == "" {
		return nil
	}
	if len(w.files) == 0 {
		return w.Abort()
	}
	w.tmp = ""
	return w.release()
}

// release closes the files that are open all the time.
func (w *Writer) release() error {
	var errs []error
	for _, f := range []*os.File{w.journal, w.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	w.journal, w.lock = nil, nil
	return errors.Join(errs...)
}
