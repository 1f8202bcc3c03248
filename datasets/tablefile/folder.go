package tablefile

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"racecard/datasets/indexed"
	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/remaining"
)

// IndexFile lists the tables of a folder. It is written last: a folder without it is not one of tables.
const IndexFile = "tables.json"

// IndexFormat is the format of the index.
const IndexFormat = "racecard-tables"

var kind = indexed.Kind{Index: IndexFile, Format: IndexFormat, Version: Version, What: "tables",
	Make: "racecard table build", Again: "build the tables again"}

// Index is the content of [IndexFile].
type Index struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Generation is the newest of the tables: it rises whenever a table changes.
	Generation int64  `json:"generation"`
	Racecard   string `json:"racecard"` // version of the program that wrote it
	Models     string `json:"models"`   // folder that the profiles came from, its base name
	// ModelsSHA256 is the checksum of the index of that folder, where tables of all its models were built.
	ModelsSHA256 string  `json:"models_sha256,omitempty"`
	Tables       []Entry `json:"tables"` // by job
}

// Entry is a table in the index.
type Entry struct {
	Job string `json:"job"`
	// Generation orders versions of a table, also those of other folders and machines: the instant of its newest past
	// run, in whole seconds and at least 1. Where a table replaces another, it is at least one more than the older
	// folder's generation. So the same models give the same bytes, and tables that know of later runs are newer. Tables
	// of the same runs but other options may have one generation in different folders: their checksums differ.
	Generation    int64  `json:"generation"`
	File          string `json:"file"`
	Bytes         int    `json:"bytes"`
	SHA256        string `json:"sha256"` // of the file as it is
	Parquet       string `json:"parquet"`
	ParquetBytes  int    `json:"parquet_bytes"`
	ParquetSHA256 string `json:"parquet_sha256"`
}

// fileNames returns the names of the files of a job.
func fileNames(job string) (arrow, parquet string) {
	name := strings.TrimSuffix(modelfile.FileName(job), ".json")
	return name + ".arrow", name + ".parquet"
}

// Files returns the entry of a table and its two files.
func Files(t *remaining.Table) (Entry, []indexed.File, error) {
	job := t.About.Job
	data, err := Encode(t)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("job %q: %w", job, err)
	}
	copied, err := EncodeParquet(t)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("job %q: %w", job, err)
	}
	arrow, parquet := fileNames(job)
	generation := int64(1)
	if newest := t.About.NewestS; newest != nil {
		generation = max(generation, int64(*newest))
	}
	e := Entry{Job: job, Generation: generation, File: arrow, Bytes: len(data), SHA256: indexed.Sum(data),
		Parquet: parquet, ParquetBytes: len(copied), ParquetSHA256: indexed.Sum(copied)}
	return e, []indexed.File{{Name: arrow, Data: data}, {Name: parquet, Data: copied}}, nil
}

// FolderKind is the kind of folder that holds tables.
func FolderKind() publish.Kind { return kind.Folder() }

// Join returns the index of a folder after the tables of x have replaced older ones of the same jobs, and the
// tables that stay. old, which may be nil, is the older version of the folder. Tables of other models are an
// error; tables in a format that this racecard does not read are dropped.
func (x Index) Join(old fs.FS) (all Index, kept []Entry, err error) {
	x.Tables = slices.Clone(x.Tables)
	if old == nil {
		x.number(&Index{})
		return x, nil, nil
	}
	before, err := ReadIndex(old)
	if indexed.IsAbsent(err) {
		x.number(&Index{})
		return x, nil, nil
	}
	if err != nil {
		return x, nil, err
	}
	joined, kept := indexed.Join(x.Tables, before.Tables, func(e Entry) string { return e.Job })
	if len(kept) > 0 && before.Models != x.Models {
		return x, nil, fmt.Errorf("it holds tables of %s, these are of %s: choose another folder, or remove the "+
			"folder first", before.Models, x.Models)
	}
	x.Tables = joined
	x.number(before)
	return x, kept, nil
}

// number sets the generations of an index and of its tables, given the index that it replaces.
func (x *Index) number(before *Index) {
	since := map[string]int64{}
	for _, e := range before.Tables {
		since[e.SHA256] = e.Generation
	}
	x.Generation = before.Generation
	for i := range x.Tables {
		e := &x.Tables[i]
		if at, same := since[e.SHA256]; same {
			e.Generation = at
		} else {
			e.Generation = max(e.Generation, before.Generation+1)
		}
		x.Generation = max(x.Generation, e.Generation)
	}
}

// EncodeIndex returns the file of the index, of tables of different jobs.
func EncodeIndex(x Index) (indexed.File, error) {
	x.Format, x.Version = IndexFormat, Version
	seen := map[string]bool{}
	for _, e := range x.Tables {
		if seen[e.Job] {
			return indexed.File{}, fmt.Errorf("job %q: two tables", e.Job)
		}
		seen[e.Job] = true
	}
	data, err := indexed.Encode(x)
	return indexed.File{Name: IndexFile, Data: data}, err
}

// ReadIndex reads the index of a folder of tables.
func ReadIndex(fsys fs.FS) (*Index, error) {
	var x Index
	if err := kind.ReadIndex(fsys, &x); err != nil {
		return nil, err
	}
	return &x, nil
}

// Load reads the table of an entry and checks it. The Parquet copy is not looked at.
func Load(fsys fs.FS, e Entry) (*remaining.Table, error) {
	data, err := kind.Read(fsys, e.File, e.SHA256)
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
	data, err := kind.Read(fsys, e.Parquet, e.ParquetSHA256)
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
