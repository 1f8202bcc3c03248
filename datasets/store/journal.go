package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"

	"racecard/datasets/trace"
)

// The journal of an unfinished store lies next to its parts: a line with the key of the import, then a line per
// call of [Writer.Commit]. A line counts if the files it names are there, with their sizes and checksums.
const journalName = "journal.jsonl"

// entry is a line of the journal: the state of the writer after a commit.
type entry struct {
	Key   string          `json:"key,omitempty"` // of the first line
	Files []PartFile      `json:"files,omitempty"`
	State *state          `json:"state,omitempty"`
	Memo  json.RawMessage `json:"memo,omitempty"`
}

// state describes the parts written so far.
type state struct {
	Parts    int                         `json:"parts"`
	RejParts int                         `json:"reject_parts"`
	Rows     map[string]int64            `json:"rows"`
	Known    map[string]map[string]int64 `json:"known"` // values that are not null
	From     trace.Instant               `json:"from"`
	To       trace.Instant               `json:"to"`
}

// resume restores s from the manifest of a store.
func (s *state) resume(m *Manifest) {
	s.Parts = m.Parts
	maps.Copy(s.Rows, m.Rows)
	for table, columns := range m.Columns {
		for column, share := range columns {
			s.Known[table][column] = int64(math.Round(share * float64(m.Rows[table])))
		}
	}
	for i := range m.Files {
		if strings.HasPrefix(m.Files[i].Name, "rejects/") {
			s.RejParts++
		}
	}
	if m.From != nil {
		s.From, s.To = trace.Instant(*m.From), trace.Instant(*m.To)
	}
}

// Commit adds parts and notes them in the journal, with a memo for whoever takes the import up again: see
// [Writer.Memos].
func (w *Writer) Commit(parts []*Part, memo any) error {
	before := len(w.files)
	for _, p := range parts {
		if err := w.Add(p); err != nil {
			return err
		}
	}
	m, err := json.Marshal(memo)
	if err != nil {
		return err
	}
	return w.note(entry{Files: w.files[before:], State: &w.state, Memo: m})
}

func (w *Writer) note(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := w.journal.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing %s: %w", journalName, err)
	}
	return nil
}

// Memos returns the memos of the commits of an earlier import with the same key, which this one takes up: their parts
// are in the store already.
func (w *Writer) Memos() []json.RawMessage { return w.memos }

// Forget discards the files of an earlier import and starts again.
func (w *Writer) Forget() error {
	w.memos, w.files, w.state = nil, nil, w.empty()
	return errors.Join(w.journal.Close(), w.begin(0))
}

// resume continues from the journal, up to its last line that holds.
func (w *Writer) resume() error {
	data, err := os.ReadFile(filepath.Join(w.folder.Staging(), journalName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	good := 0
	for lines := data; ; {
		line, rest, whole := bytes.Cut(lines, []byte{'\n'})
		var e entry
		if !whole || json.Unmarshal(line, &e) != nil || good == 0 && (w.key == "" || e.Key != w.key) {
			break // a line that was cut off is no line
		}
		if good > 0 {
			if e.State == nil || !w.holds(e.Files) {
				break
			}
			w.files, w.memos, w.state = append(w.files, e.Files...), append(w.memos, e.Memo), *e.State
		}
		good += len(line) + 1
		lines = rest
	}
	return w.begin(good)
}

// begin cuts the journal after its good bytes, and removes files that it does not name.
func (w *Writer) begin(good int) (err error) {
	keep := map[string]bool{journalName: true}
	for _, f := range w.files {
		keep[f.Name] = true
	}
	if err := w.folder.Clean(keep); err != nil {
		return err
	}
	if w.journal, err = w.folder.OpenFile(journalName, os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	if err := restrict(w.journal, w.quotes); err != nil { // it quotes the first rejects
		return err
	}
	if err := w.journal.Truncate(int64(good)); err != nil {
		return err
	}
	if _, err := w.journal.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if good > 0 {
		return nil
	}
	return w.note(entry{Key: w.key})
}

// holds reports whether files are there, whole.
func (w *Writer) holds(files []PartFile) bool {
	for _, f := range files {
		in, err := os.Open(filepath.Join(w.folder.Staging(), filepath.FromSlash(f.Name)))
		if err != nil {
			return false
		}
		sum := sha256.New()
		n, err := io.Copy(sum, in)
		in.Close()
		if err != nil || n != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
			return false
		}
	}
	return true
}
