package wfformat

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"racecard/datasets/jsonl"
	"racecard/datasets/rumen"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

func TestRejects(t *testing.T) {
	for _, test := range []struct{ name, content, reason, field string }{
		{"no object", "[1]", source.ReasonBadField, ""},
		{"text", "hello", source.ReasonBadJSON, ""},
		{"no workflow", `{"name":"x","schemaVersion":"1.5"}`, ReasonNoWorkflow, "workflow"},
		{"null", "null", ReasonNoWorkflow, "workflow"},
		{"no tasks", `{"workflow":{"specification":{"tasks":[]}}}`, ReasonNoTasks, "workflow.tasks"},
		{"null for the workflow", `{"workflow":null}`, ReasonNoTasks, "workflow.tasks"},
		{"workflow is a list", `{"workflow":[]}`, source.ReasonBadField, "workflow"},
		{"tasks are an object", `{"workflow":{"tasks":{}}}`, source.ReasonBadField, "workflow.tasks"},
		{"a task is a number", `{"workflow":{"tasks":[{"id":"a"},5]}}`, source.ReasonBadField, "workflow.tasks[1]"},
		{"a runtime is text", change(t, instance, `"runtimeInSeconds": 1.25`, `"runtimeInSeconds": "long"`),
			source.ReasonBadField, "workflow.execution.tasks[3]"},
		{"a parent is a number", change(t, instance, `["b", "c"], "children": []`, `[1], "children": []`),
			source.ReasonBadField, "workflow.specification.tasks[0]"},
		{"a date is a number", change(t, instance, `"2020-12-25T20:10:08+00:00"`, "5"), source.ReasonBadField,
			"workflow.execution.executedAt"},
		{"a broken file", change(t, instance, `{"id": "log", "sizeInBytes": 2}`, `{"id" "log"}`), source.ReasonBadJSON,
			"workflow.specification.files[6]"},
		{"a task without id", change(t, instance, `"name": "join", "id": "d"`, `"title": "join"`), source.ReasonMissing,
			"workflow.specification.tasks[0].id"},
		{"a task twice", change(t, instance, `"id": "b", "parents"`, `"id": "a", "parents"`),
			source.ReasonDuplicateTask, "workflow.specification.tasks[2].id"},
		{"a cycle", change(t, instance, `"parents": []`, `"parents": ["d"]`), source.ReasonCycle,
			"workflow.specification.tasks[0].parents"},
		{"its own parent", change(t, instance, `"parents": []`, `"parents": ["a"]`), source.ReasonCycle,
			"workflow.specification.tasks[1].parents"},
		{"its own parent in 1.2", `{"workflow":{"jobs":[{"name":"x","parents":["x"]}]}}`, source.ReasonCycle,
			"workflow.tasks[0].parents"},
		{"not UTF-8", change(t, instance, "made by hand", "made by \xff"), source.ReasonNotUTF8, ""},
		{"too many tasks", `{"workflow":{"tasks":[{}` + strings.Repeat(",{}", maxElements) +
			`]}}`, source.ReasonTooMany, fmt.Sprintf("workflow.tasks[%d]", maxElements)},
		{"too deep", `{"x":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `,"workflow":{}}`,
			source.ReasonBadJSON, "x"},
		{"cut off", instance[:len(instance)-20], source.ReasonTruncated, ""},
		{"cut off in a list", before(instance, `"work", "id": "b"`), source.ReasonTruncated, ""},
		{"cut off between", before(instance, `"execution"`), source.ReasonTruncated, ""},
	} {
		r := read(t, test.content)
		if len(r.Rejects) != 1 || len(r.Runs) != 0 || r.Tally.Read != 1 {
			t.Errorf("%s: %d runs, rejects %v", test.name, len(r.Runs), r.Rejects)
			continue
		}
		if got := r.Rejects[0]; got.Reason != test.reason || got.Field != test.field ||
			got.File != "dir/diamond-001.json.gz" {
			t.Errorf("%s: got %v, want reason %q, field %q", test.name, got, test.reason, test.field)
		}
		if early := test.reason == source.ReasonTruncated; early != (len(r.Tally.Warnings) == 1) {
			t.Errorf("%s: warnings %v", test.name, r.Tally.Warnings)
		}
	}
}

func TestWhatStandsBehindTheDocument(t *testing.T) {
	for _, more := range []string{"}", " {}", "x", "\n" + instance} {
		r := read(t, instance+more)
		if len(r.Runs) != 1 || len(r.Rejects) != 1 || r.Rejects[0].Reason != ReasonTrailing || r.Tally.Read != 2 {
			t.Errorf("%.10q: %d runs, rejects %v", more, len(r.Runs), r.Rejects)
		}
	}
	for _, blank := range []string{"", " ", "\n\r\n\t"} {
		if r := read(t, instance+blank); len(r.Runs) != 1 || len(r.Rejects) != 0 {
			t.Errorf("%q: %d runs, rejects %v", blank, len(r.Runs), r.Rejects)
		}
		if r := read(t, blank); len(r.Runs) != 0 || len(r.Rejects) != 0 || r.Tally.Read != 0 {
			t.Errorf("%q alone: %d runs, rejects %v", blank, len(r.Runs), r.Rejects)
		}
	}
}

// Variants of an instance that must not make a difference.
func TestVariants(t *testing.T) {
	execution := instance[strings.Index(instance, `"execution"`):strings.Index(instance, "  },\n  \"runtimeSystem\"")]
	specification := instance[strings.Index(instance, `"specification"`):strings.Index(instance,
		",\n    \"execution\"")]
	want, _ := one(t, instance)
	for name, content := range map[string]string{
		"CRLF":            change(t, instance, "\n", "\r\n"),
		"one line":        change(t, instance, "\n", " "),
		"byte-order mark": "\ufeff" + instance,
		"execution first": `{"workflow": {` + execution + "," + specification + `}, "name": "diamond-0"}`,
		"unknown fields":  change(t, instance, `"id": `, `"metrics": {"a": [1, {"b": null}]}, "id": `),
		"older names":     change(t, instance, `"coreCount": 1,`, `"cores": 1,`),
		"null for unknowns": change(t, instance, `"avgCPU": 190.3`,
			`"avgCPU": 190.3, "coreCount": null, "memoryInBytes": null`),
	} {
		run, _ := one(t, content)
		if run.Name != want.Name || run.Start != want.Start || run.End != want.End ||
			run.InputBytes != want.InputBytes || !slices.Equal(run.Edges, want.Edges) ||
			!slices.Equal(run.IO, want.IO) || len(run.Attempts) != 4 {
			t.Errorf("%s: %+v, want %+v", name, run, want)
		}
	}
}

func TestIDs(t *testing.T) {
	files := func(names ...string) (out []*source.File) {
		for _, n := range names {
			out = append(out, source.BytesFile(n, []byte(instance)))
		}
		return out
	}
	for _, test := range []struct{ names, want []string }{
		{[]string{"a/x-001.json", "b/x-002.json.gz"}, []string{"x-001", "x-002"}},
		{[]string{"run1/w.json", "run2/w.json", "v.json"}, []string{"run1/w", "run2/w", "v"}},
		{[]string{"a/b/w.json", "c/b/w.json", "w.json"}, []string{"a/b/w", "c/b/w", "w"}},
		{[]string{"t.tar:a/w.json", "t.tar:b/w.json"}, []string{"a/w", "b/w"}},
		{[]string{".json", "x.JSON", "/w.json", "/w.json"}, []string{"workflow", "x", "w", "w"}},
	} {
		if got := source.Labels(files(test.names...), runID); !slices.Equal(got, test.want) {
			t.Errorf("%v are %v, want %v", test.names, got, test.want)
		}
	}
	r := sourcetest.Read(t, Format(), files("w.json", "w.json")...)
	if len(r.Runs) != 1 || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonDuplicateID {
		t.Errorf("the same file twice: %d runs, rejects %v", len(r.Runs), r.Rejects)
	}
}

func TestElementsThatAreTooLong(t *testing.T) {
	long := change(t, instance, "made by hand", strings.Repeat("x", 1<<16))
	for size, want := range map[int]bool{1 << 14: false, 1 << 20: true} {
		d := newDecoder(strings.NewReader(long), size)
		_, err := d.document()
		if (err == nil) != want || err != nil && !errors.Is(err, errTooLong) {
			t.Errorf("at most %d bytes: %v", size, err)
		}
	}
	// Many elements are no long one.
	var b strings.Builder
	b.WriteString(`{"other":[` + strings.Repeat("[1,2],", 10_000) + `0],"workflow":{"tasks":[{"id":"t"}`)
	for i := range 2000 {
		fmt.Fprintf(&b, `,{"id":"t%d","parents":["t"]}`, i)
	}
	b.WriteString("]}}")
	d := newDecoder(strings.NewReader(b.String()), 1<<13)
	doc, err := d.document()
	if err != nil || len(doc.tasks) != 2001 {
		t.Errorf("%d tasks, %v", len(doc.tasks), err)
	}
}

func TestUTF8AcrossChunks(t *testing.T) {
	for text, want := range map[string]bool{"aä€😀z": true, "a\xff": false, "ä\xe2\x82": false, "\x80": false,
		"é\xc3": false, "": true, "\xed\xa0\x80": false} {
		l := &limit{r: iotest.OneByteReader(strings.NewReader(text)), left: 100, size: 100}
		_, _ = io.ReadAll(l)
		if got := utf8Whole(l); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		l = &limit{r: strings.NewReader(text), left: 100, size: 100}
		_, _ = io.ReadAll(l)
		if got := utf8Whole(l); got != want {
			t.Errorf("%q at once: %v, want %v", text, got, want)
		}
	}
}

func TestFilesThatBreakOff(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, instance)
	_ = w.Close()
	for n, runs := range map[int]int{5: 0, b.Len() / 2: 0, b.Len() - 4: 1} {
		r := read(t, string(b.Bytes()[:n]))
		if r.Err != nil || len(r.Runs) != runs || len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated {
			t.Errorf("%d of %d bytes: %d runs, rejects %v, %v", n, b.Len(), len(r.Runs), r.Rejects, r.Err)
		}
	}
	fault := errors.New("the disk is gone")
	for _, f := range []*source.File{
		source.NewFile("x", -1, func() (io.ReadCloser, error) { return nil, fault }),
		source.NewFile("x", -1, func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(instance[:500]), iotest.ErrReader(fault))), nil
		}),
	} {
		if r := sourcetest.Read(t, Format(), f); !errors.Is(r.Err, fault) {
			t.Errorf("got %v", r.Err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range Read(ctx, []*source.File{source.BytesFile("x", []byte(instance))}, source.NewTally()) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		instance: true, old: true, instance[:600]: true, "\ufeff\r\n" + instance: true,
		`{"runtimeSystem":{"name":"P"},"schemaVersion":"1.5","description":"` + strings.Repeat("x", 100): true,
		`{"workflow":{"makespan":1,`: true, `{"workflow":{"name":"x","jobs":[`: true,
		`{"workflow":{"steps":[]}}`: false, `{"workflow":"x"}`: false, `{"schemaVersion":"1.2","parameters":{}}`: false,
		`{"name":"x"}`:           false,
		`{"id":"r","stages":[]}`: false, `{"Event":"SparkListenerLogStart"}`: false,
		`{"jobID":"job_1_2","mapTasks":[]}`: false, "Avro-Json\n{}": false,
		"[]": false, "": false, "{": false, "null": false, "1 2 1 1": false, "<adag>": false, `{"workflow":{`: false,
	} {
		if got := Format().Detect("x", []byte(head)); got != want {
			t.Errorf("Detect(%.60q) = %v", head, got)
		}
	}
	for _, other := range []source.Format{jsonl.Format(), swim.Format(), tr.Format(), spark.Format(), rumen.Format()} {
		if other.Detect("x", []byte(instance)) || other.Detect("x", []byte(old)) {
			t.Errorf("%s takes the file for its own", other.Name)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		instance, old, "", "{}", `{"workflow":{"execution":{"execution":{"execution":{}}}}}`,
		`{"":{"":1},"workflow":{"":[],"tasks":[{"id":""}]}}`,
		`{"workflow":{"tasks":[{"name":"a","memory":1e308,"runtime":1e-300,"bytesRead":1e308,"files":[{"name":"x","size":1e300}]}],"makespan":1e12,"executedAt":"9999-12-31T23:59:59Z"}}`,
		`{"workflow":{"tasks":[{"id":"a","children":["b"]},{"id":"b","children":["a"]}]}}`,
		`{"workflow":{"tasks":[{"name":"a"},{"name":"a","id":"b","parents":["a"]}]}}` + "]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		Format().Detect("fuzz", content)
		sourcetest.Read(t, Format(), source.BytesFile("fuzz.json", content))
	})
}

// before returns what stands before a text.
func before(content, text string) string {
	content, _, _ = strings.Cut(content, text)
	return content
}
