package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/style"
	tables "racecard/reports/table"
)

//go:embed templates
var templates embed.FS // constant

// view is the data of the templates.
type view struct {
	looks
	Title, Subtitle string
	Synthetic       bool
	Script          template.HTML // the search, the only script of the page
	Policy          string        // content security policy: no other script, and nothing is loaded
	Ranking         string
	Findings        []findingView // in order of rank
	Sections        []sectionView
	Quality         sectionView
	Method          methodView
}

// looks is the style of a page.
type looks struct {
	CSS     template.CSS
	Palette []swatch
}

// swatch is a colour of the palette for the page's variables.
type swatch struct{ Name, Light, Dark string }

func newLooks() (looks, error) {
	css, err := templates.ReadFile("templates/page.css")
	l := looks{CSS: template.CSS(css)}
	for _, c := range style.Palette() {
		l.Palette = append(l.Palette, swatch{c.Name, style.Hex(c.Light), style.Hex(c.Dark)})
	}
	return l, err
}

// execute returns the page that a template makes of its data.
func execute(name string, data any) ([]byte, error) {
	t, err := template.New("").Funcs(template.FuncMap{"bind": words.Bind}).ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

// shown is the number of findings that a page shows at first. The rest unfold, unless they are few.
const shown = 10

// First returns the findings that are shown at first.
func (v *view) First() []findingView {
	if len(v.Findings) <= shown+2 {
		return v.Findings
	}
	return v.Findings[:shown]
}

// Further returns the findings that unfold.
func (v *view) Further() []findingView { return v.Findings[len(v.First()):] }

type findingView struct {
	Finding
	Label string // of the figure or table that shows it
}

type sectionView struct {
	*section
	Figures []figureView
	Tables  []template.HTML
	Listed  []entry // the tables, for the contents
}

// entry is a line of the contents.
type entry struct{ ID, Label, Title string }

type figureView struct {
	ID, Label, Title, Caption string
	Reading                   string // how to read it
	SVG, PNG                  string // files
	Wide, Narrow              template.HTML
}

// newFigureView returns a figure for a page. Package figure makes the drawings and escapes text from the trace.
func newFigureView(f *figure.Figure) figureView {
	svg, png := figureFiles(f)
	return figureView{ID: "fig-" + f.Name, Title: f.Title, Caption: f.Caption, SVG: svg, PNG: png,
		Wide: template.HTML(f.InlineSVG(figure.Wide)), Narrow: template.HTML(f.InlineSVG(figure.Narrow))}
}

// methodView describes the making of the report.
type methodView struct {
	*result.Provenance
	Format     string
	Time       string
	MinRuns    string
	Commands   []string // that computed the documents
	Rules      []string
	Merged     []merged
	Sources    []source
	MoreFiles  string
	FileCount  string
	TotalBytes string
}

type merged struct{ Name, Count string }

type source struct{ Name, Size, SHA256 string }

func (r *report) render() ([]byte, error) {
	l, err := newLooks()
	if err != nil {
		return nil, err
	}
	script, err := templates.ReadFile("templates/search.js")
	if err != nil {
		return nil, err
	}
	v := view{looks: l, Title: r.title, Subtitle: r.subtitle, Synthetic: r.provenance.Synthetic,
		Script: template.HTML("<script>" + string(script) + "</script>"), Policy: policy(script), Ranking: Ranking,
		Method: r.method()}
	if v.Quality, err = r.sectionView(r.quality); err != nil {
		return nil, err
	}
	for _, f := range r.findings {
		v.Findings = append(v.Findings, findingView{f, r.labels[f.See]})
	}
	for _, s := range r.sections {
		view, err := r.sectionView(s)
		if err != nil {
			return nil, err
		}
		v.Sections = append(v.Sections, view)
	}
	return execute("page.html", &v)
}

// policy returns the content security policy of a page with one script: it loads nothing, and other scripts do not run.
func policy(script []byte) string {
	sum := sha256.Sum256(script)
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

func (r *report) sectionView(s *section) (sectionView, error) {
	v := sectionView{section: s}
	for _, f := range s.Figures {
		view := newFigureView(f)
		view.Label, view.Reading = r.labels[view.ID], figure.Reading(f.Name)
		v.Figures = append(v.Figures, view)
	}
	for _, t := range s.Tables {
		t.Label, t.File = r.labels[t.ID], tableFile(&t)
		html, err := t.HTML()
		if err != nil {
			return v, err
		}
		v.Tables = append(v.Tables, html)
		v.Listed = append(v.Listed, entry{t.ID, t.Label, t.Title})
	}
	return v, nil
}

// tableFile returns the name of the file of a table's rows.
func tableFile(t *table) string { return "tables/" + strings.TrimPrefix(t.ID, "table-") + ".csv" }

// maxSources is the number of input files that the page lists.
const maxSources = 500

func (r *report) method() methodView {
	p := r.provenance
	m := methodView{Provenance: p, Format: formatName(p.Format), FileCount: words.Of(len(p.Sources), "file", "files")}
	if p.AnalysedAt != nil {
		m.Time = p.AnalysedAt.In(p.Location()).Format("2006-01-02 15:04 MST")
	}
	m.MinRuns = "10"
	for _, c := range p.Contents {
		if !slices.Contains(m.Commands, c.Command) {
			m.Commands = append(m.Commands, c.Command)
		}
	}
	if m.Commands == nil && p.Command != "" {
		m.Commands = []string{p.Command}
	}
	if d := r.recurrence; d != nil {
		m.Rules = d.Rules
		if d.MinRuns > 0 {
			m.MinRuns = words.Count(d.MinRuns)
		}
		for _, n := range slices.Sorted(maps.Keys(d.Merged)) {
			if len(m.Merged) < tables.MostFolded {
				m.Merged = append(m.Merged, merged{name(n), words.Of(d.Merged[n], "name", "names")})
			}
		}
	}
	var bytes float64
	for i, s := range p.Sources {
		bytes += float64(s.Bytes)
		if i < maxSources {
			m.Sources = append(m.Sources,
				source{words.Shorten(s.Name, 200), words.Bytes(s.Bytes), words.Shorten(s.SHA256, 64)})
		}
	}
	m.TotalBytes = words.Bytes(bytes)
	if n := len(p.Sources) - maxSources; n > 0 {
		m.MoreFiles = words.Of(n, "more file is", "more files are")
	}
	return m
}
