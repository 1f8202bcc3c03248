package arrowtab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// The gate takes tables exactly if every run in them is valid: the contract is stated twice, by row and by column, and
// both are the same. Runs are valid but for one field, which is set to a value that may be wrong.
func TestGateIsValidate(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		if len(runs) == 0 {
			return
		}
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			spoil(t, runs[rapid.IntRange(0, len(runs)-1).Draw(t, "run")])
		}
		valid := true
		for _, r := range runs {
			valid = valid && r.Validate() == nil
		}
		_, err := NewBatch(tablesOf(runs))
		if valid != (err == nil) {
			for _, r := range runs {
				t.Logf("%+v: %v", *r, r.Validate())
			}
			t.Fatalf("valid: %v, the gate says %v", valid, err)
		}
		if err != nil {
			refused++
			if b := new(Breach); !errors.As(err, &b) {
				t.Fatalf("%v does not say where", err)
			}
		}
	})
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// spoil sets one field of a run to an extreme.
func spoil(t *rapid.T, r *trace.Run) {
	at := rapid.SampledFrom([]trace.Instant{trace.None, math.MaxInt64, math.MinInt64 + 1, -5, 0, 1 << 40, maxMicros,
		maxMicros + 1, -maxMicros - 1}).Draw(t, "instant")
	n := rapid.SampledFrom([]int64{trace.None, -1, 0, 1, trace.MaxTokens, trace.MaxTokens + 1,
		math.MaxInt64}).Draw(t, "count")
	x := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, math.MaxFloat64}).Draw(t, "amount")
	text := rapid.SampledFrom([]string{"", "a", "\xff"}).Draw(t, "text")
	small := rapid.SampledFrom([]int32{-5, -1, 0, 1, 2, 999, math.MaxInt32}).Draw(t, "place")
	d := trace.Duration(at)
	pick := func(of int) int { return rapid.IntRange(0, of-1).Draw(t, "of") }
	sets := []func(){
		func() { r.Submit = at }, func() { r.Start = at }, func() { r.End = at }, func() { r.Name = text }, func() {
			r.User = text
		},
		func() { r.InputBytes = n }, func() { r.Guaranteed = n }, func() { r.Group = text },
		func() { r.ExecutorCores = n },
	}
	if len(r.Stages) > 0 {
		s := &r.Stages[pick(len(r.Stages))]
		sets = append(sets, func() { s.Submit = at }, func() { s.Start = at }, func() { s.End = at }, func() {
			s.Name = text
		},
			func() { s.EstimateS = x }, func() { s.Demand[trace.Mem] = x })
		if n == trace.None || n >= math.MinInt32 && n <= math.MaxInt32 { // what the column can hold
			sets = append(sets, func() { s.Tasks = n })
		}
	}
	if len(r.Edges) > 0 {
		e := &r.Edges[pick(len(r.Edges))]
		sets = append(sets, func() { e.Parent = small }, func() { e.Child = small }, func() {
			r.Edges = append(r.Edges, *e)
		})
	}
	if len(r.Attempts) > 0 {
		a := &r.Attempts[pick(len(r.Attempts))]
		sets = append(sets, func() { a.Stage = small }, func() { a.Task = small }, func() { a.Attempt = small },
			func() { a.Queued = at }, func() { a.Start = at }, func() { a.End = at }, func() { a.Duration = d },
			func() { a.Machine = text }, func() { a.Reason = text }, func() { a.Demand[trace.CPU] = x },
			func() { r.Attempts = append(r.Attempts, *a) })
	}
	if len(r.Allocations) > 0 {
		a := &r.Allocations[pick(len(r.Allocations))]
		sets = append(sets, func() { a.At = at }, func() { a.Tokens = n }, func() { a.Spare = n }, func() {
			a.Machines = n
		})
	}
	if len(r.IO) > 0 {
		a := &r.IO[pick(len(r.IO))]
		sets = append(sets, func() { a.At = at }, func() { a.Bytes = n }, func() { a.Dataset = text })
	}
	sets[pick(len(sets))]()
}

// Tables that no run can be made of, or that the writer never makes, are refused with the table, column and row.
func TestGateRefuses(t *testing.T) {
	runs := func() []*trace.Run {
		var all []*trace.Run
		for i := range 3 {
			r := trace.NewRun(fmt.Sprint("r", i))
			r.Stages = []trace.Stage{trace.NewStage(), trace.NewStage(), trace.NewStage()}
			r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll},
				{Parent: 1, Child: 2, Kind: trace.AllToAll}}
			r.Attempts = []trace.Attempt{trace.NewAttempt(0, 0, 0), trace.NewAttempt(1, 0, 0),
				trace.NewAttempt(2, 0, 0)}
			r.Allocations = []trace.Allocation{{At: 1, Tokens: 2, Spare: trace.None, Machines: trace.None}}
			r.IO = []trace.Access{{Dataset: "d", At: trace.None, Bytes: 5}}
			all = append(all, r)
		}
		return all
	}
	column := func(u *Unchecked, t Table, name string) *parquetio.Column {
		i := slices.IndexFunc(u.Columns[t], func(c parquetio.Column) bool { return c.Name == name })
		return &u.Columns[t][i]
	}
	for _, test := range []struct {
		name  string
		spoil func(u *Unchecked)
		want  string
	}{
		{"nothing", func(*Unchecked) {}, ""},
		{"a run twice", func(u *Unchecked) { column(u, Jobs, "job_id").Index[1] = 0 },
			`column "job_id", row 1 (run "r0"): it does not come after "r0"`},
		{"runs out of order", func(u *Unchecked) { slices.Reverse(column(u, Jobs, "job_id").Index) },
			`column "job_id", row 1 (run "r1"): it does not come after "r2"`},
		{"a run without id", func(u *Unchecked) { column(u, Jobs, "job_id").Dict[0] = "" },
			`column "job_id", row 0: empty, want a value`},
		{"no id at all", func(u *Unchecked) { column(u, Tasks, "job_id").Valid = []byte{0b1101, 0} },
			`column "job_id", row 1: null, want a value`},
		{"tasks of no run", func(u *Unchecked) { column(u, Tasks, "job_id").Dict = []string{"r0", "r1", "r3"} },
			`column "job_id", row 6 (run "r3"): run "r3" is not in the same part`},
		{"rows that lie apart", func(u *Unchecked) { column(u, Tasks, "job_id").Index[8] = 0 },
			`column "job_id", row 8 (run "r0"): run "r0" is not in the same part`},
		{"an unknown status", func(u *Unchecked) { column(u, Tasks, "status").Dict = []string{"done"} },
			`column "status", row 0 (run "r0"): "done" is not a word of this column`},
		{"an unknown mode", func(u *Unchecked) { column(u, IO, "mode").Dict = []string{"append"} },
			`"append" is not a word`},
		{"a stage of another number", func(u *Unchecked) { column(u, Stages, "stage").Int32s[4] = 7 },
			`column "stage", row 4 (run "r1"): 7, want 1`},
		{"an edge to stage 999", func(u *Unchecked) { column(u, Edges, "child").Int32s[2] = 999 },
			`column "child", row 2 (run "r1"): stage 999, the run has 3`},
		{"a self-loop", func(u *Unchecked) { column(u, Edges, "parent").Int32s[2] = 1 },
			`column "parent", row 2 (run "r1"): stage 1, its child is 1`},
		{"a cycle", func(u *Unchecked) { column(u, Edges, "parent").Int32s[2] = 2 },
			`column "parent", row 2 (run "r1"): stage 2, its child is 1`},
		{"an edge twice", func(u *Unchecked) {
			column(u, Edges, "child").Int32s[3], column(u, Edges, "parent").Int32s[3] = 1, 0
		}, `column "child", row 3 (run "r1"): 1 after 1`},
		{"stage 77 of 3", func(u *Unchecked) { column(u, Tasks, "stage").Int32s[5] = 77 },
			`column "stage", row 5 (run "r1"): stage 77, the run has 3`},
		{"task -3", func(u *Unchecked) { column(u, Tasks, "task").Int32s[5] = -3 },
			`column "task", row 5 (run "r1"): -3, want at least 0`},
		{"a task of no number", func(u *Unchecked) { column(u, Tasks, "task").Valid = []byte{0xfe, 1} },
			`column "task", row 0 (run "r0"): null`},
		{"tasks without stages", func(u *Unchecked) { u.Columns[Stages] = nil }, `the run has 0`},
		{"a type", func(u *Unchecked) { column(u, Tasks, "task").Kind = parquetio.Int64 },
			`table tasks has no column "task" of int64`},
		{"a length", func(u *Unchecked) { column(u, Tasks, "task").Int32s = nil }, `column "task" holds 0 of 9 rows`},
		{"a column of no ids", func(u *Unchecked) { u.Columns[Tasks] = u.Columns[Tasks][1:] },
			`table tasks lacks column "job_id"`},
	} {
		u := tablesOf(runs())
		test.spoil(&u)
		_, err := NewBatch(u)
		if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// Edges and tasks are checked against stages that are not themselves read.
func TestStageIDs(t *testing.T) {
	run := trace.NewRun("r")
	run.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
	run.Attempts = []trace.Attempt{trace.NewAttempt(1, 0, 0)}
	u := tablesOf([]*trace.Run{trace.NewRun("a"), run, trace.NewRun("z")})
	u.StageIDs, u.Columns[Stages] = &u.Columns[Stages][0], nil
	b, err := NewBatch(u)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for run := range b.Runs() {
		n += len(run.Attempts)
	}
	if n != 1 {
		t.Errorf("%d attempts, want 1", n)
	}
	u.Columns[Tasks][1].Int32s[0] = 2
	if _, err := NewBatch(u); err == nil {
		t.Error("an attempt of stage 2 of 2 is taken")
	}
}

func TestMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := trace.NewMachine(rapid.SampledFrom([]string{"", "m", "\xff"}).Draw(t, "name"))
		m.CPU = rapid.SampledFrom([]float64{math.NaN(), -1, 0, math.Inf(1)}).Draw(t, "cpu")
		m.From = trace.Instant(rapid.SampledFrom([]int64{trace.None, -maxMicros - 1, 5}).Draw(t, "from"))
		m.To = trace.Instant(rapid.SampledFrom([]int64{trace.None, math.MaxInt64, 5, 4}).Draw(t, "to"))
		u := Unchecked{}
		u.Columns[Machines] = MachineColumns([]trace.Machine{m})
		_, err := NewBatch(u)
		if (err == nil) != (m.Validate() == nil) {
			t.Fatalf("%+v: %v, the gate says %v", m, m.Validate(), err)
		}
	})
}
