package result

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
)

// FolderKind is the kind of folder that holds results: documents, their tables, and [ProvenanceFile].
func FolderKind() publish.Kind {
	return publish.Kind{Marker: ProvenanceFile, What: "results", Own: func(fsys fs.FS) ([]string, error) {
		p, err := ReadProvenance(fsys)
		if err != nil {
			return nil, err
		}
		names := []string{ProvenanceFile}
		for _, c := range p.Contents {
			for _, f := range c.Files {
				names = append(names, f.Name)
			}
		}
		return names, nil
	}}
}

// Content is a document in a folder of results.
type Content struct {
	Document string `json:"document"` // name of the analysis
	Command  string `json:"command"`  // that computed it
	Version  string `json:"racecard"` // version that computed it
	// Trace is the checksum of the manifest of the store that it was computed from; empty if it was not from a store.
	Trace string `json:"trace_sha256,omitempty"`
	Files []File `json:"files"`
}

// File is a file of a document.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // empty in folders that were written before racecard kept checksums
}

// NewFile describes a file with some content.
func NewFile(name string, content []byte) File {
	sum := sha256.Sum256(content)
	return File{Name: name, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// Encode sets the checksum and returns the content of [ProvenanceFile].
func (p *Provenance) Encode() ([]byte, error) {
	var err error
	p.Schema = SchemaVersion
	if p.Checksum, err = p.checksum(); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}

func (p *Provenance) checksum() (string, error) {
	bare := *p
	bare.Checksum = ""
	data, err := json.Marshal(&bare)
	return NewFile("", data).SHA256, err
}

// ReadProvenance reads [ProvenanceFile] and checks it against its checksum. Folders that were written before racecard
// kept one have no list of contents: it is made of the documents that are there.
func ReadProvenance(fsys fs.FS) (*Provenance, error) {
	p := &Provenance{}
	if err := loadJSON(fsys, ProvenanceFile, p); err != nil {
		return nil, err
	}
	if p.Checksum == "" && p.Contents == nil {
		return p, p.list(fsys)
	}
	sum, err := p.checksum()
	if err != nil {
		return nil, err
	}
	if sum != p.Checksum {
		return nil, fmt.Errorf("%s was changed after it was written: its checksum does not match", ProvenanceFile)
	}
	for _, c := range p.Contents {
		for _, f := range c.Files {
			if path.Base(f.Name) != f.Name || !fs.ValidPath(f.Name) {
				return nil, fmt.Errorf("%s: %q is not the name of a file", ProvenanceFile, f.Name)
			}
		}
	}
	return p, nil
}

// list fills in the contents from the files that are there.
func (p *Provenance) list(fsys fs.FS) error {
	names, err := fs.Glob(fsys, "*.json")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		document := strings.TrimSuffix(name, ".json")
		if NewDocument(document) == nil {
			continue
		}
		c := Content{Document: document, Command: p.Command, Version: p.Version}
		for _, name := range []string{name, document + ".parquet"} {
			info, err := fs.Stat(fsys, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			c.Files = append(c.Files, File{Name: name, Bytes: info.Size()})
		}
		p.Contents = append(p.Contents, c)
	}
	return nil
}

// Add lists a document with its files.
func (p *Provenance) Add(document string, files ...File) {
	p.Contents = append(p.Contents, Content{Document: document, Command: p.Command, Version: p.Version, Trace: p.Trace,
		Files: files})
	p.order()
}

func (p *Provenance) order() {
	slices.SortFunc(p.Contents, func(a, b Content) int { return strings.Compare(a.Document, b.Document) })
}

// Has reports whether a document is listed.
func (p *Provenance) Has(document string) bool {
	return slices.ContainsFunc(p.Contents, func(c Content) bool { return c.Document == document })
}

// Rest returns the documents of old that are not in a list.
func (p *Provenance) Rest(documents []string) []Content {
	return slices.DeleteFunc(slices.Clone(p.Contents), func(c Content) bool {
		return slices.Contains(documents, c.Document)
	})
}

// OtherTraceError is returned if a folder holds results of another trace.
type OtherTraceError struct {
	There, New string // names of stores
	Documents  []string
}

// Error names the documents of another trace that would stay next to the new ones.
func (e *OtherTraceError) Error() string {
	return fmt.Sprintf("it holds results of %s (%s), these are of %s: choose another folder, or remove this one first",
		e.There, strings.Join(e.Documents, ", "), e.New)
}

// Join takes over from an older folder the documents that p does not list, which it returns. All must be of the same
// trace. What is known of the trace stays where p knows nothing, as of simulations of models.
func (p *Provenance) Join(old *Provenance) ([]Content, error) {
	mine := lists.Map(p.Contents, func(c Content) string { return c.Document })
	kept := old.Rest(mine)
	if len(kept) == 0 {
		return nil, nil
	}
	if old.Store != p.Store {
		other := &OtherTraceError{There: old.Store, New: p.Store}
		for _, c := range kept {
			other.Documents = append(other.Documents, c.Document)
		}
		return nil, other
	}
	if p.Format == "" && old.Format != "" {
		contents, command, version, trace := p.Contents, p.Command, p.Version, old.Trace
		*p = *old
		p.Contents, p.Command, p.Version, p.Trace = contents, command, version, trace
	}
	p.Contents = slices.Concat(p.Contents, kept)
	p.order()
	return kept, nil
}
