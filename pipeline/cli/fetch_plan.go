package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"racecard/datasets/catalogue"
	"racecard/datasets/fault"
	"racecard/datasets/fetch"
	"racecard/datasets/words"
)

// Limits of questions before a download.
const (
	askAbove   = 1e9              // bytes that are downloaded without asking the user
	askingTime = 15 * time.Second // timeout of a request for the size of a file
	maxAsked   = 50               // requests for sizes
)

// plan lists the files to download.
type plan struct {
	entry *catalogue.Entry
	dir   string
	files []catalogue.File
	// sums is the publisher's list of checksums, if there is one and some file needs it.
	sums   *catalogue.File
	access fetch.Access // credentials for the mirror: not in URLs, so that they are neither stored nor shown
}

func newPlan(entry *catalogue.Entry, f fetchFlags) (*plan, error) {
	p := &plan{entry: entry, dir: f.out}
	if p.dir == "" {
		p.dir = entry.Name
	}
	var parts catalogue.Ranges
	var err error
	if f.parts != "" {
		if parts, err = catalogue.ParseRanges(f.parts); err != nil {
			return nil, fmt.Errorf("--parts: %w", err)
		}
	}
	if p.files, err = entry.Select(f.files, parts); err != nil {
		return nil, err
	}
	if list, ok := entry.SumsFile(); ok {
		for _, file := range p.files {
			if file.SHA256 == "" && file.MD5 == "" {
				p.sums = &list
			}
		}
	}
	if f.from == "" {
		return p, nil
	}
	mirror, err := url.Parse(f.from)
	if err != nil || mirror.Host == "" || mirror.Scheme != "http" && mirror.Scheme != "https" {
		return nil, fmt.Errorf("--from%s: want an address of http or https, such as https://mirror.example.org/traces",
			harmless(f.from))
	}
	p.access = fetch.Access{User: mirror.User, Query: mirror.RawQuery}
	mirror.User, mirror.RawQuery, mirror.Fragment = nil, "", ""
	for i, file := range p.files {
		p.files[i].URLs = []string{mirror.JoinPath(file.Path).String()}
	}
	if p.sums != nil {
		p.sums.URLs = []string{mirror.JoinPath(p.sums.Path).String()}
	}
	return p, nil
}

// harmless returns an address for display, after a blank; "" for one that may hold a password or a token.
func harmless(address string) string {
	if strings.ContainsAny(address, "@?") {
		return ""
	}
	return " " + address
}

// request turns a file of the catalogue into one to download. Exact sizes are checked; for approximate ones, somewhat
// more than the announced size may arrive.
func request(f catalogue.File) fetch.File {
	r := fetch.File{Path: f.Path, URLs: f.URLs, SHA256: f.SHA256, MD5: f.MD5}
	if !f.Approximate {
		r.Size = f.Bytes
	}
	if f.Bytes > 0 {
		r.Limit = f.Bytes
		if f.Approximate {
			r.Limit = saturated(f.Bytes, f.Bytes/4+1<<20)
		}
	}
	return r
}

// saturated adds sizes without overflow: a server may announce a size near the largest number, and a negative sum would
// skip the consent.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// maxSums bounds a publisher's list of checksums.
const maxSums = 64 << 20

// measure asks the mirrors for sizes that the catalogue lacks. It stops at the first file whose size no mirror
// states, and after a number of requests.
func (p *plan) measure(ctx context.Context, o fetch.Options) error {
	o.Stall, o.Access = min(o.Stall, askingTime), p.access
	asked := 0
	for i, f := range p.files {
		if _, whole := p.there(f); f.Bytes > 0 || whole {
			continue
		}
		if asked++; asked > maxAsked {
			return nil
		}
		n, err := fetch.Length(ctx, http.DefaultClient, request(f), o)
		if err != nil || n == 0 {
			return err
		}
		p.files[i].Bytes, p.files[i].Approximate = n, true // the server's size is not a published one
	}
	return nil
}

// there returns the number of bytes of a file that are in the folder already, and whether the file is complete under
// its name.
func (p *plan) there(f catalogue.File) (bytes int64, whole bool) {
	path := filepath.Join(p.dir, filepath.FromSlash(f.Path))
	if info, err := os.Stat(path); err == nil {
		return info.Size(), true
	}
	if info, err := os.Stat(path + ".part"); err == nil {
		return info.Size(), false
	}
	return 0, false
}

// missing returns the number of bytes to download, and the number of files of unknown size.
func (p *plan) missing() (bytes int64, unknown int) {
	for _, f := range p.files {
		switch have, whole := p.there(f); {
		case f.Bytes > 0:
			bytes = saturated(bytes, max(f.Bytes-have, 0))
		case !whole:
			unknown++
		}
	}
	return bytes, unknown
}

// consent asks before a large download. Without a terminal it is an error to omit --yes.
func (e *env) consent(ctx context.Context, p *plan, yes bool) error {
	bytes, unknown := p.missing()
	if yes || bytes <= askAbove && unknown == 0 {
		return nil
	}
	what := words.Bytes(bytes)
	if unknown > 0 {
		what = fmt.Sprintf("%s and %s of unknown size", what, words.Of(unknown, "file", "files"))
	}
	if !isTerminal(e.stdin) {
		return usageError{fmt.Errorf("fetching %s into %s: say --yes, since there is no terminal to ask on", what,
			p.dir)}
	}
	return e.ask(ctx, what+" into "+p.dir)
}

// ask asks whether to fetch something, and waits for the answer.
func (e *env) ask(ctx context.Context, what string) error {
	e.stderr.printf("Fetch %s? [y/N] ", what)
	answer := make(chan string, 1)
	go func() {
		defer fault.Trap()
		line, _ := bufio.NewReader(e.stdin).ReadString('\n') // EOF means no
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		if line == "" {
			return usageError{fmt.Errorf("no answer: say --yes to fetch %s", what)}
		}
		return errors.New("nothing was fetched")
	}
}

// importCommands are the commands that read the fetched files.
func importCommands(p *plan) []string {
	var together, commands []string
	for _, f := range p.files {
		path := filepath.Join(p.dir, filepath.FromSlash(f.Path))
		if stem, zipped := strings.CutSuffix(path, ".zip"); zipped {
			commands = append(commands, "unzip -d "+words.Shell(stem)+" "+words.Shell(path))
			path = stem
		}
		if p.entry.Apart {
			commands = append(commands, "racecard import --out "+words.Shell(storeName(path))+" "+words.Shell(path))
			continue
		}
		top, _, _ := strings.Cut(f.Path, "/")
		if path = filepath.Join(p.dir, top); !slices.Contains(together, path) {
			together = append(together, path)
		}
	}
	if len(together) == 0 {
		return commands
	}
	command := "racecard import --out " + words.Shell(storeName(p.dir))
	for _, path := range together {
		command += " " + words.Shell(path)
	}
	return append(commands, command)
}

// storeName is a name for the store of a file or folder.
func storeName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".tar", ".swf", ".tsv", ".csv"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name + ".store"
}
