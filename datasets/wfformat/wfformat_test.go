package wfformat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

func TestInstance(t *testing.T) {
	run, tally := one(t, instance)
	start := trace.Instant(1608927008) * 1e6
	if run.ID != "diamond-001" || run.Name != "diamond-0" || run.Submit.Known() || run.Start != start ||
		run.End != start+90_500_000 || run.Status != trace.Succeeded || run.Guaranteed != trace.None {
		t.Errorf("run %+v", run)
	}
	if run.InputBytes != 100 || run.ShuffleBytes != 110 || run.OutputBytes != 3 {
		t.Errorf("input %d, shuffle %d, output %d", run.InputBytes, run.ShuffleBytes, run.OutputBytes)
	}
	want := []trace.Access{
		{Dataset: "result", Write: true, At: trace.None, Bytes: 1}, {Dataset: "in", At: trace.None, Bytes: 100},
		{Dataset: "log", Write: true, At: trace.None, Bytes: 2},
	}
	if !slices.Equal(run.IO, want) {
		t.Errorf("io %+v, want %+v", run.IO, want)
	}
	checkGraph(t, run, []string{"split", "work", "work", "join"})
	if s := run.Stages[0]; s.Demand[trace.CPU] != 1 || s.Demand[trace.Mem] != 1000 || s.Start.Known() {
		t.Errorf("stage %+v", s)
	}
	checkAttempts(t, run, "m2")
	if len(tally.Repairs) != 0 || len(tally.Warnings) != 1 || !strings.Contains(tally.Warnings[0],
		"1 tasks; the first machine of each is kept") {
		t.Errorf("repairs %v, warnings %v", tally.Repairs, tally.Warnings)
	}
	if m := tally.Machines; len(m) != 2 || m[0].Name != "m1" || m[0].CPU != 48 || m[0].Mem != 131795960000 ||
		!same(m[1].Mem, -1) {
		t.Errorf("machines %+v", m)
	}
}

func checkGraph(t *testing.T, run *trace.Run, names []string) {
	t.Helper()
	var got []string
	for _, s := range run.Stages {
		got = append(got, s.Name)
		if s.Tasks != 1 {
			t.Errorf("%d tasks of %s", s.Tasks, s.Name)
		}
	}
	k := trace.OneToOne
	edges := []trace.Edge{{Parent: 0, Child: 1, Kind: k}, {Parent: 0, Child: 2, Kind: k},
		{Parent: 1, Child: 3, Kind: k}, {Parent: 2, Child: 3, Kind: k}}
	if !slices.Equal(got, names) || !slices.Equal(run.Edges, edges) {
		t.Errorf("stages %v, edges %+v", got, run.Edges)
	}
}

// checkAttempts compares the attempts of the diamond, whose second worker ran on a machine.
func checkAttempts(t *testing.T, run *trace.Run, machine string) {
	t.Helper()
	if len(run.Attempts) != 4 {
		t.Fatalf("%d attempts", len(run.Attempts))
	}
	for i, want := range []struct {
		duration               trace.Duration
		machine                string
		cpu, mem, read, writes float64
	}{
		{2e6, "m1", 0.5, 1000, 50, 25}, {10e6, "", -1, -1, -1, -1}, {0, machine, -1, -1, -1, -1},
		{1_250_000, "", -1, -1, -1, -1},
	} {
		a := run.Attempts[i]
		if a.Stage != int32(i) || a.Task != 0 || a.Attempt != 0 || a.Status != trace.Succeeded ||
			a.Duration != want.duration || a.Start.Known() || a.End.Known() || a.Machine != want.machine ||
			!same(a.Demand[trace.CPU], want.cpu) && i != 1 || !same(a.Demand[trace.Mem], want.mem) ||
			!same(a.Demand[trace.DiskRead], want.read) || !same(a.Demand[trace.DiskWrite], want.writes) {
			t.Errorf("attempt %d: %+v, want %+v", i, a, want)
		}
	}
}

func TestOlderVersions(t *testing.T) {
	for _, test := range []struct {
		name, content string
		scale         float64 // of bytesRead
	}{
		{"1.2", old, 1},
		{"1.3", change(t, change(t, old, `"jobs"`, `"tasks"`), `"1.2"`, `"1.3"`), 1},
		{"1.4", change(t, change(t, change(t, change(t, change(t, change(t, old, `"jobs"`, `"tasks"`), `"runtime"`,
			`"runtimeInSeconds"`), `"makespan"`, `"makespanInSeconds"`),
			`"memory": 1,`, `"memoryInBytes": 1000,`), `"size"`, `"sizeInBytes"`), `"bytesRead": 100, "bytesWritten"`,
			`"readBytes": 100, "writtenBytes"`), 1},
		{"not by Pegasus", change(t, old, "Pegasus", "Makeflow"), 1000},
		{"both names of fields", change(t, old, `"memory": 1,`, `"memoryInBytes": 1000, "memory": 7,`), 1},
	} {
		run, tally := one(t, test.content)
		if run.ID != "diamond-001" || run.Name != "diamond" || run.Start != 1608927008*1e6 || run.End != run.Start+
			90_500_000 || run.InputBytes != 100 || run.ShuffleBytes != 110 || run.OutputBytes != 3 || len(run.IO) != 3 {
			t.Errorf("%s: run %+v", test.name, run)
		}
		checkGraph(t, run, []string{"split_ID1", "work_ID2", "work_ID3", "join_ID4"})
		a := &run.Attempts[0]
		a.Demand[trace.DiskRead] /= test.scale
		a.Demand[trace.DiskWrite] /= test.scale
		checkAttempts(t, run, "")
		if run.Stages[0].Demand[trace.CPU] != 1 || len(tally.Machines) != 1 || tally.Machines[0].CPU != 8 ||
			tally.Machines[0].Mem < 1e6 {
			t.Errorf("%s: demand %v, machines %+v", test.name, run.Stages[0].Demand, tally.Machines)
		}
	}
}

func TestQuirks(t *testing.T) {
	for _, test := range []struct {
		name, from, to string
		check          func(r *trace.Run) bool
		repair         string
		times          int64
	}{
		{"no execution", `"execution"`, `"other"`, func(r *trace.Run) bool {
			return len(r.Stages) == 4 && len(r.Attempts) == 0 && r.Status == trace.StatusUnknown && !r.Start.Known()
		}, "", 0},
		{"no makespan", `"makespanInSeconds": 90.5,`, "", func(r *trace.Run) bool {
			return r.Start.Known() && !r.End.Known() && r.Status == trace.StatusUnknown && len(r.Attempts) == 4
		}, "", 0},
		{"a whole makespan", "90.5", "90", func(r *trace.Run) bool { return r.End == r.Start+90e6 }, "", 0},
		{"a makespan of 0 stands for nothing", "90.5", "0", func(r *trace.Run) bool {
			return !r.End.Known() && r.Status == trace.StatusUnknown
		}, RepairMakespan, 1},
		{"a negative makespan", "90.5", "-1", func(r *trace.Run) bool { return !r.End.Known() }, RepairNegative, 1},
		{"a makespan beyond all clocks", "90.5", "1e300", func(r *trace.Run) bool {
			return !r.End.Known()
		}, RepairMakespan, 1},
		{"no date", `"executedAt": "2020-12-25T20:10:08+00:00",`, "", func(r *trace.Run) bool {
			return !r.Start.Known() && !r.End.Known() && r.Status == trace.Succeeded
		}, "", 0},
		{"a date that is none", "2020-12-25T20:10:08+00:00", "yesterday", func(r *trace.Run) bool {
			return !r.Start.Known() && !r.End.Known()
		}, RepairDate, 1},
		{"a task with a start of its own", `"runtimeInSeconds": 1.25`,
			`"runtimeInSeconds": 1.25, "executedAt": "2020-12-25T20:10:10Z"`, func(r *trace.Run) bool {
				a, s := r.Attempts[3], r.Stages[3]
				return a.Start == 1608927010*1e6 && a.End == a.Start+1_250_000 && s.Start == a.Start && s.End == a.End
			}, "", 0},
		{"a task without a runtime", `"runtimeInSeconds": 1.25`, `"priority": 1`, func(r *trace.Run) bool {
			return len(r.Attempts) == 3 && len(r.Stages) == 4
		}, "", 0},
		{"a negative runtime", "1.25", "-1.25", func(r *trace.Run) bool { return len(r.Attempts) == 3 }, RepairNegative,
			1},
		{"a task that ran twice", `{"id": "d", "runtimeInSeconds": 1.25}`,
			`{"id": "d", "runtimeInSeconds": 1.25}, {"id": "d", "runtimeInSeconds": 2}`, func(r *trace.Run) bool {
				return len(r.Attempts) == 5 && r.Attempts[4].Attempt == 1 && r.Attempts[4].Duration == 2e6
			}, "", 0},
		{"measurements of no task", `{"id": "d", "run`, `{"id": "x", "run`, func(r *trace.Run) bool {
			return len(r.Attempts) == 3
		}, RepairNoSuchTask, 1},
		{"parents alone", `"children"`, `"kids"`, func(r *trace.Run) bool { return len(r.Edges) == 4 }, "", 0},
		{"children alone", `"parents"`, `"mothers"`, func(r *trace.Run) bool { return len(r.Edges) == 4 }, "", 0},
		{"a parent that is no task", `"parents": ["b", "c"]`, `"parents": ["b", "x"]`, func(r *trace.Run) bool {
			return len(r.Edges) == 4
		}, RepairNoTask, 1},
		{"null for a list", `"parents": []`, `"parents": null`, func(r *trace.Run) bool { return len(r.Edges) == 4 },
			"", 0},
		{"one machine without a list", `"machines": ["m1"]`, `"machine": "m1"`, func(r *trace.Run) bool {
			return r.Attempts[0].Machine == "m1"
		}, "", 0},
		{"numbers in quotes", `"runtimeInSeconds": 2.0`, `"runtimeInSeconds": "2.5"`, func(r *trace.Run) bool {
			return r.Attempts[0].Duration == 2_500_000
		}, "", 0},
		{"fractions of cores", `"coreCount": 1,`, `"coreCount": 1.5,`, func(r *trace.Run) bool {
			return r.Stages[0].Demand[trace.CPU] == 1.5
		}, "", 0},
		{"files as objects", `"inputFiles": ["in"]`, `"inputFiles": [{"id": "in", "sizeInBytes": 7}]`,
			func(r *trace.Run) bool { return r.InputBytes == 7 }, "", 0},
		{"files of unknown size", `{"id": "in", "sizeInBytes": 100},`, "", func(r *trace.Run) bool {
			return r.InputBytes == trace.None && r.IO[1].Bytes == trace.None
		}, "", 0},
		{"files of negative size", `"sizeInBytes": 100`, `"sizeInBytes": -1`, func(r *trace.Run) bool {
			return r.InputBytes == trace.None
		}, RepairNegative, 1},
		{"no name", `"name": "diamond-0.json",`, "", func(r *trace.Run) bool { return r.Name == "diamond-001" }, "", 0},
		{"an unknown version", `"1.5"`, `"2.0"`, func(r *trace.Run) bool { return len(r.Edges) == 4 }, "", 0},
	} {
		run, tally := one(t, change(t, instance, test.from, test.to))
		if !test.check(run) {
			t.Errorf("%s: run %+v", test.name, run)
		}
		if tally.Repairs[test.repair] != test.times || test.times == 0 && len(tally.Repairs) != 0 {
			t.Errorf("%s: repairs %v, want %d of %q", test.name, tally.Repairs, test.times, test.repair)
		}
	}
}

func TestEdgesFromFiles(t *testing.T) {
	run, tally := one(t, change(t, change(t, instance, `"parents"`, `"mothers"`), `"children"`, `"kids"`))
	checkGraph(t, run, []string{"split", "work", "work", "join"})
	if tally.Repairs[RepairEdges] != 4 {
		t.Errorf("repairs %v", tally.Repairs)
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]int64{
		"2020-12-25T20:10:08+00:00": 1608927008, "20200403T154235+0000": 1585928555, "05-10-23T16:23:32Z": 1683735812,
		"2023-03-29T10:02:36-10:00": 1680120156,
		"2020-12-25T20:10:08Z":      1608927008, "2020-12-25T20:10:08+0000": 1608927008,
		"2020-12-25T20:10:08": 1608927008, " 2020-12-25 20:10:08 ": 1608927008,
		"20201225T201008": 1608927008, "20201225T201008Z": 1608927008, "Fri, 25 Dec 2020 20:10:08 +0000": 1608927008,
		"Fri Dec 25 20:10:08 2020": 1608927008,
	} {
		if got, ok := date(text); !ok || got != trace.Instant(want)*1e6 {
			t.Errorf("%q is %d, %v, want %d s", text, got, ok, want)
		}
	}
	if got, ok := date("2020-12-25T20:10:08.25+00:00"); !ok || got != 1608927008_250000 {
		t.Errorf("a fraction of a second: %d, %v", got, ok)
	}
	for text, want := range map[string]bool{"": true, "1970-01-01T00:00:00Z": true, "soon": false,
		"13-45-99T00:00:00Z": false, "1608927008": false} {
		if got, ok := date(text); ok != want || got.Known() {
			t.Errorf("%q is %d, %v", text, got, ok)
		}
	}
}

func TestMachinesAreListedOnce(t *testing.T) {
	two := change(t, instance, `{"nodeName": "m2", "cpu": {"coreCount": 48}}`,
		`{"nodeName": "m1", "memoryInBytes": 131795960000, "cpu": {"coreCount": 48}}, {"nodeName": "m1", "memoryInBytes": 1, "cpu": {"coreCount": 48}}, {"nodeName": ""}`)
	_, tally := one(t, two)
	if len(tally.Machines) != 2 {
		t.Errorf("machines %+v", tally.Machines)
	}
}

func ExampleFormat() {
	fmt.Println(Format().Name, Format().TimeBase)
	// Output: wfformat unix
}
