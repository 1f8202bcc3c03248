package swim_test

import (
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swim"
	"racecard/datasets/trace"
)

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, swim.Format(), source.BytesFile("x.tsv", []byte(content)))
}

func TestLine(t *testing.T) {
	r := read(t, "job0\t49\t49\t740773\t0\t627471\njob1\t101\t52\t20791551476\t1\t2\tinputPath2\t\t\n")
	if len(r.Runs) != 2 || r.Tally.Read != 2 {
		t.Fatalf("%d runs, rejects %v", len(r.Runs), r.Rejects)
	}
	run := r.Runs[0]
	if run.ID != "job0" || run.Submit != 49_000_000 || run.InputBytes != 740773 || run.ShuffleBytes != 0 ||
		run.OutputBytes != 627471 {
		t.Errorf("run %+v", run)
	}
	if run.Start.Known() || run.End.Known() || len(run.Stages) != 0 || len(run.IO) != 0 ||
		run.Status != trace.StatusUnknown {
		t.Errorf("run %+v holds what the format does not", run)
	}
	want := trace.Access{Dataset: "inputPath2", At: trace.None, Bytes: 20791551476}
	if got := r.Runs[1].IO; len(got) != 1 || got[0] != want || r.Runs[1].Seq != 1 {
		t.Errorf("io %+v, want %+v", got, want)
	}
}

func TestRejects(t *testing.T) {
	for _, test := range []struct{ line, reason, field string }{
		{"j\t1\t1\t1\t1\n", source.ReasonFields, "reduce output bytes"},
		{"j\t1\t1\t1\t1\t1\tp\t\t\tq\n", source.ReasonFields, ""},
		{"j\t1\t1\t1\t1\t1\tp\tq\t\n", source.ReasonFields, ""},
		{"\t1\t1\t1\t1\t1\n", source.ReasonNoID, "job id"},
		{"j\tx\t1\t1\t1\t1\n", source.ReasonBadNumber, "submit time"},
		{"j\tNaN\t1\t1\t1\t1\n", source.ReasonBadNumber, "submit time"},
		{"j\t1\t1\t-1\t1\t1\n", source.ReasonBadNumber, "map input bytes"},
		{"j\t1\t1\t1\t1.5\t1\n", source.ReasonBadNumber, "shuffle bytes"},
		{"j\t1\t1\t1\t1\t99999999999999999999\n", source.ReasonBadNumber, "reduce output bytes"},
		{"j\t1\t1\t1\t1\t1\t\xff\n", source.ReasonNotUTF8, ""},
		{"j\t1\t1\t1\t1\t1\nj\t2\t1\t1\t1\t1\n", source.ReasonDuplicateID, "id"},
		{"j\t1\t1\t1\t1\t1\nk\t2\t1", source.ReasonTruncated, "map input bytes"},
	} {
		r := read(t, test.line)
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field {
			t.Errorf("%q: got %v, want one of reason %q, field %q", test.line, r.Rejects, test.reason, test.field)
		}
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		"job0\t49\t49\t740773\t0\t627471\n": true, "job1\t1\t1\t2267942\t0\t1937944\tinputPath1\t\t\n": true,
		"": false, "a\tb\tc\td\te\tf\n": false, "1 2 3 4\n": false, "\t1\t1\t1\t1\t1\n": false,
		"j\t1\t1\t1\t1\n": false,
	} {
		if got := swim.Format().Detect("x", []byte(head)); got != want {
			t.Errorf("Detect(%q) = %v", head, got)
		}
	}
}

// The counts are those of the README beside the traces.
func TestSharedTraces(t *testing.T) {
	for name, want := range map[string]int{
		"FB-2009_samples_24_times_1hr_0.tsv": 5894, "FB-2009_samples_24_times_1hr_0_first50jobs.tsv": 50,
		"FB-2010_samples_24_times_1hr_0.tsv": 24442, "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv.gz": 25428,
	} {
		r := sourcetest.Read(t, swim.Format(), sourcetest.SharedFile(t, "swim-facebook/"+name))
		if len(r.Runs) != want || len(r.Rejects) != 0 || r.Err != nil {
			t.Errorf("%s: %d runs, %d rejects, %v; want %d runs", name, len(r.Runs), len(r.Rejects), r.Err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"job0\t49\t49\t740773\t0\t627471\n", "job1\t1\t1\t2267942\t0\t1937944\tinputPath1\t\t\n", "", "\t\t\t\t\t\n",
		"j\t1e400\t1\t1\t1\t1\n",
		"j\t1\t1\t1\t1\t1\t\xff\n", "j\t1\t1\t1\t1\t1\nj\t1\t1\t1\t1\t1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		sourcetest.Read(t, swim.Format(), source.BytesFile("fuzz", content))
	})
}
