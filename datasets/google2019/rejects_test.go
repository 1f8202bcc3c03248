package google2019

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/alibaba2018"
	"racecard/datasets/google2011"
	"racecard/datasets/jsonl"
	pq "racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
	"racecard/datasets/wta"
)

const good = `{"time":700,"type":0,"collection_id":7}`

func TestRejects(t *testing.T) {
	const header = "time,type,collection_id,instance_index,resource_request,user\n"
	for _, test := range []struct{ content, reason, field string }{
		{`{"time":1,"type":0}` + "\n", source.ReasonNoID, "collection_id"},
		{`{"time":1,"type":0,"collection_id":"x"}` + "\n", source.ReasonBadNumber, "collection_id"},
		{`{"time":1,"type":0,"collection_id":-1}` + "\n", source.ReasonBadNumber, "collection_id"},
		{`{"time":1,"type":0,"collection_id":1.5}` + "\n", source.ReasonBadNumber, "collection_id"},
		{`{"type":0,"collection_id":1}` + "\n", source.ReasonMissing, "time"},
		{`{"time":"noon","type":0,"collection_id":1}` + "\n", source.ReasonBadNumber, "time"},
		{`{"time":9223372036854775806,"type":0,"collection_id":1}` + "\n", source.ReasonBadNumber, "time"},
		{`{"time":1,"collection_id":1}` + "\n", source.ReasonMissing, "type"},
		{`{"time":1,"type":11,"collection_id":1}` + "\n", source.ReasonBadEvent, "type"},
		{`{"time":1,"type":"START","collection_id":1}` + "\n", source.ReasonBadEvent, "type"},
		{`{"time":1,"type":0,"collection_id":1,"collection_type":2}` + "\n", source.ReasonBadEvent, "collection_type"},
		{`{"time":1,"type":0,"collection_id":1,"instance_index":-1}` + "\n", source.ReasonBadNumber, "instance_index"},
		{`{"time":1,"type":0,"collection_id":1,"machine_id":"m"}` + "\n", source.ReasonBadNumber, "machine_id"},
		{`{"time":1,"type":0,"collection_id":1,"resource_request":{"cpus":-1}}` + "\n", source.ReasonBadNumber,
			"resource_request.cpus"},
		{`{"time":1,"type":0,"collection_id":1,"resource_request":"{'memory': much}"}` + "\n", source.ReasonBadNumber,
			"resource_request.memory"},
		{`{"time":1,"type":0,"collection_id":1,"start_after_collection_ids":[1,"a"]}` + "\n", source.ReasonBadNumber,
			"start_after_collection_ids"},
		{`{"time":1,"type":0,"collection_id":1,"start_after_collection_ids":[1` + strings.Repeat(",1", maxIDs) +
			"]}\n", source.ReasonTooMany, "start_after_collection_ids"},
		{"{\"time\":1,\"type\":0,\"collection_id\":1,\"user\":\"a\x00b\"}\n", source.ReasonNotText, ""},
		{header + header + "1,0,7,,,a\x00b\n", source.ReasonNotText, ""}, // a second header is none
		{`{"time":1,"type":0,"collection_id":{}}` + "\n", source.ReasonBadNumber, "collection_id"},
		{`{"time":1 "type":0,"collection_id":1}` + "\n", source.ReasonBadJSON, ""},
		{`{"time":1,,"type":0,"collection_id":1}` + "\n", source.ReasonBadJSON, ""},
		{`{"time":1,"type":0,"collection_id":1}}` + "\n", source.ReasonBadJSON, ""},
		{`{"time":1,"type":0,"collection_id":1,"x":[1,{"a":}]}` + "\n", source.ReasonBadJSON, ""},
		{`{"time":1,"type":0,"collection_id":1,"x":` + strings.Repeat("[", 40) + "\n", source.ReasonBadJSON, ""},
		{`{"time":1,"type":0,"collection_id":1,"user":"\u00zz"}` + "\n", source.ReasonBadJSON, ""},
		{`{"time":1,"type":oh,"collection_id":1}` + "\n", source.ReasonBadJSON, ""},
		{"{\"time\":1,\"type\":0,\"collection_id\":1,\"user\":\"\xff\"}\n", source.ReasonNotUTF8, ""},
		{good + "\n" + `{"time":1,"type":0,"collec`, source.ReasonTruncated, ""},
		{good + "\nhello\n", source.ReasonBadJSON, ""},
		{header + "1,0,7,,\n", source.ReasonFields, ""},
		{header + "1,0,7,,,,\n", source.ReasonFields, ""},
		{header + "1,0,x,,,\n", source.ReasonBadNumber, "collection_id"},
		{header + "1,0,7,,\"{'cpus': 0.5\",\n", source.ReasonBadNumber, "resource_request"},
		{header + "1,0,7,,,\"a\"b\"\"\n", ReasonBadCSV, ""},
		{header + "1,0,7,,,\xff\n", source.ReasonNotUTF8, ""},
		{header + "1,0,7,,,ann\n1,0,7,,\"{'cpus'", source.ReasonTruncated, ""},
		{header + "1,0,7,,,ann\n1,0,7,,\"{'cpus': 1,\n\n 'mem", source.ReasonTruncated, ""},
		{header + "1,0,7,,,ann\n1,0,7", source.ReasonTruncated, ""},
		{header + "1,0,7,,," + strings.Repeat("a", maxRecord) + "\n", source.ReasonLineTooLong, ""},
	} {
		r := readFiles(t, test.content)
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1 || r.Err != nil {
			t.Errorf("%.120q: got %v, %v, want one of reason %q, field %q", test.content, r.Rejects, r.Err, test.reason,
				test.field)
		}
	}
	for _, content := range []string{"a,b,c\n1,2,3\n", "no header\n",
		string(pq.File(t, pq.Options{}, pq.Column{Name: "x", Rows: []any{1}}))} {
		if r := sourcetest.Read(t, Format(0), source.BytesFile("f", []byte(content))); r.Err == nil ||
			!strings.HasPrefix(r.Err.Error(), "f: ") {
			t.Errorf("%.20q: error %v, want one that names the file", content, r.Err)
		}
	}
	parquet := pq.File(t, pq.Options{}, pq.Column{Name: "time", Rows: []any{1, 2, nil}},
		pq.Column{Name: "type", Rows: []any{0, 12, 0}}, pq.Column{Name: "collection_id", Rows: []any{1, 1, 1}})
	r := readFiles(t, string(parquet))
	if len(r.Rejects) != 2 || r.Rejects[0].Line != 2 || r.Rejects[1].Line != 3 || r.Rejects[0].Field != "type" ||
		len(r.Rejects[0].Raw) == 0 {
		t.Errorf("rejects %v", r.Rejects)
	}
	if r := sourcetest.Read(t, Format(0), source.BytesFile("f", parquet[:len(parquet)-9])); r.Err == nil ||
		!strings.HasPrefix(r.Err.Error(), "f: ") {
		t.Errorf("a Parquet file that was cut off: %v", r.Err)
	}
}

func TestCompressedFileThatEndsEarly(t *testing.T) {
	for name, head := range map[string]string{"JSON": "", "CSV": "time,type,collection_id,note\n"} {
		text := head
		for i := range 5000 {
			if head == "" {
				text += fmt.Sprintf(`{"time":%d,"type":0,"collection_id":%d}`+"\n", 700+i, i*104729)
			} else {
				text += fmt.Sprintf("%d,0,%d,\"[%d\n\n %d\n]\"\n", 700+i, i*104729, i*7919, i*31)
			}
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for cut := range 12 { // inside records, at different places
			r := readFiles(t, string(b.Bytes()[:b.Len()-4000-cut]))
			if r.Err != nil || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated ||
				r.Tally.Used < 1000 || len(r.Tally.Warnings) != 1 {
				t.Errorf("%s, %d: %v, rejects %v, %d used", name, cut, r.Err, r.Rejects, r.Tally.Used)
			}
		}
	}
}

// A quote that should not be there costs the records it hides, and no more than a few lines are rejected for it.
func TestQuoteThatNeverCloses(t *testing.T) {
	var b strings.Builder
	b.WriteString("time,type,collection_id,note\n1,0,1,\"\n")
	const n = 20_000 // more than maxRecord
	for i := range n {
		fmt.Fprintf(&b, "%d,0,%d,a note of some length\n", 700+i, i+2)
	}
	if r := readFiles(t, b.String()); len(r.Rejects) != 1 || r.Rejects[0].Reason != ReasonQuote || len(r.Runs) != n {
		t.Errorf("%d runs, rejects %v", len(r.Runs), r.Rejects)
	}
	// In the middle of records that span lines, reading gets into step again.
	content := "time,type,collection_id,note\n1,0,1,\"a\n b\"\n2,0,\"2,x\n3,0,3,\"a\n b\"\n4,0,4,\"a\n b\"\n"
	if r := readFiles(t, content); len(r.Runs) != 3 || len(r.Rejects) != 1 || r.Rejects[0].Line != 4 {
		t.Errorf("%d runs, rejects %v", len(r.Runs), r.Rejects)
	}
}

func TestDetect(t *testing.T) {
	small := string(pq.File(t, pq.Options{}, pq.Column{Name: "time", Rows: []any{1}},
		pq.Column{Name: "type", Rows: []any{0}}, pq.Column{Name: "collection_id", Rows: []any{1}}))
	workflows := string(pq.File(t, pq.Options{}, pq.Column{Name: "id", Rows: []any{1}}, pq.Column{Name: "workflow_id",
		Rows: []any{0}}, pq.Column{Name: "ts_submit", Rows: []any{1}}))
	big := small[:50] + strings.Repeat("\x00", source.HeadSize-50)
	for _, test := range []struct {
		name, head string
		want       bool
	}{
		{"x.json", good + "\n", true},
		{"x.json", "\ufeff" + `{"collection_id": "7", "instance_index": "1", "type": "3", "time": "0", "x` +
			strings.Repeat("y", 99), true},
		{"x.json", `{"time":0,"machine_id":3,"type":1,"switch_id":"s"}`, true},
		{"x.json", `{"id":"r7","stages":[{"tasks":1}]}`, false},
		{"x.json", `{"Event":"SparkListenerLogStart","time":1}`, false},
		{"x.json", `{"total_workflows": 3, "total_tasks": 2}`, false},
		{"x.csv", ",time,instance_events_type,collection_id,scheduling_class\n", true},
		{"x.csv", "collection_id,time,type\r\n", true},
		{"x.csv", "time,type,job_id\n", false},
		{"x.csv", "M1,1,j,,Terminated,1,2,3,4\n", false},
		{"x.csv", "0,,3418309,0,70s3v5,3,IHgt=,wAmg=\n", false},
		{"x.parquet", small, true},
		{"x.parquet", workflows, false},
		{"instance_events-000000000000.parquet", big, true},
		{"exports/collection_events/000.parquet", big, true},
		{"x.parquet", big, false},
		{"empty", "", false},
	} {
		if got := detect(test.name, []byte(test.head)); got != test.want {
			t.Errorf("%s, %.80q: %v", test.name, test.head, got)
		}
	}
	names, rows := table()
	for _, f := range []source.Format{alibaba2018.Format(0), google2011.Format(0), jsonl.Format(), spark.Format(),
		swim.Format(), tr.Format(), wta.Format(0)} {
		for _, content := range []string{good, csvOf(names, rows, []int{0, 1, 2, 3, 4, 5}), small} {
			if f.Detect("x", []byte(content)) {
				t.Errorf("%s takes %.80q", f.Name, content)
			}
		}
	}
}
