package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A format, an analysis and a scheduler are known in one place each, besides their own files: docs/extending.md tells
// which.
func TestThingsAreRegisteredInOnePlace(t *testing.T) {
	for _, test := range []struct {
		what, pkg string // imported
		want      []string
	}{
		{"format", "datasets/swf", []string{"datasets/formats/formats.go"}},
		{"format", "datasets/philly", []string{"datasets/formats/formats.go"}},
		{"analysis", "analyses/allocation", []string{"pipeline/internal/stage/stage.go"}},
		{"analysis", "analyses/timeline", []string{"pipeline/internal/stage/stage.go"}},
	} {
		if got := importers(t, "racecard/"+test.pkg); !slices.Equal(got, test.want) {
			t.Errorf("the %s %s is imported by %v, want %v", test.what, test.pkg, got, test.want)
		}
	}
}

// importers returns the files, but for tests, that import a package, and are not below it.
func importers(t *testing.T, pkg string) (of []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if name, err := strconv.Unquote(i.Path.Value); err == nil && name == pkg {
				of = append(of, filepath.ToSlash(path))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// Examples of the packages that others import need nothing below a folder called internal.
func TestExamplesNeedNothingInternal(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		top, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		if err != nil || d.IsDir() || d.Name() != "example_test.go" || top == "reports" || top == "pipeline" {
			return err
		}
		found++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if name, err := strconv.Unquote(i.Path.Value); err == nil && strings.Contains(name, "/internal/") {
				t.Errorf("%s imports %s, which nobody outside its folder can", filepath.ToSlash(path), name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 8 {
		t.Errorf("only %d files of examples were checked", found)
	}
}
