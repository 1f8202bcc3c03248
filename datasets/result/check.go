package result

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"racecard/datasets/plainfile"
)

// The conditions of a file of a folder of results.
const (
	Whole   = "whole"
	Missing = "missing"
	Damaged = "damaged"
	Changed = "changed" // the document is of an earlier or later version of the store than the newest one in the folder
)

// Fault is something wrong with a document of a folder of results.
type Fault struct {
	Document  string `json:"document"`
	File      string `json:"file"`
	Condition string `json:"condition"`
	Text      string `json:"text"`
	Command   string `json:"command"` // computes the document again
}

// State is the condition of a file that is listed, or of one that is not.
type State struct {
	File
	Condition string `json:"condition"`
}

// condition checks a file against its entry in the index.
func condition(fsys fs.FS, f File) (State, []byte, error) {
	data, err := plainfile.Read(fsys, f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{f, Missing}, nil, nil
	case err != nil:
		return State{}, nil, err
	case f.SHA256 != "" && (int64(len(data)) != f.Bytes || NewFile("", data).SHA256 != f.SHA256):
		return State{f, Damaged}, data, nil
	}
	return State{f, Whole}, data, nil
}

// fault describes the damage of a file.
func (s State) fault(c Content) Fault {
	text := s.Name + " is missing, though " + ProvenanceFile + " lists it"
	if s.Condition == Damaged {
		text = s.Name + " is damaged: its content does not match the checksum in " + ProvenanceFile
	}
	return Fault{Document: c.Document, File: s.Name, Condition: s.Condition, Text: text, Command: c.Command}
}

// stale returns the fault of a document that was computed from an older version of the store.
func (p *Provenance) stale(c Content) (Fault, bool) {
	if c.Trace == "" || p.Trace == "" || c.Trace == p.Trace {
		return Fault{}, false
	}
	return Fault{Document: c.Document, Condition: Changed, Command: c.Command,
		Text: fmt.Sprintf("%s was computed before %s changed: other results here are of its later contents", c.Document,
			p.Store)}, true
}

// Check returns the conditions of all listed files, by document, their faults, and the names of unlisted files.
func (p *Provenance) Check(fsys fs.FS) (states map[string][]State, faults []Fault, foreign []string, err error) {
	states = map[string][]State{}
	listed := map[string]bool{ProvenanceFile: true}
	for _, c := range p.Contents {
		for _, f := range c.Files {
			listed[f.Name] = true
			s, _, err := condition(fsys, f)
			if err != nil {
				return nil, nil, nil, err
			}
			states[c.Document] = append(states[c.Document], s)
			if s.Condition != Whole {
				faults = append(faults, s.fault(c))
			}
		}
		if f, ok := p.stale(c); ok {
			faults = append(faults, f)
		}
	}
	entries, err := fs.ReadDir(fsys, ".")
	for _, e := range entries {
		if !listed[e.Name()] {
			foreign = append(foreign, e.Name())
		}
	}
	slices.Sort(foreign)
	return states, faults, foreign, err
}
