package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"image/png"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"racecard/datasets/words"
	"racecard/reports/style"
)

// Figure is a drawing and the words that belong to it.
type Figure struct {
	Name    string  // short, lower case, with hyphens: name of its files and of its place in a page
	Title   string  // its subject, in a few words
	Caption string  // how to read it, with sample sizes, units and source
	Alt     string  // alternative text for readers who do not see it
	Values  []Value // the numbers that it shows, in a fixed order

	source Source
	plan   func(width float64) sheet
}

// Value is a number that a figure shows.
type Value struct {
	Of    string  `json:"of"`    // what it belongs to, such as the name of a series
	What  string  `json:"what"`  // such as "p50"
	Value float64 `json:"value"` // never NaN
}

// Source describes the trace behind a figure.
type Source struct {
	Store     string         // name of the trace store
	Format    string         // format of the trace, such as "spark"
	Synthetic bool           // the trace was generated, not measured
	Traces    int            // number of traces; 0 and 1 are one
	Zone      *time.Location // of dates and times of the day; nil is UTC
}

// zone returns the time zone of dates; nil where times are relative to the trace.
func (s Source) zone(unix bool) *time.Location {
	if !unix {
		return nil
	}
	return cmp.Or(s.Zone, time.UTC)
}

// String returns the source as a clause of a caption.
func (s Source) String() string {
	text := "Source: " + words.Shorten(s.Store, 60)
	text += words.When(s.Format != "", " (%s)", words.Shorten(s.Format, 30))
	text += words.When(s.Synthetic, "%s", words.Either(s.Traces > 1, ", synthetic traces", ", a synthetic trace"))
	return text + "."
}

// Width is the width that a figure is laid out for.
type Width int

// The widths of figures: for a desktop, paper and files, and for a phone.
const (
	Wide Width = iota
	Narrow
)

func (w Width) units() float64 {
	if w == Narrow {
		return style.NarrowWidth
	}
	return style.WideWidth
}

// sheet is a drawing of a known size. Its coordinates are the coordinates of a [pen].
type sheet struct {
	height float64
	draw   func(*pen)
}

// InlineSVG returns the drawing as an svg element for an HTML page: without a background or a title (the page
// has it), with an accessible name and classes for its colours. The page gives "f-" and the name of a
// [style.Colour] as fill, "s-" and the name as stroke.
func (f *Figure) InlineSVG(w Width) string {
	s := f.plan(w.units())
	c := newSVG(w.units(), s.height, true)
	s.draw(newPen(c, w.units(), s.height))
	return c.document(f.Alt)
}

// SVG returns the drawing as a standalone file: on white, with its title above and its source below.
func (f *Figure) SVG() []byte {
	s := f.standalone(Wide)
	c := newSVG(Wide.units(), s.height, false)
	s.draw(newPen(c, Wide.units(), s.height))
	return []byte(c.document(f.Title + ". " + f.Alt))
}

// PNG returns the drawing as a standalone file, like [Figure.SVG], at the given number of dots per inch; 72 is one
// pixel for each unit of the style's sizes.
func (f *Figure) PNG(dpi int) ([]byte, error) {
	if dpi < 1 || dpi > 1200 {
		return nil, fmt.Errorf("figure %s: %d dots per inch: want 1 to 1200", f.Name, dpi)
	}
	s := f.standalone(Wide)
	w, h := vg.Points(Wide.units()), vg.Points(s.height)
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	s.draw(newPen(c, Wide.units(), s.height))
	var out bytes.Buffer
	if err := png.Encode(&out, c.Image()); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return out.Bytes(), nil
}

// standalone returns the drawing with margins, a title and the source.
func (f *Figure) standalone(w Width) sheet {
	const margin, head, foot = 16.0, 36.0, 34.0
	inner := w.units() - 2*margin
	s := f.plan(inner)
	return sheet{height: s.height + head + foot + margin, draw: func(p *pen) {
		p.fill(style.Paper().Light, rect{0, 0, p.w, p.h})
		p.text(f.Title, margin, margin+style.TitleSize, text{size: style.TitleSize, bold: true})
		body := p.inset(rect{margin, margin + head, inner, s.height})
		s.draw(body)
		p.text(f.source.String()+" Drawn by racecard.", margin, p.h-margin+2, smallText())
	}}
}
