package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"racecard/datasets/source"
)

// ManifestName is the file that makes a directory a store.
const ManifestName = "racecard.json"

// Version is the version of the layout that this package writes and reads.
const Version = 1

// Manifest says what a store holds and where it came from. It holds no dates and no paths of the machine that wrote it:
// the same input and options give the same manifest.
type Manifest struct {
	Version   int               `json:"racecard_store"`
	Format    string            `json:"format"`              // of the source
	Synthetic bool              `json:"synthetic,omitempty"` // the trace was generated, not measured
	Note      string            `json:"note,omitempty"`
	Header    []string          `json:"header,omitempty"` // what the source says of itself
	Sources   []SourceFile      `json:"sources"`
	Options   map[string]string `json:"options,omitempty"`
	TimeBase  source.TimeBase   `json:"time_base"` // relative or unix; times are microseconds
	Units     map[string]string `json:"units"`
	From      *int64            `json:"from_us"` // first and last instant in the tables; null when there is none
	To        *int64            `json:"to_us"`

	Rows     map[string]int64              `json:"rows"`    // per table
	Columns  map[string]map[string]float64 `json:"columns"` // table -> column -> share of values that are not null
	Read     int64                         `json:"records_read"`
	Used     int64                         `json:"records_used"`
	Ignored  map[string]int64              `json:"records_ignored"`
	Rejected map[string]int64              `json:"records_rejected"`
	Repairs  map[string]int64              `json:"repairs"`
	Warnings []string                      `json:"warnings"`

	Parts int        `json:"parts"`
	Files []PartFile `json:"files"` // by table, then part

	// Checksum is the SHA-256 of this manifest with Checksum empty, in hexadecimal.
	Checksum string `json:"checksum"`
}

// SourceFile is an input of the import.
type SourceFile struct {
	Name   string `json:"name"` // as given, without the folders above what was given
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// PartFile is a Parquet file of the store.
type PartFile struct {
	Name   string `json:"name"` // path inside the store, with slashes
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// encode sets the checksum and returns the file's content.
func (m *Manifest) encode() ([]byte, error) {
	sum, err := m.checksum()
	if err != nil {
		return nil, err
	}
	m.Checksum = sum
	return marshal(m)
}

func (m *Manifest) checksum() (string, error) {
	bare := *m
	bare.Checksum = ""
	data, err := marshal(&bare)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

func marshal(m *Manifest) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode parses a manifest and checks its version and checksum.
func decode(data []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; import the trace again", ManifestName, err)
	}
	if m.Version != Version {
		return nil, fmt.Errorf("%s is of version %d, this racecard reads version %d; import the trace again", ManifestName, m.Version, Version)
	}
	sum, err := m.checksum()
	if err != nil {
		return nil, err
	}
	if sum != m.Checksum {
		return nil, fmt.Errorf("%s was changed after it was written (its checksum does not match); import the trace again", ManifestName)
	}
	return &m, nil
}

// defaultUnits are those of the canonical tables.
func defaultUnits() map[string]string {
	return map[string]string{
		"times": "microseconds", "duration": "microseconds", "estimate_s": "seconds", "cpu": "cores", "mem": "bytes",
		"disk_read": "bytes/s", "disk_write": "bytes/s", "net_in": "bytes/s", "net_out": "bytes/s", "gpu": "GPUs", "bytes": "bytes",
	}
}
