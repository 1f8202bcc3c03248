package cli

import (
	"fmt"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// ResultsInspection is the output of `inspect --json` for results.
type ResultsInspection struct {
	Store     string           `json:"store"` // that the results are of
	Format    string           `json:"format"`
	Synthetic bool             `json:"synthetic"`
	Whole     bool             `json:"whole"` // nothing is missing or damaged
	Documents []DocumentState  `json:"documents"`
	Faults    []result.Fault   `json:"faults"`
	Others    []string         `json:"others"` // files that racecard did not write
	Sources   []result.Source  `json:"sources,omitempty"`
	Rows      map[string]int64 `json:"rows,omitempty"`
}

// DocumentState is a document of a folder of results.
type DocumentState struct {
	Document  string         `json:"document"`
	Available bool           `json:"available"` // the trace held what the analysis needs
	Command   string         `json:"command"`
	Version   string         `json:"racecard"`
	Files     []result.State `json:"files"`
}

// isResults reports whether a path is a folder of results.
func isResults(path string) bool {
	_, err := publish.Stat(publish.Join(path, result.ProvenanceFile))
	return err == nil
}

// inspectResults lists the files of a folder of results, the commands that wrote them, and whether it is whole.
func (e *env) inspectResults(path string) error {
	fsys, err := folder(path, resultsFolder.name, resultsFolder.how)
	if err != nil {
		return err
	}
	b, err := result.Load(fsys)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	p := b.Provenance
	states, faults, others, err := p.Check(fsys)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	i := &ResultsInspection{Store: p.Store, Format: p.Format, Synthetic: p.Synthetic,
		Faults: append([]result.Fault{}, faults...),
		Others: append([]string{}, others...), Sources: p.Sources, Rows: p.Rows}
	broken := lists.Count(faults, func(f result.Fault) bool { return f.Condition != result.Changed })
	i.Whole = broken == 0
	for _, c := range p.Contents {
		doc := b.Documents[c.Document]
		i.Documents = append(i.Documents, DocumentState{Document: c.Document, Available: doc != nil &&
			doc.Head().Available, Command: c.Command, Version: c.Version, Files: states[c.Document]})
	}
	e.showResults(i)
	if err = e.printJSON(i); err == nil && broken > 0 {
		err = fmt.Errorf("%s: %s missing or damaged", path, words.Of(broken, "file is", "files are"))
	}
	return err
}

// showResults prints the inspection of a folder of results.
func (e *env) showResults(i *ResultsInspection) {
	e.printf("results of %s%s: %s\n", words.Printable(i.Store), marked(i.Synthetic),
		words.Of(len(i.Documents), "document", "documents"))
	head := []string{"DOCUMENT", "FILE", "SIZE", "CONDITION", "COMMAND"}
	var rows [][]string
	for _, d := range i.Documents {
		for k, f := range d.Files {
			row := []string{"", words.Printable(f.Name), words.Bytes(f.Bytes), f.Condition, ""}
			if k == 0 {
				row[0], row[4] = words.Printable(d.Document), words.Shorten(d.Command, 100)
			}
			if f.Condition == result.Whole && f.SHA256 == "" {
				row[3] = "there, without a checksum"
			}
			if f.Condition == result.Whole && k == 0 && !d.Available && !broken(d) {
				row[3] += ", not available"
			}
			rows = append(rows, row)
		}
	}
	e.rows(head, rows)
	for _, f := range i.Faults {
		e.printf("warning: %s; `%s` computes it again\n", words.Printable(f.Text), words.Printable(f.Command))
	}
	if len(i.Others) > 0 {
		e.printf("not written by racecard: %s\n", words.Printable(words.List(i.Others)))
	}
}

// broken reports whether a file of a document is missing or damaged.
func broken(d DocumentState) bool {
	return slices.ContainsFunc(d.Files, func(f result.State) bool { return f.Condition != result.Whole })
}
