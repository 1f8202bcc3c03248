package jhist_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/jhist"
	"racecard/datasets/mapreduce"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

func TestJob(t *testing.T) {
	r := read(t, log(
		event("AMStarted", `"applicationAttemptId":"appattempt_1_0001_000001","startTime":1500,"containerId":"c","nodeManagerHost":"h"`),
		submitted(""), event("JobQueueChange", `"jobid":"job_1_0001","jobQueueName":"root.ann"`), inited(2, 1),
		event("JobInfoChange", `"jobid":"job_1_0001","submitTime":1000,"launchTime":2000`),
		taskStarted("m_000000", 2100), taskStarted("m_000001", 2200), taskStarted("r_000000", 2300),
		started("m_000000_0", 3000, `,"avataar":"VIRGIN"`), started("m_000000_1", 3500,
			`,"avataar":{"string":"SPECULATIVE"}`), started("m_000001_0", 3100, ""),
		finished("m_000000_0", 5000,
			"HDFS_BYTES_READ=100,S3A_BYTES_READ=20,FILE_BYTES_READ=7,FILE_BYTES_WRITTEN=8,HDFS_BYTES_WRITTEN=0,MAP_OUTPUT_BYTES=60,CPU_MILLISECONDS=1000,PHYSICAL_MEMORY_BYTES=4096"),
		unsuccessful("m_000000_1", "KILLED", 5100, `,"counters":`+counters("HDFS_BYTES_READ=9")),
		unsuccessful("m_000001_0", "FAILED", 4000, `,"counters":{"org.apache.hadoop.mapreduce.jobhistory.JhCounters":`+
			counters("HDFS_BYTES_READ=9,CPU_MILLISECONDS=90,PHYSICAL_MEMORY_BYTES=0")+`}`),
		started("m_000001_1", 4500, ""), finished("m_000001_1", 6000, "HDFS_BYTES_READ=3"),
		event("TaskFinished",
			`"taskid":"task_1_0001_m_000001","taskType":"MAP","finishTime":6000,"status":"SUCCEEDED"`),
		started("r_000000_0", 5500, ""), finished("r_000000_0", 8000,
			"REDUCE_SHUFFLE_BYTES=55,HDFS_BYTES_WRITTEN=42,FILE_BYTES_WRITTEN=1"),
		jobFinished(9000),
	))
	if len(r.Runs) != 1 || len(r.Rejects) != 0 || len(r.Tally.Repairs) != 0 || len(r.Tally.Warnings) != 0 {
		t.Fatalf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
	if c := r.Tally; c.Read != 42 || c.Used != 19 || c.Ignored["AMStarted"] != 1 ||
		c.Ignored[jhist.IgnoredHeader] != 2 || c.Ignored[jhist.IgnoredBlank] != 20 {
		t.Errorf("tally %+v", c)
	}
	run := r.Runs[0]
	if run.ID != "job_1_0001" || run.Name != "sorter" || run.User != "ann" || run.Group != "root.ann" ||
		run.Status != trace.Succeeded || run.Guaranteed != trace.None {
		t.Errorf("run %+v", run)
	}
	if run.Submit != at(1000) || run.Start != at(3000) || run.End != at(9000) || run.InputBytes != 123 ||
		run.ShuffleBytes != 55 || run.OutputBytes != 42 {
		t.Errorf("run %+v", run)
	}
	if len(run.Stages) != 2 || run.Stages[0].Tasks != 2 || run.Stages[1].Tasks != 1 ||
		!slices.Equal(run.Edges, []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}) {
		t.Fatalf("stages %+v, edges %+v", run.Stages, run.Edges)
	}
	for i, want := range []struct {
		stage, task, attempt int32
		status               trace.Status
		speculative          trace.Tri
		queued, start, end   int64
		machine              string
		cpu, mem             float64
	}{
		{0, 0, 0, trace.Succeeded, trace.No, 2100, 3000, 5000, "m1", 0.5, 4096},
		{0, 0, 1, trace.Killed, trace.Yes, -1, 3500, 5100, "m2", -1, -1},
		{0, 1, 0, trace.Failed, trace.TriNull, 2200, 3100, 4000, "m2", -1, -1},
		{0, 1, 1, trace.Succeeded, trace.TriNull, 4000, 4500, 6000, "m1", -1, -1},
		{1, 0, 0, trace.Succeeded, trace.TriNull, -1, 5500, 8000, "m1", -1, -1},
	} {
		a := run.Attempts[i]
		queued := at(want.queued)
		if want.queued == -1 {
			queued = trace.None
		}
		if a.Stage != want.stage || a.Task != want.task || a.Attempt != want.attempt || a.Status != want.status ||
			a.Speculative != want.speculative ||
			a.Queued != queued || a.Start != at(want.start) || a.End != at(want.end) || a.Machine != want.machine ||
			!same(a.Demand[trace.CPU], want.cpu) || !same(a.Demand[trace.Mem], want.mem) {
			t.Errorf("attempt %+v, want %+v", a, want)
		}
	}
}

// same compares a value with a wanted one, of which -1 is null.
func same(got, want float64) bool { return got == want || want == -1 && math.IsNaN(got) }

func TestQuirks(t *testing.T) {
	for _, test := range []struct {
		name            string
		events          []string
		check           func(r *trace.Run) bool
		repair, warning string
	}{
		{"failed after four attempts", []string{submitted(""), inited(2, 1),
			started("m_000000_0", 3000, ""), unsuccessful("m_000000_0", "FAILED", 3100, ""), started("m_000000_1", 3200,
				""), unsuccessful("m_000000_1", "FAILED", 3300, ""),
			started("m_000000_2", 3400, ""), unsuccessful("m_000000_2", "FAILED", 3500, ""), started("m_000000_3", 3600,
				""), unsuccessful("m_000000_3", "FAILED", 3700, ""),
			event("TaskFailed", `"taskid":"task_1_0001_m_000000","taskType":"MAP","finishTime":3700,"error":"x","failedDueToAttempt":{"string":"attempt_1_0001_m_000000_3"},"status":"FAILED"`),
			jobFailed("FAILED", 4000)},
			func(r *trace.Run) bool {
				return len(r.Attempts) == 4 && r.Attempts[3].Queued == at(3500) && r.Status == trace.Failed &&
					len(r.Stages) == 2 && !r.Stages[1].Start.Known()
			}, "", ""},
		{"killed", []string{submitted(""), inited(1, 0), jobFailed("KILLED", 4000)}, func(r *trace.Run) bool {
			return r.Status == trace.Killed && r.Start == at(2000)
		}, "", ""},
		{"the application master failed", []string{submitted(""), jobFailed("ERROR", 4000)}, func(r *trace.Run) bool {
			return r.Status == trace.Failed && len(r.Stages) == 0
		}, "", ""},
		{"not ended", []string{submitted(""), inited(1, 0), started("m_000000_0", 3000, "")}, func(r *trace.Run) bool {
			return r.Status == trace.Running && !r.End.Known() && r.Attempts[0].Status == trace.Running &&
				r.Attempts[0].Machine == "tracker" && r.ShuffleBytes == 0
		}, "", "no JobFinished: job_1_0001 counts as running"},
		{"output lost with its machine", []string{submitted(""), inited(1, 0), started("m_000000_0", 3000, ""),
			finished("m_000000_0", 4000, "HDFS_BYTES_READ=5"), unsuccessful("m_000000_0", "KILLED", 6000, ""),
			jobFinished(9000)},
			func(r *trace.Run) bool {
				return r.Attempts[0].Status == trace.Lost && r.Attempts[0].End == at(4000) && r.InputBytes == trace.None
			}, "", ""},
		{"an attempt without its start", []string{submitted(""), inited(1, 0), finished("m_000000_0", 4000, ""),
			jobFinished(9000)},
			func(r *trace.Run) bool { return !r.Attempts[0].Start.Known() && r.Attempts[0].End == at(4000) }, "", ""},
		{"a start twice", []string{submitted(""), inited(1, 0), started("m_000000_0", 3000, ""),
			started("m_000000_0", 3500, ""), jobFinished(9000)},
			func(r *trace.Run) bool { return r.Attempts[0].Start == at(3000) }, "", "1 attempts of job_1_0001 start " +
				"twice"},
		{"more reduces than stated", []string{submitted(""), inited(0, 1), taskStarted("r_000000", 2000),
			taskStarted("r_000001", 2000), jobFinished(9000)},
			func(r *trace.Run) bool {
				return len(r.Stages) == 1 && r.Stages[0].Name == "reduce" && r.Stages[0].Tasks == 2
			}, mapreduce.RepairTaskCount, ""},
		{"an end before the start", []string{submitted(""), inited(1, 0), started("m_000000_0", 3000, ""),
			finished("m_000000_0", 2000, ""), jobFinished(9000)},
			func(r *trace.Run) bool { return !r.Attempts[0].End.Known() }, mapreduce.RepairAttemptEnd, ""},
		{"a time of 0", []string{submitted(""), inited(1, 0), started("m_000000_0", 0, ""), jobFinished(9000)},
			func(r *trace.Run) bool { return !r.Attempts[0].Start.Known() }, mapreduce.RepairZero, ""},
		{"an unknown time", []string{submitted(""), inited(1, 0), started("m_000000_0", -1, ""), jobFinished(9000)},
			func(r *trace.Run) bool { return !r.Attempts[0].Start.Known() }, "", ""},
		{"only tasks tell the job", []string{taskStarted("m_000000", 3000), started("m_000000_0", 3000, "")},
			func(r *trace.Run) bool { return r.ID == "job_1_0001" && r.Name == "" && r.Stages[0].Tasks == 1 }, "",
			"no JobFinished"},
	} {
		r := read(t, log(test.events...))
		if len(r.Runs) != 1 || !test.check(r.Runs[0]) || len(r.Rejects) != 0 {
			t.Errorf("%s: rejects %v, runs %+v", test.name, r.Rejects, r.Runs)
		}
		if test.repair == "" && len(r.Tally.Repairs) != 0 || test.repair != "" && r.Tally.Repairs[test.repair] != 1 {
			t.Errorf("%s: repairs %v, want %q", test.name, r.Tally.Repairs, test.repair)
		}
		if got := strings.Join(r.Tally.Warnings, "; "); !strings.Contains(got, test.warning) || test.warning == "" &&
			got != "" {
			t.Errorf("%s: warnings %q, want %q", test.name, got, test.warning)
		}
	}
}

func TestSetupAndCleanupAreLeftOut(t *testing.T) {
	aside := func(class, kind string) string {
		return event(class, `"taskid":"task_1_0001_m_000002","attemptId":"attempt_1_0001_m_000002_0","taskType":"`+kind+
			`","startTime":1,"finishTime":2`)
	}
	r := read(t, log(submitted(""), inited(1, 0), aside("TaskStarted", "JOB_SETUP"), aside("TaskAttemptStarted",
		"JOB_SETUP"), aside("TaskAttemptFinished", "JOB_CLEANUP"),
		aside("TaskFinished", "TASK_CLEANUP"), event("TaskUpdated", `"taskid":"task_1_0001_m_000000","finishTime":5`),
		event("NormalizedResource", `"memory":1024`), jobFinished(9000)))
	if c := r.Tally; len(r.Runs) != 1 || len(r.Runs[0].Attempts) != 0 || c.Ignored[jhist.IgnoredAside] != 4 ||
		c.Ignored["TaskUpdated"] != 1 || c.Ignored["NormalizedResource"] != 1 || c.Used != 3 {
		t.Errorf("runs %+v, rejects %v, tally %+v", r.Runs, r.Rejects, c)
	}
}

// Variants of a log that must not make a difference.
func TestVariants(t *testing.T) {
	plain := log(submitted(""), inited(1, 0), taskStarted("m_000000", 2500), started("m_000000_0", 3000, ""),
		finished("m_000000_0", 4000, "HDFS_BYTES_READ=5"), jobFinished(9000))
	describe := func(r *sourcetest.Result) string {
		var b strings.Builder
		for _, run := range r.Runs {
			for _, a := range run.Attempts {
				fmt.Fprintln(&b, run.ID, run.Status, a.Status, a.Machine, run.InputBytes)
			}
		}
		return b.String()
	}
	want := describe(read(t, plain))
	for name, content := range map[string]string{
		"CRLF":              strings.ReplaceAll(plain, "\n", "\r\n"),
		"no blank lines":    strings.ReplaceAll(plain, "\n\n", "\n"),
		"blanks before":     strings.ReplaceAll(plain, "\n{", "\n {"),
		"byte-order mark":   "\ufeff" + plain,
		"no last line end":  strings.TrimRight(plain, "\n"),
		"no schema":         strings.Replace(plain, schema+"\n", "", 1),
		"more fields":       strings.ReplaceAll(plain, `"taskid"`, `"new":{"a":[1]},"taskid"`),
		"other field order": strings.ReplaceAll(plain, `{"type":"ANY","event":`, `{"event":`),
		"another package":   strings.ReplaceAll(plain, "org.apache.hadoop.mapreduce.jobhistory.", "org.example."),
		"blanks inside":     strings.NewReplacer(`":`, `" : `, `,"`, `, "`, `{"`, `{ "`, `}`, ` }`).Replace(plain),
		"counters reversed": strings.ReplaceAll(plain, `{"name":"HDFS_BYTES_READ","displayName":"x","value":5}`,
			`{"value":5,"displayName":"{\"name\":\\","name":"HDFS_BYTES_READ"}`),
		"nullable strings": strings.NewReplacer(`"jobName":"sorter"`, `"jobName":{"string":"sorter"}`,
			`"hostname":"m1"`, `"hostname":{"string":"m1"}`).Replace(plain),
		"null for a counter": strings.ReplaceAll(plain, `"counters":`, `"ignored":null,"counters":`),
	} {
		if r := read(t, content); describe(r) != want || len(r.Rejects) != 0 {
			t.Errorf("%s: got %q, rejects %v, want %q", name, describe(r), r.Rejects, want)
		}
	}
	if r := read(t, strings.ReplaceAll(plain, `"counters":`, `"counters":null,"old":`)); len(r.Runs) != 1 ||
		r.Runs[0].InputBytes != trace.None {
		t.Errorf("without counters: %+v, rejects %v", r.Runs, r.Rejects)
	}
}

func TestCounters(t *testing.T) {
	for counts, want := range map[string]int64{
		"HDFS_BYTES_READ=5": 5, "HDFS_BYTES_READ=-5": trace.None, "HDFS_BYTES_READ=5.5": trace.None,
		"HDFS_BYTES_READ=1e3": trace.None, "_BYTES_READ=5": trace.None, "READ=5": trace.None,
		"HDFS_BYTES_READ=0": 0, "A_BYTES_READ=9223372036854775807,B_BYTES_READ=1": math.MaxInt64,
		"HDFS_BYTES_READ=9223372036854775808": trace.None, "HDFS_BYTES_READ=null": trace.None, "": trace.None,
		`HDFS_BYTES_READ="5"`: trace.None, `HDFS_BYTES_READ={"value":5}`: trace.None,
	} {
		r := read(t, log(submitted(""), inited(1, 0), finished("m_000000_0", 4000, counts), jobFinished(9000)))
		if len(r.Runs) != 1 || r.Runs[0].InputBytes != want {
			t.Errorf("%s: rejects %v, got %d, want %d", counts, r.Rejects, r.Runs[0].InputBytes, want)
		}
	}
}
