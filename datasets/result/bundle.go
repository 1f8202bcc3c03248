package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/plainfile"
)

// Bundle is the input of a report: the documents of one trace store, their tables, and their provenance.
type Bundle struct {
	Provenance *Provenance
	Documents  map[string]Document // by name of the analysis
	Tables     map[string]*Table   // by name of the analysis; none for an empty table
	Faults     []Fault             // documents that are missing, damaged or of another state of the store
}

// Provenance describes the trace behind the results and how clean it was: the store's manifest, for people. It
// is written to DIR/provenance.json next to the results.
type Provenance struct {
	Schema    int      `json:"schema_version,omitempty"` // [SchemaVersion]; none in folders of older versions
	Store     string   `json:"store"`                    // name of the store's directory
	Format    string   `json:"format"`
	Synthetic bool     `json:"synthetic"` // the trace was generated, not measured
	Sources   []Source `json:"sources"`
	TimeBase  string   `json:"time_base"` // relative or unix
	From      Number   `json:"from_s"`    // first and last instant, in seconds of the time base
	To        Number   `json:"to_s"`
	// Zone is the name of the time zone for dates and hours; none is UTC.
	Zone       string           `json:"timezone,omitempty"`
	Rows       map[string]int64 `json:"rows"` // per table
	Read       int64            `json:"records_read"`
	Used       int64            `json:"records_used"`
	Ignored    map[string]int64 `json:"ignored"`
	Rejected   map[string]int64 `json:"rejected"`
	Repairs    map[string]int64 `json:"repairs"`
	Warnings   []string         `json:"warnings"`
	Version    string           `json:"racecard"` // version that computed the results
	Command    string           `json:"command"`  // how to repeat them
	Note       string           `json:"note,omitempty"`
	AnalysedAt *time.Time       `json:"analysed_at,omitempty"`
	// Columns is the share of values that are not null, per table and column.
	Columns map[string]map[string]float64 `json:"columns"`
	Units   map[string]string             `json:"units"` // of columns, such as cpu: cores
	// Trace is the checksum of the store's manifest: another one means another state of the store.
	Trace string `json:"trace_sha256,omitempty"`
	// Contents lists the documents of the folder, by name.
	Contents []Content `json:"contents,omitempty"`
	// Checksum is the SHA-256 of this object without it, in hexadecimal.
	Checksum string `json:"checksum,omitempty"`
}

// Location returns the time zone of dates; UTC where its name is not known here.
func (p *Provenance) Location() *time.Location {
	if zone, err := time.LoadLocation(p.Zone); err == nil {
		return zone
	}
	return time.UTC
}

// Source is an input file of a trace.
type Source struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// documents returns an empty document of every kind: a new one is one line here.
func documents() []Document {
	return []Document{
		&Recurrence{}, &CoV{}, &Comparison{}, &Dependency{}, &Allocation{}, &DAG{}, &Leftover{}, &Workload{},
		&Timeline{},
		&Jockey{}, &Backtest{}, &Remaining{}, &WhatIf{}, &Carbyne{}, &Eagle{},
		&Waste{}, &Explanation{}, &Forecast{}, &Agenda{}, &Health{},
	}
}

// NewDocument returns an empty document of the named analysis, to be decoded into, or nil when there is no such
// analysis.
func NewDocument(analysis string) Document {
	for _, d := range documents() {
		if d.Analysis() == analysis {
			return d
		}
	}
	return nil
}

// ProvenanceFile is the name of the file that holds a [Provenance].
const ProvenanceFile = "provenance.json"

// Load reads the results that commands with `--out` wrote to a directory. Documents that are missing or damaged are
// left out and listed in [Bundle.Faults].
func Load(fsys fs.FS) (*Bundle, error) {
	b := &Bundle{Documents: map[string]Document{}, Tables: map[string]*Table{}}
	var err error
	if b.Provenance, err = ReadProvenance(fsys); err != nil {
		return nil, fmt.Errorf("%w: is this a folder of results that racecard wrote?", err)
	}
	for _, c := range b.Provenance.Contents {
		doc := NewDocument(c.Document)
		if doc == nil {
			continue
		}
		if f, ok := b.Provenance.stale(c); ok {
			b.Faults = append(b.Faults, f)
		}
		table, faults, err := c.load(fsys, doc)
		if err != nil {
			return nil, err
		}
		b.Faults = append(b.Faults, faults...)
		if len(faults) > 0 {
			continue
		}
		b.Documents[c.Document] = doc
		if table != nil {
			b.Tables[c.Document] = table
		}
	}
	return b, nil
}

// load reads a document, and its table if it has one. What is wrong with their files is no error.
func (c Content) load(fsys fs.FS, doc Document) (table *Table, faults []Fault, err error) {
	for _, f := range c.Files {
		s, data, err := condition(fsys, f)
		switch {
		case err != nil:
			return nil, nil, err
		case s.Condition != Whole:
			faults = append(faults, s.fault(c))
		case path.Ext(f.Name) == ".json":
			if err := json.Unmarshal(data, doc); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		default:
			if table, err = ReadTable(c.Document, bytes.NewReader(data), int64(len(data))); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return table, faults, nil
}

func loadJSON(fsys fs.FS, name string, into any) error {
	data, err := plainfile.Read(fsys, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Names returns the names of all analyses with documents, in a fixed order.
func Names() []string {
	return lists.Map(documents(), func(d Document) string { return d.Analysis() })
}
