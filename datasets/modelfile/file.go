package modelfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"racecard/datasets/indexed"
	"racecard/datasets/publish"
)

// IndexFile lists the profiles of a folder. It is written last: a folder without it is not one of models.
const IndexFile = "models.json"

// IndexFormat is the format of the index.
const IndexFormat = "racecard-models"

var kind = indexed.Kind{Index: IndexFile, Format: IndexFormat, Version: Version, What: "models", Make: "racecard fit",
	Again: "fit the models again"}

// Index is the content of [IndexFile].
type Index struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Racecard string `json:"racecard"` // version of the program that wrote it
	Store    string `json:"store"`    // that the runs came from, its base name
	// StoreSHA256 is the checksum of the manifest of that store, where all its recurring jobs were fitted.
	StoreSHA256 string `json:"store_sha256,omitempty"`
	// MinRuns is the least number of runs of such a job then.
	MinRuns int `json:"min_runs,omitempty"`
	// Synthetic is set if the runs were generated, not measured; then so is everything derived from the models.
	Synthetic bool    `json:"synthetic"`
	Models    []Entry `json:"models"` // by job
}

// Entry is a profile in the index.
type Entry struct {
	Job    string `json:"job"`
	File   string `json:"file"`
	Runs   int    `json:"runs"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// maxSafe bounds the part of a file's name that is taken from the job's.
const maxSafe = 60

// FileName returns the file name for a job: the characters of its name that are safe everywhere, and a hash of
// the whole name.
func FileName(job string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, job)
	sum := sha256.Sum256([]byte(job))
	return safe[:min(len(safe), maxSafe)] + "-" + hex.EncodeToString(sum[:6]) + ".json"
}

// Encode returns the file of a profile, which must be valid.
func Encode(p *Profile) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return indexed.Encode(p)
}

// Decode is the inverse of [Encode].
func Decode(data []byte) (*Profile, error) {
	var p Profile
	if err := indexed.Decode(data, Format, Version, kind.Again, &p); err != nil {
		return nil, err
	}
	return &p, p.Validate()
}

// FolderKind is the kind of folder that holds models.
func FolderKind() publish.Kind { return kind.Folder() }

// File returns the file of a profile, and its entry in an index.
func File(p *Profile) (indexed.File, Entry, error) {
	data, err := Encode(p)
	if err != nil {
		return indexed.File{}, Entry{}, fmt.Errorf("job %q: %w", p.Job, err)
	}
	name := FileName(p.Job)
	return indexed.File{Name: name, Data: data}, Entry{Job: p.Job, File: name, Runs: p.Runs.Used, Bytes: len(data),
		SHA256: indexed.Sum(data)}, nil
}

// EncodeIndex returns the file of an index, which is written last. It lists each job once.
func EncodeIndex(x Index) (indexed.File, error) {
	seen := map[string]bool{}
	for _, m := range x.Models {
		if seen[m.Job] {
			return indexed.File{}, fmt.Errorf("job %q: two profiles", m.Job)
		}
		seen[m.Job] = true
	}
	x.Format, x.Version = IndexFormat, Version
	data, err := indexed.Encode(x)
	return indexed.File{Name: IndexFile, Data: data}, err
}

// Join returns the index of a folder after the models of x have replaced older ones of the same jobs, and the
// models that stay. old, which may be nil, is the older version of the folder. Models of another store are an
// error; models in a format that this racecard does not read are dropped.
func (x Index) Join(old fs.FS) (all Index, kept []Entry, err error) {
	if old == nil {
		return x, nil, nil
	}
	before, err := ReadIndex(old)
	if indexed.IsAbsent(err) {
		return x, nil, nil
	}
	if err != nil {
		return x, nil, err
	}
	joined, kept := indexed.Join(x.Models, before.Models, func(e Entry) string { return e.Job })
	if len(kept) > 0 && before.Store != x.Store {
		return x, nil, fmt.Errorf("it holds models of jobs of %s, these are of %s: choose another folder, or remove "+
			"the folder first", before.Store, x.Store)
	}
	x.Models = joined
	return x, kept, nil
}

// ReadIndex reads the index of a folder of models.
func ReadIndex(fsys fs.FS) (*Index, error) {
	var x Index
	if err := kind.ReadIndex(fsys, &x); err != nil {
		return nil, err
	}
	return &x, nil
}

// Load reads the profile of an entry and checks it against its checksum.
func Load(fsys fs.FS, e Entry) (*Profile, error) {
	data, err := kind.Read(fsys, e.File, e.SHA256)
	if err != nil {
		return nil, err
	}
	p, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.File, err)
	}
	if p.Job != e.Job {
		return nil, fmt.Errorf("%s: profile of %q, listed as that of %q", e.File, p.Job, e.Job)
	}
	return p, nil
}
