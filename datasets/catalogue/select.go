package catalogue

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/lists"
)

// File is one file of an entry.
type File struct {
	Path        string
	URLs        []string // mirrors, in order
	What        string
	Bytes       int64 // 0 when not known
	Approximate bool  // Bytes is about right
	SHA256, MD5 string
	Optional    bool
	Part        int // number in a series, -1 for a file that stands alone
}

// urls are the addresses of an item, with the placeholder of a series.
func (i *Item) urls(bases []string) []string {
	if len(i.URLs) > 0 {
		return i.URLs
	}
	at := i.At
	if at == "" {
		at = i.Path
	}
	return lists.Map(bases, func(base string) string { return base + at })
}

// Files returns all files of an entry, series written out, in the order of the catalogue.
func (e *Entry) Files() []File {
	var files []File
	for _, i := range e.Items {
		f := File{Path: i.Path, URLs: i.urls(e.Bases), What: i.What, Approximate: i.Approximate, Optional: i.Optional,
			Part: -1}
		if i.Bytes != nil {
			f.Bytes = *i.Bytes
		}
		if i.SHA256 != nil {
			f.SHA256 = *i.SHA256
		}
		if i.MD5 != nil {
			f.MD5 = *i.MD5
		}
		if i.Parts == nil {
			files = append(files, f)
			continue
		}
		for n := i.Parts.First; n <= i.Parts.Last; n++ {
			files = append(files, f.part(n, i.Parts.Digits))
		}
	}
	return files
}

// part returns one file of a series.
func (f File) part(n, digits int) File {
	number := fmt.Sprintf("%0*d", digits, n)
	f.Path, f.Part = strings.ReplaceAll(f.Path, placeholder, number), n
	urls := lists.Map(f.URLs, func(u string) string { return strings.ReplaceAll(u, placeholder, number) })
	f.URLs = urls
	return f
}

// SumsFile returns the publisher's list of checksums, and false when there is none.
func (e *Entry) SumsFile() (File, bool) {
	if e.Sums == "" {
		return File{}, false
	}
	return File{Path: path.Base(e.Sums), URLs: (&Item{Path: e.Sums}).urls(e.Bases), Part: -1}, true
}

// Select picks files: those whose path, or its last element, matches one of globs (as path.Match has them), or when
// there are none those that are not optional; and of series only the parts in parts, unless it is empty.
func (e *Entry) Select(globs []string, parts Ranges) ([]File, error) {
	all := e.Files()
	var picked []File
	numbered, found := false, false // there are parts; some are among those asked for
	used := make([]bool, len(globs))
	for _, f := range all {
		chosen := len(globs) == 0 && !f.Optional
		for i, g := range globs {
			whole, err := path.Match(g, f.Path)
			if err != nil {
				return nil, fmt.Errorf("%q is not a pattern of file names: %w", g, err)
			}
			last, _ := path.Match(g, path.Base(f.Path)) // the pattern was checked just now
			used[i] = used[i] || whole || last
			chosen = chosen || whole || last
		}
		if chosen && f.Part >= 0 && len(parts) > 0 {
			numbered, chosen = true, parts.Contains(f.Part)
			found = found || chosen
		}
		if chosen {
			picked = append(picked, f)
		}
	}
	for i, g := range globs {
		if !used[i] {
			return nil, fmt.Errorf("no file of %s matches %q; it has %s", e.Name, g, e.paths())
		}
	}
	if len(parts) > 0 && !numbered {
		return nil, fmt.Errorf("the files of %s have no numbered parts", e.Name)
	}
	if len(parts) > 0 && !found {
		return nil, fmt.Errorf("%s has no parts %s; it has %s", e.Name, parts, e.paths())
	}
	return picked, nil
}

// paths lists the items of an entry for messages.
func (e *Entry) paths() string {
	var all []string
	for _, i := range e.Items {
		text := i.Path
		if i.Parts != nil {
			text += fmt.Sprintf(" (%s from %0*d to %0*d)", placeholder, i.Parts.Digits, i.Parts.First, i.Parts.Digits,
				i.Parts.Last)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// Ranges are numbers of parts.
type Ranges []Range

// Range holds the numbers from First to Last, both included.
type Range struct{ First, Last int }

// ParseRanges reads numbers and ranges of numbers, separated by commas: 0-9,20.
func ParseRanges(s string) (Ranges, error) {
	var all Ranges
	for _, text := range strings.Split(s, ",") {
		first, last, span := strings.Cut(text, "-")
		if !span {
			last = first
		}
		a, errA := strconv.ParseUint(first, 10, 31)
		b, errB := strconv.ParseUint(last, 10, 31)
		if errA != nil || errB != nil || a > b {
			return nil, fmt.Errorf("%q is not a list of parts such as 0-9 or 0,7,20-29", s)
		}
		all = append(all, Range{int(a), int(b)})
	}
	return all, nil
}

// Contains reports whether n is one of the numbers.
func (r Ranges) Contains(n int) bool {
	return slices.ContainsFunc(r, func(x Range) bool { return x.First <= n && n <= x.Last })
}

// String writes ranges as [ParseRanges] reads them.
func (r Ranges) String() string {
	var all []string
	for _, x := range r {
		text := strconv.Itoa(x.First)
		if x.Last > x.First {
			text += "-" + strconv.Itoa(x.Last)
		}
		all = append(all, text)
	}
	return strings.Join(all, ",")
}
