package jhist_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"racecard/datasets/jhist"
	"racecard/datasets/jsonl"
	"racecard/datasets/rumen"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

func TestRejects(t *testing.T) {
	for _, test := range []struct {
		name, content, reason, field string
		line, runs                   int
	}{
		{"broken line", head + submitted("") + "\n{\"type\":\n" + jobFinished(9000) + "\n", source.ReasonBadJSON, "", 4,
			1},
		{"not an object", head + submitted("") + "\n[1]\n", source.ReasonBadField, "", 4, 1},
		{"no event", head + submitted("") + "\n{\"type\":\"X\"}\n", source.ReasonMissing, "event", 4, 1},
		{"a second schema", head + submitted("") + "\n" + schema + "\n", source.ReasonMissing, "event", 4, 1},
		{"two classes", head + submitted("") + "\n" + `{"event":{"a":{},"b":{}}}` + "\n", source.ReasonMissing, "event",
			4, 1},
		{"no id", head + submitted("") + "\n" + event("JobFinished", `"finishTime":1`) + "\n", source.ReasonMissing,
			"jobid", 4, 1},
		{"bad task", head + submitted("") + "\n" + event("TaskStarted", `"taskid":"x"`) + "\n", source.ReasonBadField,
			"taskid", 4, 1},
		{"bad attempt", head + submitted("") + "\n" +
			event("TaskAttemptStarted", `"attemptId":"task_1_0001_m_000000"`) + "\n", source.ReasonBadField,
			"attemptId", 4, 1},
		{"another job", head + submitted("") + "\n" + event("TaskStarted", `"taskid":"task_1_0002_m_000000"`) +
			"\n", jhist.ReasonOtherJob, "jobid", 4, 1},
		{"wrong type", head + submitted("") + "\n" + event("JobFinished", `"jobid":"job_1_0001","finishTime":"x"`) +
			"\n", source.ReasonBadField, "finishTime", 4, 1},
		{"wrapped in another type", head + submitted("") + "\n" +
			event("JobQueueChange", `"jobid":"job_1_0001","jobQueueName":{"long":"q"}`) + "\n", source.ReasonBadField,
			"jobQueueName", 4, 1},
		{"wrapped in no type", head + submitted("") + "\n" +
			event("JobQueueChange", `"jobid":"job_1_0001","jobQueueName":{}`) + "\n", source.ReasonBadField,
			"jobQueueName", 4, 1},
		{"wrapped in two types", head + submitted("") + "\n" +
			event("JobQueueChange", `"jobid":"job_1_0001","jobQueueName":{"string":"q","long":1}`) + "\n",
			source.ReasonBadField, "jobQueueName", 4, 1},
		{"a fraction", head + submitted("") + "\n" + event("JobFinished", `"JobId":"job_1_0001","finishTime":1.5`) +
			"\n", source.ReasonBadField, "finishTime", 4, 1},
		{"negative count", head + submitted("") + "\n" + inited(-2, 0) + "\n", source.ReasonBadCount, "totalMaps", 4,
			1},
		{"huge count", head + submitted("") + "\n" + inited(1, 1<<40) + "\n", source.ReasonBadCount, "totalReduces", 4,
			1},
		{"not UTF-8", head + submitted("") + "\n" +
			event("JobQueueChange", "\"jobid\":\"job_1_0001\",\"jobQueueName\":\"\xff\"") + "\n", source.ReasonNotUTF8,
			"", 4, 1},
		{"cut off", head + submitted("") + "\n" + jobFinished(9000)[:50], source.ReasonTruncated, "", 4, 1},
		{"no header", submitted("") + "\n" + jobFinished(9000) + "\n", jhist.ReasonNoHeader, "", 1, 0},
		{"binary", "Avro-Binary\n" + schema + "\n\x00\x01", jhist.ReasonBinary, "", 1, 0},
	} {
		r := read(t, test.content)
		if len(r.Rejects) != 1 || len(r.Runs) != test.runs {
			t.Errorf("%s: %d runs, rejects %v", test.name, len(r.Runs), r.Rejects)
			continue
		}
		if got := r.Rejects[0]; got.Reason != test.reason || got.Field != test.field || got.Line != int64(test.line) ||
			got.File != "x.jhist" {
			t.Errorf("%s: got %v, want reason %q, field %q, line %d", test.name, got, test.reason, test.field,
				test.line)
		}
	}
}

func TestACopyIsRefusedWhole(t *testing.T) {
	content := log(submitted(""), inited(1, 0), jobFinished(9000))
	r := sourcetest.Read(t, jhist.Format(), source.BytesFile("a.jhist", []byte(content)), source.BytesFile("b.jhist",
		[]byte(content)))
	if len(r.Runs) != 1 || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonDuplicateID ||
		r.Rejects[0].File != "b.jhist" || r.Tally.Rejected[source.ReasonDuplicateID] != 3 || r.Tally.Used != 3 {
		t.Errorf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
}

func TestLogsBehindEachOther(t *testing.T) {
	one := log(submitted(""), inited(1, 0), jobFinished(9000))
	r := read(t, one+strings.ReplaceAll(one, "job_1_0001", "job_1_0002")+head)
	if len(r.Runs) != 2 || r.Runs[1].ID != "job_1_0002" || r.Runs[1].Seq != 1 || len(r.Rejects) != 0 ||
		r.Tally.Ignored[jhist.IgnoredHeader] != 6 {
		t.Errorf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
}

func TestEmptyFiles(t *testing.T) {
	for _, content := range []string{"", "\n\n", head, "Avro-Json"} {
		if r := read(t, content); len(r.Runs) != 0 || len(r.Rejects) != 0 {
			t.Errorf("%q: %d runs, rejects %v", content, len(r.Runs), r.Rejects)
		}
	}
}

func TestKindsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	for i := range 1000 {
		b.WriteString(event(fmt.Sprintf("Class%d", i), "") + "\n")
	}
	if r := read(t, b.String()); len(r.Tally.Ignored) > 102 || r.Tally.Read != 1002 ||
		r.Tally.Ignored[jhist.IgnoredOther] < 800 {
		t.Errorf("%d kinds, %d other", len(r.Tally.Ignored), r.Tally.Ignored[jhist.IgnoredOther])
	}
}

func TestCompressedFileThatBreaksOff(t *testing.T) {
	events := []string{submitted(""), inited(3000, 0)}
	for i := range 3000 {
		events = append(events, started(fmt.Sprintf("m_%06d_0", i), 3000+i*2654435761%100000, ""))
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, log(events...))
	_ = w.Close()
	for _, n := range []int{5, b.Len() / 2, b.Len() - 4} {
		r := sourcetest.Read(t, jhist.Format(), source.BytesFile("x.jhist.gz", b.Bytes()[:n]))
		if r.Err != nil || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated ||
			len(r.Tally.Warnings) == 0 {
			t.Errorf("%d of %d bytes: %d runs, rejects %v, warnings %v, %v", n, b.Len(), len(r.Runs), r.Rejects,
				r.Tally.Warnings, r.Err)
		}
		if n > 1000 && (len(r.Runs) != 1 || len(r.Runs[0].Attempts) < 500) {
			t.Errorf("%d of %d bytes: %d runs", n, b.Len(), len(r.Runs))
		}
	}
}

func TestFaultsEndTheStream(t *testing.T) {
	fault := errors.New("the disk is gone")
	if r := sourcetest.Read(t, jhist.Format(), source.NewFile("x", -1, func() (io.ReadCloser, error) {
		return nil, fault
	})); !errors.Is(r.Err, fault) {
		t.Errorf("got %v", r.Err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range jhist.Read(ctx, []*source.File{source.BytesFile("x", []byte(log(submitted(""))))},
		source.NewTally()) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		log(submitted("")): true, "\ufeffAvro-Json\r\n{": true, "\nAvro-Json\n": true, "Avro-Json": true,
		"Avro-Binary\n{}": true,
		"Avro-JsonX\n":    false, "": false, "{\"id\":1}": false, schema: false, submitted(""): false,
		"1 2 1 1\n": false, "Obj\x01": false,
		`{"jobID":"job_1_2","mapTasks":[]}`: false, `{"Event":"SparkListenerLogStart"}`: false, "!!FILE=x!!\n": false,
	} {
		if got := jhist.Format().Detect("x", []byte(head)); got != want {
			t.Errorf("Detect(%.40q) = %v", head, got)
		}
	}
	for _, other := range []source.Format{jsonl.Format(), swim.Format(), tr.Format(), spark.Format(), rumen.Format()} {
		if other.Detect("x", []byte(log(submitted("")))) {
			t.Errorf("%s takes the file for its own", other.Name)
		}
	}
}
