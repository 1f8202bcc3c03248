package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"

	"racecard/datasets/arrowtab"
	"racecard/datasets/parquetio"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// partRows is how many rows the largest table of a part holds before the part is written: about a million rows make good
// row groups, and bound the memory of a writer to a few hundred MB.
const partRows = 1 << 20

// rejectRows is how many rejects are kept in memory before they are written.
const rejectRows = 4096

// Writer writes a store. Methods must not be called concurrently.
type Writer struct {
	dir     string // the store
	tmp     string // where it grows
	builder *arrowtab.Builder
	rejects *result.Table
	rejPart int

	parts    int
	writing  chan error // of the part that is being written; nil for none
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
		dir: dir, tmp: tmp, builder: arrowtab.NewBuilder(), rejects: result.NewTable("rejects"),
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

// Append adds one run, which must be valid ([trace.Run.Validate]) and is not kept.
func (w *Writer) Append(run *trace.Run) error {
	w.cover(run)
	w.builder.Append(run)
	if w.builder.MaxRows() >= partRows {
		return w.flush()
	}
	return nil
}

// cover widens the span of instants.
func (w *Writer) cover(run *trace.Run) {
	see := func(t trace.Instant) {
		if t.Known() {
			if !w.from.Known() || t < w.from {
				w.from = t
			}
			w.to = max(w.to, t)
		}
	}
	see(run.Submit)
	see(run.Start)
	see(run.End)
	for i := range run.Stages {
		see(run.Stages[i].Submit)
		see(run.Stages[i].Start)
		see(run.Stages[i].End)
	}
	for i := range run.Attempts {
		see(run.Attempts[i].Queued)
		see(run.Attempts[i].Start)
		see(run.Attempts[i].End)
	}
	for i := range run.Allocations {
		see(run.Allocations[i].At)
	}
	for i := range run.IO {
		see(run.IO[i].At)
	}
}

// Reject keeps a record that could not be used.
func (w *Writer) Reject(r *source.Reject) error {
	w.rejects.Row().Text("file", r.File).Int("line", int(r.Line)).Text("field", r.Field).Text("reason", r.Reason).
		Text("detail", toUTF8(r.Detail)).Text("raw", toUTF8(string(r.Raw)))
	if w.rejects.Len() >= rejectRows {
		return w.flushRejects()
	}
	return nil
}

func (w *Writer) flushRejects() error {
	if w.rejects.Len() == 0 {
		return nil
	}
	n := int64(w.rejects.Len())
	if err := w.wait(); err != nil {
		return err
	}
	err := w.file(fmt.Sprintf("rejects/part-%05d.parquet", w.rejPart), n, w.rejects.WriteParquet)
	w.rejPart++
	w.rejects = result.NewTable("rejects")
	return err
}

// flush hands what the builder holds to a goroutine that writes it as the next part, once the part before it is written:
// runs are read while the part before is encoded, and at most two parts are in memory.
func (w *Writer) flush() error {
	if err := w.wait(); err != nil || w.builder.Rows(arrowtab.Jobs) == 0 {
		return err
	}
	batch, ranges := w.builder.Batch()
	part := w.parts
	w.parts++
	w.writing = make(chan error, 1)
	go func() { w.writing <- w.part(part, batch, ranges) }()
	return nil
}

// wait waits for the part that is being written. Until it returns, fields that [Writer.table] changes belong to the
// goroutine that writes.
func (w *Writer) wait() error {
	if w.writing == nil {
		return nil
	}
	err := <-w.writing
	w.writing = nil
	return err
}

func (w *Writer) part(part int, batch *arrowtab.Batch, ranges [arrowtab.NumRunTables][]parquetio.Range) error {
	for t := range arrowtab.NumRunTables {
		if err := w.table(t, part, batch.Columns(t), ranges[t]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) table(t arrowtab.Table, part int, columns []parquetio.Column, ranges []parquetio.Range) error {
	if columns[0].Len == 0 {
		return nil
	}
	name := t.String()
	w.rows[name] += int64(columns[0].Len)
	for i := range columns {
		w.known[name][columns[i].Name] += int64(columns[i].Known())
	}
	var sortedBy []string
	if t != arrowtab.Machines {
		sortedBy = []string{"job_id"}
	}
	return w.file(fmt.Sprintf("%s/part-%05d.parquet", name, part), int64(columns[0].Len), func(out io.Writer) error {
		return parquetio.Write(out, name, columns, ranges, sortedBy...)
	})
}

// file writes one file of the store, syncs it and remembers its checksum.
func (w *Writer) file(name string, rows int64, write func(io.Writer) error) error {
	full := filepath.Join(w.tmp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	f, err := os.Create(full)
	if err != nil {
		return err
	}
	sum := &counter{hash: sha256.New()}
	buffered := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	if err := errors.Join(write(buffered), buffered.Flush(), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path.Join(filepath.Base(w.dir), name), err)
	}
	w.files = append(w.files, PartFile{Name: name, Rows: rows, Bytes: sum.n, SHA256: hex.EncodeToString(sum.hash.Sum(nil))})
	return nil
}

type counter struct {
	hash hash.Hash
	n    int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.hash.Write(p)
}

// Abort removes all that was written. It does nothing after Close, so it can be deferred.
func (w *Writer) Abort() error {
	if w.tmp == "" {
		return nil
	}
	_ = w.wait() // whether it failed does not matter any more
	tmp := w.tmp
	w.tmp = ""
	return os.RemoveAll(tmp)
}
