package page

import (
	"encoding/json"

	"racecard/datasets/result"
	"racecard/reports/figure"
)

// document is report.json.
type document struct {
	Title        string             `json:"title"`
	Trace        string             `json:"trace"` // what trace this is, in one sentence
	Synthetic    bool               `json:"synthetic"`
	Findings     []Finding          `json:"findings"`
	NotAvailable []absence          `json:"not_available"`
	Figures      []drawing          `json:"figures"`
	Tables       []rows             `json:"tables"`
	Summaries    map[string]summary `json:"summaries"` // "<analysis>.<key>"
	Provenance   *result.Provenance `json:"provenance"`
	Faults       []result.Fault     `json:"faults,omitempty"` // results that are missing, damaged or out of date
}

// absence is a topic that the trace could not answer.
type absence struct {
	Topic   string   `json:"topic"`
	Missing []string `json:"missing"`
}

// drawing is a figure in report.json.
type drawing struct {
	Name    string         `json:"name"`
	Label   string         `json:"label"`
	Title   string         `json:"title"`
	Caption string         `json:"caption"`
	Alt     string         `json:"alt"`
	SVG     string         `json:"svg"`
	PNG     string         `json:"png"`
	Values  []figure.Value `json:"values"`
}

// rows is a table in report.json.
type rows struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Title string `json:"title"`
	CSV   string `json:"csv"` // file with all rows
}

func (r *report) document() document {
	d := document{Title: r.title, Trace: r.subtitle, Synthetic: r.provenance.Synthetic, Findings: []Finding{},
		NotAvailable: []absence{},
		Figures:      []drawing{}, Tables: []rows{}, Summaries: r.summaries, Provenance: r.provenance, Faults: r.faults}
	d.Findings = append(d.Findings, r.findings...)
	for _, s := range r.sections {
		if s.Missing != nil {
			d.NotAvailable = append(d.NotAvailable, absence{s.Title, s.Missing})
		}
	}
	for _, f := range r.figures() {
		svg, png := figureFiles(f)
		d.Figures = append(d.Figures, drawing{f.Name, r.labels["fig-"+f.Name], f.Title, f.Caption, f.Alt, svg, png,
			f.Values})
	}
	for _, s := range append(r.sections, r.quality) {
		for i := range s.Tables {
			t := &s.Tables[i]
			d.Tables = append(d.Tables, rows{t.ID, r.labels[t.ID], t.Title, tableFile(t)})
		}
	}
	return d
}

// MarshalJSON writes the fields of the summary and its intervals side by side.
func (s summary) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(s.Summary)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(head, &fields); err != nil {
		return nil, err
	}
	if fields["intervals"], err = json.Marshal(s.Intervals); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}
