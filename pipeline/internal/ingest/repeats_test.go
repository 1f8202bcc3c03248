package ingest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two samples of one trace in a folder repeat ids: the error names the second one and the remedy. Of one file alone it
// says nothing.
func TestFilesThatRepeatIDsAreNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const line = `{"id":"a","stages":[{"tasks":1}]}` + "\n"
	imported := func() string {
		found, err := (&Finder{}).Find(t.Context(), []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Import(t.Context(), found, filepath.Join(t.TempDir(), "store"), DefaultOptions())
		var rejected *RejectedError
		if !errors.As(err, &rejected) {
			t.Fatalf("%v, want a RejectedError", err)
		}
		return err.Error()
	}
	write("1.jsonl", line+line)
	if text := imported(); strings.Contains(text, "one by one") {
		t.Errorf("of one file: %s", text)
	}
	write("1.jsonl", line)
	write("2.jsonl", line)
	if text := imported(); !strings.Contains(text, "1 record has the id of a run read before, in "+
		filepath.Join(dir, "2.jsonl")+":") || !strings.Contains(text, "one by one") {
		t.Errorf("of two files: %s", text)
	}
}
