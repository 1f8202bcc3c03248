// Package page writes the report of a trace: an HTML page, its figures as files, and the same findings as JSON.
//
// The page states its findings first, in sentences with numbers, each with its sample size and a link to the figure or
// table that shows it; then, by topic, figures and tables; then the quality of the data and the provenance of the
// results. It is one file that loads nothing and has a search as its only script. It is laid out for desktop, phone and
// paper, and follows the preference for light or dark. Questions that a trace cannot answer are marked as such, never
// shown as zero.
//
// A topic is a [section], filled from one document by one function. To add an analysis, add such a function and an
// entry of [topics].
package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/figure"
)

// Sink takes a finished file of the report. name is relative, with forward slashes, such as "figures/cov.svg".
type Sink func(name string, content []byte) error

// Options are the options of a report. The zero value is valid.
type Options struct {
	Title string // heading of the page; made from the trace's name when empty
}

// Dots per inch of figures as PNG: twice the resolution of a plain screen.
const pngDPI = 144

// Write writes the report of a bundle: figures/<name>.svg and .png, tables/<name>.csv, report.json, and last
// index.html. It modifies nothing, uses no clock and no randomness: the same bundle gives the same bytes. The first
// error, of the sink or of ctx, ends it.
func Write(ctx context.Context, sink Sink, b *result.Bundle, o Options) error {
	return newReport(b, o).write(ctx, sink, pngDPI)
}

// write writes the report, with pictures of a given resolution.
func (r *report) write(ctx context.Context, sink Sink, dpi int) error {
	for _, f := range r.figures() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeFigure(sink, f, dpi); err != nil {
			return err
		}
	}
	for _, s := range append(r.sections, r.quality) {
		for i := range s.Tables {
			var rows bytes.Buffer
			if err := s.Tables[i].CSV(&rows); err != nil {
				return err
			}
			if err := sink(tableFile(&s.Tables[i]), rows.Bytes()); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := writeDocument(sink, r.document(), "  "); err != nil {
		return err
	}
	html, err := r.render()
	if err != nil {
		return fmt.Errorf("index.html: %w", err)
	}
	return sink("index.html", html)
}

// writeFigure writes the files of a figure.
func writeFigure(sink Sink, f *figure.Figure, dpi int) error {
	svg, png := figureFiles(f)
	if err := sink(svg, f.SVG()); err != nil {
		return err
	}
	picture, err := f.PNG(dpi)
	if err != nil {
		return err
	}
	return sink(png, picture)
}

// writeDocument writes report.json, for programs.
func writeDocument(sink Sink, document any, indent string) error {
	content, err := json.MarshalIndent(result.Versioned(document), "", indent)
	if err != nil {
		return fmt.Errorf("report.json: %w", err)
	}
	return sink("report.json", append(content, '\n'))
}

// Findings returns the first findings of the report, for a terminal.
func Findings(b *result.Bundle) []Finding { return newReport(b, Options{}).findings }
