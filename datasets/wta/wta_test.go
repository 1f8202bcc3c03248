package wta

import (
	"math"
	"slices"
	"strings"
	"testing"

	pq "racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// file writes columns as a file.
func file(t testing.TB, name string, columns ...pq.Column) *source.File {
	t.Helper()
	return source.BytesFile(name, pq.File(t, pq.Options{}, columns...))
}

// read reads files and puts the runs in the order of the input.
func readAll(t testing.TB, files ...*source.File) *sourcetest.Result {
	t.Helper()
	r := sourcetest.Read(t, Format(0), files...)
	slices.SortFunc(r.Runs, func(a, b *trace.Run) int { return int(a.Seq - b.Seq) })
	return r
}

// edges writes the edges of a run by names of stages.
func edges(run *trace.Run) string {
	var out []string
	for _, e := range run.Edges {
		out = append(out, run.Stages[e.Parent].Name+">"+run.Stages[e.Child].Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// stage returns a stage and its attempt by name.
func stage(t *testing.T, run *trace.Run, name string) (trace.Stage, *trace.Attempt) {
	t.Helper()
	i := slices.IndexFunc(run.Stages, func(s trace.Stage) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("run %s has no stage %q", run.ID, name)
	}
	for k := range run.Attempts {
		if int(run.Attempts[k].Stage) == i {
			return run.Stages[i], &run.Attempts[k]
		}
	}
	return run.Stages[i], nil
}

// diamond is a workflow of four tasks and one of a single task, their rows mixed.
func diamond() []pq.Column {
	return []pq.Column{
		{Name: "id", Rows: []any{1, 9, 2, 3, 4}},
		{Name: "workflow_id", Rows: []any{7, 8, 7, 7, 7}},
		{Name: "ts_submit", Rows: []any{1000, 5000, 1000, 1000, 1000}},
		{Name: "runtime", Rows: []any{2000, 1, 3000, 1000, 500}},
		{Name: "wait_time", Rows: []any{0, -1, 2000, 2500, 5000}},
		{Name: "parents", List: "item", Rows: []any{nil, nil, []any{1}, []any{1}, []any{2, 3}}},
		{Name: "children", Type: pq.Double, List: "element", Rows: []any{[]any{2.0, 3.0}, []any{}, []any{4.0},
			[]any{4.0}, nil}},
		{Name: "resource_type", Type: pq.Text, Rows: []any{"core", "gpu", "cpu", "thread", "Cores"}},
		{Name: "resource_amount_requested", Type: pq.Double, Rows: []any{1.0, 2.0, 0.5, 4.0, -1.0}},
		{Name: "memory_requested", Rows: []any{100, -1, 200, nil, 400}},
		{Name: "user_id", Type: pq.Int32, Rows: []any{5, -1, 5, 5, -1}},
		{Name: "group_id", Type: pq.Int32, Rows: []any{1, 2, 2, -1, -1}},
		{Name: "resource_used", Type: pq.Text, Rows: []any{"[]", "12", "", "-1", "m"}},
	}
}

func TestWorkflow(t *testing.T) {
	r := readAll(t, file(t, "tasks", diamond()...),
		file(t, "workflows", pq.Column{Name: "id", Rows: []any{7}}, pq.Column{Name: "ts_submit", Rows: []any{900}},
			pq.Column{Name: "task_count", Type: pq.Int32, Rows: []any{4}}, pq.Column{Name: "application_name",
				Type: pq.Text, Rows: []any{"Montage"}}))
	if len(r.Runs) != 2 || r.Tally.Used != 6 || len(r.Tally.Warnings) != 0 || len(r.Tally.Repairs) != 0 {
		t.Fatalf("%d runs, %v, tally %+v", len(r.Runs), r.Err, r.Tally)
	}
	run, single := r.Runs[0], r.Runs[1]
	if run.ID != "7" || run.Name != "Montage" || run.Submit != 900e3 || run.Start != 1e6 || run.End != 6.5e6 ||
		run.Status != trace.Succeeded ||
		run.User != "5" || run.Group != "" {
		t.Errorf("run %+v", run)
	}
	if got, want := edges(run), "1>2 1>3 2>4 3>4"; got != want || run.Edges[0].Kind != trace.OneToOne {
		t.Errorf("edges %s, want %s", got, want)
	}
	s, a := stage(t, run, "3")
	if s.Tasks != 1 || s.Submit != 1e6 || s.Start != 3.5e6 || s.End != 4.5e6 || s.Demand[trace.CPU] != 4 ||
		!math.IsNaN(s.Demand[trace.Mem]) ||
		a.Queued != 1e6 || a.Start != 3.5e6 || a.Duration != 1e6 || a.Status != trace.Succeeded || a.Machine != "" {
		t.Errorf("stage %+v, attempt %+v", s, a)
	}
	if s, a := stage(t, run, "4"); !math.IsNaN(s.Demand[trace.CPU]) || s.Demand[trace.Mem] != 400 || a.Machine != "m" {
		t.Errorf("stage %+v, attempt %+v", s, a)
	}
	// An unknown wait leaves the run time alone.
	s, a = stage(t, single, "9")
	if single.Submit != 5e6 || single.Start.Known() || single.End.Known() || single.User != "" || single.Group != "2" ||
		s.Start.Known() || s.Demand[trace.GPU] != 2 || a.Duration != 1000 || a.Start.Known() || a.Machine != "12" {
		t.Errorf("run %+v, stage %+v, attempt %+v", single, s, a)
	}
	if r.Tally.Units["mem"] == "" {
		t.Error("the unit of mem is not said to be unknown")
	}
}

func TestMachineAsNumber(t *testing.T) {
	columns := slices.DeleteFunc(diamond(), func(c pq.Column) bool { return c.Name == "resource_used" })
	r := readAll(t, file(t, "tasks", append(columns, pq.Column{Name: "resource_used", Rows: []any{-1, -6_123_456_789,
		nil, 3, 0}},
		pq.Column{Name: "submission_site", Type: pq.Int32, Rows: []any{-7, 1, 2, 3, 4}})...))
	for id, want := range map[string]string{"1": "", "2": "", "3": "3", "4": "0"} {
		if _, a := stage(t, r.Runs[0], id); a.Machine != want {
			t.Errorf("task %s on machine %q, want %q", id, a.Machine, want)
		}
	}
	if m := r.Runs[1].Attempts[0].Machine; m != "-6123456789" {
		t.Errorf("machine %q", m)
	}
}

func TestWorkflowsAlone(t *testing.T) {
	r := readAll(t, file(t, "workflows", pq.Column{Name: "ts_submit", Type: pq.Double,
		Rows: []any{1.5, -1.0, math.NaN()}},
		pq.Column{Name: "critical_path_length", Rows: []any{1, 2, 3}}, pq.Column{Name: "id", Type: pq.Int32,
			Rows: []any{1, 2, 3}},
		pq.Column{Name: "task_count", Type: pq.Int32, Rows: []any{3, -1, nil}}))
	if len(r.Runs) != 3 || r.Runs[0].Submit != 1500 || r.Runs[1].Submit.Known() || r.Runs[2].Submit.Known() ||
		r.Runs[0].Status != trace.StatusUnknown {
		t.Errorf("runs %+v", runsOf(r))
	}
	if len(r.Tally.Warnings) != 1 || !strings.Contains(r.Tally.Warnings[0], "says it has 3 tasks; there are 0") {
		t.Errorf("warnings %v", r.Tally.Warnings)
	}
}

func TestSubmitAfterEndIsRepaired(t *testing.T) {
	r := readAll(t, file(t, "tasks", diamond()...),
		file(t, "workflows", pq.Column{Name: "id", Rows: []any{7}}, pq.Column{Name: "ts_submit",
			Rows: []any{9_000_000}}, pq.Column{Name: "task_count", Rows: []any{4}}))
	if r.Runs[0].Submit != 1e6 || r.Tally.Repairs[RepairSubmit] != 1 {
		t.Errorf("run %+v, repairs %v", r.Runs[0], r.Tally.Repairs)
	}
}

func TestOpenDC(t *testing.T) {
	columns := []pq.Column{
		{Name: "id", Type: pq.Int32, Required: true, Rows: []any{5, 6, 7, 8}},
		{Name: "submission_time", Required: true, Rows: []any{1704067200000, 1704067200001, 1704067200002,
			1704067200003}},
		{Name: "duration", Required: true, Rows: []any{3600000, 1, 0, 2}},
		{Name: "cpu_count", Type: pq.Int32, Rows: []any{1, 16, 2, 4}},
		{Name: "cpu_capacity", Type: pq.Double, Rows: []any{3000.0, 1.0, 1.0, 1.0}},
		{Name: "mem_capacity", Rows: []any{10_000, 0, 1, 1}},
		{Name: "gpu_count", Type: pq.Int32, Rows: []any{nil, 2, nil, nil}},
		{Name: "deferrable", Type: pq.Bool, Rows: []any{nil, true, false, nil}},
		{Name: "deadline", Rows: []any{nil, 1704067200001, nil, nil}},
	}
	r := readAll(t, file(t, "tasks.parquet", columns...))
	if len(r.Runs) != 4 || r.Tally.Used != 4 || len(r.Tally.Units) != 0 {
		t.Fatalf("%d runs, %v, tally %+v", len(r.Runs), r.Err, r.Tally)
	}
	run := r.Runs[0]
	if a := run.Attempts[0]; run.ID != "5" || run.Submit != 1704067200e6 || run.Start.Known() ||
		run.Status != trace.Succeeded ||
		a.Duration != 3600e6 || a.Demand[trace.CPU] != 1 || a.Demand[trace.Mem] != 1e10 || a.Queued != run.Submit ||
		a.Start.Known() {
		t.Errorf("run %+v", run)
	}
	if d := r.Runs[1].Stages[0].Demand; d[trace.GPU] != 2 || d[trace.Mem] != 0 {
		t.Errorf("demand %v", d)
	}
	// Tasks that hang together are one run, also when only one side says so and through a task that comes later.
	columns = append(columns, pq.Column{Name: "parents", Type: pq.Int32, List: "element",
		Rows: []any{[]any{8}, []any{99}, nil, []any{}}},
		pq.Column{Name: "children", Type: pq.Int32, List: "element", Rows: []any{nil, []any{}, []any{8}, nil}})
	fragments := file(t, "fragments.parquet", pq.Column{Name: "id", Type: pq.Int32, Rows: []any{5, 5, 6}},
		pq.Column{Name: "duration", Rows: []any{1, 2, 3}}, pq.Column{Name: "cpu_usage", Type: pq.Double,
			Rows: []any{1.0, 1.0, 1.0}})
	r = readAll(t, fragments, file(t, "tasks.parquet", columns...))
	if len(r.Runs) != 2 || edges(r.Runs[0]) != "7>8 8>5" || r.Runs[0].ID != "5" || r.Runs[0].Submit != 1704067200e6 ||
		r.Runs[1].ID != "6" {
		t.Fatalf("runs %+v, %v", runsOf(r), r.Err)
	}
	if r.Tally.Ignored["fragment"] != 3 || r.Tally.Repairs[RepairUnknownParent] != 1 {
		t.Errorf("tally %+v", r.Tally)
	}
}

func TestOpenDCTextIDs(t *testing.T) {
	r := readAll(t, file(t, "tasks.parquet", pq.Column{Name: "id", Type: pq.Text, Rows: []any{"vm-a", "vm-b", "12"}},
		pq.Column{Name: "submission_time", Type: pq.Millis, Rows: []any{1, 2, 3}}, pq.Column{Name: "duration",
			Rows: []any{1, 2, 3}},
		pq.Column{Name: "parents", Type: pq.Text, List: "element", Rows: []any{nil, []any{"vm-a"}, nil}}))
	if len(r.Runs) != 2 || r.Runs[0].ID != "vm-a" || edges(r.Runs[0]) != "vm-a>vm-b" || r.Runs[1].ID != "12" ||
		r.Runs[0].Submit != 1000 {
		t.Errorf("runs %+v, %v", runsOf(r), r.Err)
	}
}

func TestResourcesAndOtherTables(t *testing.T) {
	r := readAll(t, file(t, "resources", pq.Column{Name: "id", Rows: []any{4, 5, nil}}, pq.Column{Name: "num_resources",
		Type: pq.Double, Rows: []any{8.0, 2.0, 1.0}},
		pq.Column{Name: "type", Type: pq.Text, Rows: []any{"core", "gpu", "core"}},
		pq.Column{Name: "memory", Rows: []any{64, -1, 1}}, pq.Column{Name: "network", Rows: []any{8, -1, 1}}),
		file(t, "task_state", pq.Column{Name: "task_id", Rows: []any{1, 2}}, pq.Column{Name: "ts_start",
			Rows: []any{1, 2}}, pq.Column{Name: "workflow_id", Rows: []any{1, 2}}),
		file(t, "datatransfers", pq.Column{Name: "size", Rows: []any{1, 2, 3}}), source.BytesFile("empty", nil))
	if m := r.Tally.Machines; len(m) != 2 || m[0].Name != "4" || m[0].CPU != 8 || m[0].Mem != 64e9 || m[0].Net != 1e9 ||
		m[1].GPU != 2 || !math.IsNaN(m[1].CPU) {
		t.Errorf("machines %+v", m)
	}
	if n := r.Tally.Ignored; n["task state"] != 2 || n["row of another table"] != 3 ||
		r.Tally.Rejected[source.ReasonNoID] != 1 || r.Tally.Read != 8 {
		t.Errorf("tally %+v", r.Tally)
	}
}
