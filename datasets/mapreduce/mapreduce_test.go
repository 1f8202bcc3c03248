package mapreduce_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/mapreduce"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// seconds after an arbitrary instant, in microseconds; -1 is null.
func at(s int64) trace.Instant {
	if s == -1 {
		return trace.None
	}
	return trace.Instant(1_240_000_000+s) * 1e6
}

func attempt(kind mapreduce.Kind, task int64, number int32, status trace.Status, start,
	finish int64) mapreduce.Attempt {
	a := mapreduce.NewAttempt(kind, task, number)
	a.Status, a.Start, a.Finish = status, at(start), at(finish)
	return a
}

// job is submitted at 0, launched at 1 and finished at 100, with these attempts.
func job(status trace.Status, attempts ...mapreduce.Attempt) *mapreduce.Job {
	j := mapreduce.NewJob("job_1_1")
	j.Submit, j.Launch, j.Finish, j.Status, j.Attempts = at(0), at(1), at(100), status, attempts
	return j
}

func run(t *testing.T, j *mapreduce.Job) (*trace.Run, *source.Tally) {
	t.Helper()
	r := j.Run()
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	tally := source.NewTally()
	j.Report("f", tally)
	return r, tally
}

func TestStages(t *testing.T) {
	for _, test := range []struct {
		name            string
		stated          [2]int64
		listed          [2]int64
		attempts        []mapreduce.Attempt
		stages          []string
		tasks           []int64
		edges, repaired int
	}{
		{"maps and reduces", [2]int64{3, 1}, [2]int64{2, 1}, nil, []string{"map", "reduce"}, []int64{3, 1}, 1, 0},
		{"map-only", [2]int64{3, 0}, [2]int64{3, 0}, nil, []string{"map"}, []int64{3}, 0, 0},
		{"reduce-only", [2]int64{0, 2}, [2]int64{0, 2}, nil, []string{"reduce"}, []int64{2}, 0, 0},
		{"nothing known", [2]int64{trace.None, trace.None}, [2]int64{}, nil, nil, nil, 0, 0},
		{"counts from the list", [2]int64{trace.None, trace.None}, [2]int64{4, 2}, nil, []string{"map", "reduce"},
			[]int64{4, 2}, 1, 0},
		{"fewer stated than listed", [2]int64{1, 0}, [2]int64{2, 0}, nil, []string{"map"}, []int64{2}, 0, 1},
		{"attempts that no list holds", [2]int64{0, 0}, [2]int64{}, []mapreduce.Attempt{
			attempt(mapreduce.Reduce, 0, 0, trace.Succeeded, 2, 3), attempt(mapreduce.Reduce, 0, 1, trace.Killed, 2, 3),
		}, []string{"reduce"}, []int64{1}, 0, 1},
	} {
		j := job(trace.Succeeded, test.attempts...)
		j.Stated, j.Listed = test.stated, test.listed
		r, tally := run(t, j)
		var names []string
		var tasks []int64
		for _, s := range r.Stages {
			names, tasks = append(names, s.Name), append(tasks, s.Tasks)
		}
		if !slices.Equal(names, test.stages) || !slices.Equal(tasks, test.tasks) || len(r.Edges) != test.edges {
			t.Errorf("%s: stages %v with %v tasks, %d edges", test.name, names, tasks, len(r.Edges))
		}
		if got := tally.Repairs[mapreduce.RepairTaskCount]; got != int64(test.repaired) {
			t.Errorf("%s: %d repairs, want %d", test.name, got, test.repaired)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		name                   string
		submit, launch, finish int64
		status                 trace.Status
		attempts               []mapreduce.Attempt
		start, end             int64
		want                   trace.Status
		repair, warning        string
	}{
		{"the first attempt starts the run", 0, 1, 100, trace.Succeeded,
			[]mapreduce.Attempt{attempt(mapreduce.Map, 0, 0, trace.Succeeded, 7, 9)}, 7, 100, trace.Succeeded, "", ""},
		{"without attempts the launch", 0, 1, 100, trace.Killed, nil, 1, 100, trace.Killed, "", ""},
		{"an attempt of another clock", 50, 51, 100, trace.Succeeded,
			[]mapreduce.Attempt{attempt(mapreduce.Map, 0, 0, trace.Succeeded, 7, 9)}, 51, 100, trace.Succeeded, "",
			"f: 1 attempts of job_1_1 start before it was submitted, by up to 43 s"},
		{"an attempt behind the end", 0, 1, 100, trace.Succeeded,
			[]mapreduce.Attempt{attempt(mapreduce.Map, 0, 0, trace.Succeeded, 107, 109)}, 1, 100, trace.Succeeded, "",
			""},
		{"end before launch", 0, 10, 5, trace.Failed, nil, 10, -1, trace.Failed, mapreduce.RepairJobEnd, ""},
		{"end before submission", 10, -1, 5, trace.Failed, nil, -1, -1, trace.Failed, mapreduce.RepairJobEnd, ""},
		{"succeeded at an unknown time", 0, 1, -1, trace.Succeeded, nil, 1, -1, trace.Succeeded, "", ""},
		{"not ended", 0, 1, -1, trace.StatusUnknown, []mapreduce.Attempt{attempt(mapreduce.Map, 0, 0, trace.Succeeded,
			7, 9)}, 7, -1, trace.Running, "", ""},
		{"ended, nobody knows how", 0, 1, 5, trace.StatusUnknown, nil, 1, 5, trace.StatusUnknown, "", ""},
	} {
		j := job(test.status, test.attempts...)
		j.Submit, j.Launch, j.Finish = at(test.submit), at(test.launch), at(test.finish)
		r, tally := run(t, j)
		if r.Submit != at(test.submit) || r.Start != at(test.start) || r.End != at(test.end) || r.Status != test.want {
			t.Errorf("%s: submit %d start %d end %d %s", test.name, r.Submit, r.Start, r.End, r.Status)
		}
		if test.repair != "" && tally.Repairs[test.repair] != 1 || test.repair == "" && len(tally.Repairs) != 0 {
			t.Errorf("%s: repairs %v", test.name, tally.Repairs)
		}
		if got := strings.Join(tally.Warnings, ""); !strings.Contains(got, test.warning) || test.warning == "" &&
			got != "" {
			t.Errorf("%s: warnings %q", test.name, got)
		}
		for _, s := range r.Stages {
			if test.want == trace.Running && s.End.Known() {
				t.Errorf("%s: stage %+v of a run that has not ended", test.name, s)
			}
		}
	}
}

func TestAttempts(t *testing.T) {
	first := attempt(mapreduce.Map, 1, 0, trace.Failed, 5, 8)
	first.Queued = at(2)
	early := attempt(mapreduce.Map, 0, 0, trace.Succeeded, 5, 8)
	early.Queued = at(6) // another clock
	copied := attempt(mapreduce.Map, 0, 1, trace.Killed, 9, 10)
	copied.Speculative = trace.Yes
	measured := attempt(mapreduce.Reduce, 0, 0, trace.Succeeded, 10, 14)
	measured.CPUMillis, measured.Memory, measured.Machine = 6000, 1<<20, "m"
	j := job(trace.Succeeded,
		attempt(mapreduce.Map, 1, 2, trace.StatusUnknown, 20, -1), // runs
		measured, first, copied, early,
		attempt(mapreduce.Map, 1, 1, trace.Killed, 10, 8), // reversed
		attempt(mapreduce.Map, 2, 0, trace.Lost, -1, 8),
		attempt(mapreduce.Map, 2, 1, trace.StatusUnknown, 9, 10),
	)
	j.Memory[mapreduce.Map] = 5
	r, tally := run(t, j)
	want := []struct {
		stage, task, attempt  int32
		status                trace.Status
		queued, start, finish int64
	}{
		{0, 0, 0, trace.Succeeded, -1, 5, 8},
		{0, 0, 1, trace.Killed, -1, 9, 10},
		{0, 1, 0, trace.Failed, 2, 5, 8},
		{0, 1, 1, trace.Killed, 8, 10, -1},
		{0, 1, 2, trace.Running, -1, 20, -1},
		{0, 2, 0, trace.Lost, -1, -1, 8},
		{0, 2, 1, trace.StatusUnknown, -1, 9, 10}, // asked for when the output was lost, after 8
		{1, 0, 0, trace.Succeeded, -1, 10, 14},
	}
	if len(r.Attempts) != len(want) {
		t.Fatalf("%d attempts, want %d", len(r.Attempts), len(want))
	}
	for i, w := range want {
		a := r.Attempts[i]
		if a.Stage != w.stage || a.Task != w.task || a.Attempt != w.attempt || a.Status != w.status ||
			a.Queued != at(w.queued) || a.Start != at(w.start) || a.End != at(w.finish) {
			t.Errorf("attempt %d is %+v, want %+v", i, a, w)
		}
	}
	if last := r.Attempts[7]; last.Demand[trace.CPU] != 1.5 || last.Demand[trace.Mem] != 1<<20 || last.Machine != "m" {
		t.Errorf("measured %+v", last)
	}
	if tally.Repairs[mapreduce.RepairAttemptEnd] != 1 || r.Attempts[1].Speculative != trace.Yes {
		t.Errorf("repairs %v, attempts %+v", tally.Repairs, r.Attempts)
	}
	if m := r.Stages[0]; m.Tasks != 3 || m.Start != at(5) || m.End != at(10) || m.Demand[trace.Mem] != 5 ||
		!math.IsNaN(r.Stages[1].Demand[trace.Mem]) {
		t.Errorf("stages %+v", r.Stages)
	}
}

func TestNumbers(t *testing.T) {
	// Hadoop numbered a setup task among the maps: tasks 1 and 2 of two.
	j := job(trace.Succeeded, attempt(mapreduce.Map, 2, 0, trace.Succeeded, 5, 8), attempt(mapreduce.Map, 1, 7,
		trace.Failed, 5, 8),
		attempt(mapreduce.Map, 1, 7, trace.Succeeded, 9, 10))
	r, tally := run(t, j)
	var got []int32
	for _, a := range r.Attempts {
		got = append(got, a.Task, a.Attempt)
	}
	if want := []int32{0, 0, 0, 1, 1, 0}; !slices.Equal(got, want) || tally.Repairs[mapreduce.RepairNumber] != 1 {
		t.Errorf("tasks and attempts %v, want %v; repairs %v", got, want, tally.Repairs)
	}
}

func TestVolumes(t *testing.T) {
	with := func(a mapreduce.Attempt, read, written, output, fetched int64) mapreduce.Attempt {
		a.Read, a.Written, a.MapOutput, a.Fetched = read, written, output, fetched
		return a
	}
	ok := func(kind mapreduce.Kind, task int64) mapreduce.Attempt {
		return attempt(kind, task, 0, trace.Succeeded, 2, 3)
	}
	for _, test := range []struct {
		name                   string
		reduces                int64
		attempts               []mapreduce.Attempt
		input, shuffle, output int64
	}{
		{"all", 1, []mapreduce.Attempt{with(ok(mapreduce.Map, 0), 10, -1, 20, -1), with(ok(mapreduce.Map, 1), 11, 1, 21,
			-1), with(ok(mapreduce.Reduce, 0), 99, 5, -1, 40)}, 21, 40, 6},
		{"shuffle from map output", 1, []mapreduce.Attempt{with(ok(mapreduce.Map, 0), 10, -1, 20, -1),
			with(ok(mapreduce.Reduce, 0), -1, 5, -1, -1)}, 10, 20, 5},
		{"map-only", 0, []mapreduce.Attempt{with(ok(mapreduce.Map, 0), -1, 7, 20, -1)}, trace.None, 0, 7},
		{"nothing known", trace.None, []mapreduce.Attempt{ok(mapreduce.Map, 0)}, trace.None, trace.None, trace.None},
		{"failed ones do not count", 0, []mapreduce.Attempt{with(attempt(mapreduce.Map, 0, 0, trace.Failed, 2, 3), 10,
			10, 10, 10)}, trace.None, 0, trace.None},
		{"no overflow", 0, []mapreduce.Attempt{with(ok(mapreduce.Map, 0), math.MaxInt64, 0, 0, 0),
			with(ok(mapreduce.Map, 1), math.MaxInt64, 0, 0, 0)}, math.MaxInt64, 0, 0},
	} {
		j := job(trace.Succeeded, test.attempts...)
		j.Stated[mapreduce.Reduce] = test.reduces
		r, _ := run(t, j)
		if r.InputBytes != test.input || r.ShuffleBytes != test.shuffle || r.OutputBytes != test.output {
			t.Errorf("%s: input %d shuffle %d output %d", test.name, r.InputBytes, r.ShuffleBytes, r.OutputBytes)
		}
	}
}

func TestAnyJobGivesAValidRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.Custom(func(t *rapid.T) trace.Instant {
			return rapid.SampledFrom([]trace.Instant{trace.None, 0, 1, 2, 3, 1e15}).Draw(t, "at")
		})
		number := rapid.SampledFrom([]int64{trace.None, -1, 0, 1, 2, 5, math.MaxInt32, math.MaxInt64})
		j := mapreduce.NewJob("j")
		j.Submit, j.Launch, j.Finish = instant.Draw(t, "submit"), instant.Draw(t, "launch"), instant.Draw(t, "finish")
		j.Status = trace.Status(rapid.IntRange(0, int(trace.Running)).Draw(t, "status"))
		for k := range j.Stated {
			if n := number.Draw(t, "stated"); n <= math.MaxInt32 {
				j.Stated[k] = max(n, trace.None)
				if n < 0 {
					j.Stated[k] = trace.None
				}
			}
		}
		for range rapid.IntRange(0, 8).Draw(t, "attempts") {
			a := mapreduce.NewAttempt(mapreduce.Kind(rapid.IntRange(0, 1).Draw(t, "kind")),
				rapid.Int64Range(0, math.MaxInt32+2).Draw(t, "task"), int32(rapid.IntRange(0, 2).Draw(t, "number")))
			a.Start, a.Finish, a.Queued = instant.Draw(t, "start"), instant.Draw(t, "finish"), instant.Draw(t, "queued")
			a.Status = trace.Status(rapid.IntRange(0, int(trace.Running)).Draw(t, "status"))
			a.Read, a.Written, a.CPUMillis, a.Memory = number.Draw(t, "read"), number.Draw(t, "written"),
				number.Draw(t, "cpu"), number.Draw(t, "memory")
			j.Attempts = append(j.Attempts, a)
		}
		n := len(j.Attempts)
		r := j.Run()
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if len(r.Attempts) != n {
			t.Fatalf("%d of %d attempts", len(r.Attempts), n)
		}
		for _, a := range r.Attempts {
			if tasks := r.Stages[a.Stage].Tasks; int64(a.Task) >= tasks || a.Queued.Known() && a.Start.Known() &&
				a.Queued > a.Start {
				t.Fatalf("attempt %+v of %d tasks", a, tasks)
			}
		}
	})
}
