package catalogue

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// maxParts bounds a series.
const maxParts = 100_000

// Validate returns an error that describes the first fault of an entry, or nil. It does not know which formats
// and analyses exist.
func (e *Entry) Validate() error {
	if !nameForm.MatchString(e.Name) {
		return fmt.Errorf("name %q: want lower case letters, digits and hyphens", e.Name)
	}
	for _, f := range []struct{ field, text string }{
		{"title", e.Title}, {"publisher", e.Publisher}, {"licence", e.Licence}, {"terms", e.Terms}, {"home", e.Home},
		{"cite", e.Cite}, {"format", e.Format}, {"supports", e.Supports},
	} {
		if f.text == "" || strings.TrimSpace(f.text) != f.text || strings.ContainsAny(f.text, "\n\t") {
			return fmt.Errorf("%s %q: want one line of text", f.field, f.text)
		}
	}
	if err := validURL(e.Home); err != nil {
		return fmt.Errorf("home: %w", err)
	}
	for _, base := range e.Bases {
		if err := validURL(base); err != nil || !strings.HasSuffix(base, "/") {
			return fmt.Errorf("base %q: want an address that ends in a slash (%w)", base, err)
		}
	}
	if len(e.Items) == 0 && e.ByHand == "" {
		return errors.New("neither files nor a way to get them by hand")
	}
	if e.Sums != "" && len(e.Bases) == 0 {
		return errors.New("sums without bases")
	}
	seen := map[string]bool{}
	for _, item := range e.Items {
		if err := item.validate(e.Bases); err != nil {
			return fmt.Errorf("file %s: %w", item.Path, err)
		}
		if seen[item.Path] {
			return fmt.Errorf("file %s: occurs twice", item.Path)
		}
		seen[item.Path] = true
	}
	return nil
}

func (i *Item) validate(bases []string) error {
	if !filepath.IsLocal(filepath.FromSlash(i.Path)) || path.Clean(i.Path) != i.Path ||
		strings.ContainsAny(i.Path, "\\:?%") {
		return errors.New("want a path inside the folder")
	}
	if len(i.URLs) == 0 == (len(bases) == 0) || len(i.URLs) > 0 && i.At != "" {
		return errors.New("want either urls, or bases of the entry with at most a location (at)")
	}
	for _, u := range i.urls(bases) {
		if err := validURL(u); err != nil {
			return err
		}
		if (i.Parts != nil) != (strings.Count(u, placeholder) == 1) {
			return fmt.Errorf("%s: want %s once with parts, never without", u, placeholder)
		}
	}
	switch {
	case (i.Parts != nil) != (strings.Count(i.Path, placeholder) == 1):
		return fmt.Errorf("want %s once in the path with parts, never without", placeholder)
	case i.Parts != nil && (i.Parts.First < 0 || i.Parts.Last < i.Parts.First || i.Parts.Last >= maxParts ||
		i.Parts.Digits < 1 || i.Parts.Digits > 20):
		return fmt.Errorf("parts %d to %d of %d digits", i.Parts.First, i.Parts.Last, i.Parts.Digits)
	case i.Bytes != nil && *i.Bytes <= 0:
		return fmt.Errorf("%d bytes; null stands for not known", *i.Bytes)
	case i.Approximate && i.Bytes == nil:
		return errors.New("an approximate size of null")
	case i.Parts != nil && (i.SHA256 != nil || i.MD5 != nil || i.Bytes != nil && !i.Approximate):
		return errors.New("the files of a series cannot share a checksum or an exact size")
	case !validSum(i.SHA256, 64) || !validSum(i.MD5, 32):
		return errors.New("want checksums in hexadecimal, in lower case, or null")
	}
	return nil
}

func validURL(s string) error {
	u, err := url.Parse(strings.ReplaceAll(s, placeholder, "0"))
	if err == nil && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "") {
		err = fmt.Errorf("%q is not an address of http or https", s)
	}
	return err
}

func validSum(sum *string, digits int) bool {
	if sum == nil {
		return true
	}
	_, err := hex.DecodeString(*sum)
	return err == nil && len(*sum) == digits && strings.ToLower(*sum) == *sum
}
