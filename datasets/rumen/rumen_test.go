package rumen

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/mapreduce"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, Format(), source.BytesFile("x.json", []byte(content)))
}

// at is an instant, of the milliseconds that the samples hold.
func at(ms int64) trace.Instant { return trace.Instant(ms) * 1000 }

// sample is a job as TraceBuilder of Hadoop 2 writes it, shortened: two maps, one of which failed once, and a reduce.
const sample = `{
  "priority" : "NORMAL",
  "jobID" : "job_201102110711_0911",
  "user" : "ann",
  "jobName" : "sorter",
  "mapTasks" : [ {
    "startTime" : 1298086032103,
    "taskID" : "task_201102110711_0911_m_000000",
    "taskType" : "MAP",
    "attempts" : [ {
      "location" : null,
      "hostName" : "/1.1.1.192/host255",
      "startTime" : 1298086032106,
      "result" : "FAILED",
      "finishTime" : 1298086036709,
      "attemptID" : "attempt_201102110711_0911_m_000000_0",
      "hdfsBytesRead" : 7
    }, {
      "location" : { "layers" : [ "1.1.1.192", "host256" ] },
      "hostName" : "/1.1.1.192/host256",
      "startTime" : 1298086040000,
      "result" : "SUCCESS",
      "finishTime" : 1298086044000,
      "attemptID" : "attempt_201102110711_0911_m_000000_1",
      "cpuUsages" : [ 500, 500, 1000 ],
      "physMemKbytes" : [ 100, 300, 200 ],
      "hdfsBytesRead" : 5380112,
      "hdfsBytesWritten" : 0,
      "mapOutputBytes" : 5388787,
      "reduceShuffleBytes" : -1
    } ],
    "finishTime" : 1298086037053,
    "preferredLocations" : [ { "layers" : [ "1.1.1.192", "host255" ] } ],
    "taskStatus" : "SUCCESS"
  }, {
    "taskID" : "task_201102110711_0911_m_000001",
    "attempts" : [ ]
  } ],
  "reduceTasks" : [ {
    "taskID" : "task_201102110711_0911_r_000000",
    "attempts" : [ {
      "hostName" : "/1.1.1.192/host255",
      "startTime" : 1298086045000,
      "result" : "SUCCESS",
      "finishTime" : 1298086050000,
      "attemptID" : "attempt_201102110711_0911_r_000000_0",
      "shuffleFinished" : 1298086046000,
      "hdfsBytesWritten" : 42,
      "reduceShuffleBytes" : 5388799,
      "resourceUsageMetrics" : { "cumulativeCpuUsage" : 2500, "physicalMemoryUsage" : 1000000 }
    } ]
  } ],
  "otherTasks" : [ {
    "taskID" : "task_201102110711_0911_m_000002",
    "taskType" : "SETUP",
    "attempts" : [ { "attemptID" : "attempt_201102110711_0911_m_000002_0", "startTime" : 1298086030000, "finishTime" : 1298086031000, "result" : "SUCCESS" } ]
  } ],
  "submitTime" : 1298086018089,
  "launchTime" : 1298086025242,
  "finishTime" : 1298086060707,
  "totalMaps" : 2,
  "totalReduces" : 1,
  "outcome" : "SUCCESS",
  "jobtype" : "JAVA",
  "directDependantJobs" : [ ],
  "queue" : "default",
  "heapMegabytes" : 640,
  "jobMapMB" : 640,
  "jobReduceMB" : -1,
  "relativeTime" : 0
}
`

func TestJob(t *testing.T) {
	r := read(t, sample)
	if len(r.Runs) != 1 || r.Tally.Read != 1 || r.Tally.Used != 1 || len(r.Tally.Repairs) != 0 ||
		len(r.Tally.Warnings) != 0 {
		t.Fatalf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
	run := r.Runs[0]
	if run.ID != "job_201102110711_0911" || run.Name != "sorter" || run.User != "ann" || run.Group != "default" ||
		run.Status != trace.Succeeded {
		t.Errorf("run %+v", run)
	}
	if run.Submit != at(1298086018089) || run.Start != at(1298086032106) || run.End != at(1298086060707) ||
		run.Guaranteed != trace.None {
		t.Errorf("run %+v", run)
	}
	if run.InputBytes != 5380112 || run.ShuffleBytes != 5388799 || run.OutputBytes != 42 {
		t.Errorf("input %d, shuffle %d, output %d", run.InputBytes, run.ShuffleBytes, run.OutputBytes)
	}
	if len(run.Stages) != 2 || !slices.Equal(run.Edges, []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}) {
		t.Fatalf("stages %+v, edges %+v", run.Stages, run.Edges)
	}
	if m := run.Stages[0]; m.Name != "map" || m.Tasks != 2 || m.Demand[trace.Mem] != 640<<20 ||
		m.End != at(1298086044000) {
		t.Errorf("map %+v", m)
	}
	if red := run.Stages[1]; red.Name != "reduce" || red.Tasks != 1 || !math.IsNaN(red.Demand[trace.Mem]) {
		t.Errorf("reduce %+v", red)
	}
	for i, want := range []struct {
		stage, task, attempt int32
		status               trace.Status
		queued, start, end   trace.Instant
		machine              string
		cpu, mem             float64
	}{
		{0, 0, 0, trace.Failed, at(1298086025242), at(1298086032106), at(1298086036709), "host255", -1, -1},
		{0, 0, 1, trace.Succeeded, at(1298086036709), at(1298086040000), at(1298086044000), "host256", 0.5, 300 << 10},
		{1, 0, 0, trace.Succeeded, trace.None, at(1298086045000), at(1298086050000), "host255", 0.5, 1e6},
	} {
		a := run.Attempts[i]
		if a.Stage != want.stage || a.Task != want.task || a.Attempt != want.attempt || a.Status != want.status ||
			a.Queued != want.queued ||
			a.Start != want.start || a.End != want.end || a.Machine != want.machine ||
			!same(a.Demand[trace.CPU], want.cpu) || !same(a.Demand[trace.Mem], want.mem) {
			t.Errorf("attempt %+v, want %+v", a, want)
		}
	}
}

// same compares a value with a wanted one, of which -1 is null.
func same(got, want float64) bool { return got == want || want == -1 && math.IsNaN(got) }

// small is a job of one line with more fields, which are put in where the %s stands.
const small = `{"jobID":"job_1_%d",%s"submitTime":1000,"launchTime":2000,"finishTime":9000,"totalMaps":1,"totalReduces":0,"outcome":"SUCCESS"}`

func TestQuirks(t *testing.T) {
	maps := func(attempts string) string {
		return `"mapTasks":[{"startTime":-1,"finishTime":0,"taskID":"task_1_7_m_000000","attempts":[` + attempts +
			`],"taskStatus":null}],`
	}
	for _, test := range []struct {
		name, more string
		check      func(r *trace.Run) bool
		repair     string
	}{
		{"times of the task are wrong, those of the attempt count",
			maps(`{"attemptID":"attempt_1_7_m_000000_0","startTime":3000,"finishTime":4000,"result":"SUCCESS"}`),
			func(r *trace.Run) bool { return r.Attempts[0].Duration == 1e6 && r.Stages[0].End == at(4000) }, ""},
		{"a task without attempts", maps(""), func(r *trace.Run) bool {
			return len(r.Attempts) == 0 && r.Stages[0].Tasks == 1 && r.Start == at(2000)
		}, ""},
		{"a start of 0", maps(`{"attemptID":"attempt_1_7_m_000000_1","startTime":0,"finishTime":4000,"result":"FAILED","hostName":"node1500\\.megatron\\.com"}`),
			func(r *trace.Run) bool {
				a := r.Attempts[0]
				return a.Attempt == 1 && !a.Start.Known() && a.End == at(4000) &&
					a.Machine == "node1500.megatron.com" && a.Status == trace.Failed
			}, mapreduce.RepairZero},
		{"an end before the start",
			maps(`{"attemptID":"attempt_1_7_m_000000_0","startTime":5000,"finishTime":4000,"result":"FAILED"}`),
			func(r *trace.Run) bool { return !r.Attempts[0].End.Known() && r.Attempts[0].Status == trace.Failed },
			mapreduce.RepairAttemptEnd},
		{"an attempt that runs",
			maps(`{"attemptID":"attempt_1_7_m_000000_0","startTime":5000,"finishTime":-1,"result":null}`),
			func(r *trace.Run) bool { return r.Attempts[0].Status == trace.Running }, ""},
		{"ids that are not Hadoop's",
			`"mapTasks":[{"taskID":"a","attempts":[{"attemptID":"b","startTime":3000},{"startTime":4000}]},{"taskID":null,"attempts":null}],`,
			func(r *trace.Run) bool {
				return len(r.Attempts) == 2 && r.Attempts[1].Attempt == 1 && r.Stages[0].Tasks == 2
			}, mapreduce.RepairTaskCount},
		{"early versions have no name", `"jobName":null,"queue":null,`, func(r *trace.Run) bool {
			return r.Name == "" && r.Group == ""
		}, ""},
		{"map-only jobs have one stage", "", func(r *trace.Run) bool {
			return len(r.Stages) == 1 && len(r.Edges) == 0 &&
				r.ShuffleBytes == 0
		}, ""},
		{"fields of other versions", `"jobProperties":{"mapred.child.java.opts":"-Xmx1024M"},"resourceUsage":[1,2],`,
			func(r *trace.Run) bool { return r.Status == trace.Succeeded }, ""},
		{"text with escapes", `"jobName":"a \"b\" \\ {[ \u00e9","user":"\\",`, func(r *trace.Run) bool {
			return r.Name == `a "b" \ {[ é` && r.User == `\`
		}, ""},
	} {
		r := read(t, fmt.Sprintf(small, 7, test.more))
		if len(r.Runs) != 1 || !test.check(r.Runs[0]) {
			t.Errorf("%s: rejects %v, runs %+v", test.name, r.Rejects, r.Runs)
		}
		if test.repair == "" && len(r.Tally.Repairs) != 0 || test.repair != "" && r.Tally.Repairs[test.repair] != 1 {
			t.Errorf("%s: repairs %v, want %q", test.name, r.Tally.Repairs, test.repair)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for outcome, want := range map[string]trace.Status{`"KILLED"`: trace.Killed, `"FAILED"`: trace.Failed,
		`"SUCCEEDED"`: trace.Succeeded, "null": trace.StatusUnknown} {
		content := strings.Replace(fmt.Sprintf(small, 1, ""), `"SUCCESS"`, outcome, 1)
		if r := read(t, content); len(r.Runs) != 1 || r.Runs[0].Status != want {
			t.Errorf("%s: %v", outcome, r.Runs)
		}
		content = strings.Replace(content, `"finishTime":9000`, `"finishTime":-1`, 1)
		r := read(t, content)
		if want == trace.StatusUnknown {
			want = trace.Running
		}
		if len(r.Runs) != 1 || r.Runs[0].Status != want || r.Runs[0].End.Known() || len(r.Tally.Repairs) != 0 {
			t.Errorf("%s without an end: %v", outcome, r.Runs)
		}
	}
}

func TestTopology(t *testing.T) {
	topology := `{ "name" : "<root>", "children" : [ { "name" : "194\\.6\\.129\\.64", "children" : [
  { "name" : "node1817\\.megatron\\.com", "children" : null }, { "name" : "node1826", "children" : [ ] } ] } ] }`
	r := read(t, fmt.Sprintf(small, 1, "")+"\n"+topology+topology)
	if len(r.Runs) != 1 || r.Tally.Used != 3 || len(r.Rejects) != 0 {
		t.Fatalf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
	var names []string
	for _, m := range r.Tally.Machines {
		names = append(names, m.Name)
	}
	if want := []string{"node1817.megatron.com", "node1826"}; !slices.Equal(names, want) {
		t.Errorf("machines %v, want %v", names, want)
	}
}

func TestDependantJobsAreToldOf(t *testing.T) {
	r := read(t, fmt.Sprintf(small, 1, `"directDependantJobs":["job_1_2"],`))
	if len(r.Runs) != 1 || len(r.Tally.Warnings) != 1 || !strings.Contains(r.Tally.Warnings[0],
		"job_1_1 names 1 jobs") {
		t.Errorf("warnings %q", r.Tally.Warnings)
	}
}
