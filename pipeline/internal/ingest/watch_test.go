package ingest

import (
	"bytes"
	"io"
	"math"
	"path/filepath"
	"testing"

	"racecard/datasets/generate"
	"racecard/datasets/source"
)

// closing is a file in memory.
type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

// Where records of a run lie apart, reading the files is two thirds of an import: what is reported rises, reaches two
// thirds when all is read, and the end only when runs were made of everything.
func TestProgressCoversAllThatIsToDo(t *testing.T) {
	k, err := generate.Named("alibaba2018-instances")
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	create := func(string) (io.WriteCloser, error) { return closing{&content}, nil }
	if _, err := k.Write(t.Context(), create, 200_000, 1, nil); err != nil {
		t.Fatal(err)
	}
	var seen []Progress
	o := DefaultOptions()
	o.Progress = func(p Progress) { seen = append(seen, p) }
	in := source.Found{Files: []*source.File{source.BytesFile("synthetic.csv", content.Bytes())}}
	if _, err := Import(t.Context(), in, filepath.Join(t.TempDir(), "s"), o); err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, p := range seen {
		if math.IsNaN(p.Done) || p.Done < last || p.Read < p.Bytes && p.Done > readingShare {
			t.Errorf("%+v after %v", p, last)
		}
		last = p.Done
	}
	m := merging{}
	if m.began(0, 7); m.share() != 0 {
		t.Error("nothing was gathered")
	}
	m.began(10, 7)
	m.made.Store(12)
	if m.share() != 0.5 {
		t.Errorf("%v of the gathered records are runs, want half", m.share())
	}
}
