package spark

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// sharedLogs is where real logs of Spark 1.2 to 3.5 lie beside the repository.
var sharedLogs = filepath.Join("..", "..", "..", "shared", "data", "spark-eventlogs")

// TestRealLogs compares runs with the table of the data's README, whose columns were counted apart from this package by
// parsing every line. Attempts are distinct Task IDs, stages distinct ids of StageSubmitted, both counted in the same
// way.
func TestRealLogs(t *testing.T) {
	if _, err := os.Stat(sharedLogs); err != nil {
		t.Skipf("the logs beside the repository are not here: %v", err)
	}
	tests := []struct {
		log           string // path, or a folder
		id            string
		completed     int // stage attempts completed
		ends, failed  int // task ends, and those with Failed set
		resubmissions int // task ends that repeat an earlier success whose output was lost
		stages        int
		attempts      int
		status        trace.Status
	}{
		{"apache-spark/app-20161115172038-0000", "app-20161115172038-0000", 1, 26, 10, 0, 1, 26, trace.Succeeded},
		{"apache-spark/application_1506645932520_24630151", "application_1506645932520_24630151", 3, 9, 0, 0, 3, 9,
			trace.Succeeded},
		{"apache-spark/application_1536831636016_59384_1", "application_1536831636016_59384_1", 1, 100, 0, 0, 1, 100,
			trace.Succeeded},
		{"apache-spark/application_1538416563558_0014", "application_1538416563558_0014", 14, 35, 8, 0, 14, 35,
			trace.Succeeded},
		{"apache-spark/application_1555004656427_0144", "application_1555004656427_0144", 0, 0, 0, 0, 0, 0,
			trace.Succeeded},
		{"apache-spark/local-1422981759269", "local-1422981759269", 5, 33, 0, 0, 5, 33, trace.Succeeded},
		{"apache-spark/local-1426533911241", "local-1426533911241_1", 1, 8, 0, 0, 1, 8, trace.Succeeded},
		{"apache-spark/local-1430917381534", "local-1430917381534", 2, 110, 0, 0, 2, 110, trace.Succeeded},
		{"groupon-sparklint/application_1472176676028_407508_1", "application_1472176676028_407508_1", 12, 612, 0, 0,
			12, 612, trace.Succeeded},
		{"groupon-sparklint/event_log_1", "application_1472176676028_116806_1", 6, 98, 1, 0, 6, 99, trace.Failed},
		{"rapids-tools/db_subExecution_id.gz", "app-20240213185822-0000", 11, 137, 0, 0, 11, 137, trace.Running},
		{"rapids-tools/empty_eventlog", "local-1623263471760", 0, 0, 0, 0, 0, 0, trace.Succeeded},
		{"rapids-tools/eventlog_dsv1", "local-1624371544219", 9, 31, 0, 0, 9, 31, trace.Succeeded},
		{"rapids-tools/eventlog_dsv1.zstd", "local-1624371544219", 9, 31, 0, 0, 9, 31, trace.Succeeded},
		{"rapids-tools/eventlog_dsv2", "local-1624371906627", 9, 31, 0, 0, 9, 31, trace.Succeeded},
		{"rapids-tools/gds_ucx_eventlog.gz", "local-1624492787223", 10, 617, 0, 0, 10, 617, trace.Succeeded},
		{"rapids-tools/jdbc_eventlog.gz", "app-20211019113801-0001", 4, 203, 0, 0, 4, 203, trace.Succeeded},
		{"rapids-tools/malformed_json_eventlog.gz", "application_1603128018386_7759", 5, 217, 0, 0, 5, 217,
			trace.Succeeded},
		{"rapids-tools/nds_q72_dataproc_2_2.gz", "application_1751493828576_0001", 49, 13504, 0, 0, 49, 13504,
			trace.Succeeded},
		{"rapids-tools/pandas_execs_eventlog.gz", "local-1652317513972", 8, 640, 0, 0, 8, 640, trace.Succeeded},
		{"rapids-tools/tasks_executors_fail_compressed_eventlog.gz", "application_1603128018386_7846", 135, 8630, 3, 50,
			135, 8580, trace.Failed},
		{"rapids-tools/truncated_eventlog", "local-1622043423018", 1, 21, 0, 0, 3, 24, trace.Running},
		{"rapids-tools/cluster_information/eventlog_4nodes_8cores_dynamic_alloc.gz", "application_1707709865217_0493",
			20, 235, 0, 0, 20, 235, trace.Succeeded},
		{"rapids-tools/eventlog_v2_local-1623876083964", "local-1623876083964", 4, 2801, 0, 0, 4, 2801,
			trace.Succeeded},
		{"rapids-tools/multiple_attempts/attempt_1_eventlog", "application_1724877841851_0016_1", 5, 107, 0, 0, 5, 107,
			trace.Succeeded},
		{"rapids-tools/multiple_attempts/attempt_2_eventlog", "application_1724877841851_0016_2", 5, 107, 0, 0, 5, 107,
			trace.Succeeded},
		{"rapids-tools/multiple_attempts/attempt_3_eventlog", "application_1724877841851_0016_3", 5, 107, 0, 0, 5, 107,
			trace.Succeeded},
	}
	for _, test := range tests {
		t.Run(path.Base(test.log), func(t *testing.T) {
			files, err := source.FromFS(os.DirFS(sharedLogs), test.log, test.log)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				head, err := f.Head(t.Context())
				if err != nil || !detect(f.Name, head) {
					t.Errorf("%s is not detected (%v)", f.Name, err)
				}
			}
			o := readFiles(t, files...)
			if len(o.runs) != 1 {
				t.Fatalf("%d runs, want 1", len(o.runs))
			}
			run := o.runs[0]
			if run.ID != test.id || run.Status != test.status {
				t.Errorf("run %s %s, want %s %s", run.ID, run.Status, test.id, test.status)
			}
			if len(run.Stages) != test.stages || len(run.Attempts) != test.attempts {
				t.Errorf("%d stages and %d attempts, want %d and %d", len(run.Stages), len(run.Attempts), test.stages,
					test.attempts)
			}
			ended, failed := 0, 0
			for _, a := range run.Attempts {
				if a.Status != trace.Running {
					ended++
				}
				if a.Status != trace.Running && a.Status != trace.Succeeded {
					failed++
				}
			}
			if ended != test.ends-test.resubmissions || failed != test.failed+test.resubmissions {
				t.Errorf("%d attempts ended, %d of them not well; want %d and %d", ended, failed,
					test.ends-test.resubmissions, test.failed+test.resubmissions)
			}
			completed := 0
			for _, st := range run.Stages {
				if st.End.Known() {
					completed++
				}
			}
			if completed != test.completed {
				t.Errorf("%d stages have ended, want %d", completed, test.completed)
			}
			broken := int64(0)
			if strings.Contains(test.log, "malformed") {
				broken = 1
			}
			if o.tally.Rejected[source.ReasonBadJSON] != broken || lists.Total(o.tally.Rejected) != broken ||
				len(o.tally.Repairs) > 0 {
				t.Errorf("rejected %v, repairs %v; want %d broken lines", o.tally.Rejected, o.tally.Repairs, broken)
			}
		})
	}
}

// TestRealLogsTogether reads all logs as one input: the copy of a log is refused, everything else is kept.
func TestRealLogsTogether(t *testing.T) {
	if _, err := os.Stat(sharedLogs); err != nil {
		t.Skipf("the logs beside the repository are not here: %v", err)
	}
	files, err := source.FromFS(os.DirFS(sharedLogs), ".", "logs")
	if err != nil {
		t.Fatal(err)
	}
	o := readFiles(t, files...)
	if len(o.runs) != 26 || o.tally.Rejected[source.ReasonDuplicateID] == 0 || len(o.rejects) != 2 {
		t.Errorf("%d runs, rejects %v; want 26, one broken line and one copy", len(o.runs), o.rejects)
	}
}
