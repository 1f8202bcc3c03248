package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"racecard/datasets/catalogue"
	"racecard/datasets/fetch"
	"racecard/datasets/words"
)

// listTraces lists the catalogue.
func (e *env) listTraces() error {
	entries := catalogue.All()
	head := []string{"NAME", "SIZE", "FORMAT", "LICENCE", "TRACE"}
	var rows [][]string
	for _, entry := range entries {
		files, err := entry.Select(nil, nil)
		if err != nil {
			return err
		}
		rows = append(rows, []string{entry.Name, sizeText(files), entry.Format, entry.Licence, entry.Title})
	}
	e.rows(head, rows)
	e.printf("\n`racecard fetch NAME --dry-run` says more of a trace; `racecard fetch NAME` downloads it.\n")
	return e.printJSON(entries)
}

// sizeText is the size of files for people.
func sizeText(files []catalogue.File) string {
	var sum int64
	var unknown int
	about := ""
	for _, f := range files {
		sum = saturated(sum, f.Bytes)
		if f.Bytes == 0 {
			unknown++
		}
		if f.Approximate {
			about = "about "
		}
	}
	switch {
	case len(files) == 0:
		return "by hand"
	case unknown == len(files):
		return "not known"
	case unknown > 0:
		return "more than " + words.Bytes(sum)
	}
	return about + words.Bytes(sum)
}

// introduce states the coming download and its terms.
func (e *env) introduce(p *plan) {
	e.printf("%s: %s\n", p.entry.Name, p.entry.Title)
	e.printf("licence: %s. %s\n", p.entry.Licence, p.entry.Terms)
	e.printf("cite: %s\n", p.entry.Cite)
	e.printf("%s, %s, into %s\n", words.Of(len(p.files), "file", "files"), sizeText(p.files), p.dir)
}

// planDoc is the output of `fetch NAME --dry-run --json`: the entry, and its files to download.
type planDoc struct {
	*catalogue.Entry
	Out   string        `json:"out"`
	Files []planFileDoc `json:"files"`
}

// planFileDoc is a file of a [planDoc].
type planFileDoc struct {
	Path        string   `json:"path"`
	URLs        []string `json:"urls"`
	Bytes       *int64   `json:"bytes"`
	Approximate bool     `json:"approximate"`
	SHA256      *string  `json:"sha256"`
	MD5         *string  `json:"md5"`
}

// showPlan lists the files to download and their mirrors.
func (e *env) showPlan(p *plan) error {
	if e.json {
		doc := planDoc{Entry: p.entry, Out: p.dir}
		for _, f := range p.files {
			doc.Files = append(doc.Files, planFileDoc{f.Path, f.URLs, known(f.Bytes), f.Approximate, known(f.SHA256),
				known(f.MD5)})
		}
		return e.printJSON(doc)
	}
	e.introduce(p)
	e.printf("supports: %s\n", p.entry.Supports)
	if len(p.entry.Analyses) > 0 {
		e.printf("analyses: %s\n", strings.Join(p.entry.Analyses, ", "))
	}
	for _, text := range []struct{ what, is string }{{"not verified", p.entry.Unverified},
		{"by hand", p.entry.ByHand}} {
		if text.is != "" {
			e.printf("%s: %s\n", text.what, text.is)
		}
	}
	e.printf("see %s\n\n", p.entry.Home)
	head := []string{"FILE", "SIZE", "CHECKSUM", "FROM"}
	var rows [][]string
	for i, f := range p.files {
		if i == shownFiles && len(p.files) > shownFiles+1 {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(p.files)-shownFiles)})
			break
		}
		from := f.URLs[0]
		if len(f.URLs) > 1 {
			from += fmt.Sprintf(" (and %s)", words.Of(len(f.URLs)-1, "mirror", "mirrors"))
		}
		rows = append(rows, []string{f.Path, sizeText([]catalogue.File{f}), p.checksum(f), from})
	}
	e.rows(head, rows)
	return nil
}

// shownFiles bounds the listed files.
const shownFiles = 20

// checksum names the checksum that a file will be compared with.
func (p *plan) checksum(f catalogue.File) string {
	switch {
	case f.SHA256 != "":
		return "sha256"
	case f.MD5 != "":
		return "md5"
	case p.sums != nil:
		return "in " + p.sums.Path
	}
	return words.None
}

// known returns a pointer to x, nil for an unknown value.
func known[T comparable](x T) *T {
	var none T
	if x == none {
		return nil
	}
	return &x
}

// fetched reports the outcome of a plan, and the next command.
func (e *env) fetched(p *plan, doc *fetchDoc) error {
	if err := e.printJSON(doc); err != nil {
		return err
	}
	count := map[string]int64{}
	published := int64(0)
	for _, f := range doc.Files {
		count[f.Status]++
		if f.Published {
			published++
		}
	}
	e.printf("%s fetched, %s there already, %s failed; %s in all\n", words.Count(count[statusFetched]),
		words.Count(count[statusPresent]), words.Count(count[statusFailed]), words.Bytes(doc.Bytes))
	if published > 0 {
		e.printf("%s with the checksum that is published\n", words.Of(published, "file", "files"))
	}
	if trusted := count[statusFetched] + count[statusPresent] - published; trusted > 0 {
		e.printf("%s without a published checksum: the first download is trusted, see %s\n",
			words.Of(trusted, "file", "files"), filepath.Join(p.dir, fetch.RecordFile))
	}
	for i, w := range doc.Warnings {
		if i == shownFiles {
			e.printf("warning: %d more\n", len(doc.Warnings)-i)
			break
		}
		e.printf("warning: %s\n", w)
	}
	if p.entry.Apart && len(doc.Import) > 1 {
		e.printf("every file is a separate trace\n")
	}
	for i, command := range doc.Import {
		if i == shownFiles {
			e.printf("and so on, %d commands in all\n", len(doc.Import))
			break
		}
		e.printf("next: %s\n", command)
	}
	if doc.Failed > 0 {
		if p.entry.Unverified != "" {
			e.printf("not verified in the catalogue: %s\n", p.entry.Unverified)
		}
		return fmt.Errorf("%d of %s could not be fetched; the same command tries again. First: %w",
			doc.Failed, words.Of(len(doc.Files), "file", "files"), doc.errs[0])
	}
	return nil
}
