package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A reason of rejects has one name and one declaration: formats that share it take it from package source.
func TestReasonsAreDeclaredOnce(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^\s*(?:const )?Reason\w+\s*=\s*("[^"]*")`)
	files, err := filepath.Glob("datasets/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	internal, err := filepath.Glob("datasets/internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{}
	for _, file := range append(files, internal...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			if other, ok := places[string(m[1])]; ok {
				t.Errorf("%s and %s declare the reason %s: move it to datasets/source/reasons.go", other, file, m[1])
			}
			places[string(m[1])] = file
		}
	}
	if len(places) < 40 {
		t.Errorf("only %d reasons were found", len(places))
	}
}
