package papers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What papers print is said once, in this package: no text of findings and captions quotes a published number by hand.
func TestPublishedNumbersAreSaidOnce(t *testing.T) {
	joined := regexp.MustCompile(`"\s*\+\s*"`)
	// in brackets are the name, the year and the table of a paper; 95th is a percentile, and 1 no change
	where := regexp.MustCompile(`\([^()"\n]*\)|[0-9]+th|\b(?:about|below) 1\b`)
	byHand := regexp.MustCompile(`Published[^"\n]*[0-9][^"\n]*`)
	read := 0
	for _, folder := range []string{"page", "figure"} {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			read++
			for _, found := range byHand.FindAllString(where.ReplaceAllString(joined.ReplaceAllString(string(text), ""), ""), -1) {
				t.Errorf("%s: %q has a number by hand", name, found)
			}
		}
	}
	if read < 40 {
		t.Errorf("%d files read", read)
	}
}
