package wta

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"racecard/datasets/lists"
	pq "racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// The same trace in other types, another order of columns, other pages: the same runs.
func TestVariantsGiveTheSameRuns(t *testing.T) {
	want := fmt.Sprintf("%+v", runsOf(readAll(t, file(t, "tasks", diamond()...))))
	change := func(name string, into pq.Type, of func(any) any) func([]pq.Column) []pq.Column {
		return func(columns []pq.Column) []pq.Column {
			i := slices.IndexFunc(columns, func(c pq.Column) bool { return c.Name == name })
			c := columns[i]
			c.Type, c.Rows = into, nil
			for _, cell := range columns[i].Rows {
				if list, ok := cell.([]any); ok {
					elements := []any{}
					for _, e := range list {
						elements = append(elements, of(e))
					}
					cell = elements
				} else if cell != nil {
					cell = of(cell)
				}
				c.Rows = append(c.Rows, cell)
			}
			columns[i] = c
			return columns
		}
	}
	float := func(x any) any { return float64(x.(int)) }
	whole := func(x any) any { return int(x.(float64)) }
	text := func(x any) any { return fmt.Sprint(x) }
	for name, vary := range map[string]func([]pq.Column) []pq.Column{
		"ids as double":     change("id", pq.Double, float),
		"ids as text":       change("id", pq.Text, text),
		"ids as int32":      change("id", pq.Int32, func(x any) any { return x }),
		"workflow as text":  change("workflow_id", pq.Text, text),
		"submit as double":  change("ts_submit", pq.Double, float),
		"submit as text":    change("ts_submit", pq.Text, text),
		"submit as time":    change("ts_submit", pq.Millis, func(x any) any { return x }),
		"submit as micros":  change("ts_submit", pq.Micros, func(x any) any { return 1000 * x.(int) }),
		"memory as double":  change("memory_requested", pq.Double, float),
		"parents as double": change("parents", pq.Double, float),
		"parents as text":   change("parents", pq.Text, text),
		"children as int":   change("children", pq.Int32, whole),
		"users as double":   change("user_id", pq.Double, float),
		"backwards":         func(c []pq.Column) []pq.Column { slices.Reverse(c); return c },
		"one more": func(c []pq.Column) []pq.Column {
			return append([]pq.Column{{Name: "__index_level_0__", Rows: []any{0, 1, 2, 3, 4}},
				{Name: "nfrs", Type: pq.Text, Rows: []any{"{}", nil, "", "{}", ""}}}, c...)
		},
		"no children": func(c []pq.Column) []pq.Column {
			return slices.DeleteFunc(c, func(c pq.Column) bool { return c.Name == "children" })
		},
		"no parents": func(c []pq.Column) []pq.Column {
			return slices.DeleteFunc(c, func(c pq.Column) bool { return c.Name == "parents" })
		},
	} {
		if got := fmt.Sprintf("%+v", runsOf(readAll(t, file(t, "tasks", vary(diamond())...)))); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for _, o := range []pq.Options{{Plain: true}, {Version2: true}, {GroupRows: 2, PageBytes: 1},
		{Codec: &parquet.Zstd}, {Codec: &parquet.Uncompressed}} {
		if got := fmt.Sprintf("%+v",
			runsOf(readAll(t, source.BytesFile("tasks", pq.File(t, o, diamond()...))))); got != want {
			t.Errorf("%+v: got %s, want %s", o, got, want)
		}
	}
}

// runsOf copies the runs out of their pointers.
func runsOf(r *sourcetest.Result) []trace.Run {
	var out []trace.Run
	for _, run := range r.Runs {
		out = append(out, *run)
	}
	return out
}

// The counts are those of the README beside the traces.
func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		files                         []string
		runs, tasks, edges, read, ign int
	}{
		{[]string{"wta/shell/tasks/schema-1.0/part.0.parquet", "wta/shell/workflows/schema-1.0/part.0.parquet",
			"wta/shell/workload/schema-1.0/generic_information.json"}, 3403, 10208, 6805, 13612, 1},
		{[]string{"wta/shell/tasks/schema-1.0/part.0.parquet"}, 3403, 10208, 6805, 10208, 0},
		{[]string{"opendc-parquet/surf_week/tasks.parquet"}, 6295, 6295, 0, 6295, 0},
		{[]string{"opendc-parquet/workflow_example/fragments.parquet", "opendc-parquet/workflow_example/tasks.parquet"},
			1, 4, 4, 8, 4},
	} {
		var files []*source.File
		for _, name := range test.files {
			f := sourcetest.SharedFile(t, name)
			if head, err := f.Head(t.Context()); err != nil || !detect(name, head) {
				t.Errorf("%s is not recognised", name)
			}
			files = append(files, f)
		}
		r := readAll(t, files...)
		tasks, edges := 0, 0
		for _, run := range r.Runs {
			tasks, edges = tasks+len(run.Attempts), edges+len(run.Edges)
		}
		if r.Err != nil || len(r.Runs) != test.runs || tasks != test.tasks || edges != test.edges ||
			r.Tally.Read != int64(test.read) ||
			lists.Total(r.Tally.Ignored) != int64(test.ign) || len(r.Rejects) != 0 || len(r.Tally.Repairs) != 0 ||
			len(r.Tally.Warnings) != 0 {
			t.Errorf("%v: %v, %d runs, %d tasks, %d edges, %+v", test.files, r.Err, len(r.Runs), tasks, edges, r.Tally)
		}
	}
}

// generated writes n tasks of n/8 workflows, scattered, in pages and row groups.
func generated(t testing.TB, n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	columns := []pq.Column{
		{Name: "id"}, {Name: "workflow_id"}, {Name: "ts_submit"}, {Name: "runtime"}, {Name: "wait_time"},
		{Name: "parents", List: "item"},
		{Name: "resource_type", Type: pq.Text}, {Name: "resource_amount_requested", Type: pq.Double},
		{Name: "memory_requested", Type: pq.Double}, {Name: "user_id", Type: pq.Int32},
	}
	for i := range n {
		parents := []any{}
		if p := i - n/8; p >= 0 {
			parents = append(parents, p)
		}
		for k, cell := range []any{i, i % max(n/8, 1), i * 10, rng.IntN(100_000), rng.IntN(1000), parents, "core",
			float64(1 + rng.IntN(4)), rng.Float64(), rng.IntN(50)} {
			columns[k].Rows = append(columns[k].Rows, cell)
		}
	}
	return pq.File(t, pq.Options{GroupRows: n/3 + 1}, columns...)
}

func TestMemoryDoesNotChangeTheResult(t *testing.T) {
	content := generated(t, 20_000)
	sourcetest.MemoryDoesNotMatter(t, Format, 50_000, source.BytesFile("x", content))
}

func FuzzRead(f *testing.F) {
	f.Add(pq.File(f, pq.Options{}, diamond()...))
	f.Add(pq.File(f, pq.Options{Plain: true, Version2: true, GroupRows: 2}, diamond()...))
	f.Add(pq.File(f, pq.Options{Codec: &parquet.Uncompressed, Plain: true}, pq.Column{Name: "id", Type: pq.Text,
		Rows: []any{"a", "b", "c"}},
		pq.Column{Name: "submission_time", Rows: []any{1, 2, -3}}, pq.Column{Name: "duration", Type: pq.Double,
			Rows: []any{1.0, -1.0, 0.5}},
		pq.Column{Name: "parents", Type: pq.Text, List: "item", Rows: []any{[]any{"c"}, []any{"a", "x"}, []any{"b"}}}))
	f.Add([]byte(`{"total_workflows": 3, "total_tasks": 2, "authors": ["a"]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		sourcetest.Read(t, Format(0), source.BytesFile("fuzz", content))
	})
}

func BenchmarkRead(b *testing.B) {
	n := 400_000
	if testing.Short() {
		n /= 20
	}
	content := generated(b, n)
	b.SetBytes(int64(len(content)))
	rows := 0
	for b.Loop() {
		tally := source.NewTally()
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile("x", content)}, tally) {
			if err != nil {
				b.Fatal(err)
			}
		}
		rows += int(tally.Used)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
