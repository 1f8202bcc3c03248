package arrowtab

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"pgregory.net/rapid"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// tablesOf puts runs, whose ids ascend, into tables.
func tablesOf(runs []*trace.Run) Unchecked {
	b, u := NewBuilder(), Unchecked{}
	for _, r := range runs {
		b.Append(r)
	}
	for t := range NumRunTables {
		u.Columns[t] = b.Columns(t)
	}
	return u
}

// batchOf puts valid runs into a batch.
func batchOf(t interface{ Fatal(...any) }, runs []*trace.Run) *Batch {
	batch, err := NewBatch(tablesOf(runs))
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func drawRuns(t *rapid.T) []*trace.Run {
	var runs []*trace.Run
	for i := range rapid.IntRange(0, 6).Draw(t, "runs") {
		runs = append(runs, tracetest.Run(t, fmt.Sprint("r", i)))
	}
	return runs
}

// Every value of every Arrow column is that of the table, null for null.
func TestRecordIsTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch := batchOf(t, drawRuns(t))
		for table := range NumRunTables {
			rec := batch.Record(table)
			for k := range batch.tables[table] {
				c, a := &batch.tables[table][k], rec.Column(k)
				if rec.ColumnName(k) != c.Name || a.Len() != c.Len {
					t.Fatalf("%s: column %q of %d rows, want %q of %d", table, rec.ColumnName(k), a.Len(), c.Name,
						c.Len)
				}
				for i := range c.Len {
					got, want := "", ""
					if !a.IsNull(i) {
						got = a.ValueStr(i)
						if d, ok := a.(*array.Dictionary); ok {
							got = d.Dictionary().(*array.String).Value(d.GetValueIndex(i))
						}
					}
					if !c.IsNull(i) {
						switch c.Kind {
						case parquetio.Int32:
							want = fmt.Sprint(c.Int32s[i])
						case parquetio.Int64:
							want = fmt.Sprint(c.Int64s[i])
						case parquetio.Timestamp:
							want, got = fmt.Sprint(c.Int64s[i]), fmt.Sprint(int64(a.(*array.Timestamp).Value(i)))
						case parquetio.Float64:
							want, got = fmt.Sprint(c.Float64s[i]), fmt.Sprint(a.(*array.Float64).Value(i))
						case parquetio.Bool:
							want = fmt.Sprint(c.Bool(i))
						case parquetio.String:
							want = c.Dict[c.Index[i]]
						}
					}
					if got != want {
						t.Errorf("%s.%s row %d: %q, want %q", table, c.Name, i, got, want)
					}
				}
			}
		}
	})
	if (&Batch{}).Record(Tasks) != nil {
		t.Error("a table that the batch does not hold has a record")
	}
}

// The rate at which stored attempts become those of runs.
func BenchmarkRuns(b *testing.B) {
	var runs []*trace.Run
	const attempts = 40
	for i := range 1000 {
		run := trace.NewRun(fmt.Sprintf("run-%05d", i))
		run.Stages = []trace.Stage{trace.NewStage()}
		for k := range int32(attempts) {
			a := trace.NewAttempt(0, k, 0)
			a.Start, a.End, a.Duration, a.Status, a.Machine = trace.Instant(k), trace.Instant(k+9), 9, trace.Succeeded,
				fmt.Sprint("m", k%7)
			run.Attempts = append(run.Attempts, a)
		}
		runs = append(runs, run)
	}
	batch := batchOf(b, runs)
	for b.Loop() {
		for run := range batch.Runs() {
			if len(run.Attempts) != attempts {
				b.Fatal(run)
			}
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(runs)*attempts)/b.Elapsed().Seconds(), "attempts/s")
}

// Whatever is read as columns is what the runs say.
func TestRunColumnsAreTheRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := tablesOf(drawRuns(t))
		kept := map[string]bool{"job_id": true}
		for _, name := range []string{"name", "status", "submit", "start", "end"} {
			kept[name] = rapid.Bool().Draw(t, name)
		}
		u.Columns[Jobs] = slices.DeleteFunc(u.Columns[Jobs], func(c parquetio.Column) bool { return !kept[c.Name] })
		batch, err := NewBatch(u)
		if err != nil {
			t.Fatal(err)
		}
		columns, i := batch.RunColumns(), 0
		for run := range batch.Runs() {
			name := ""
			if k := columns.Names[i]; k >= 0 {
				name = columns.Texts[k]
			}
			if columns.IDs[i] != run.ID || name != run.Name || columns.Status[i] != run.Status ||
				columns.Submit[i] != run.Submit ||
				columns.Start[i] != run.Start || columns.End[i] != run.End ||
				columns.Completion(i) != run.Completion() {
				t.Fatalf("row %d: %+v, want %+v", i, columns, run)
			}
			i++
		}
		if columns.Len() != i {
			t.Fatalf("%d rows, want %d", columns.Len(), i)
		}
	})
}
