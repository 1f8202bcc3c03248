package google2011

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/alibaba2018"
	"racecard/datasets/jsonl"
	"racecard/datasets/source"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

func TestRejects(t *testing.T) {
	const jobs, tasks, usage, machines = "job_events/p.csv", "task_events/p.csv", "task_usage/p.csv",
		"machine_events/p.csv"
	for _, test := range []struct{ file, row, reason, field string }{
		{jobs, "1,,7,0,u,0,J\n", source.ReasonFields, ""},
		{jobs, "1,,7,0,u,0,J,L,\n", source.ReasonFields, ""},
		{jobs, "1,,,0,u,0,J,L\n", source.ReasonNoID, "job ID"},
		{jobs, "1,,x,0,u,0,J,L\n", source.ReasonBadNumber, "job ID"},
		{jobs, "1,,-7,0,u,0,J,L\n", source.ReasonBadNumber, "job ID"},
		{jobs, "1,,7,9,u,0,J,L\n", source.ReasonBadEvent, "event type"},
		{jobs, "1,,7,,u,0,J,L\n", source.ReasonBadEvent, "event type"},
		{jobs, "soon,,7,0,u,0,J,L\n", source.ReasonBadNumber, "time"},
		{jobs, "-1,,7,0,u,0,J,L\n", source.ReasonBadNumber, "time"},
		{jobs, "9223372036854775806,,7,0,u,0,J,L\n", source.ReasonBadNumber, "time"},
		{jobs, "1,,7,0,u\xff,0,J,L\n", source.ReasonNotUTF8, ""},
		{jobs, "1,,7,0,u,0,J,L\n2,,7,1,u", source.ReasonTruncated, ""},
		{tasks, "1,,7,0,m,9,u,2,9,0.5,0.25,0.1,0\n", source.ReasonBadEvent, "event type"},
		{tasks, "1,,7,-1,m,1,u,2,9,0.5,0.25,0.1,0\n", source.ReasonBadNumber, "task index"},
		{tasks, "1,,7,3000000000,m,1,u,2,9,0.5,0.25,0.1,0\n", source.ReasonBadNumber, "task index"},
		{tasks, "1,,7,0,m,1,u,2,9,half,0.25,0.1,0\n", source.ReasonBadNumber, "CPU request"},
		{tasks, "1,,7,0,m,1,u,2,9,0.5,-1,0.1,0\n", source.ReasonBadNumber, "memory request"},
		{tasks, "1,,7,0,m,1,u,2,9,0.5,NaN,0.1,0\n", source.ReasonBadNumber, "memory request"},
		{tasks, "1,,7,0,m,1,u,2,9,1e300,0.5,0.1,0\n", source.ReasonBadNumber, "CPU request"},
		{usage, "1,x,7,0,m,0.1,0.1,0,0,0,0,0,0,0,0,,,1,1,0\n", source.ReasonBadNumber, "end time"},
		{usage, "1,2,7,0,m,0.1,0x1,0,0,0,0,0,0,0,0,,,1,1,0\n", source.ReasonBadNumber, "canonical memory usage"},
		{usage, "1,2,7,0,m,0.1,0.1\n", source.ReasonFields, ""},
		{machines, "1,10,3,P,1,1\n", source.ReasonBadEvent, "event type"},
		{machines, "1,,0,P,1,1\n", source.ReasonNoID, "machine ID"},
		{machines, "1,10,0,P,1\n", source.ReasonFields, ""},
		{machines, "1,10,0,P,1,much\n", source.ReasonBadNumber, "memory capacity"},
		{machines, "1,10,0,P,\xff,1\n", source.ReasonNotUTF8, ""},
		{machines, "1,10,0,P,1,1\n2,10,1,P,1", source.ReasonTruncated, ""},
	} {
		r := readFiles(t, test.file, test.row)
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1 || r.Err != nil {
			t.Errorf("%q: got %v, want one of reason %q, field %q", test.row, r.Rejects, test.reason, test.field)
		}
	}
}

// zipped compresses a text and cuts the end off.
func zipped(t *testing.T, text string, cut int) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return string(b.Bytes()[:b.Len()-cut])
}

func TestCompressedFileThatEndsEarly(t *testing.T) {
	for file, row := range map[string]func(i int) string{
		"job_events/p.csv.gz": func(i int) string {
			return fmt.Sprintf("%d,,%d,0,u%d,0,J,L\n", 700+i, i*7919, i*104729)
		},
		"machine_events/p.csv.gz": func(i int) string {
			return fmt.Sprintf("%d,%d,0,P%d,0.5,0.5\n", 700+i, i*7919, i*104729)
		},
	} {
		var text string
		for i := range 5000 {
			text += row(i)
		}
		if r := readFiles(t, file, zipped(t, text, 0)); r.Err != nil || len(r.Rejects) != 0 || r.Tally.Used != 5000 {
			t.Errorf("%s: whole: %v, tally %+v", file, r.Err, r.Tally)
		}
		r := readFiles(t, file, zipped(t, text, 5000))
		if r.Err != nil || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated ||
			r.Tally.Used < 1000 || len(r.Tally.Warnings) != 1 {
			t.Errorf("%s: cut: %v, rejects %v, %d used", file, r.Err, r.Rejects, r.Tally.Used)
		}
	}
}

func TestHeadersAndLineEnds(t *testing.T) {
	rows := taskRow(700, 0, "", 0) + taskRow(800, 0, "m", 1)
	plain := readFiles(t, "task_events/p.csv", rows).One(t)
	plain.Seq = 0
	want := fmt.Sprintf("%+v", *plain)
	for name, content := range map[string]string{
		"CRLF":          strings.ReplaceAll(rows, "\n", "\r\n"),
		"header with #": "#Time stamp (microseconds),Missing info,jobID\n" + rows,
		"header without #": "time,missing info,job ID,task index,machine ID,event " +
			"type,user,class,priority,cpu,mem,disk,different\n" + rows,
		"byte-order mark":        "\ufeff" + rows,
		"no line end at the end": strings.TrimSuffix(rows, "\n"),
		"blank lines":            "\n" + strings.ReplaceAll(rows, "\n", "\n\n"),
	} {
		for _, file := range []string{"task_events/p.csv", "p.csv"} {
			run := readFiles(t, file, content).One(t)
			run.Seq = 0
			if got := fmt.Sprintf("%+v", *run); got != want {
				t.Errorf("%s as %s: %s, want %s", name, file, got, want)
			}
			if !Format(0).Detect(file, []byte(content)) {
				t.Errorf("%s as %s is not recognised", name, file)
			}
		}
	}
}

func TestTables(t *testing.T) {
	jobs, tasks, usage := jobRow(700, 0), taskRow(700, 0, "m", 1), usageRow(1, 2, 0, "0.1", "0.1")
	machine, attribute, constraint := "0,10,0,P+=,0.5,0.25\n", "0,10,attr=,3,0\n", "0,7,0,attr=,1,3\n"
	for _, test := range []struct {
		name, head string
		want       table
	}{
		{"x.csv", jobs, tableJobs},
		{"x.csv", tasks, tableTasks},
		{"x.csv", usage, tableUsage},
		{"x.csv", "#header\n" + machine, tableMachines},
		{"x.csv", attribute, tableAttributes},
		{"a/machine_events/part-00000-of-00001.csv.gz", machine, tableMachines},
		{"a.tar:task_constraints/part-0.csv", constraint, tableConstraints},
		{"task-usage-sample-1.csv", usage, tableUsage},
		{"C:\\trace\\Task_Events\\part-0.csv", tasks, tableTasks},
		{"task_events/part-0.csv", jobs, tableUnknown},
		{"task_events/part-0.csv", "# nothing yet\n", tableTasks},
		{"x.csv", "# nothing yet\n", tableUnknown},
		{"x.csv", "0,10,0,4,0.5,0.25\n", tableUnknown},
		{"x.csv", "0,10,0,P,12,0.25\n", tableUnknown},
		{"x.csv", "M1,1,j,,Terminated,1,2,3,4\n", tableUnknown},
		{"x.csv", "1,0,a,0,0,0,0,0\n", tableUnknown},
		{"x.csv", "39600,1,21.9,38.9,42.4,5.6,5.9,6.1\n", tableUnknown},
		{"job_events.csv", "", tableUnknown},
	} {
		if got := sniff(test.name, []byte(test.head)); got != test.want {
			t.Errorf("%s, %q: table %d, want %d", test.name, test.head, got, test.want)
		}
	}
	for _, f := range []source.Format{alibaba2018.Format(0), jsonl.Format(), spark.Format(), swim.Format(),
		tr.Format()} {
		for _, content := range []string{jobs, tasks, usage, machine} {
			if f.Detect("x.csv", []byte(content)) {
				t.Errorf("%s takes %q", f.Name, content)
			}
		}
	}
}
