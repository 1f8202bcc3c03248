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

// Rows wait for others to be taken with them. Runs before and after one of very many rows, which does not wait, keep their
// values and their order, nulls included.
func TestRowsThatWait(t *testing.T) {
	b := NewBuilder()
	row := 0
	for k, stages := range []int{1, 3, 700, 0, 2, 900, 1, 5} {
		run := trace.NewRun(fmt.Sprint("r", k))
		run.Seq = int64(k)
		for i := range stages {
			s := trace.NewStage()
			s.Name = fmt.Sprint("s", row)
			if row%3 > 0 {
				s.Start, s.Demand[trace.CPU] = trace.Instant(row), float64(row)
			}
			run.Stages = append(run.Stages, s)
			if i > 0 {
				run.Edges = append(run.Edges, trace.Edge{Parent: int32(i - 1), Child: int32(i)})
			}
			row++
		}
		b.Append(run)
		clear(run.Stages) // its memory is the caller's again
	}
	batch, err := NewBatch(Unchecked{Columns: [NumTables][]parquetio.Column{
		Jobs: b.Columns(Jobs), Stages: b.Columns(Stages), Edges: b.Columns(Edges)}})
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	for run := range batch.Runs() {
		if len(run.Edges) != max(0, len(run.Stages)-1) || run.ID != fmt.Sprint("r", run.Seq) {
			t.Errorf("%s, number %d: %d edges, %d stages", run.ID, run.Seq, len(run.Edges), len(run.Stages))
		}
		for i := range run.Stages {
			s, known := &run.Stages[i], got%3 > 0
			if s.Name != fmt.Sprint("s", got) || s.Start.Known() != known ||
				known && (int(s.Start) != got || s.Demand[trace.CPU] != float64(got)) {
				t.Fatalf("stage %d: %+v", got, s)
			}
			got++
		}
	}
	if got != row {
		t.Errorf("%d stages, want %d", got, row)
	}
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
