package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/arrowtab"
	"racecard/datasets/indexed"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// ManifestName is the file that makes a directory a store.
const ManifestName = "racecard.json"

// Version is the version of the layout that this package writes and reads.
const Version = 1

// Manifest describes the contents of a store and their source. It holds no dates and no paths of the machine
// that wrote it: the same input and options give the same manifest.
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

	// IDPrefix is the prefix of the ids of its runs, where the format has none and runs count from 1 in every file, or
	// the id of its one run, where the file names it.
	IDPrefix string `json:"id_prefix,omitempty"`
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
	return indexed.Sum(data), nil
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
		return nil, fmt.Errorf("%s is of version %d, this racecard reads version %d; import the trace again",
			ManifestName, m.Version, Version)
	}
	sum, err := m.checksum()
	if err != nil {
		return nil, err
	}
	if sum != m.Checksum {
		return nil, fmt.Errorf("%s was changed after it was written (its checksum does not match); import the trace "+
			"again", ManifestName)
	}
	return &m, nil
}

// Bounds of a part. A packer closes it when a table has partRows rows, so that only its last run can add more.
const (
	maxPartRows  = partRows + trace.MaxRows
	maxPartBytes = 1 << 30
)

// maxMicros bounds the instants of a trace.
const maxMicros = trace.MaxSeconds * 1e6

// check refuses a manifest of files that no import writes. Part k of a table of runs is the file that the number k
// names, and the jobs table has a file for each part; machines and rejects are numbered by themselves.
func (m *Manifest) check() error {
	rows, parts := map[string]int64{}, map[string]int{}
	seen := map[string]bool{}
	for _, f := range m.Files {
		table, number, err := splitName(f.Name)
		switch {
		case err != nil:
			return err
		case seen[f.Name]:
			return fmt.Errorf("%q is listed twice", f.Name)
		case f.Bytes < 0 || f.Bytes > maxPartBytes:
			return fmt.Errorf("%s has %d bytes, at most %d are taken", f.Name, f.Bytes, int64(maxPartBytes))
		case f.Rows < 1 || f.Rows > maxPartRows:
			return fmt.Errorf("%s has %d rows, want 1 to %d", f.Name, f.Rows, maxPartRows)
		case table != rejectsTable && table != arrowtab.Machines.String() && number >= m.Parts:
			return fmt.Errorf("%s is of part %d, and there are %d", f.Name, number, m.Parts)
		}
		seen[f.Name] = true
		rows[table] += f.Rows
		parts[table]++
	}
	if n := parts[arrowtab.Jobs.String()]; n != m.Parts {
		return fmt.Errorf("%d parts, and %d files of the jobs table", m.Parts, n)
	}
	for _, table := range []string{arrowtab.Machines.String(), rejectsTable} {
		for number := range parts[table] {
			if name := fileName(table, number); !seen[name] {
				return fmt.Errorf("%s is not listed, though %d files of its table are", name, parts[table])
			}
		}
	}
	for _, t := range arrowtab.Tables() {
		if m.Rows[t.String()] != rows[t.String()] {
			return fmt.Errorf("table %s has %d rows, its files have %d", t, m.Rows[t.String()], rows[t.String()])
		}
	}
	for table, columns := range m.Columns {
		for column, share := range columns {
			if _, ok := m.Rows[table]; !ok || !(share >= 0 && share <= 1) {
				return fmt.Errorf("column %.100q is said to hold %v of its values", table+"."+column, share)
			}
		}
	}
	if (m.From == nil) != (m.To == nil) || m.From != nil &&
		!(*m.From >= -maxMicros && *m.From <= *m.To && *m.To <= maxMicros) {
		return errors.New("its first and last instant are not in order, or too far away")
	}
	return nil
}

// rejectsTable is the table of records that could not be used.
const rejectsTable = "rejects"

// fileName is the name of a file of a table.
func fileName(table string, number int) string {
	return fmt.Sprintf("%s/part-%05d.parquet", table, number)
}

// splitName is the inverse of fileName.
func splitName(name string) (table string, number int, err error) {
	table, rest, _ := strings.Cut(name, "/")
	digits := strings.TrimSuffix(strings.TrimPrefix(rest, "part-"), ".parquet")
	number, err = strconv.Atoi(digits)
	known := table == rejectsTable || slices.ContainsFunc(arrowtab.Tables(), func(t arrowtab.Table) bool {
		return t.String() == table
	})
	if err != nil || number < 0 || !known || fileName(table, number) != name {
		return "", 0, fmt.Errorf("%.100q is not the name of a part of a table", name)
	}
	return table, number, nil
}

// defaultUnits are the units of the canonical tables.
func defaultUnits() map[string]string {
	return map[string]string{
		"times": "microseconds", "duration": "microseconds", "gc": "microseconds", "estimate_s": "seconds",
		"cpu": "cores", "mem": "bytes",
		"disk_read": "bytes/s", "disk_write": "bytes/s", "net_in": "bytes/s", "net_out": "bytes/s", "gpu": "GPUs",
		"bytes":        "bytes",
		"executor_mem": "bytes", "executor_peak_mem": "bytes", "peak_mem": "bytes",
	}
}
