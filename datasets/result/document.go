package result

// Header begins every document.
type Header struct {
	// Available is false when the trace lacks what the analysis needs; then Missing names it and nothing else is set.
	Available bool     `json:"available"`
	Missing   []string `json:"missing,omitempty"` // columns, such as "tasks.cpu"
	// Needs are the columns the analysis reads.
	Needs []string `json:"needs"`
	// LeftOut counts the runs that were left out, per reason.
	LeftOut map[string]int64 `json:"left_out,omitempty"`
	// Warnings are for people: what to mind when reading the numbers.
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
