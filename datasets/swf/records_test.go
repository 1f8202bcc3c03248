package swf_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/jsonl"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swf"
	"racecard/datasets/swim"
	"racecard/datasets/trace"
)

const job = "1 5 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1"

func TestRejects(t *testing.T) {
	for _, test := range []struct{ content, reason, field string }{
		{"1 2 3\n", source.ReasonTooFewFields, "run time"},
		{strings.TrimSuffix(job, " -1") + "\n", source.ReasonTooFewFields, "think time"},
		{"x" + job + "\n", source.ReasonBadNumber, "job number"},
		{"1 NaN 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadNumber, "submit time"},
		{"1 5 inf 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadNumber, "wait time"},
		{"1 5 100 0x7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadNumber, "run time"},
		{"1 5 100 7 1_0 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadNumber, "allocated processors"},
		{"1 5 100 7 2 -1 - 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadNumber, "used memory"},
		{"1 5 100 7 2 -1 -1 2 600 -1 ok 1 1 1 -1 -1 -1 -1\n", source.ReasonBadNumber, "status"},
		{"-1 5 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadCount, "job number"},
		{"1.5 5 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadCount, "job number"},
		{"1 5 100 7 -2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadCount, "allocated processors"},
		{"1 5 100 7 2.5 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadCount, "allocated processors"},
		{"1 5 100 7 2 -1 -1 99999999999 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadCount, "requested processors"},
		{"1 1e300 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadTime, "submit time"},
		{"1 5 100 9e18 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n", source.ReasonBadTime, "run time"},
		{job + "\n" + job + "\n", source.ReasonDuplicateID, "job number"},
		{job + " \xff\n", source.ReasonNotUTF8, ""},
		{job + "\n2 6 100 7", source.ReasonTruncated, "allocated processors"}, // the file ends inside its last line
	} {
		r := read(t, test.content)
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].File != "x.swf" || r.Rejects[0].Line < 1 {
			t.Errorf("%q: got %v, want one of reason %q, field %q", test.content, r.Rejects, test.reason, test.field)
		}
	}
}

func TestPartialExecutions(t *testing.T) {
	// The whole job, then its bursts, of which only the first has a submit time.
	r := read(t, "3 10 5 60 4 -1 -1 4 -1 -1 1 1 1 1 -1 -1 -1 -1\n"+
		"3 10 5 20 4 -1 -1 4 -1 -1 2 1 1 1 -1 -1 -1 -1\n3 -1 9 20 4 -1 -1 4 -1 -1 2 1 1 1 -1 -1 -1 -1\n3 -1 9 20 4 "+
		"-1 -1 4 -1 -1 3 1 1 1 -1 -1 -1 -1\n"+
		"4 11 5 60 4 -1 -1 4 -1 -1 4 1 1 1 -1 -1 -1 -1\n")
	if len(r.Runs) != 2 || len(r.Rejects) != 0 || r.Tally.Ignored[swf.IgnoredPartial] != 3 || r.Tally.Used != 2 ||
		r.Tally.Read != 5 {
		t.Fatalf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
	if r.Runs[0].Status != trace.Succeeded || r.Runs[0].End != 75e6 || r.Runs[1].Status != trace.StatusUnknown {
		t.Errorf("runs %+v, %+v", r.Runs[0], r.Runs[1])
	}
}

func TestPrecedingJobs(t *testing.T) {
	r := read(t, job+"\n2 6 1 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 1 30\n3 6 1 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 2 30\n")
	if len(r.Runs) != 3 || len(r.Tally.Warnings) != 1 || !strings.Contains(r.Tally.Warnings[0],
		"x.swf: 2 jobs name one") {
		t.Errorf("%d runs, warnings %q", len(r.Runs), r.Tally.Warnings)
	}
}

const header = `; Version: 2.2
;Computer: Intel iPSC/860
;
; Information: http://www.nas.nasa.gov/
;              http://www.cs.huji.ac.il/labs/parallel/workload/
; UnixStartTime: 749458803
;     MaxProcs: 128
; Note: group 1 is normal users
;       group 2 is system personnel: all of them
`

func TestHeader(t *testing.T) {
	r := read(t, header+job+"\n; Note: not a header any more\n")
	want := []string{
		"Version: 2.2", "Computer: Intel iPSC/860", "Information: http://www.nas.nasa.gov/ " +
			"http://www.cs.huji.ac.il/labs/parallel/workload/",
		"UnixStartTime: 749458803", "MaxProcs: 128", "Note: group 1 is normal users group 2 is system personnel: all " +
			"of them",
	}
	if !slices.Equal(r.Tally.Header, want) {
		t.Errorf("header %q, want %q", r.Tally.Header, want)
	}
	if r.Tally.Ignored[swf.IgnoredComment] != 10 || r.Tally.Read != 11 {
		t.Errorf("tally %+v", r.Tally)
	}
	r = read(t, strings.Repeat("; Note: "+strings.Repeat("x", 1000)+"\n", 1000)+job+"\n")
	if n := len(strings.Join(r.Tally.Header, "")); n > 64<<10 || n < 60<<10 {
		t.Errorf("%d bytes of header are kept", n)
	}
}

// A log without wait times may note that its submit times are starts. A wait time that is there counts, and the note is
// about its file only.
func TestSubmitTimesAreStarts(t *testing.T) {
	const unknownWait = "7 100 -1 50 4 -1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1\n"
	const waited = "8 100 20 50 4 -1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1\n"
	const note = "; Note: There is no information on wait times - the given submit\n" +
		";       times are Actually start times\n"
	r := sourcetest.Read(t, swf.Format(), source.BytesFile("a.swf", []byte(note+unknownWait+waited)),
		source.BytesFile("b.swf", []byte("; Note: submit times are times\n"+unknownWait)))
	if len(r.Runs) != 3 || len(r.Tally.Warnings) != 1 || !strings.Contains(r.Tally.Warnings[0], "a.swf") {
		t.Fatalf("%d runs, warnings %q", len(r.Runs), r.Tally.Warnings)
	}
	for i, want := range []struct{ start, end trace.Instant }{{100e6, 150e6}, {120e6, 170e6}, {trace.None, trace.None}} {
		if run := r.Runs[i]; run.Start != want.start || run.End != want.end || run.Submit != 100e6 {
			t.Errorf("run %s: submit %v, start %v, end %v, want %v", run.ID, run.Submit, run.Start, run.End, want)
		}
	}
}

func TestSeveralFiles(t *testing.T) {
	r := sourcetest.Read(t, swf.Format(), source.BytesFile("dir/a.swf.gz", []byte("; Computer: A\n"+job+"\n")),
		source.BytesFile("dir/b.swf", []byte("; excerpt\n"+job+"\n")), source.BytesFile("other/b.swf",
			[]byte(job+"\n")))
	if len(r.Runs) != 3 || r.Runs[0].ID != "a.swf:1" || r.Runs[1].ID != "dir/b.swf:1" || r.Runs[1].Seq != 1 ||
		r.Runs[2].ID != "other/b.swf:1" {
		t.Errorf("runs %v", r.Runs)
	}
	if len(r.Rejects) != 0 {
		t.Errorf("rejects %v", r.Rejects)
	}
	if want := []string{"a.swf: Computer: A", "dir/b.swf: excerpt"}; !slices.Equal(r.Tally.Header, want) {
		t.Errorf("header %q, want %q", r.Tally.Header, want)
	}
}

func TestCompressedFileThatBreaksOff(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, generate(2000))
	_ = w.Close()
	for _, n := range []int{5, b.Len() / 2, b.Len() - 4} {
		r := sourcetest.Read(t, swf.Format(), source.BytesFile("x.swf.gz", b.Bytes()[:n]))
		if r.Err != nil || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated ||
			len(r.Tally.Warnings) != 1 {
			t.Errorf("%d of %d bytes: %d runs, rejects %v, warnings %v, %v", n, b.Len(), len(r.Runs), r.Rejects,
				r.Tally.Warnings, r.Err)
		}
		if n > 1000 && len(r.Runs) < 500 {
			t.Errorf("%d of %d bytes: only %d runs", n, b.Len(), len(r.Runs))
		}
	}
}

func TestFaultsEndTheStream(t *testing.T) {
	fault := errors.New("the disk is gone")
	unreadable := source.NewFile("x.swf", -1, func() (io.ReadCloser, error) { return nil, fault })
	if r := sourcetest.Read(t, swf.Format(), unreadable); !errors.Is(r.Err, fault) {
		t.Errorf("got %v", r.Err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range swf.Read(ctx, []*source.File{source.BytesFile("x", []byte(job))}, source.NewTally()) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       bool
	}{
		{"x", job, true},
		{"x", header + job, true},
		{"x", header, true},
		{"x", "; Note: an INI file\n; Version: 1\n[section]\n", false},
		{"x", "\r\n" + strings.ReplaceAll(job, " ", "   ") + "\r\n", true},
		{"x", "4 1356998400 3 10 2 -1 -1 2 600 -1 1 12 1 -1 1 -1 -1 -1 {n1,n2} batch 1:ppn=2\n", true},
		{"x", "1 15 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", false}, // tr: 15 durations
		{"x.swf.gz", "1 15 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", true},
		{"x", "1 900 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", true}, // of which it would need 900
		{"x", "1 900 1" + strings.Repeat(" 1", 400), false},    // tr, cut
		{"x", "1 20 0.5" + strings.Repeat(" 0.5", 20), false},  // tr
		{"x.swf", "a b c d e f g h i j k l m n o p q r\n", false},
		{"x", "job0\t1\t2\t3\t4\t5\n", false},
		{"x", "{\"id\":1}", false},
		{"x", "Avro-Json\n{}\n", false},
		{"x", "WorkflowID, JobID     , SubmitTime, RunTime\n0 , 1 , 16 , 11\n", false},
		{"x", "M1,23.0,j_1,,Terminated,1,2,100.0,0.5\n", false},
		{"x", "PAR1", false},
		{"x", "", false},
	} {
		if got := swf.Format().Detect(test.name, []byte(test.head)); got != test.want {
			t.Errorf("Detect(%q, %.60q) = %v", test.name, test.head, got)
		}
	}
	for _, other := range []source.Format{jsonl.Format(), swim.Format(), spark.Format()} {
		if other.Detect("x", []byte(header+job)) || other.Detect("x", []byte(job)) {
			t.Errorf("%s takes the file for its own", other.Name)
		}
	}
}

// Submit times count from the Unix time that the header of their file states, unless they are Unix times.
func TestUnixStartTime(t *testing.T) {
	const begin = 1132444805
	for name, c := range map[string]struct {
		header string
		submit string
		want   int64
	}{
		"stated":                       {"; UnixStartTime: 1132444805\n", "60", begin + 60},
		"with more behind it":          {"; UnixStartTime: 1132444805 (midnight)\n", "60", begin + 60},
		"three years later":            {"; UnixStartTime: 1132444805\n", "110000000", begin + 110000000},
		"not known":                    {"; UnixStartTime: 0\n", "60", 60},
		"not a time":                   {"; UnixStartTime: midnight\n", "60", 60},
		"not stated":                   {"", "60", 60},
		"a job before it":              {"; UnixStartTime: 1132444805\n", "-60", begin - 60},
		"Unix times":                   {"; UnixStartTime: 1132444805\n", "1132444865", begin + 60},
		"Unix times, submitted before": {"; UnixStartTime: 1132444805\n", "1132444800", begin - 5},
	} {
		r := read(t, c.header+"7 "+c.submit+" 3 10 2 -1 -1 2 600 -1 1 12 1 -1 1 -1 -1 -1\n8 -1 3 10 2 -1 -1 2 600 -1 1 "+
			"12 1 -1 1 -1 -1 -1\n")
		if len(r.Runs) != 2 || int64(r.Runs[0].Submit) != micros(c.want) || int64(r.Runs[0].End) != micros(c.want+13) {
			t.Errorf("%s: %+v, rejects %v, want submission %d", name, r.Runs, r.Rejects, c.want)
		} else if r.Runs[1].Submit.Known() || r.Runs[1].End.Known() {
			t.Errorf("%s: an unknown time became %d", name, r.Runs[1].Submit)
		}
	}
}

// Each file of an input has its own start.
func TestUnixStartTimeOfEachFile(t *testing.T) {
	log := func(header string) string { return header + "7 60 3 10 2 -1 -1 2 600 -1 1 12 1 -1 1 -1 -1 -1\n" }
	r := sourcetest.Read(t, swf.Format(), sourcetest.Numbered(".swf", log("; UnixStartTime: 1000000000\n"),
		log("; UnixStartTime: 1000086400\n"), log(""))...)
	var got []trace.Instant
	for _, run := range r.Runs {
		got = append(got, run.Submit)
	}
	if want := []trace.Instant{1000000060e6, 1000086460e6, 60e6}; !slices.Equal(got, want) {
		t.Errorf("submitted at %d, want %d", got, want)
	}
}
