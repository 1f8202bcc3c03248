package modelfile

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
)

// IndexFile lists the profiles of a folder. It is written last: a folder without it is not one of models.
const IndexFile = "models.json"

// IndexFormat is the format of the index.
const IndexFormat = "racecard-models"

// Index is the content of [IndexFile].
type Index struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Racecard string `json:"racecard"` // version of the program that wrote it
	Store    string `json:"store"`    // that the runs came from, its base name
	// Synthetic says that the runs were generated, not measured: so is all that is made of the models.
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

// FileName returns the name of the file of a job: what is safe of the job's name everywhere, and a hash of all of it.
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
	return encode(p)
}

func encode(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode is the inverse of [Encode].
func Decode(data []byte) (*Profile, error) {
	if err := header(data, Format, Version); err != nil {
		return nil, err
	}
	var p Profile
	if err := strict(data, &p); err != nil {
		return nil, err
	}
	return &p, p.Validate()
}

// header checks format and version before anything else, so that a newer file is not called damaged.
func header(data []byte, format string, version int) error {
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
		return fmt.Errorf("format version is %d, this racecard reads %d: fit the models again", h.Version, version)
	}
	return nil
}

func strict(data []byte, doc any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(doc); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON document")
	}
	return nil
}

// File is a file of a folder of models.
type File struct {
	Name string
	Data []byte
}

// Save returns the files of a folder with profiles of different jobs, in the order in which they are to be written: the
// index last. Index.Models is filled in.
func Save(profiles []*Profile, index Index) ([]File, error) {
	index.Format, index.Version, index.Models = IndexFormat, Version, []Entry{}
	var files []File
	seen := map[string]bool{}
	for _, p := range profiles {
		if seen[p.Job] {
			return nil, fmt.Errorf("job %q: two profiles", p.Job)
		}
		seen[p.Job] = true
		data, err := Encode(p)
		if err != nil {
			return nil, fmt.Errorf("job %q: %w", p.Job, err)
		}
		f := File{FileName(p.Job), data}
		files = append(files, f)
		index.Models = append(index.Models, Entry{Job: p.Job, File: f.Name, Runs: p.Runs.Used, Bytes: len(data), SHA256: sum(data)})
	}
	data, err := encode(index)
	return append(files, File{IndexFile, data}), err
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// ReadIndex reads the index of a folder of models.
func ReadIndex(fsys fs.FS) (*Index, error) {
	data, err := fs.ReadFile(fsys, IndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no %s: not a folder of models; make one with `racecard fit`", IndexFile)
	}
	if err != nil {
		return nil, err
	}
	var x Index
	if err := header(data, IndexFormat, Version); err != nil {
		return nil, fmt.Errorf("%s: %w", IndexFile, err)
	}
	if err := strict(data, &x); err != nil {
		return nil, fmt.Errorf("%s: %w", IndexFile, err)
	}
	return &x, nil
}

// Load reads the profile of an entry and checks it against its checksum.
func Load(fsys fs.FS, e Entry) (*Profile, error) {
	if path.Base(e.File) != e.File {
		return nil, fmt.Errorf("%s: %q is not the name of a file", IndexFile, e.File)
	}
	data, err := fs.ReadFile(fsys, e.File)
	if err != nil {
		return nil, err
	}
	if sum(data) != e.SHA256 {
		return nil, fmt.Errorf("%s is damaged: its content does not match the checksum in %s; fit the models again", e.File, IndexFile)
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

// LoadAll reads all profiles of a folder, in the order of the index.
func LoadAll(fsys fs.FS) ([]*Profile, error) {
	x, err := ReadIndex(fsys)
	if err != nil {
		return nil, err
	}
	profiles := make([]*Profile, len(x.Models))
	for i, e := range x.Models {
		if profiles[i], err = Load(fsys, e); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}
