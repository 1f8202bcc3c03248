package arrowtab

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// TestColumnsHoldTheRuns takes runs apart into columns and puts them together, several times with one builder: what was
// in it before must not show.
func TestColumnsHoldTheRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		for round := range rapid.IntRange(1, 3).Draw(t, "rounds") {
			var want []string
			for i := range rapid.IntRange(1, 6).Draw(t, "runs") {
				run := tracetest.Run(t, fmt.Sprint(round, "-", i))
				b.Append(run)
				want = append(want, fmt.Sprintf("%+v", *run))
			}
			var u Unchecked
			for table := range NumRunTables {
				columns := slices.DeleteFunc(b.Columns(table), func(c parquetio.Column) bool {
					return c.Known() == 0 && c.Len > 0
				})
				u.Columns[table] = columns
			}
			batch, err := NewBatch(u)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for run := range batch.Runs() {
				if got := fmt.Sprintf("%+v", *run); got != want[n] {
					t.Errorf("run %d is\n%s\nwant\n%s", n, got, want[n])
				}
				n++
			}
			if n != len(want) {
				t.Errorf("%d runs, want %d", n, len(want))
			}
			b.Reset()
		}
	})
}

// TestInternerTellsTextsApart looks at lengths around those at which the hash reads texts differently.
func TestInternerTellsTextsApart(t *testing.T) {
	letters := []rune("ab\x00é")
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom(letters), 0, 20, -1), 1, 200).Draw(t, "texts")
		var in interner
		var a arena
		numbers := map[string]int32{}
		for _, s := range texts {
			id := in.id(s, &a)
			if known, ok := numbers[s]; ok && known != id || !ok && int(id) != len(numbers) {
				t.Fatalf("%q has number %d, want %d", s, id, known)
			}
			numbers[s] = id
			if in.dict[id] != s {
				t.Fatalf("number %d is %q, want %q", id, in.dict[id], s)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	run := trace.NewRun("j_1527842")
	for i := range 4 {
		s := trace.NewStage()
		s.Name, s.Tasks, s.Start, s.End = fmt.Sprint("M", i), 23, 87_076_000_000, 87_099_000_000
		s.Demand[trace.CPU], s.Demand[trace.Mem] = 1, 0.39
		run.Stages = append(run.Stages, s)
	}
	builder := NewBuilder()
	rows := 0
	for b.Loop() {
		if builder.Append(run); builder.MaxRows() > 1<<20 {
			builder.Reset()
		}
		rows += len(run.Stages)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
