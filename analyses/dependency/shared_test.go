package dependency

import (
	"os"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swim"
	"racecard/datasets/trace"
	"racecard/datasets/wfformat"
)

// Measured workflows, several runs of each, name the files that they read and write. None reads what another wrote.
func TestRealWorkflows(t *testing.T) {
	dir := sourcetest.Shared(t, "wfinstances")
	files, err := source.FromFS(os.DirFS(dir), ".", "wfinstances")
	if err != nil {
		t.Fatal(err)
	}
	runs := sourcetest.Read(t, wfformat.Format(), files...).Runs
	d := finish(t, DefaultOptions(), runs, len(runs)/2)
	if len(runs) != 38 || d.Jobs != 38 || d.Reads != 3094 || d.ReadsWithoutWriter != 3094 || d.Pairs != 0 ||
		d.ShareWithDependency != 0 {
		t.Errorf("%d runs: %d jobs, %d reads, %d without a writer, %d pairs, share %v", len(runs), d.Jobs, d.Reads,
			d.ReadsWithoutWriter,
			d.Pairs, d.ShareWithDependency)
	}
	if pairs := slowPairs(runs); len(pairs) != 0 {
		t.Errorf("by the definition there are pairs: %v", pairs)
	}
	// A run that starts when one has ended and reads one of its results depends on it.
	first := runs[0]
	next := trace.NewRun("next")
	next.Start, next.End = first.End, first.End+1
	for _, a := range first.IO {
		if a.Write {
			next.IO = []trace.Access{{Dataset: a.Dataset, At: trace.None, Bytes: trace.None}}
		}
	}
	if d = finish(t, DefaultOptions(), append(runs, next)); d.Pairs != 1 || d.GapMin.N+d.Overlapping != 1 {
		t.Errorf("%d pairs, %d gaps, %d overlaps, want 1 pair", d.Pairs, d.GapMin.N, d.Overlapping)
	}
}

// A sample of Facebook's workload says what jobs read, but neither when they ended nor what they wrote.
func TestRealReadsAlone(t *testing.T) {
	runs := sourcetest.Read(t, swim.Format(),
		sourcetest.SharedFile(t, "swim-facebook/FB-2010_samples_24_times_1hr_withInputPaths_0.tsv.gz")).Runs
	d := finish(t, DefaultOptions(), runs)
	if len(runs) != 25428 || d.Available || len(d.Missing) != 1 || d.Missing[0] != "io.mode = write" {
		t.Errorf("%d runs: available %v, missing %v", len(runs), d.Available, d.Missing)
	}
}
