package mapreduce_test

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/mapreduce"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

func TestWords(t *testing.T) {
	j := mapreduce.NewJob("j")
	for ms, want := range map[int64]trace.Instant{-1: trace.None, 0: trace.None, -5: trace.None,
		math.MaxInt64: trace.None, 5: 5000, trace.None: trace.None} {
		if got := j.Instant(ms); got != want {
			t.Errorf("%d ms is %d, want %d", ms, got, want)
		}
	}
	for word, want := range map[string]trace.Status{
		"SUCCESS": trace.Succeeded, "SUCCEEDED": trace.Succeeded, "FAILED": trace.Failed, "ERROR": trace.Failed,
		"KILLED": trace.Killed, "": trace.StatusUnknown,
		"RUNNING": trace.StatusUnknown, "odd": trace.StatusUnknown,
	} {
		if got := j.Outcome(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
	tally := source.NewTally()
	j.Report("f", tally)
	if r := tally.Repairs; r[mapreduce.RepairZero] != 1 || r[mapreduce.RepairTime] != 2 ||
		r[mapreduce.RepairStatus] != 1 {
		t.Errorf("repairs %v", r)
	}
	for host, want := range map[string]string{`/192\.30\.1\.1/node1\.megatron\.com`: "node1.megatron.com",
		"/default-rack/a": "a", "b": "b", "": "", `node1500\.megatron\.com`: "node1500.megatron.com"} {
		if got := mapreduce.Host(host); got != want {
			t.Errorf("%q is on %q, want %q", host, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	for id, want := range map[string]mapreduce.TaskID{
		"attempt_200904211745_0002_m_000010_3": {Job: "job_200904211745_0002", Task: 10, Number: 3},
		"attempt_local_x_0001_r_000002_1000": {Job: "job_local_x_0001", Kind: mapreduce.Reduce, Task: 2,
			Number: 1000},
		"task_1_2_r_000003": {Job: "job_1_2", Kind: mapreduce.Reduce, Task: 3},
	} {
		got, ok := mapreduce.ParseTaskID(id)
		if strings.HasPrefix(id, "attempt") {
			got, ok = mapreduce.ParseAttemptID(id)
		}
		if !ok || got != want {
			t.Errorf("%s: %+v, %v", id, got, ok)
		}
	}
	for _, id := range []string{"", "attempt_", "attempt_1", "attempt_1_2_x_3_4", "attempt_1_2_m_-3_4",
		"attempt_1_2_m_3_+4", "attempt_1_2_m_3_99999999999", "task_1_2_m_3_", "_m_1", "attempt__m_1_1"} {
		_, a := mapreduce.ParseAttemptID(id)
		_, b := mapreduce.ParseTaskID(id)
		if a || b {
			t.Errorf("%q is an id", id)
		}
	}
}
