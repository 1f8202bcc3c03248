package rumen

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"racecard/datasets/jsonl"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

// jobs are n small jobs with a separator behind each.
func jobs(n int, separator string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, small+"%s", i, "", separator)
	}
	return b.String()
}

func ids(r *sourcetest.Result) string {
	var ids []string
	for _, run := range r.Runs {
		ids = append(ids, strings.TrimPrefix(run.ID, "job_1_"))
	}
	return strings.Join(ids, " ")
}

// Variants of a trace that must not make a difference.
func TestVariants(t *testing.T) {
	for name, content := range map[string]string{
		"a job a line":      jobs(3, "\n"),
		"all on one line":   " " + jobs(3, " "),
		"nothing between":   jobs(3, ""),
		"CRLF":              jobs(3, "\r\n"),
		"blank lines":       "\n\n" + jobs(3, "\n\n\t\n"),
		"byte-order mark":   "\ufeff" + jobs(3, "\n"),
		"pretty":            strings.NewReplacer(`,`, ",\n  ", "{", "{\n", "}", "\n}").Replace(jobs(3, "\n")),
		"pretty, no indent": strings.NewReplacer(`,`, ",\n", "{", "\n{\n", "}", "\n}").Replace(jobs(3, "\n")),
		"one JSON array":    "[" + strings.TrimSuffix(jobs(3, ","), ",") + "]",
		"other field order": strings.NewReplacer(`"jobID"`, `"priority":"NORMAL","jobID"`, `,"outcome":"SUCCESS"}`,
			`}`, `"submitTime"`, `"outcome":"SUCCESS","submitTime"`).Replace(jobs(3, "\n")),
		"nested lists inside": strings.ReplaceAll(jobs(3, "\n"), `"totalMaps"`,
			`"failedMapAttemptCDFs":[{"maximum":1,"rankings":[{"datum":1}]}],"totalMaps"`),
	} {
		r := read(t, content)
		if ids(r) != "0 1 2" || len(r.Rejects) != 0 || r.Tally.Read != 3 || len(r.Tally.Warnings) != 0 {
			t.Errorf("%s: runs %s, rejects %v, warnings %v", name, ids(r), r.Rejects, r.Tally.Warnings)
		}
		if r.Runs[2].Seq != 2 {
			t.Errorf("%s: seq %d", name, r.Runs[2].Seq)
		}
	}
}

func TestRejects(t *testing.T) {
	job := func(i int, more string) string { return fmt.Sprintf(small, i, more) + "\n" }
	for _, test := range []struct {
		name, content, reason, field string
		line                         int64
		runs                         string
	}{
		{"no job", job(0, "") + `{"a":{}}` + "\n" + job(2, ""), source.ReasonMissing, "jobID", 2, "0 2"},
		{"wrong type", job(0, "") + strings.Replace(job(1, ""), "1000", `"x"`, 1) + job(2, ""), source.ReasonBadField,
			"submitTime", 2, "0 2"},
		{"wrong type inside", job(1, `"mapTasks":[{"attempts":[{"startTime":1.5}]}],`), source.ReasonBadField,
			"mapTasks.attempts.startTime", 1, ""},
		{"negative count", strings.Replace(job(1, ""), `"totalMaps":1`, `"totalMaps":-2`, 1), source.ReasonBadCount,
			"totalMaps", 1, ""},
		{"huge count", strings.Replace(job(1, ""), `"totalReduces":0`, `"totalReduces":99999999999`, 1),
			source.ReasonBadCount, "totalReduces", 1, ""},
		{"no end", job(0, "") + strings.TrimSuffix(job(1, ""), "}\n") + "\n" + job(2, ""), source.ReasonBadJSON, "", 2,
			"0 2"},
		{"no closing quote", job(0, "") + strings.Replace(job(1, ""), `SUCCESS"`, `SUCCESS`, 1) + job(2, ""),
			source.ReasonBadJSON, "", 2, "0 2"},
		{"no comma", job(0, "") + strings.Replace(job(1, ""), `,"submit`, `"submit`, 1) + job(2, ""),
			source.ReasonBadJSON, "", 2, "0 2"},
		{"mixed brackets", job(0, "") + `{"jobID":["a"}}` + "\n" + job(2, ""), source.ReasonBadJSON, "", 2, "0 2"},
		{"text between", job(0, "") + "WARN: rolled {over}\n\nmore\n" + job(2, ""), source.ReasonBadJSON, "", 2, "0 2"},
		{"brackets", job(0, "") + "[[[[]]]]\n" + job(2, ""), source.ReasonBadJSON, "", 2, "0 2"},
		{"a closing bracket", job(0, "") + "]\n" + job(2, ""), source.ReasonBadJSON, "", 2, "0 2"},
		{"too many objects", job(0, "") + job(1, `"otherTasks":[{}`+strings.Repeat(",{}", source.MaxObjects)+"],"),
			source.ReasonTooMany, "", 2, "0"},
		{"text at the end", job(0, "") + "}}", source.ReasonBadJSON, "", 2, "0"},
		{"twice", job(0, "") + job(1, "") + job(0, ""), source.ReasonDuplicateID, "jobID", 3, "0 1"},
		{"not UTF-8", job(0, "") + job(1, "\"user\":\"\xff\","), source.ReasonNotUTF8, "", 2, "0"},
		{"cut off", job(0, "") + "\n" + job(1, "")[:40], source.ReasonTruncated, "", 3, "0"},
		{"cut off in pretty print", job(0, "") + sample[:len(sample)/2], source.ReasonTruncated, "", 2, "0"},
		{"an early end in pretty print", job(0, "") + strings.Replace(sample, `"submitTime"`, `} "submitTime"`, 1) +
			job(2, ""), source.ReasonBadJSON, "", 2, "0 2"},
	} {
		r := read(t, test.content)
		if ids(r) != test.runs || len(r.Rejects) == 0 {
			t.Errorf("%s: runs %q, rejects %v", test.name, ids(r), r.Rejects)
			continue
		}
		if got := r.Rejects[0]; got.Reason != test.reason || got.Field != test.field || got.Line != test.line ||
			got.File != "x.json" {
			t.Errorf("%s: got %v, want reason %q, field %q, line %d", test.name, got, test.reason, test.field,
				test.line)
		}
		if early := test.reason == source.ReasonTruncated; early != (len(r.Tally.Warnings) == 1) {
			t.Errorf("%s: warnings %v", test.name, r.Tally.Warnings)
		}
	}
}

func TestObjectsThatAreTooLong(t *testing.T) {
	var rejects []*source.Reject
	var runs int
	tally := source.NewTally()
	r := reader{Output: source.Output{Ctx: t.Context(), Tally: tally, Yield: collect(&runs, &rejects),
		IDs: source.NewIDs()}, known: map[string]bool{}}
	content := jobs(2, "\n") + fmt.Sprintf(small, 5, `"user":"`+strings.Repeat("x", 1<<20)+`",`) + "\n" +
		fmt.Sprintf(small, 6, "")
	if !r.readObjects(source.BytesFile("f", nil), strings.NewReader(content), 1000) {
		t.Error("the reader gave up")
	}
	if runs != 3 || len(rejects) != 1 || rejects[0].Reason != source.ReasonObjectTooLong || rejects[0].Line != 3 {
		t.Errorf("%d runs, rejects %v", runs, rejects)
	}
	if err := tally.Close(); err != nil {
		t.Error(err)
	}
}

// Of what is no object only as much is kept as a reject shows.
func TestStrayTextIsNotKept(t *testing.T) {
	o := newObjects(strings.NewReader(strings.Repeat("stray { ", 1<<17)+"\n"+fmt.Sprintf(small, 6, "")), maxObject)
	if c, line, ok := o.next(); c != stray || line != 1 || !ok || len(o.buf) != maxStray {
		t.Errorf("condition %d in line %d, %d bytes kept", c, line, len(o.buf))
	}
	if c, line, ok := o.next(); c != whole || line != 2 || !ok {
		t.Errorf("condition %d in line %d", c, line)
	}
}

func TestCompressedFileThatBreaksOff(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for i := range 3000 {
		fmt.Fprintf(w, small+"\n", i, fmt.Sprintf(`"user":"u%x",`, i*2654435761))
	}
	_ = w.Close()
	for _, n := range []int{5, b.Len() / 2, b.Len() - 4} {
		r := sourcetest.Read(t, Format(), source.BytesFile("x.json.gz", b.Bytes()[:n]))
		if r.Err != nil || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated ||
			len(r.Tally.Warnings) != 1 {
			t.Errorf("%d of %d bytes: %d runs, rejects %v, warnings %v, %v", n, b.Len(), len(r.Runs), r.Rejects,
				r.Tally.Warnings, r.Err)
		}
		if n > 1000 && len(r.Runs) < 500 {
			t.Errorf("%d of %d bytes: only %d runs", n, b.Len(), len(r.Runs))
		}
	}
	broken := bytes.Clone(b.Bytes())
	broken[b.Len()/2] ^= 0xff
	if r := sourcetest.Read(t, Format(), source.BytesFile("x.json.gz", broken)); r.Err == nil && len(r.Rejects) == 0 {
		t.Error("a flipped byte goes unnoticed")
	}
}

func TestFaultsEndTheStream(t *testing.T) {
	fault := errors.New("the disk is gone")
	for _, f := range []*source.File{
		source.NewFile("x", -1, func() (io.ReadCloser, error) { return nil, fault }),
		source.NewFile("x", -1, func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(jobs(2, "\n")+`{"jobID"`), failing{fault})), nil
		}),
	} {
		if r := sourcetest.Read(t, Format(), f); !errors.Is(r.Err, fault) {
			t.Errorf("got %v", r.Err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range Read(ctx, []*source.File{source.BytesFile("x", []byte(sample))}, source.NewTally()) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		sample: true, sample[:400]: true, " \n" + jobs(1, ""): true, "\ufeff" + jobs(1, ""): true, "[" +
			jobs(1, ""): true,
		`{"mapTasks":[{"startTime":1,"attempts":[`:                                      true,
		`{"user":"a","mapTasks":[],"reduceTasks":[],"totalMaps":0,"outcome":"SUCCESS"}`: true,
		`{ "name" : "<root>", "children" : [ {`:                                         true,
		`{"name":"root","children":[]}`:                                                 false,
		`{"id":"r7","name":"nightly-index","user":"ann"}`:                               false,
		`{"Event":"SparkListenerLogStart","Spark Version":"3.5"}`:                       false,
		`{"name":"w","schemaVersion":"1.5","workflow":{"specification":{"tasks":[]}}}`:  false,
		"Avro-Json\n{\"type\":\"record\"}\n{\"type\":\"AM_STARTED\",\"event\":{}}":      false,
		`{"jobid":"application_1","user":"u","vc":"v","status":"Pass","attempts":[]}`:   false,
		`{"priority":1,"user":"u","queue":"q","jobName":"n"}`:                           false,
		`{"type":"record","name":"Event"}`:                                              false,
		"1 5 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1":                                false,
		"": false, "{": false, "{}": false, "[]": false, "null": false, "!!FILE=x_job_1_conf.xml!!\n": false,
	} {
		if got := Format().Detect("x", []byte(head)); got != want {
			t.Errorf("Detect(%.60q) = %v", head, got)
		}
	}
	for _, other := range []source.Format{jsonl.Format(), swim.Format(), tr.Format(), spark.Format()} {
		if other.Detect("x", []byte(sample)) || other.Detect("x", []byte(jobs(1, ""))) {
			t.Errorf("%s takes the file for its own", other.Name)
		}
	}
}
