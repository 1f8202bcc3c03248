package jsonl_test

import (
	"strings"
	"testing"

	"racecard/datasets/jsonl"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, jsonl.Format(), source.BytesFile("x.jsonl", []byte(content)))
}

// The line of the package's documentation, with its edges.
const documented = `{"id":"r7","name":"nightly-index","user":"ann","group":"search","submit_s":0,"start_s":1,"end_s":9,"status":"succeeded",` +
	`"guaranteed":50,"input_bytes":1e9,"shuffle_bytes":2e8,"output_bytes":1e6,"reads":["a"],"writes":["b"],` +
	`"stages":[{"name":"map","tasks":2,"duration_s":1.0,"cpu":0.04},` +
	`{"name":"join","durations_s":[1,1.5,1],"cpu":0.21,"mem":1e9},` +
	`{"name":"sum","tasks":1,"duration_s":0.1,"estimate_s":0.2,"parents":[0,1],"edge":"all_to_all","after":[]}],` +
	`"tasks":[{"stage":0,"task":0,"attempt":0,"queued_s":0,"start_s":1,"end_s":2,"status":"succeeded","machine":"m1"}]}` + "\n"

func TestDocumentedLine(t *testing.T) {
	r := read(t, documented)
	if len(r.Runs) != 1 {
		t.Fatalf("rejects %v", r.Rejects)
	}
	run := r.Runs[0]
	if run.ID != "r7" || run.Name != "nightly-index" || run.User != "ann" || run.Group != "search" || run.Submit != 0 ||
		run.Start != 1e6 || run.End != 9e6 || run.Status != trace.Succeeded || run.Guaranteed != 50 ||
		run.InputBytes != 1e9 ||
		run.ShuffleBytes != 2e8 || run.OutputBytes != 1e6 {
		t.Errorf("run %+v", run)
	}
	if len(run.IO) != 2 || run.IO[0].Dataset != "a" || run.IO[0].Write || run.IO[1].Dataset != "b" ||
		!run.IO[1].Write || run.IO[0].At.Known() {
		t.Errorf("io %+v", run.IO)
	}
	if len(run.Stages) != 3 || run.Stages[1].Tasks != 3 || run.Stages[1].Demand[trace.Mem] != 1e9 ||
		run.Stages[2].EstimateS != 0.2 {
		t.Errorf("stages %+v", run.Stages)
	}
	if len(run.Edges) != 2 || run.Edges[1] != (trace.Edge{Parent: 1, Child: 2, Kind: trace.AllToAll}) {
		t.Errorf("edges %+v", run.Edges)
	}
	// One listed attempt of stage 0; stages 1 and 2 are not listed and take their attempts from their durations: 1 + 3
	// + 1.
	if len(run.Attempts) != 5 {
		t.Fatalf("%d attempts, want 5", len(run.Attempts))
	}
	if a := run.Attempts[0]; a.Duration != 1e6 || a.Queued != 0 || a.Machine != "m1" || a.Speculative != trace.TriNull {
		t.Errorf("attempt %+v", a)
	}
	if a := run.Attempts[2]; a.Stage != 1 || a.Task != 1 || a.Duration != 1_500_000 || a.Status != trace.Succeeded ||
		a.Start.Known() {
		t.Errorf("attempt %+v", a)
	}
}

func TestParentsInAnyOrder(t *testing.T) {
	r := read(t, `{"id":"r","stages":[{"name":"last","tasks":1,"parents":[2],"edge":"one_to_one"},{"name":"first","tasks":1},{"name":"mid","tasks":1,"parents":[1],"after":[1]}],`+
		`"tasks":[{"stage":0,"task":0,"start_s":5,"end_s":6}]}`+"\n")
	if len(r.Runs) != 1 {
		t.Fatalf("rejects %v", r.Rejects)
	}
	run := r.Runs[0]
	if run.Stages[0].Name != "first" || run.Stages[1].Name != "mid" || run.Stages[2].Name != "last" {
		t.Errorf("stages %+v", run.Stages)
	}
	want := []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}, {Parent: 0, Child: 1, Kind: trace.Driver},
		{Parent: 1, Child: 2, Kind: trace.OneToOne}}
	for i := range want {
		if len(run.Edges) != 3 || run.Edges[i] != want[i] {
			t.Fatalf("edges %v, want %v", run.Edges, want)
		}
	}
	if a := run.Attempts[0]; a.Stage != 2 || a.Status != trace.Succeeded {
		t.Errorf("the attempt did not move with its stage: %+v", a)
	}
}

func TestStatusAndNulls(t *testing.T) {
	r := read(t, `{"id":"a","end_s":1,"stages":[]}`+"\n"+`{"id":"b","stages":[{"tasks":null}]}`+"\n"+
		`{"id":"c","status":"running"}`+"\n")
	if len(r.Runs) != 3 {
		t.Fatalf("rejects %v", r.Rejects)
	}
	if r.Runs[0].Status != trace.Succeeded || r.Runs[1].Status != trace.StatusUnknown ||
		r.Runs[2].Status != trace.Running {
		t.Error("status left out means succeeded when end_s is given, else unknown")
	}
	if s := r.Runs[1].Stages[0]; s.Tasks != trace.None {
		t.Errorf("a null number of tasks became %d", s.Tasks)
	}
	if run := r.Runs[1]; run.InputBytes != trace.None || run.Submit.Known() || run.Guaranteed != trace.None {
		t.Errorf("fields left out are not null: %+v", run)
	}
}

func TestEndBeforeStartIsRepaired(t *testing.T) {
	r := read(t, `{"id":"r","start_s":5,"end_s":1,"stages":[{"tasks":1,"start_s":3,"end_s":2}],"tasks":[{"stage":0,"task":0,"start_s":3,"end_s":0}]}`+"\n")
	if len(r.Runs) != 1 || r.Tally.Repairs[jsonl.RepairEndBeforeStart] != 3 {
		t.Fatalf("repairs %v, rejects %v", r.Tally.Repairs, r.Rejects)
	}
	run := r.Runs[0]
	if run.End.Known() || run.Stages[0].End.Known() || run.Attempts[0].End.Known() || run.Attempts[0].Duration.Known() {
		t.Errorf("an end before its start was kept: %+v", run)
	}
}

// More tasks than can be counted are not said to be too few.
func TestTooManyTasks(t *testing.T) {
	r := read(t, `{"id":"r","stages":[{"tasks":4294967296}]}`)
	if want := "4294967296 tasks, want at most 2147483647"; len(r.Rejects) != 1 || !strings.Contains(r.Rejects[0].Detail, want) {
		t.Errorf("%+v, want %q", r.Rejects, want)
	}
}

func TestRejects(t *testing.T) {
	for _, test := range []struct{ line, reason, field string }{
		{`{"id":"r","stagess":[]}`, source.ReasonBadJSON, "stagess"},
		{`{"id":"r","stages":[{"tasks":1,"cpus":1}]}`, source.ReasonBadJSON, "cpus"},
		{`{"id":"r","submit_s":"now"}`, source.ReasonBadJSON, "submit_s"},
		{`{"id":"r","stages":[{"tasks":1,"parents":["a"]}]}`, source.ReasonBadJSON, "stages.parents"},
		{`{"id":"r","submit_s":NaN}`, source.ReasonBadJSON, ""},
		{`{"id":"r","submit_s":1e999}`, source.ReasonBadJSON, "submit_s"},
		{`{"id":"r"} {"id":"s"}`, source.ReasonBadJSON, ""},
		{`{"id":"r","input_bytes":1.5}`, source.ReasonBadJSON, "input_bytes"},
		{`{"id":"r","guaranteed":"9"}`, source.ReasonBadJSON, "guaranteed"},
		{`{"id":"r","stages":[{"tasks":1.5}]}`, source.ReasonBadJSON, "stages.tasks"},
		{`{"name":"x"}`, source.ReasonMissing, "id"},
		{`{"id":"r","reads":[""]}`, source.ReasonMissing, "reads[0]"},
		{`{"id":"r","stages":[{"name":"x"}]}`, source.ReasonMissing, "stages[0].tasks"},
		{`{"id":"r","stages":[{"tasks":1}],"tasks":[{"stage":0}]}`, source.ReasonMissing, "tasks[0].stage"},
		{`{"id":"r","submit_s":1e17}`, source.ReasonBadTime, "submit_s"},
		{`{"id":"r","stages":[{"tasks":1,"duration_s":-1}]}`, jsonl.ReasonBadDuration, "stages[0].duration_s"},
		{`{"id":"r","stages":[{"tasks":1},{"durations_s":[1,-2]}]}`, jsonl.ReasonBadDuration,
			"stages[1].durations_s[1]"},
		{`{"id":"r","stages":[{"tasks":1,"estimate_s":-2}]}`, jsonl.ReasonBadDuration, "stages[0].estimate_s"},
		{`{"id":"r","stages":[{"duration_s":1,"durations_s":[1]}]}`, jsonl.ReasonBadDuration, "stages[0].duration_s"},
		{`{"id":"r","stages":[{"tasks":0}]}`, source.ReasonBadCount, "stages[0].tasks"},
		{`{"id":"r","stages":[{"tasks":-3}]}`, source.ReasonBadCount, "stages[0].tasks"},
		{`{"id":"r","stages":[{"durations_s":[]}]}`, source.ReasonBadCount, "stages[0].durations_s"},
		{`{"id":"r","stages":[{"tasks":2,"durations_s":[1]}]}`, source.ReasonBadCount, "stages[0].durations_s"},
		{`{"id":"r","stages":[{"tasks":2000000000,"duration_s":1}]}`, source.ReasonBadCount, "stages[0].tasks"},
		{`{"id":"r","stages":[{"durations_s":[1` + strings.Repeat(",1", 1<<20) + `]}]}`, source.ReasonBadCount,
			"stages[0].tasks"},
		{`{"id":"r","tasks":[{}` + strings.Repeat(",{}", source.MaxObjects) + `]}`, source.ReasonTooMany, ""},
		{`{"id":"r","input_bytes":-1}`, source.ReasonBadCount, "input_bytes"},
		{`{"id":"r","stages":[{"tasks":1}],"tasks":[{"stage":0,"task":1}]}`, source.ReasonBadCount, "tasks[0].task"},
		{`{"id":"r","stages":[{"tasks":1}],"tasks":[{"stage":0,"task":-1}]}`, source.ReasonBadCount, "tasks[0].task"},
		{`{"id":"r","status":"done"}`, jsonl.ReasonBadStatus, "status"},
		{`{"id":"r","stages":[{"tasks":1,"edge":"driver"}]}`, jsonl.ReasonBadEdge, "stages[0].edge"},
		{`{"id":"r","stages":[{"tasks":1,"cpu":-1}]}`, jsonl.ReasonBadDemand, "stages[0].cpu"},
		{`{"id":"r","stages":[{"tasks":1,"parents":[7]}]}`, jsonl.ReasonUnknownParent, "stages[0].parents[0]"},
		{`{"id":"r","stages":[{"tasks":1,"after":[-1]}]}`, jsonl.ReasonUnknownParent, "stages[0].after[0]"},
		{`{"id":"r","stages":[{"tasks":1,"parents":[1]},{"tasks":1,"parents":[0]}]}`, source.ReasonCycle,
			"stages[1].parents"},
		{`{"id":"r","stages":[{"tasks":1,"parents":[0]}]}`, source.ReasonCycle, "stages[0].parents"},
		{`{"id":"r","stages":[],"tasks":[{"stage":0,"task":0}]}`, jsonl.ReasonUnknownStage, "tasks[0].stage"},
		{`{"id":"r","stages":[{"tasks":1}],"tasks":[{"stage":0,"task":0},{"stage":0,"task":0}]}`, jsonl.ReasonDuplicate,
			"tasks"},
		{"{\"id\":\"r\",\"name\":\"\xff\"}", source.ReasonNotUTF8, ""},
		{`{"id":"r"}` + "\n" + `{"id":"r"}`, source.ReasonDuplicateID, "id"},
	} {
		r := read(t, test.line+"\n")
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field {
			t.Errorf("%.200s: got %v, want one of reason %q, field %q", test.line, r.Rejects, test.reason, test.field)
		}
	}
	if r := read(t, `{"id":"r"}`+"\n"+`{"id":"s","na`); len(r.Rejects) != 1 ||
		r.Rejects[0].Reason != source.ReasonTruncated || len(r.Runs) != 1 {
		t.Errorf("a cut last line: %v", r.Rejects)
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		documented: true, `{"name":"x","id":"r"}`: true, `{"stages":[{"name":"id"}],"id":"r"`: true, "": false,
		"[]": false, `{"name":"id"}`: false, `{"name":"Event","id":"r"}`: true, "1 2 3 4": false,
		`{"Event":"SparkListenerLogStart","id":1}`: false, `{"stages":[{"id":1}]}`: false,
	} {
		if got := jsonl.Format().Detect("x", []byte(head)); got != want {
			t.Errorf("Detect(%.40q) = %v", head, got)
		}
	}
	if !jsonl.Format().Detect("x", []byte(documented[:300])) {
		t.Error("a head that ends inside the first line is not recognised")
	}
}

func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name           string
		runs, attempts int
	}{
		// the README: durations of single tasks are not available
		{"spark-recurring-jsonl/spark-recurring.jsonl.gz", 213, 0},
	} {
		r := sourcetest.Read(t, jsonl.Format(), sourcetest.SharedFile(t, test.name))
		n := 0
		for _, run := range r.Runs {
			n += len(run.Attempts)
		}
		if len(r.Runs) != test.runs || n != test.attempts || len(r.Rejects) != 0 {
			t.Errorf("%s: %d runs, %d attempts, rejects %v; want %d, %d", test.name, len(r.Runs), n, r.Rejects,
				test.runs, test.attempts)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(documented))
	for _, seed := range []string{
		"", "{}", `{"id":"r","stages":[{"tasks":1,"parents":[0]}]}`,
		`{"id":"r","stages":[{"tasks":3,"duration_s":1,"parents":[]}]}`,
		`{"id":"r","submit_s":5,"end_s":1}`, `{"id":"r","stages":[{"tasks":1,"cpu":1e308}]}`,
		`{"id":"r","input_bytes":9223372036854775807}`,
		`{"id":"r","stages":[{"durations_s":[0.1]},{"tasks":null,"duration_s":1,"parents":[0],"after":[0],"edge":"one_to_one"}]}`,
		`{"id":"r","stages":[{"tasks":2}],"tasks":[{"stage":0,"task":0,"attempt":1,"start_s":1,"end_s":2,"duration_s":9,"spare":true}]}`,
		strings.Repeat("[", 1000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		sourcetest.Read(t, jsonl.Format(), source.BytesFile("fuzz", content))
	})
}

// The error for an unknown field sends the reader to the list of fields, which holds those of every kind of record.
func TestFieldsAreListed(t *testing.T) {
	list := strings.Join(jsonl.Format().Fields, "\n")
	for _, field := range []string{"guaranteed", "durations_s", "queued_s", "net_out"} {
		if !strings.Contains(list, field) {
			t.Errorf("%s is not in\n%s", field, list)
		}
	}
}
