// Package catalogue lists public traces: who publishes them, under which terms, where they are, and what racecard makes
// of them.
//
// The entries stand in catalogue.json, so that a trace is added without code. They hold only what a source says: the
// publishers' own pages, repositories and download scripts, and for a few addresses scripts of users. A checksum is one
// that the publisher states (in a README, a list of checksums or a Git LFS pointer), for this very file; where there is
// none it is null. What could not be confirmed stands in "unverified". An address with a commit in it cannot change.
// None of the addresses could be tried where the catalogue was written.
package catalogue

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Entry is a trace that can be had.
type Entry struct {
	Name      string   `json:"name"`  // lower case, digits and hyphens
	Title     string   `json:"title"` // one line
	Publisher string   `json:"publisher"`
	Licence   string   `json:"licence"` // SPDX identifier, or a few words
	Terms     string   `json:"terms"`   // the licence in a plain sentence
	Home      string   `json:"home"`    // a page about the trace
	Cite      string   `json:"cite"`
	Format    string   `json:"format"`   // of package formats
	Analyses  []string `json:"analyses"` // those that have what they need
	Supports  string   `json:"supports"` // what can be learned from it, and what not
	// Unverified lists the facts that could not be confirmed when the entry was written, "" if none.
	Unverified string `json:"unverified,omitempty"`
	// ByHand is how to get what racecard does not fetch, "" if that is nothing. An entry without files has only this.
	ByHand string `json:"by_hand,omitempty"`
	// Apart reports whether every file is a separate trace, to be imported by itself.
	Apart bool `json:"apart,omitempty"`
	// Sums is where, below the bases, the publisher lists checksums of all files; "" if nowhere.
	Sums  string   `json:"sums,omitempty"`
	Bases []string `json:"bases,omitempty"` // addresses of mirrors, in order, which locations of files are put behind
	Items []Item   `json:"files"`
}

// Item is a file of an entry, or a numbered series of files.
type Item struct {
	// Path is where the file goes, with slashes. In a series, {part} stands for the number.
	Path string   `json:"path"`
	At   string   `json:"at,omitempty"`   // its location below the bases, when other than Path
	URLs []string `json:"urls,omitempty"` // whole addresses in place of bases and location
	What string   `json:"what,omitempty"` // what is in it
	// Bytes is the size of the file, or of each file of a series; null when not known. Exact sizes are checked.
	Bytes       *int64  `json:"bytes"`
	Approximate bool    `json:"approximate,omitempty"`
	SHA256      *string `json:"sha256"` // as published; null when it is not
	MD5         *string `json:"md5,omitempty"`
	// Optional files are fetched when they are asked for.
	Optional bool   `json:"optional,omitempty"`
	Parts    *Parts `json:"parts,omitempty"`
}

// Parts is the numbering of a series.
type Parts struct {
	First  int `json:"first"`
	Last   int `json:"last"`
	Digits int `json:"digits"` // with zeros in front
}

// placeholder stands for the number of a part.
const placeholder = "{part}"

//go:embed catalogue.json
var embedded []byte

// All returns the entries in the order of the catalogue. It panics when the embedded catalogue is damaged, which a test
// rules out.
func All() []Entry {
	entries, err := Read(bytes.NewReader(embedded))
	if err != nil {
		panic(err)
	}
	return entries
}

// Named returns the entry of that name.
func Named(name string) (*Entry, error) {
	var known []string
	for _, e := range All() {
		if e.Name == name {
			return &e, nil
		}
		known = append(known, e.Name)
	}
	return nil, fmt.Errorf("there is no trace %q in the catalogue, which has %s", name, strings.Join(known, ", "))
}

// Read reads a catalogue: a JSON array of entries. Fields that are not known are an error, and so is an entry that
// [Entry.Validate] finds wrong, and a name that occurs twice.
func Read(r io.Reader) ([]Entry, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var entries []Entry
	if err := dec.Decode(&entries); err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("catalogue: text behind the array of entries")
	}
	names := map[string]bool{}
	for i, e := range entries {
		if err := e.Validate(); err != nil {
			return nil, fmt.Errorf("catalogue: entry %d (%s): %w", i+1, e.Name, err)
		}
		if names[e.Name] {
			return nil, fmt.Errorf("catalogue: entry %d: the name %s occurs twice", i+1, e.Name)
		}
		names[e.Name] = true
	}
	return entries, nil
}
