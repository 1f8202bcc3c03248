// Package indexed keeps folders of files that an index lists with their checksums: folders of models, and of tables.
package indexed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
)

// File is a file of a folder.
type File struct {
	Name string
	Data []byte
}

// Kind is a kind of folder. Its index is a JSON object with the fields format and version, and is written last: a
// folder without it is not one of the kind.
type Kind struct {
	Index   string // name of the index, such as models.json
	Format  string
	Version int
	What    string // content of the folder, such as "models"
	Make    string // makes one: "racecard fit"
	Again   string // what to do about one that is damaged or of another version: "fit the models again"
}

// Folder is the kind for those who publish such folders. It names what an index of any version lists.
func (k Kind) Folder() publish.Kind {
	return publish.Kind{Marker: k.Index, What: k.What, Own: func(fsys fs.FS) ([]string, error) {
		data, err := plainfile.Read(fsys, k.Index)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		var lists map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(data, &lists)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Index, err)
		}
		var names []string
		for _, list := range lists {
			var files []struct{ File, Parquet string }
			if json.Unmarshal(list, &files) != nil {
				continue // another field
			}
			for _, f := range files {
				names = append(names, f.File, f.Parquet)
			}
		}
		return names, nil
	}}
}

// absentError says that a folder has no index that this racecard reads.
type absentError struct{ text string }

// Error describes the content found instead, and the remedy.
func (e *absentError) Error() string { return e.text }

// IsAbsent reports whether an error says that there is no index, or one of a version that this racecard does not read.
func IsAbsent(err error) bool {
	return errors.As(err, new(*absentError))
}

// ReadIndex reads the index of a folder into doc.
func (k Kind) ReadIndex(fsys fs.FS, doc any) error {
	data, err := plainfile.Read(fsys, k.Index)
	if errors.Is(err, fs.ErrNotExist) {
		return &absentError{fmt.Sprintf("no %s: not a folder of %s; make one with `%s`", k.Index, k.What, k.Make)}
	}
	if err != nil {
		return err
	}
	if err := Decode(data, k.Format, k.Version, k.Again, doc); err != nil {
		return fmt.Errorf("%s: %w", k.Index, err)
	}
	return nil
}

// Read returns a file that the index lists, if its content has the listed checksum.
func (k Kind) Read(fsys fs.FS, name, sha256 string) ([]byte, error) {
	if path.Base(name) != name {
		return nil, fmt.Errorf("%s: %q is not the name of a file", k.Index, name)
	}
	data, err := plainfile.Read(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing, though %s lists it; %s", name, k.Index, k.Again)
	}
	if err != nil {
		return nil, err
	}
	if Sum(data) != sha256 {
		return nil, fmt.Errorf("%s is damaged: its content does not match the checksum in %s; %s", name, k.Index,
			k.Again)
	}
	return data, nil
}

// Sum returns the SHA-256 of some data, in hexadecimal digits.
func Sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// Encode returns a JSON document as it is kept.
func Encode(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode reads a JSON document. Its format and version must match, and it may have no fields unknown to doc.
// Format and version are checked first, so that a newer file is not called damaged; again is the remedy for a
// wrong version.
func Decode(data []byte, format string, version int, again string, doc any) error {
	var h struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("not JSON, or cut off: %w", err)
	}
	if h.Format != format {
		return fmt.Errorf("format is %q, want %q", h.Format, format)
	}
	if h.Version != version {
		return &absentError{fmt.Sprintf("format version is %d, this racecard reads %d: %s", h.Version, version, again)}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(doc); err != nil {
		if strings.Contains(err.Error(), "unknown field") {
			return fmt.Errorf("%w: another version of racecard made it: %s", err, again)
		}
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON document")
	}
	return nil
}
