package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"racecard/datasets/fetch"
)

// States of a file.
const (
	statusFetched = "fetched" // downloaded now
	statusPresent = "present" // it was there, and is right
	statusFailed  = "failed"
)

// fetchDoc is the output of `fetch NAME --json`.
type fetchDoc struct {
	Name     string           `json:"name"`
	Licence  string           `json:"licence"`
	Out      string           `json:"out"`
	Bytes    int64            `json:"bytes"` // of the files that are in place
	Failed   int              `json:"failed"`
	Files    []fetchedFileDoc `json:"files"`
	Warnings []string         `json:"warnings"`
	// Import lists the commands that read the fetched files, in order; none if a download failed.
	Import []string `json:"import"`

	errs []error
}

// fetchedFileDoc is a file of a [fetchDoc].
type fetchedFileDoc struct {
	Path   string  `json:"path"`
	Status string  `json:"status"` // fetched, present or failed
	URL    *string `json:"url"`    // what it came from now; null when it did not
	Bytes  *int64  `json:"bytes"`
	SHA256 *string `json:"sha256"`
	// Published is set if the file agrees with a checksum of its publisher; otherwise it was trusted on first use.
	Published bool    `json:"published"`
	Error     *string `json:"error"`
}

// download downloads the files of a plan, one after the other. Files that no mirror has are counted; an error is
// returned only if it would affect the next file, too.
func download(ctx context.Context, p *plan, bar *progress, o fetch.Options) (*fetchDoc, error) {
	doc := &fetchDoc{Name: p.entry.Name, Licence: p.entry.Licence, Out: p.dir, Warnings: []string{}, Import: []string{}}
	o.Access = p.access
	sums, err := downloadSums(ctx, p, doc, o)
	if err != nil {
		return nil, err
	}
	t := &transfer{bar: bar}
	for _, f := range p.files {
		t.rest = saturated(t.rest, f.Bytes)
	}
	o.Progress = t.bytes
	for _, f := range p.files {
		t.next(f.Bytes)
		file := request(f)
		if sums != nil && !sums.Apply(&file) {
			doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s is not in %s", f.Path, p.sums.Path))
		}
		r, err := fetch.Get(ctx, http.DefaultClient, file, p.dir, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.As(err, new(*fetch.LocalError)) {
			return nil, fmt.Errorf("%w; what has arrived is kept, and the same command goes on from there", err)
		}
		doc.add(file, r, err)
	}
	if doc.Failed == 0 {
		doc.Import = importCommands(p)
	}
	return doc, nil
}

// downloadSums downloads and reads the publisher's list of checksums. When no mirror gives it, that is a warning: files
// are then trusted on first use.
func downloadSums(ctx context.Context, p *plan, doc *fetchDoc, o fetch.Options) (fetch.Sums, error) {
	if p.sums == nil {
		return nil, nil
	}
	list := request(*p.sums)
	list.Limit = maxSums
	_, err := fetch.Get(ctx, http.DefaultClient, list, p.dir, o)
	if errors.As(err, new(*fetch.MirrorsError)) {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("the publisher's checksums could not be had, files are "+
			"trusted on first use: %v", err))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(p.dir, p.sums.Path)
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return fetch.ReadSums(in, path)
}

// add records the outcome of a file.
func (d *fetchDoc) add(f fetch.File, r fetch.Result, err error) {
	file := fetchedFileDoc{Path: f.Path, Status: statusFailed}
	switch {
	case err != nil:
		text := err.Error()
		file.Error = &text
		d.Failed++
		d.errs = append(d.errs, err)
	case r.URL != "":
		file.Status, file.URL = statusFetched, &r.URL
	default:
		file.Status = statusPresent
	}
	if err == nil {
		file.Bytes, file.SHA256, file.Published = &r.Bytes, &r.SHA256, r.Published
		d.Bytes += r.Bytes
	}
	d.Files = append(d.Files, file)
}

// transfer adds up the received bytes over all files. Bytes present before are left out, so that the remaining
// time is right.
type transfer struct {
	bar  *progress
	done int64 // of the files before
	now  int64 // of this file
	had  int64 // of this file, before; -1 when not known yet
	rest int64 // of the files behind it
}

// next begins a file with a size, 0 if it is not known.
func (t *transfer) next(bytes int64) {
	t.done, t.now, t.had = t.done+t.now, 0, -1
	t.rest -= bytes
}

// bytes shows the received bytes of a file. done falls when the download restarts.
func (t *transfer) bytes(done, of int64) {
	if t.had < 0 || done < t.had {
		t.had = done
	}
	t.now = done - t.had
	if of == 0 {
		t.bar.amount(t.done + t.now)
		return
	}
	t.bar.bytes(t.done+t.now, saturated(saturated(t.done, t.rest), of-t.had))
}
