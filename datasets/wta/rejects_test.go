package wta

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/alibaba2018"
	"racecard/datasets/jsonl"
	pq "racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
	"racecard/datasets/trace"
)

func TestUnknownParentsAndCycles(t *testing.T) {
	r := readAll(t, file(t, "tasks",
		pq.Column{Name: "id", Rows: []any{1, 2, 3, 4, -8123456789012345678}},
		pq.Column{Name: "workflow_id", Rows: []any{1, 1, 1, 1, 2}},
		pq.Column{Name: "ts_submit", Rows: []any{0, 0, 0, 0, 0}},
		pq.Column{Name: "runtime", Rows: []any{1, 1, -1, 1, -5}},
		pq.Column{Name: "parents", List: "item", Rows: []any{[]any{2}, []any{1, 99}, []any{3, 1, 1},
			[]any{-8123456789012345678}, nil}}))
	run := r.Runs[0]
	if got := edges(run); got != "1>2 1>3" {
		t.Errorf("edges %s", got)
	}
	if n := r.Tally.Repairs; n[RepairUnknownParent] != 2 || n[RepairCycle] != 2 || n[RepairNegative] != 1 {
		t.Errorf("repairs %v", n)
	}
	if run.Status != trace.StatusUnknown || len(run.Attempts) != 3 || r.Runs[1].ID != "2" ||
		r.Runs[1].Stages[0].Name != "-8123456789012345678" {
		t.Errorf("runs %+v, %+v", run, r.Runs[1])
	}
}

func TestAcyclicAgainstItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + rng.IntN(7)
		var all []trace.Edge
		for range rng.IntN(15) {
			all = append(all, trace.Edge{Parent: int32(rng.IntN(n)), Child: int32(rng.IntN(n))})
		}
		kept := acyclic(n, all)
		if _, _, ok := trace.Topological(n, kept); !ok {
			t.Fatalf("%v leaves a cycle in %v", kept, all)
		}
		// Each edge that was dropped would close a cycle again.
		for _, e := range all {
			if !slices.Contains(kept, e) {
				if _, _, ok := trace.Topological(n, append(slices.Clone(kept), e)); ok {
					t.Errorf("%v was dropped from %v for nothing", e, all)
				}
			}
		}
	}
}

func TestRejects(t *testing.T) {
	base := func(column pq.Column) []pq.Column {
		columns := []pq.Column{{Name: "id", Rows: []any{1, 2}}, {Name: "workflow_id", Rows: []any{1, 1}},
			{Name: "ts_submit", Rows: []any{0, 0}}, {Name: "runtime", Rows: []any{1, 1}}}
		if i := slices.IndexFunc(columns, func(c pq.Column) bool { return c.Name == column.Name }); i >= 0 {
			columns[i] = column
			return columns
		}
		return append(columns, column)
	}
	for _, test := range []struct {
		column        pq.Column
		reason, field string
	}{
		{pq.Column{Name: "id", Rows: []any{1, nil}}, source.ReasonNoID, "id"},
		{pq.Column{Name: "id", Type: pq.Double, Rows: []any{1.0, math.NaN()}}, source.ReasonNoID, "id"},
		{pq.Column{Name: "id", Type: pq.Text, Rows: []any{"a", "\xff"}}, source.ReasonNotUTF8, "id"},
		{pq.Column{Name: "id", Rows: []any{1, 1}}, source.ReasonDuplicateTask, "id"},
		{pq.Column{Name: "workflow_id", Rows: []any{1, nil}}, ReasonNoWorkflow, "workflow_id"},
		{pq.Column{Name: "ts_submit", Type: pq.Text, Rows: []any{"0", "noon"}}, ReasonBadValue, "ts_submit"},
		{pq.Column{Name: "ts_submit", Rows: []any{0, math.MaxInt64}}, ReasonBadValue, "ts_submit"},
		{pq.Column{Name: "runtime", Type: pq.Double, Rows: []any{0.0, math.Inf(1)}}, ReasonBadValue, "runtime"},
		{pq.Column{Name: "memory_requested", Type: pq.Double, Rows: []any{0.0, 1e300}}, ReasonBadValue,
			"memory_requested"},
	} {
		r := readAll(t, file(t, "f", base(test.column)...))
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line != 2 ||
			r.Rejects[0].File != "f" || len(r.Rejects[0].Raw) == 0 || len(r.Runs) != 1 {
			t.Errorf("%+v: got %v, %d runs, want a reject of reason %q, field %q", test.column, r.Rejects, len(r.Runs),
				test.reason, test.field)
		}
	}
	workflows := file(t, "w", pq.Column{Name: "id", Rows: []any{1, 1}}, pq.Column{Name: "ts_submit", Rows: []any{1, 2}},
		pq.Column{Name: "task_count", Rows: []any{0, 0}})
	if r := readAll(t, workflows); len(r.Rejects) != 1 || r.Rejects[0].Reason != ReasonTwice ||
		r.Runs[0].Submit != 1000 {
		t.Errorf("a workflow that occurs twice: %v", r.Rejects)
	}
	for content, reason := range map[string]string{`{"total_tasks": 3, "auth`: source.ReasonTruncated,
		`{"total_tasks": {}}`: source.ReasonBadJSON, "{]": source.ReasonBadJSON} {
		if r := readAll(t, source.BytesFile(infoName, []byte(content))); len(r.Rejects) != 1 ||
			r.Rejects[0].Reason != reason {
			t.Errorf("%s: %v", content, r.Rejects)
		}
	}
}

func TestDescription(t *testing.T) {
	r := readAll(t, source.BytesFile(infoName, []byte("\ufeff"+
		`{"total_workflows": 3, "total_tasks": 5.0, "authors": ["A", "B"], "workload_description": "d"}`)),
		file(t, "tasks", diamond()...))
	if h := r.Tally.Header; !slices.Equal(h, []string{"description: d", "authors: A, B"}) {
		t.Errorf("header %q", h)
	}
	if w := r.Tally.Warnings; len(w) != 1 || !strings.Contains(w[0], "says 3 workflows; there are 2") {
		t.Errorf("warnings %v", w)
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	good := pq.File(t, pq.Options{}, diamond()...)
	for name, content := range map[string][]byte{"cut": good[:len(good)-20], "half": good[:len(good)/2],
		"text": []byte("id,workflow_id\n1,2\n"), "short": []byte("PAR1")} {
		r := sourcetest.Read(t, Format(0), source.BytesFile(name, content))
		if r.Err == nil || !strings.HasPrefix(r.Err.Error(), name+": ") {
			t.Errorf("%s: error %v, want one that names the file", name, r.Err)
		}
	}
	// A page in the middle.
	at := strings.Index(string(good), "\x15") + 40
	for i := at; i < at+100; i++ {
		bad := slices.Clone(good)
		bad[i] ^= 0xff
		if r := sourcetest.Read(t, Format(0), source.BytesFile("f", bad)); r.Err != nil &&
			!strings.HasPrefix(r.Err.Error(), "f: ") {
			t.Errorf("byte %d: error %v does not name the file", i, r.Err)
		}
	}
}

func TestDetect(t *testing.T) {
	tasks := pq.File(t, pq.Options{}, diamond()...)
	big := append(slices.Clone(tasks[:100]), make([]byte, source.HeadSize)...)
	other := pq.File(t, pq.Options{}, pq.Column{Name: "job_id", Rows: []any{1}},
		pq.Column{Name: "stage", Rows: []any{1}})
	for _, test := range []struct {
		name string
		head []byte
		want bool
	}{
		{"any.parquet", tasks, true},
		{"trace/tasks/schema-1.0/part.0.parquet", big[:source.HeadSize], true},
		{"trace/task-states/schema-1.0/part.0.parquet", big[:source.HeadSize], true},
		{"surf/tasks.parquet", big[:source.HeadSize], true},
		{"x.tar:surf/tasks.parquet", big[:source.HeadSize], true},
		{"part.0.parquet", big[:source.HeadSize], false},
		{"store/tasks/part-00000.parquet", other, false},
		{"store/tasks/part-00000.parquet", big[:source.HeadSize], false},
		{"tasks.parquet", other, false},
		{"tasks.parquet", []byte("id,duration\n"), false},
		{"workload/schema-1.0/generic_information.json", []byte(`{"total_workflows": 3`), true},
		{"info.json", []byte(`{"total_workflows": 3, "total_tasks": 2}`), true},
		{"info.json", []byte(`{"id": "r7", "stages": []}`), false},
		{"a.csv", []byte("M1,1,j,,Terminated,1,2,3,4\n"), false},
		{"empty", nil, false},
	} {
		if got := detect(test.name, test.head); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	for _, f := range []source.Format{alibaba2018.Format(0), jsonl.Format(), spark.Format(), swim.Format(),
		tr.Format()} {
		if f.Detect("tasks.parquet", tasks) || f.Detect(infoName, []byte(`{"total_workflows": 3, "total_tasks": 2}`)) {
			t.Errorf("%s takes our files", f.Name)
		}
	}
}
