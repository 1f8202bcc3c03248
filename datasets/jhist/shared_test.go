package jhist_test

import (
	"testing"

	"racecard/datasets/jhist"
	"racecard/datasets/mapreduce"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// The six jobs of the README beside the logs. Events and attempts were counted by a few lines of Python.
func TestSharedLogs(t *testing.T) {
	for _, test := range []struct {
		name, job                string
		status                   trace.Status
		used, blank              int64
		maps, reduces            int64
		attempts, failed         int
		input, shuffle, output   int64
		warnings, fewerThanLists int64
	}{
		{"job_1329348432655_0001-1329348443227-user-Sleep+job-1329348468601-10-1-SUCCEEDED-default.jhist", "Sleep job",
			trace.Succeeded, 52, 0, 10, 2, 12, 0, 480, 240, 0, 0, 1},
		{"job_1393307629410_0001-1393307687476-user-Sleep+job-1393307723835-0-0-FAILED-default-1393307693920.jhist",
			"Sleep job", trace.Failed, 8, 8, 1, 0, 1, 1, trace.None, 0, trace.None, 0, 0},
		{"job_1410289045532_259974-1411647985641-user35-SomeJobName-1411647999554-1-0-SUCCEEDED-root.someQueueName-1411647995323.jhist", "SomeJobName/abc", trace.Running, 6, 7, 1, 0, 1, 0, trace.None, 0, trace.None, 1, 0},
		{"job_1416424547277_0002-1416424775281-root-TeraGen-1416424785433-2-0-SUCCEEDED-default-1416424779349.jhist",
			"TeraGen", trace.Succeeded, 13, 13, 2, 0, 2, 0, 158, 0, 10000, 0, 0},
		{"job_1526555215992_0001-1526555642677-user-QuasiMonteCarlo-1526555658299-1-1-SUCCEEDED-default-1526555648931.jhist", "QuasiMonteCarlo", trace.Succeeded, 12, 12, 1, 1, 2, 0, 268, 28, 215, 0, 0},
		{"job_2.0.3-alpha-FAILED.jhist", "Fail job", trace.Failed, 19, 19, 2, 1, 4, 4, trace.None, trace.None,
			trace.None, 0, 0},
	} {
		t.Run(test.name[:20], func(t *testing.T) {
			f := sourcetest.SharedFile(t, "hadoop-jhist/"+test.name)
			if head, err := f.Head(t.Context()); err != nil || !jhist.Format().Detect(f.Name, head) {
				t.Errorf("not detected, %v", err)
			}
			r := sourcetest.Read(t, jhist.Format(), f)
			if len(r.Runs) != 1 || len(r.Rejects) != 0 || r.Err != nil {
				t.Fatalf("%d runs, rejects %v, %v", len(r.Runs), r.Rejects, r.Err)
			}
			// Beside events there are two header lines, blank lines, and the start of the application master.
			if c := r.Tally; c.Used != test.used || c.Ignored[jhist.IgnoredBlank] != test.blank ||
				c.Ignored["AMStarted"] != 1 || c.Read != test.used+test.blank+3 {
				t.Errorf("tally %+v", c)
			}
			if int64(len(r.Tally.Warnings)) != test.warnings ||
				r.Tally.Repairs[mapreduce.RepairTaskCount] != test.fewerThanLists ||
				int64(len(r.Tally.Repairs)) != test.fewerThanLists {
				t.Errorf("warnings %v, repairs %v", r.Tally.Warnings, r.Tally.Repairs)
			}
			run := r.Runs[0]
			if run.Name != test.job || run.Status != test.status || run.End.Known() != (test.status != trace.Running) {
				t.Errorf("run %+v", run)
			}
			tasks := map[string]int64{}
			for _, s := range run.Stages {
				tasks[s.Name] = s.Tasks
			}
			failed := 0
			for _, a := range run.Attempts {
				if a.Status == trace.Failed {
					failed++
				}
			}
			if tasks["map"] != test.maps || tasks["reduce"] != test.reduces || len(run.Attempts) != test.attempts ||
				failed != test.failed {
				t.Errorf("tasks %v, %d attempts, %d failed", tasks, len(run.Attempts), failed)
			}
			if run.InputBytes != test.input || run.ShuffleBytes != test.shuffle || run.OutputBytes != test.output {
				t.Errorf("input %d, shuffle %d, output %d", run.InputBytes, run.ShuffleBytes, run.OutputBytes)
			}
		})
	}
}

func TestSharedOthersAreRefused(t *testing.T) {
	for _, name := range []string{"hadoop-rumen/jobtracker-logs/truncated-job-tracker-log",
		"hadoop-rumen/sls/2jobs2min-rumen-jh.json", "spark-eventlogs/rapids-tools/eventlog_dsv1"} {
		f := sourcetest.SharedFile(t, name)
		if head, err := f.Head(t.Context()); err != nil || jhist.Format().Detect(f.Name, head) {
			t.Errorf("%s is taken for jhist, %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		log(submitted(""), inited(1, 1), taskStarted("m_000000", 2000), started("m_000000_0", 3000,
			`,"avataar":{"string":"VIRGIN"}`), finished("m_000000_0", 4000, "HDFS_BYTES_READ=5,CPU_MILLISECONDS=9"),
			unsuccessful("m_000000_0", "KILLED", 4100, ""), jobFailed("KILLED", 5000)),
		"", head, "Avro-Binary\n\x00", head + "{\"event\":{\"a.JobFinished\":null}}", head +
			event("JobFinished", `"jobid":"","finishTime":-9223372036854775808`),
		head + event("TaskFinished", `"taskid":"task_1_1_m_2147483647"`) + "\n" +
			event("TaskAttemptStarted", `"attemptId":"attempt_1_1_m_2147483647_2147483647"`), log(submitted("")) +
			log(submitted("")),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		jhist.Format().Detect("fuzz", content)
		sourcetest.Read(t, jhist.Format(), source.BytesFile("fuzz", content))
	})
}
