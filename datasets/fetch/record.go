package fetch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// RecordFile is the name of the file, at the top of a folder, that lists its downloads: a [Record].
const RecordFile = "racecard-fetch.json"

// Record lists the downloads of a folder.
type Record struct {
	Files map[string]Fetched `json:"files"` // by path
}

// Fetched is a file that was downloaded.
type Fetched struct {
	URL    string `json:"url"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Published says that a checksum of the publisher was there to compare with; else this one is trusted.
	Published bool `json:"published"`
}

// loadRecord reads the record of the folder; there may be none yet.
func (t *target) loadRecord() (*Record, error) {
	r := &Record{}
	data, err := t.root.ReadFile(RecordFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("{}")
	case err != nil:
		return nil, t.local(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil {
		return nil, &LocalError{fmt.Errorf("%s: %w: remove it, and the files it told of, to begin anew",
			t.shown(RecordFile), err)}
	}
	if r.Files == nil {
		r.Files = map[string]Fetched{}
	}
	return r, nil
}

// keep adds a file to the record. The record is replaced as a whole, so that it is never half written.
func (t *target) keep(r Result) error {
	record, err := t.loadRecord()
	if err != nil {
		return err
	}
	record.Files[r.Path] = Fetched{URL: r.URL, Bytes: r.Bytes, SHA256: r.SHA256, Published: r.Published}
	data, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	const fresh = RecordFile + partEnding
	f, err := t.root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return t.local(err)
	}
	_, err = f.Write(append(data, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(t.local(err), t.remove(fresh))
	}
	return t.local(t.root.Rename(fresh, RecordFile))
}
