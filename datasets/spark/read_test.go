package spark

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"racecard/datasets/source"
)

// account writes the tally as read=used+ignored+rejected with the kinds that are not 0.
func (o outcome) account() string {
	return fmt.Sprintf("read %d used %d ignored %v rejected %v", o.tally.Read, o.tally.Used, o.tally.Ignored,
		o.tally.Rejected)
}

func compress(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	z.Close()
	return b.Bytes()
}

const sqlStart = `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":0,"sparkPlanInfo":{"nodeName":"x"}}`

func TestAccounting(t *testing.T) {
	begin, end, task := appStart("a", 1000), appEnd(2000), tk{from: 1100, to: 1200}.both()
	tests := []struct {
		name    string
		content string
		want    string // account
		reject  string // the only one, in full; "" for none
		warning string // kind and part of the text
	}{
		{"nothing wrong", begin + "\n" + task + "\n" + end + "\n", "read 4 used 4 ignored map[] rejected map[]", "",
			""},
		{"other events", begin + "\n" + sqlStart + "\n" + `{"Event":"Odd Event!"}` + "\n" + sqlStart + "\n" + end,
			"read 5 used 2 ignored map[SparkListenerSQLExecutionStart:2 other event:1] rejected map[]", "", ""},
		{"the name of the event last",
			`{"Stage ID":0,"Task Info":{"Event":"x","Task ID":1,"Index":0},"Event":"SparkListenerTaskEnd"}` + "\n" +
				begin + "\n" + end,
			"read 3 used 3 ignored map[] rejected map[]", "", ""},
		{"blank lines, CRLF, byte-order mark", "\ufeff" + begin + "\r\n\r\n  \r\n" + end +
			"\r\n", "read 4 used 2 ignored map[blank line:2] rejected map[]", "", ""},
		{"a broken line in the middle", begin + "\n" + `{"Event":"SparkListenerJobStart",_"Job ID":0}` + "\n" + end +
			"\n",
			"read 3 used 2 ignored map[] rejected map[bad JSON:1]",
			`logs/app.log:2: bad JSON: byte 34 is '_', want a key`, ""},
		{"a broken line of another event", begin + "\n" + sqlStart[:len(sqlStart)-5] + "\n" + end + "\n",
			"read 3 used 2 ignored map[] rejected map[bad JSON:1]",
			`logs/app.log:2: bad JSON: the line does not end with '}'`, ""},
		{"text between the events", begin + "\nSLF4J: no binder\n" + end + "\n",
			"read 3 used 2 ignored map[] rejected map[bad JSON:1]", `logs/app.log:2: bad JSON: byte 1 is 'S', want '{'`,
			""},
		{"JSON without an event", begin + "\n" + `{"a":{"Event":"SparkListenerJobEnd"}}` + "\n" + end + "\n",
			"read 3 used 2 ignored map[] rejected map[not an event:1]",
			`logs/app.log:2: field "Event": not an event: the field is missing: is this a Spark event log?`, ""},
		{"a field of the wrong type", begin + "\n" + `{"Event":"SparkListenerJobEnd","Job ID":"7"}` + "\n" + end + "\n",
			"read 3 used 2 ignored map[] rejected map[bad field:1]",
			`logs/app.log:2: field "Job ID": bad field: want a whole number`, ""},
		{"a number out of range", begin + "\n" + `{"Event":"SparkListenerTaskStart","Stage ID":-1}` + "\n" + end + "\n",
			"read 3 used 2 ignored map[] rejected map[bad field:1]",
			`logs/app.log:2: field "Stage ID": bad field: want a number from 0 to 2^30`, ""},
		{"a field that is missing", begin + "\n" +
			`{"Event":"SparkListenerTaskStart","Stage ID":1,"Task Info":{"Index":3}}` + "\n" + end + "\n",
			"read 3 used 2 ignored map[] rejected map[missing field:1]",
			`logs/app.log:2: field "Task ID": missing field: without it the event belongs nowhere`, ""},
		{"the last line is cut", begin + "\n" + task + "\n" + `{"Event":"SparkListenerJobStart","Job`,
			"read 4 used 3 ignored map[cut-off line:1] rejected map[]", "", WarnEndsEarly +
				"|line 4, the last, is cut off"},
		{"the last line is cut in the name", begin + "\n" + `{"Event":"SparkList`,
			"read 2 used 1 ignored map[cut-off line:1] rejected map[]", "", WarnEndsEarly + "|line 2"},
		{"the last line, of another event, is cut", begin + "\n" + sqlStart[:90],
			"read 2 used 1 ignored map[cut-off line:1] rejected map[]", "", WarnEndsEarly + "|line 2"},
		{"the last line is garbage", begin + "\n" + end + "\nbye",
			"read 3 used 2 ignored map[] rejected map[bad JSON:1]", `logs/app.log:3: bad JSON: byte 1 is 'b', want '{'`,
			""},
		{"the last line is whole without a line end", begin + "\n" + end, "read 2 used 2 ignored map[] rejected map[]",
			"", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, o := readLog(t, []byte(test.content))
			if got := o.account(); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
			if len(o.rejects) > 1 || len(o.rejects) == 1 && o.rejects[0].Error() != test.reject ||
				len(o.rejects) == 0 && test.reject != "" {
				t.Errorf("rejects %v, want %s", o.rejects, test.reject)
			}
			if kind, text, ok := strings.Cut(test.warning, "|"); ok {
				o.wantWarning(t, kind, text)
			} else if o.warned(WarnEndsEarly, "") {
				t.Errorf("warnings %q", o.tally.Warnings)
			}
			if run.ID != "a" {
				t.Errorf("run %q, want a", run.ID)
			}
		})
	}
}

func TestNoApplication(t *testing.T) {
	tests := []struct {
		name, content, want string
		warns               bool
	}{
		{"empty", "", "read 0 used 0 ignored map[] rejected map[]", false},
		{"blank", "\n\n", "read 2 used 0 ignored map[blank line:2] rejected map[]", false},
		{"other events only", sqlStart + "\n", "read 1 used 0 ignored map[SparkListenerSQLExecutionStart:1] rejected " +
			"map[]", true},
		{"no log at all", "a,b,c\n1,2,3\n", "read 2 used 0 ignored map[] rejected map[bad JSON:2]", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := readFiles(t, source.BytesFile("x.log", []byte(test.content)))
			if got := o.account(); len(o.runs) > 0 || got != test.want ||
				o.warned(WarnNoApplication, "x.log") != test.warns {
				t.Errorf("%d runs, %s, warnings %q; want %s", len(o.runs), got, o.tally.Warnings, test.want)
			}
		})
	}
}

func TestTruncatedCompression(t *testing.T) {
	var log []string
	for i := range 2000 {
		log = append(log, tk{id: i, index: i, from: 1000 + i, to: 1100 + i}.both())
	}
	packed := compress(lines(append([]string{appStart("a", 900)}, log...)...))
	o := readFiles(t, source.BytesFile("a.gz", packed[:len(packed)/2]))
	if len(o.runs) != 1 || len(o.rejects) > 0 || len(o.runs[0].Attempts) < 100 || len(o.runs[0].Attempts) == 2000 {
		t.Fatalf("%d runs, rejects %v; want the part before the break", len(o.runs), o.rejects)
	}
	if o.tally.Ignored[IgnoredCut] != 1 {
		t.Errorf("ignored %v, want one cut-off line", o.tally.Ignored)
	}
	o.wantWarning(t, WarnEndsEarly, "a.gz: the compressed log breaks off after line")

	o = readFiles(t, source.BytesFile("b.gz", packed[:5]))
	if len(o.runs)+len(o.rejects) > 0 || o.tally.Read != 0 {
		t.Errorf("%d runs and %d rejects of a file that ends in its header", len(o.runs), len(o.rejects))
	}
	o.wantWarning(t, WarnEndsEarly, "b.gz")
}

func TestDuplicateID(t *testing.T) {
	log := lines(appStart("a", 1000), sqlStart, tk{from: 1100, to: 1000}.both(), execAdded("1", 1000, 2), appEnd(2000))
	o := readFiles(t, source.BytesFile("one", log), source.BytesFile("two", log))
	if len(o.runs) != 1 || len(o.rejects) != 1 {
		t.Fatalf("%d runs and rejects %v, want one of each", len(o.runs), o.rejects)
	}
	want := `two: field "App ID": duplicate id: "a" occurred before: is this a copy of another log?`
	if got := o.rejects[0].Error(); got != want {
		t.Errorf("reject %s\nwant %s", got, want)
	}
	if got, want := o.account(), "read 12 used 5 ignored map[SparkListenerSQLExecutionStart:2] rejected "+
		"map[duplicate id:5]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if o.tally.Repairs[RepairTaskEnd] != 1 || len(o.tally.Machines) != 1 {
		t.Errorf("repairs %v and %d machines: those of the refused run must not count", o.tally.Repairs,
			len(o.tally.Machines))
	}
}

func TestAttemptsOfOneApplication(t *testing.T) {
	start := func(n int) []byte {
		return lines(fmt.Sprintf(`{"Event":"SparkListenerApplicationStart","App Name":"x","App ID":"app","Timestamp":%d,"User":"u","App Attempt ID":"%d"}`, n*1000, n), appEnd(9000))
	}
	o := readFiles(t, source.BytesFile("app_1", start(1)), source.BytesFile("app_2", start(2)),
		source.BytesFile("copy", start(2)))
	if len(o.runs) != 2 || o.runs[0].ID != "app_1" || o.runs[1].ID != "app_2" || len(o.rejects) != 1 {
		t.Fatalf("%d runs and rejects %v, want attempts 1 and 2 and one reject", len(o.runs), o.rejects)
	}
	if o.runs[0].Seq != 0 || o.runs[1].Seq != 1 {
		t.Errorf("numbers %d and %d; want the order of the input", o.runs[0].Seq, o.runs[1].Seq)
	}
}

func TestInvalidUTF8(t *testing.T) {
	broken := strings.Replace(submit(0, 0, 1000, ""), `"Stage Name":"s0"`, "\"Stage Name\":\"caf\xe9\"", 1)
	run, o := readLog(t, lines(appStart("a", 900), broken, `{"Event":"SparkListenerX`+"\xff"+`"}`, appEnd(2000)))
	if got, want := run.Stages[0].Name, "caf\ufffd"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	if !maps.Equal(o.tally.Repairs, map[string]int64{RepairUTF8: 1}) {
		t.Errorf("repairs %v, want one %q", o.tally.Repairs, RepairUTF8)
	}
	if got, want := o.account(), "read 4 used 3 ignored map[other event:1] rejected map[]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Replace(submit(0, 0, 1000, ""), "{detail", strings.Repeat("x", 20<<20), 1)
	tooLong := `{"Event":"SparkListenerStageSubmitted","x":"` + strings.Repeat("x", source.MaxLine) + `"}`
	run, o := readLog(t, lines(appStart("a", 900), long, tooLong, appEnd(2000)))
	if len(run.Stages) != 1 || len(o.rejects) != 1 || o.rejects[0].Line != 3 {
		t.Errorf("%d stages, rejects %v; want the stage of line 2, and line 3 rejected", len(run.Stages), o.rejects)
	}
	if got, want := o.account(), "read 4 used 3 ignored map[] rejected map[line too long:1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLongListsOfStages(t *testing.T) {
	job := `{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1000,"Stage IDs":[1` +
		strings.Repeat(",1", maxStages) + `]}`
	_, o := readLog(t, lines(appStart("a", 900), job, appEnd(2000)))
	if len(o.rejects) != 1 || o.rejects[0].Line != 2 || o.rejects[0].Reason != source.ReasonTooMany ||
		o.rejects[0].Field != "Stage IDs" {
		t.Errorf("rejects %v", o.rejects)
	}
}

func TestSeveralLogsInOneFile(t *testing.T) {
	start := `{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}`
	o := readFiles(t, source.BytesFile("all", lines(start, appStart("a", 1000), submit(0, 0, 1000, ""), start,
		appStart("b", 5000), appEnd(6000))))
	if len(o.runs) != 2 || o.runs[0].ID != "a" || o.runs[1].ID != "b" || len(o.runs[1].Stages) != 0 {
		t.Errorf("runs %v, want a and b", o.runs)
	}
	run, o := readLog(t, lines(appStart("a", 1000), appEnd(2000), appStart("b", 5000), appEnd(6000)))
	if run.ID != "a" {
		t.Errorf("run %q, want a", run.ID)
	}
	o.wantWarning(t, WarnMerged, "1 other applications")
}

func TestStopAndCancel(t *testing.T) {
	var logs []*source.File
	for i := range 3 {
		logs = append(logs, source.BytesFile(fmt.Sprint(i), lines(appStart(fmt.Sprint("a", i), 1000), "{broken}",
			appEnd(2000))))
	}
	n := 0
	for range Read(context.Background(), logs, source.NewTally()) {
		if n++; n == 2 { // a reject, then a run
			break
		}
	}
	if n != 2 {
		t.Errorf("%d items, want the reader to stop after 2", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	n = 0
	for _, e := range Read(ctx, logs, source.NewTally()) {
		if n, err = n+1, e; n == 2 {
			cancel()
		}
	}
	if n != 3 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d items, the last %v; want the third to be context.Canceled", n, err)
	}
}

func TestUnreadableFile(t *testing.T) {
	for name, content := range map[string]string{"x.xz": "\xfd7zXZ\x00 and more",
		"x.gz": string(compress(lines(appStart("a", 1)))[:10]) + "no deflate stream at all"} {
		var last error
		for run, err := range Read(context.Background(), files(name, []byte(content)), source.NewTally()) {
			if last = err; run != nil {
				t.Errorf("%s: a run of damaged bytes", name)
			}
		}
		if last == nil || !strings.Contains(last.Error(), name) {
			t.Errorf("%s: error %v, want one that names the file", name, last)
		}
	}
}
