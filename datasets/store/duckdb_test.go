package store_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

// duckDB runs a query with DuckDB's Python package, or skips the test where there is none.
func duckDB(t *testing.T, query string) string {
	t.Helper()
	if err := exec.Command("python3", "-c", "import duckdb").Run(); err != nil {
		t.Skipf("DuckDB is not installed for python3 (pip install duckdb): %v", err)
	}
	out, err := exec.Command("python3", "-c", "import duckdb, sys; print(duckdb.sql(sys.argv[1]).fetchall())",
		query).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestDuckDBOpensTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	var runs []*trace.Run
	for _, id := range []string{"b", "a"} {
		r := trace.NewRun(id)
		r.Name, r.Submit, r.End, r.Status = "né", 1_000_000, 3_500_000, trace.Succeeded
		r.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
		r.Stages[0].Demand[trace.CPU] = 0.5
		r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
		a := trace.NewAttempt(1, 2, 0)
		a.Start, a.End, a.Duration, a.Speculative = 1_000_000, 3_000_000, 2_000_000, trace.Yes
		r.Attempts = []trace.Attempt{a}
		runs = append(runs, r)
	}
	write(t, dir, runs, nil)
	file := func(table string) string { return "'" + filepath.Join(dir, table, "*.parquet") + "'" }
	for _, test := range []struct{ query, want string }{
		{`SELECT job_id, name, status, epoch_us("end") - epoch_us(submit), start, input_bytes FROM ` + file("jobs") +
			` ORDER BY ALL`,
			`[('a', 'né', 'succeeded', 2500000, None, None), ('b', 'né', 'succeeded', 2500000, None, None)]`},
		{`SELECT typeof(submit), typeof(seq), typeof(name) FROM ` + file("jobs") + ` LIMIT 1`,
			`[('TIMESTAMP', 'BIGINT', 'VARCHAR')]`},
		{`SELECT stage, cpu, mem, typeof(tasks) FROM ` + file("stages") + ` WHERE job_id = 'a'`,
			`[(0, 0.5, None, 'INTEGER'), (1, None, None, 'INTEGER')]`},
		{`SELECT job_id, duration, speculative, spare, typeof(speculative) FROM ` + file("tasks"),
			`[('a', 2000000, True, None, 'BOOLEAN'), ('b', 2000000, True, None, 'BOOLEAN')]`},
		{`SELECT kind, count(*) FROM ` + file("edges") + ` GROUP BY kind`, `[('all_to_all', 2)]`},
		{`SELECT machine FROM ` + file("machines") + ` ORDER BY 1`, `[('m1',), ('m2',)]`},
	} {
		if got := duckDB(t, test.query); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.query, got, test.want)
		}
	}
}
