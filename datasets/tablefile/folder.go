package tablefile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
)

// IndexFile lists the tables of a folder. It is written last: a folder without it is not one of tables.
const IndexFile = "tables.json"

// IndexFormat is the format of the index.
const IndexFormat = "racecard-tables"

// Index is the content of [IndexFile].
type Index struct {
	Format   string  `json:"format"`
	Version  int     `json:"version"`
	Racecard string  `json:"racecard"` // version of the program that wrote it
	Models   string  `json:"models"`   // folder that the profiles came from, its base name
	Tables   []Entry `json:"tables"`   // by job
}

// Entry is a table in the index.
type Entry struct {
	Job           string `json:"job"`
	File          string `json:"file"`
	Bytes         int    `json:"bytes"`
	SHA256        string `json:"sha256"` // of the file as it is
	Parquet       string `json:"parquet"`
	ParquetBytes  int    `json:"parquet_bytes"`
	ParquetSHA256 string `json:"parquet_sha256"`
}

// FileNames returns the names of the files of a job.
func FileNames(job string) (arrow, parquet string) {
	name := strings.TrimSuffix(modelfile.FileName(job), ".json")
	return name + ".arrow", name + ".parquet"
}

// Files returns the entry of a table and its two files.
func Files(t *remaining.Table) (Entry, []modelfile.File, error) {
	job := t.About.Job
	data, err := Encode(t)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("job %q: %w", job, err)
	}
	copied, err := EncodeParquet(t)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("job %q: %w", job, err)
	}
	arrow, parquet := FileNames(job)
	e := Entry{Job: job, File: arrow, Bytes: len(data), SHA256: plainSum(data), Parquet: parquet, ParquetBytes: len(copied), ParquetSHA256: plainSum(copied)}
	return e, []modelfile.File{{Name: arrow, Data: data}, {Name: parquet, Data: copied}}, nil
}

// EncodeIndex returns the file of the index, of tables of different jobs.
func EncodeIndex(x Index) (modelfile.File, error) {
	x.Format, x.Version = IndexFormat, Version
	seen := map[string]bool{}
	for _, e := range x.Tables {
		if seen[e.Job] {
			return modelfile.File{}, fmt.Errorf("job %q: two tables", e.Job)
		}
		seen[e.Job] = true
	}
	data, err := json.MarshalIndent(x, "", " ")
	return modelfile.File{Name: IndexFile, Data: append(data, '\n')}, err
}

// ReadIndex reads the index of a folder of tables.
func ReadIndex(fsys fs.FS) (*Index, error) {
	data, err := fs.ReadFile(fsys, IndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no %s: not a folder of tables; make one with `racecard table build`", IndexFile)
	}
	if err != nil {
		return nil, err
	}
	var x Index
	if err := json.Unmarshal(data, &x); err != nil {
		return nil, fmt.Errorf("%s: %w", IndexFile, err)
	}
	if x.Format != IndexFormat || x.Version != Version {
		return nil, fmt.Errorf("%s: format %q, version %d; this racecard reads %q, version %d", IndexFile, x.Format, x.Version, IndexFormat, Version)
	}
	return &x, nil
}

// Load reads the table of an entry and checks it. The Parquet copy is not looked at.
func Load(fsys fs.FS, e Entry) (*remaining.Table, error) {
	data, err := read(fsys, e.File, e.SHA256)
	if err != nil {
		return nil, err
	}
	t, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.File, err)
	}
	if t.About.Job != e.Job {
		return nil, fmt.Errorf("%s: table of %q, listed as that of %q", e.File, t.About.Job, e.Job)
	}
	return t, nil
}

// LoadBoth is [Load], and checks that the Parquet copy says the same.
func LoadBoth(fsys fs.FS, e Entry) (*remaining.Table, error) {
	t, err := Load(fsys, e)
	if err != nil {
		return nil, err
	}
	data, err := read(fsys, e.Parquet, e.ParquetSHA256)
	if err != nil {
		return nil, err
	}
	copied, err := DecodeParquet(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Parquet, err)
	}
	if !same(t, copied) {
		return nil, fmt.Errorf("%s does not say the same as %s", e.Parquet, e.File)
	}
	return t, nil
}

func read(fsys fs.FS, name, sha256 string) ([]byte, error) {
	if path.Base(name) != name {
		return nil, fmt.Errorf("%s: %q is not the name of a file", IndexFile, name)
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if plainSum(data) != sha256 {
		return nil, fmt.Errorf("%s is damaged: its content does not match the checksum in %s; build the tables again", name, IndexFile)
	}
	return data, nil
}

func plainSum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
