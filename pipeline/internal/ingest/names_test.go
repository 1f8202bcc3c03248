package ingest

import (
	"testing"
	"testing/fstest"

	"racecard/datasets/source"
)

// A file in a bucket has the name of its URL in messages, and in the store the name that it has on this machine.
func TestNamesOfFilesInBuckets(t *testing.T) {
	found, err := source.Walk(t.Context(), fstest.MapFS{"raw/a.jsonl": {Data: []byte("{}\n")}}, "raw", "s3://lab/raw")
	if err != nil || len(found.Files) != 1 || found.Files[0].Name != "s3://lab/raw/a.jsonl" {
		t.Fatalf("%+v, %v", found.Files, err)
	}
	for name, want := range map[string]string{"s3://lab/raw/a.jsonl": "raw/a.jsonl", "/x/raw/a.jsonl": "raw/a.jsonl",
		"s3://lab/raw/a.tar:b/c": "raw/a.tar:b/c", "a.jsonl": "a.jsonl"} {
		if got := shortName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
