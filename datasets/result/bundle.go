package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"time"
)

// Bundle is what a report is drawn from: the documents of one trace store, their tables, and where they come from.
type Bundle struct {
	Provenance *Provenance
	Documents  map[string]Document // by name of the analysis
	Tables     map[string]*Table   // by name of the analysis; none for an empty table
}

// Provenance says what trace the results come from and how clean it was: the store's manifest, for people. It is written
// to DIR/provenance.json beside the results.
type Provenance struct {
	Store      string           `json:"store"` // name of the store's directory
	Format     string           `json:"format"`
	Synthetic  bool             `json:"synthetic"` // the trace was generated, not measured
	Sources    []Source         `json:"sources"`
	TimeBase   string           `json:"time_base"` // relative or unix
	From       Number           `json:"from_s"`    // first and last instant, in seconds of the time base
	To         Number           `json:"to_s"`
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
}

// Source is an input file of a trace.
type Source struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// NewDocument returns an empty document of the named analysis, to be decoded into, or nil when there is no such analysis.
func NewDocument(analysis string) Document {
	switch analysis {
	case "recurrence":
		return &Recurrence{}
	case "cov":
		return &CoV{}
	case "dependency":
		return &Dependency{}
	case "allocation":
		return &Allocation{}
	case "dag":
		return &DAG{}
	case "leftover":
		return &Leftover{}
	case "workload":
		return &Workload{}
	case "timeline":
		return &Timeline{}
	case "jockey":
		return &Jockey{}
	case "backtest":
		return &Backtest{}
	case "remaining":
		return &Remaining{}
	case "whatif":
		return &WhatIf{}
	case "carbyne":
		return &Carbyne{}
	case "eagle":
		return &Eagle{}
	case "health":
		return &Health{}
	default:
		return nil
	}
}

// ProvenanceFile is the name of the file that holds a [Provenance].
const ProvenanceFile = "provenance.json"

// Load reads the results that `analyze --out` wrote to a directory.
func Load(fsys fs.FS) (*Bundle, error) {
	b := &Bundle{Documents: map[string]Document{}, Tables: map[string]*Table{}}
	b.Provenance = &Provenance{}
	if err := loadJSON(fsys, ProvenanceFile, b.Provenance); err != nil {
		return nil, fmt.Errorf("%w: is this a directory that `racecard analyze --out` wrote?", err)
	}
	names, err := fs.Glob(fsys, "*.json")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	for _, file := range names {
		name := file[:len(file)-len(path.Ext(file))]
		doc := NewDocument(name)
		if doc == nil {
			continue
		}
		if err := loadJSON(fsys, file, doc); err != nil {
			return nil, err
		}
		b.Documents[name] = doc
		table, err := loadTable(fsys, name)
		if err != nil {
			return nil, err
		}
		if table != nil {
			b.Tables[name] = table
		}
	}
	return b, nil
}

func loadJSON(fsys fs.FS, name string, into any) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func loadTable(fsys fs.FS, name string) (*Table, error) {
	data, err := fs.ReadFile(fsys, name+".parquet")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return ReadTable(name, bytes.NewReader(data), int64(len(data)))
}
