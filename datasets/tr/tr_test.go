package tr_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/tr"
	"racecard/datasets/trace"
)

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, tr.Format(), source.BytesFile("x.tr", []byte(content)))
}

func TestLine(t *testing.T) {
	// A double blank after field 3 and a blank at the end, as in the Yahoo traces; a blank line does not count.
	r := read(t, "7.5 3 2.0  1.0 2.0 3.0 \n\n1406471.0 1 0.0005 0.0005\r\n")
	if len(r.Runs) != 2 || len(r.Rejects) != 0 || r.Tally.Read != 3 || r.Tally.Used != 2 || len(r.Tally.Warnings) != 0 {
		t.Fatalf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
	run := r.Runs[0]
	if run.ID != "1" || run.Seq != 0 || run.Submit != 7_500_000 || run.Start.Known() || run.End.Known() ||
		run.Name != "" {
		t.Errorf("run %+v", run)
	}
	if s := run.Stages[0]; s.Tasks != 3 || s.EstimateS != 2 || s.Start.Known() || !math.IsNaN(s.Demand[trace.CPU]) {
		t.Errorf("stage %+v", s)
	}
	for i, want := range []trace.Duration{1_000_000, 2_000_000, 3_000_000} {
		a := run.Attempts[i]
		if a.Duration != want || a.Task != int32(i) || a.Status != trace.Succeeded || a.Start.Known() {
			t.Errorf("attempt %d: %+v", i, a)
		}
	}
	if last := r.Runs[1]; last.ID != "2" || last.Seq != 1 || last.Attempts[0].Duration != 500 {
		t.Errorf("second run %+v", last)
	}
}

func TestSeveralFilesAreNumberedApart(t *testing.T) {
	r := sourcetest.Read(t, tr.Format(),
		source.BytesFile("dir/a.tr.gz", []byte("0 1 1 1\n")), source.BytesFile("dir/b.tr",
			[]byte("0 1 1 1\n0 1 1 1\n")))
	var ids []string
	for _, run := range r.Runs {
		ids = append(ids, run.ID)
	}
	if want := []string{"a.tr:1", "b.tr:1", "b.tr:2"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}

func TestRejects(t *testing.T) {
	for _, test := range []struct{ line, reason, field string }{
		{"1 1 1 x\n", source.ReasonBadNumber, "duration 1"},
		{"1 1 1 NaN\n", source.ReasonBadNumber, "duration 1"},
		{"1 2 1 1 +Inf\n", source.ReasonBadNumber, "duration 2"},
		{"1 1 1 -1\n", source.ReasonBadNumber, "duration 1"},
		{"1 1 1 0x1p3\n", source.ReasonBadNumber, "duration 1"},
		{"1 1 1 1_0\n", source.ReasonBadNumber, "duration 1"},
		{"1 1 1 1e300\n", source.ReasonBadNumber, "duration 1"},
		{"1 1 NaN 1\n", source.ReasonBadNumber, "mean duration"},
		{"1 1 -1 1\n", source.ReasonBadNumber, "mean duration"},
		{"1 0 1\n", source.ReasonBadNumber, "tasks"},
		{"1 -1 1\n", source.ReasonBadNumber, "tasks"},
		{"1 1.5 1 1\n", source.ReasonBadNumber, "tasks"},
		{"1 99999999999 1 1\n", source.ReasonBadNumber, "tasks"},
		{"inf 1 1 1\n", source.ReasonBadNumber, "submit time"},
		{"1 2 1 1\n", tr.ReasonTaskCount, "durations"},
		{"1 1 1 1 1\n", tr.ReasonTaskCount, "durations"},
		{"1 1\n", source.ReasonTooFewFields, "mean duration"},
		{"1 1 1 \xff\n", source.ReasonNotUTF8, ""},
		{"\x00\x01\x02\n", source.ReasonNotText, ""},
		{"1 1048577 1 1\n", source.ReasonBadNumber, "tasks"},
		{"1 1 1 1\n1 3 1 1", source.ReasonTruncated, "durations"}, // the file ends inside its last line
	} {
		r := read(t, test.line)
		if len(r.Rejects) != 1 {
			t.Errorf("%q: %d rejects, want 1", test.line, len(r.Rejects))
			continue
		}
		got := r.Rejects[0]
		if got.Reason != test.reason || got.Field != test.field || got.File != "x.tr" || got.Line < 1 {
			t.Errorf("%q: got %v, want reason %q, field %q", test.line, got, test.reason, test.field)
		}
	}
}

func TestMeanThatDiffersIsKept(t *testing.T) {
	r := read(t, "0 2 5 1 1\n0 2 1.004 1 1\n")
	if len(r.Runs) != 2 || r.Runs[0].Stages[0].EstimateS != 5 {
		t.Fatalf("runs %v", r.Runs)
	}
	if len(r.Tally.Warnings) != 1 || !strings.Contains(r.Tally.Warnings[0], "x.tr:1: field 3 says 5 s, the "+
		"durations 1 s") {
		t.Errorf("warnings %q, want one about line 1", r.Tally.Warnings)
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		"7.5 3 2.0  1.0 2.0 3.0 \n": true, "0 1 2 2": true, "": false, "job0\t1\t2\t3\t4\t5\n": false,
		"{\"id\":1}":  false,
		"1 1.5 2 3\n": false, "PAR1": false, "1 2 3\n": false,
	} {
		if got := tr.Format().Detect("x", []byte(head)); got != want {
			t.Errorf("Detect(%q) = %v", head, got)
		}
	}
}

// The counts are those of the README beside the traces.
func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name        string
		jobs, tasks int
	}{
		{"hawk-eagle-tr/GOOG_subtrace.tr.gz", 10000, 312558},
		{"hawk-eagle-tr/YH1_sub.tr.gz", 2910, 122878},
		{"hawk-eagle-tr/YH_small.tr", 10, -1}, // the README does not count its tasks
		{"tr-synthetic/SYN_yahoo_like.tr.gz", 4000, 94025},
	} {
		r := sourcetest.Read(t, tr.Format(), sourcetest.SharedFile(t, test.name))
		tasks := 0
		for _, run := range r.Runs {
			tasks += len(run.Attempts)
		}
		if len(r.Runs) != test.jobs || test.tasks >= 0 && tasks != test.tasks || len(r.Rejects) != 0 || r.Err != nil {
			t.Errorf("%s: %d jobs, %d tasks, %d rejects, %v; want %d, %d", test.name, len(r.Runs), tasks,
				len(r.Rejects), r.Err, test.jobs, test.tasks)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"7.5 3 2.0  1.0 2.0 3.0 \n", "", "\n\n", "1 2 1 1\n", "1 1 1 NaN\r\n", "0 1 0 0", "\xef\xbb\xbf0 1 1 1\n",
		"1e3 1 1e-9 1e-9\n", "1 1 1 1_0\n",
		"\x1f\x8b", "0 16777217 1 1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		sourcetest.Read(t, tr.Format(), source.BytesFile("fuzz", content))
	})
}
