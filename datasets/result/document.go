package result

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Header begins every document.
type Header struct {
	// Available is false if the trace lacks columns that the analysis needs; then Missing names them and nothing else
	// is set.
	Available bool     `json:"available"`
	Missing   []string `json:"missing,omitempty"` // columns, such as "tasks.cpu"
	// Needs are the columns the analysis reads.
	Needs []string `json:"needs"`
	// LeftOut counts the runs that were left out, per reason.
	LeftOut map[string]int64 `json:"left_out,omitempty"`
	// Warnings are caveats for readers of the numbers.
	Warnings []string `json:"warnings,omitempty"`
}

// Document is the result of one analysis.
type Document interface {
	// Analysis is the name of the analysis, and of its files.
	Analysis() string
	// Head returns the common part.
	Head() *Header
	// Table returns one row per entity, or nil when there is none.
	Table() *Table
}

// Head returns h itself, so that embedding a Header is enough to have one.
func (h *Header) Head() *Header { return h }

// Form returns the JSON form of a document: the document itself, or only its header if it is not available.
func Form(doc Document) any {
	if h := doc.Head(); !h.Available {
		return h
	}
	return doc
}

// SchemaVersion is the version of the schemas of all documents in docs/schema. Fields may be added within a version; a
// field that changes or goes makes a new one.
const SchemaVersion = 1

// Versioned returns a value that writes the JSON object of doc with its schema_version first. A document that is not an
// object, such as a list, stays as it is.
func Versioned(doc any) json.Marshaler { return versioned{doc} }

type versioned struct{ doc any }

// MarshalJSON implements [json.Marshaler].
func (v versioned) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.doc); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	if len(text) == 0 || text[0] != '{' {
		return text, nil
	}
	out := append([]byte(`{"schema_version":`), strconv.Itoa(SchemaVersion)...)
	if rest := text[1:]; rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, text[1:]...), nil
}
