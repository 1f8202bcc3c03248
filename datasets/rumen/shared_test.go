package rumen

import (
	"testing"

	"racecard/datasets/mapreduce"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// TestSharedTraces compares with the README beside the traces (jobs, maps, reduces, attempts by outcome) and, for what
// it does not say, with a count by a few lines of Python.
func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name                   string
		jobs, maps, reduces    int64
		attempts               int
		failed, killed         int // attempts
		jobsFailed, jobsKilled int
		repairs                map[string]int64
	}{
		// job 18 states a reduce that it does not list
		{"hadoop-rumen/mumak/19-jobs.trace.json.gz", 19, 8573, 3256 + 1, 12996, 3496, 1096, 5, 0,
			map[string]int64{mapreduce.RepairZero: 6, mapreduce.RepairAttemptEnd: 3}},
		{"hadoop-rumen/gridmix/trace_10m.json.gz", 29, 77, 184, 261, 0, 0, 0, 0, nil},
		{"hadoop-rumen/gridmix/trace_5m.json.gz", 16, 240, 540, 780, 0, 0, 0, 0, nil},
		{"hadoop-rumen/gridmix/5m_stream_trace.json.gz", 15, 196, 270, 466, 0, 0, 0, 0, nil},
		{"hadoop-rumen/gridmix/compression_case1_trace.json.gz", 2, 21, 112, 133, 0, 0, 0, 0, nil},
		{"hadoop-rumen/sls/2jobs2min-rumen-jh.json", 2, 192, 0, 192, 0, 0, 0, 0, nil},
		// the killed job lists no task
		{"hadoop-rumen/zombie/input-trace.json", 4, 154 + 1, 49 + 1, 255, 5, 66, 0, 1, nil},
		{"hadoop-rumen/jobtracker-logs/job-tracker-logs-trace-output.gz", 4, 154 + 1, 49 + 1, 276, 4, 69, 0, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := sourcetest.SharedFile(t, test.name)
			if head, err := f.Head(t.Context()); err != nil || !detect(f.Name, head) {
				t.Errorf("not detected, %v", err)
			}
			r := sourcetest.Read(t, Format(), f)
			if int64(len(r.Runs)) != test.jobs || r.Tally.Read != test.jobs || r.Tally.Used != test.jobs ||
				r.Err != nil {
				t.Fatalf("%d runs, rejects %v, tally %+v, %v", len(r.Runs), r.Rejects, r.Tally, r.Err)
			}
			tasks := map[string]int64{}
			ended := map[trace.Status]int{}
			jobs := map[trace.Status]int{}
			attempts := 0
			for _, run := range r.Runs {
				jobs[run.Status]++
				for _, s := range run.Stages {
					tasks[s.Name] += s.Tasks
				}
				for _, a := range run.Attempts {
					attempts++
					ended[a.Status]++
				}
			}
			if tasks["map"] != test.maps || tasks["reduce"] != test.reduces || attempts != test.attempts {
				t.Errorf("tasks %v, %d attempts", tasks, attempts)
			}
			if ended[trace.Failed] != test.failed || ended[trace.Killed] != test.killed ||
				ended[trace.Succeeded] != test.attempts-test.failed-test.killed {
				t.Errorf("attempts %v", ended)
			}
			if jobs[trace.Failed] != test.jobsFailed || jobs[trace.Killed] != test.jobsKilled {
				t.Errorf("jobs %v", jobs)
			}
			for kind, n := range test.repairs {
				if r.Tally.Repairs[kind] != n {
					t.Errorf("repairs %v, want %v", r.Tally.Repairs, test.repairs)
				}
			}
			if len(r.Tally.Repairs) != len(test.repairs) {
				t.Errorf("repairs %v, want %v", r.Tally.Repairs, test.repairs)
			}
		})
	}
}

func TestSharedTopologies(t *testing.T) {
	for name, machines := range map[string]int{
		"hadoop-rumen/mumak/19-jobs.topology.json.gz":                   1545,
		"hadoop-rumen/zombie/input-topology.json":                       522,
		"hadoop-rumen/jobtracker-logs/job-tracker-logs-topology-output": 522,
	} {
		f := sourcetest.SharedFile(t, name)
		if head, err := f.Head(t.Context()); err != nil || !detect(f.Name, head) {
			t.Errorf("%s is not detected, %v", name, err)
		}
		if r := sourcetest.Read(t, Format(), f); len(r.Tally.Machines) != machines || r.Tally.Used != 1 {
			t.Errorf("%s: %d machines, tally %+v", name, len(r.Tally.Machines), r.Tally)
		}
	}
}

// TestSharedTogether reads traces of the same cluster as one input: jobs that two of them hold are refused once.
func TestSharedTogether(t *testing.T) {
	var files []*source.File
	for _, name := range []string{"mumak/19-jobs.trace.json.gz", "zombie/input-trace.json",
		"mumak/19-jobs.topology.json.gz"} {
		files = append(files, sourcetest.SharedFile(t, "hadoop-rumen/"+name))
	}
	r := sourcetest.Read(t, Format(), files...)
	if len(r.Runs) != 19+1 || len(r.Rejects) != 3 || r.Tally.Rejected[source.ReasonDuplicateID] != 3 ||
		r.Tally.Used != 21 {
		t.Errorf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally.Rejected)
	}
}

func TestSharedOthersAreRefused(t *testing.T) {
	for _, name := range []string{
		"hadoop-rumen/jobtracker-logs/truncated-job-tracker-log",
		"hadoop-rumen/jobtracker-logs/dispatch-sample-v20-jt-log.gz",
		"hadoop-jhist/job_2.0.3-alpha-FAILED.jhist", "wfinstances/nextflow/bacass-dirt02-001.json",
		"spark-recurring-jsonl/spark-recurring.jsonl.gz",
	} {
		f := sourcetest.SharedFile(t, name)
		if head, err := f.Head(t.Context()); err != nil || detect(f.Name, head) {
			t.Errorf("%s is taken for rumen, %v", name, err)
		}
	}
}
