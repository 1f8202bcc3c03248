package google2011

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// read reads contents as files of the given names.
func readFiles(t testing.TB, files ...string) *sourcetest.Result {
	t.Helper()
	r := sourcetest.Read(t, Format(0), sourcetest.Files(files...)...)
	slices.SortFunc(r.Runs, func(a, b *trace.Run) int { return int(a.Seq - b.Seq) })
	return r
}

// jobRow writes a row of job_events.
func jobRow(time, event any) string {
	return fmt.Sprintf("%v,,7,%v,ann,2,J=,L=\n", time, event)
}

// taskRow writes a row of task_events of job 7.
func taskRow(time any, task int, machine string, event int) string {
	return fmt.Sprintf("%v,,7,%d,%s,%d,ann,2,9,0.5,0.25,0.1,0\n", time, task, machine, event)
}

// usageRow writes a row of task_usage of job 7.
func usageRow(from, to any, task int, cpu, mem string) string {
	return fmt.Sprintf("%v,%v,7,%d,m,%s,%s,0,0,0,0,0,0,0,0,,,1,1,0\n", from, to, task, cpu, mem)
}

const (
	after  = math.MaxInt64
	none   = trace.Instant(trace.None)
	second = 1_000_000
)

func TestJobs(t *testing.T) {
	for _, test := range []struct {
		name               string
		rows               string
		submit, start, end trace.Instant
		status             trace.Status
		repairs            map[string]int64
	}{
		{"finished", jobRow(700, 0) + jobRow(800, 1) + jobRow(900, 4), 700, 800, 900, trace.Succeeded, nil},
		{"failed", jobRow(700, 0) + jobRow(800, 1) + jobRow(900, 3), 700, 800, 900, trace.Failed, nil},
		{"killed before it ran", jobRow(700, 0) + jobRow(900, 5), 700, none, 900, trace.Killed, nil},
		{"evicted", jobRow(700, 0) + jobRow(800, 1) + jobRow(900, 2), 700, 800, 900, trace.Evicted, nil},
		{"lost", jobRow(700, 0) + jobRow(800, 1) + jobRow(900, 6), 700, 800, 900, trace.Lost, nil},
		{"running at the end", jobRow(700, 0) + jobRow(800, 1), 700, 800, none, trace.Running,
			map[string]int64{RepairCensored: 1}},
		{"pending at the end", jobRow(700, 0), 700, none, none, trace.Running, map[string]int64{RepairCensored: 1}},
		{"before the trace", jobRow(0, 0) + jobRow(0, 1) + jobRow(900, 4), none, none, 900, trace.Succeeded,
			map[string]int64{RepairBefore: 2}},
		{"ends after the trace", jobRow(700, 0) + jobRow(800, 1) + jobRow(after, 4), 700, 800, none, trace.Running,
			map[string]int64{RepairAfter: 1, RepairCensored: 1}},
		{"only after the trace", jobRow(after, 4), none, none, none, trace.StatusUnknown,
			map[string]int64{RepairAfter: 1}},
		{"end alone", jobRow(900, 4), none, none, 900, trace.Succeeded, nil},
		{"resubmitted", jobRow(700, 0) + jobRow(800, 1) + jobRow(900, 3) + jobRow(910, 0) + jobRow(920, 1) +
			jobRow(990, 4), 700, 800, 990, trace.Succeeded, nil},
		{"resubmitted and running", jobRow(700, 0) + jobRow(800, 1) + jobRow(900, 3) + jobRow(910, 0), 700, 800, none,
			trace.Running, map[string]int64{RepairCensored: 1}},
		{"updates", jobRow(700, 0) + jobRow(710, 7) + jobRow(800, 1) + jobRow(810, 8) + jobRow(900, 4), 700, 800, 900,
			trace.Succeeded, nil},
		{"not in order", jobRow(900, 4) + jobRow(800, 1) + jobRow(700, 0), 700, 800, 900, trace.Succeeded, nil},
		{"same time, in order", jobRow(700, 0) + jobRow(700, 1) + jobRow(700, 4), 700, 700, 700, trace.Succeeded, nil},
	} {
		r := readFiles(t, "job_events/part-0.csv", test.rows)
		run := r.One(t)
		if run.ID != "7" || run.User != "ann" || run.Group != "2" || run.Name != "L=" || len(run.Stages) != 0 {
			t.Errorf("%s: run %+v", test.name, run)
		}
		if run.Submit != test.submit || run.Start != test.start || run.End != test.end || run.Status != test.status {
			t.Errorf("%s: submit %d, start %d, end %d, %v; want %d, %d, %d, %v", test.name, run.Submit, run.Start,
				run.End, run.Status,
				test.submit, test.start, test.end, test.status)
		}
		if fmt.Sprint(r.Tally.Repairs) != fmt.Sprint(test.repairs) {
			t.Errorf("%s: repairs %v, want %v", test.name, r.Tally.Repairs, test.repairs)
		}
		if again := strings.HasPrefix(test.name, "resubmitted"); again != (len(r.Tally.Warnings) == 1) {
			t.Errorf("%s: warnings %v", test.name, r.Tally.Warnings)
		}
	}
}

func TestAttempts(t *testing.T) {
	for _, test := range []struct {
		name, rows, want string
		repairs          map[string]int64
		status           trace.Status
	}{
		{"one", taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 1) + taskRow(900, 0, "m1", 4),
			"0.0 700 800 900 succeeded m1", nil, trace.Succeeded},
		{
			"evicted and submitted again",
			taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 1) + taskRow(900, 0, "m1", 2) + taskRow(900, 0, "", 0) +
				taskRow(950, 0, "m2", 1) + taskRow(990, 0, "m2", 3),
			"0.0 700 800 900 evicted m1\n0.1 900 950 990 failed m2", nil, trace.Failed,
		},
		{
			"evicted and scheduled again without SUBMIT",
			taskRow(700, 0, "", 0) + taskRow(800, 0, "", 1) + taskRow(900, 0, "m1", 2) + taskRow(950, 0, "", 1) +
				taskRow(990, 0, "m2", 4),
			"0.0 700 800 900 evicted m1\n0.1 - 950 990 succeeded m2", nil, trace.Succeeded,
		},
		{"no end", taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 1), "0.0 700 800 - running m1",
			map[string]int64{RepairCensored: 1}, trace.Running},
		{
			"end after the trace", taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 1) + taskRow(after, 0, "m1", 4),
			"0.0 700 800 - running m1", map[string]int64{RepairCensored: 1, RepairAfter: 1}, trace.Running,
		},
		{"no start", taskRow(900, 0, "m1", 5), "0.0 - - 900 killed m1", map[string]int64{RepairNoStart: 1},
			trace.Killed},
		{"submitted, finished", taskRow(700, 0, "", 0) + taskRow(900, 0, "", 4), "0.0 700 - 900 succeeded ",
			map[string]int64{RepairNoStart: 1}, trace.Succeeded},
		{"killed while it waited", taskRow(700, 0, "", 0) + taskRow(900, 0, "", 5), "", nil, trace.Killed},
		{"waits at the end", taskRow(700, 0, "", 0), "", nil, trace.Running},
		{
			"before the trace", taskRow(0, 0, "", 0) + taskRow(0, 0, "m1", 1) + taskRow(900, 0, "m1", 4),
			"0.0 - - 900 succeeded m1", map[string]int64{RepairBefore: 2}, trace.Succeeded,
		},
		{
			"end lost", taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 1) + taskRow(850, 0, "", 0) +
				taskRow(860, 0, "m2", 1) + taskRow(870, 0, "m3", 1) + taskRow(900, 0, "m3", 6),
			"0.0 700 800 - unknown m1\n0.1 850 860 - unknown m2\n0.2 - 870 900 lost m3",
			map[string]int64{RepairLostEnd: 2}, trace.Lost,
		},
		{
			"start lost, updated while it ran", taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 8) +
				taskRow(900, 0, "", 3),
			"0.0 700 - 900 failed m1", map[string]int64{RepairNoStart: 1}, trace.Failed,
		},
		{
			"tasks are numbered in the order of their indices", taskRow(700, 90, "", 0) + taskRow(800, 90, "b", 1) +
				taskRow(700, 3, "", 0) + taskRow(810, 3, "a", 1) +
				taskRow(900, 90, "b", 4) + taskRow(950, 3, "a", 4),
			"0.0 700 810 950 succeeded a\n1.0 700 800 900 succeeded b", nil, trace.Succeeded,
		},
		{
			"not in order", taskRow(900, 0, "m1", 4) + taskRow(700, 0, "", 0) + taskRow(800, 0, "m1", 1),
			"0.0 700 800 900 succeeded m1", nil, trace.Succeeded,
		},
	} {
		r := readFiles(t, "task_events/part-0.csv", test.rows)
		run := r.One(t)
		if got := sourcetest.Attempts(run); got != test.want {
			t.Errorf("%s: attempts\n%s\nwant\n%s", test.name, got, test.want)
		}
		if fmt.Sprint(r.Tally.Repairs) != fmt.Sprint(test.repairs) || run.Status != test.status {
			t.Errorf("%s: %v, repairs %v, want %v, %v", test.name, run.Status, r.Tally.Repairs, test.status,
				test.repairs)
		}
		if len(run.Stages) != 1 || run.User != "ann" || run.Group != "2" || run.Name != "" ||
			r.Tally.Units["cpu"] == "" {
			t.Errorf("%s: run %+v", test.name, run)
		}
	}
}

func TestStage(t *testing.T) {
	run := readFiles(t, "task_events/part-0.csv", taskRow(700, 0, "", 0)+taskRow(710, 1, "", 0)+taskRow(800, 0, "m", 1)+
		taskRow(790, 1, "m", 1)+
		"795,,7,1,m,8,ann,2,9,0.1,,0,0\n"+taskRow(900, 0, "m", 4)+"950,,7,1,m,3,ann,2,9,,,0,0\n").One(t)
	s := run.Stages[0]
	if s.Tasks != 2 || s.Submit != 700 || s.Start != 790 || s.End != 950 || math.Abs(s.Demand[trace.CPU]-0.3) > 1e-12 ||
		s.Demand[trace.Mem] != 0.25 {
		t.Errorf("stage %+v", s)
	}
	if run.Submit != 700 || run.Start != 790 || run.End != 950 || run.Status != trace.Failed ||
		run.Attempts[0].Demand[trace.CPU] != 0.5 {
		t.Errorf("run %+v", run)
	}
	// What began before the trace leaves the stage without a start; what runs leaves it without an end.
	s = readFiles(t, "task_events/part-0.csv", taskRow(0, 0, "", 0)+taskRow(710, 1, "", 0)+taskRow(0, 0, "m", 1)+
		taskRow(790, 1, "m", 1)+taskRow(900, 1, "m", 4)).One(t).Stages[0]
	if s.Submit.Known() || s.Start.Known() || s.End.Known() {
		t.Errorf("stage %+v", s)
	}
}

func TestJobAndTasksInSeveralParts(t *testing.T) {
	run := readFiles(t, "task_events/part-00001.csv", taskRow(900, 0, "m", 4), "task_events/part-00000.csv",
		taskRow(700, 0, "", 0)+taskRow(800, 0, "m", 1),
		"job_events/part-00000.csv", "690,,7,0,ann,1,J=,\n"+"799,,7,1,ann,1,J=,\n", "job_events/part-00001.csv",
		"901,,7,4,ann,1,J=,\n").One(t)
	if run.Submit != 690 || run.Start != 799 || run.End != 901 || run.Status != trace.Succeeded || run.Name != "J=" ||
		sourcetest.Attempts(run) != "0.0 700 800 900 succeeded m" {
		t.Errorf("run %+v", run)
	}
	// The part with the beginning of the job is missing: the tasks tell it.
	run = readFiles(t, "job_events/part-00001.csv", jobRow(901, 4), "task_events/part-0.csv", taskRow(700, 0, "", 0)+
		taskRow(800, 0, "m", 1)+taskRow(900, 0, "m", 4)).One(t)
	if run.Submit != 700 || run.Start != 800 || run.End != 901 {
		t.Errorf("run %+v", run)
	}
	// Tasks that go on after their job cannot have it end before it began.
	run = readFiles(t, "job_events/part-00001.csv", jobRow(750, 4), "task_events/part-0.csv", taskRow(760, 0, "", 0)+
		taskRow(800, 0, "m", 1)).One(t)
	if run.Submit.Known() || run.Start.Known() || run.End != 750 {
		t.Errorf("run %+v", run)
	}
}

func TestUsage(t *testing.T) {
	events := taskRow(700*second, 0, "", 0) + taskRow(800*second, 0, "m1", 1) + taskRow(900*second, 0, "m1", 2) +
		taskRow(950*second, 0, "m2", 1)
	r := readFiles(t, "task_events/p.csv", events+taskRow(700*second, 1, "", 0)+taskRow(800*second, 1, "m1", 1),
		// 50 s of each: the first
		"task_usage/p.csv", usageRow(800*second, 850*second, 0, "0.1", "0.5")+
			usageRow(850*second, 1000*second, 0, "0.4", "")+
			usageRow(1000*second, 1100*second, 0, "0.3", "0.2")+usageRow(100*second, 200*second, 0, "9", "9")+
			usageRow(5, 5, 0, "1", "1")+
			usageRow(1, 2, 4, "1", "1"))
	run := r.One(t)
	first, next := run.Attempts[0].Demand, run.Attempts[1].Demand
	// (50 x 0.1 + 150 x 0.4) / 200, and the memory of the first window alone
	if math.Abs(first[trace.CPU]-0.325) > 1e-12 || first[trace.Mem] != 0.5 || next[trace.CPU] != 0.3 ||
		next[trace.Mem] != 0.2 {
		t.Errorf("demand %v, %v", first, next)
	}
	if d := run.Attempts[2].Demand; !math.IsNaN(d[trace.CPU]) {
		t.Errorf("an attempt that was not measured used %v", d)
	}
	if run.Stages[0].Tasks != 3 || run.Stages[0].Demand[trace.CPU] != 0.5 {
		t.Errorf("stage %+v", run.Stages[0])
	}
	if n := r.Tally.Repairs; n[RepairWindow] != 1 || n[RepairUsage] != 1 || r.Tally.Used != 12 ||
		len(r.Tally.Warnings) != 1 {
		t.Errorf("tally %+v", r.Tally)
	}
	// Usage alone: the number of tasks is known, and no attempt.
	run = readFiles(t, "task_usage/p.csv", usageRow(1, 2, 4, "1", "1")+usageRow(1, 2, 6, "1", "1")+
		usageRow(2, 3, 4, "1", "1")).One(t)
	if run.Stages[0].Tasks != 2 || len(run.Attempts) != 0 || run.Status != trace.StatusUnknown {
		t.Errorf("run %+v", run)
	}
}

func TestMachines(t *testing.T) {
	r := readFiles(t, "machine_events/p.csv",
		"0,10,0,P=,0.5,0.25\n700,11,0,P=,0.5,\n800,10,2,P=,1,0.5\n900,11,1,P=,0.5,0.2\n"+
			"0,12,0,P=,0.5,0.25\n700,12,1,P=,,\n900,12,0,P=,0.25,0.25\n", "machine_attributes/p.csv",
		"0,10,attr=,3,0\n", "task_constraints/p.csv", "0,7,0,attr=,1,3\n")
	var got []string
	for _, m := range r.Tally.Machines {
		got = append(got, fmt.Sprintf("%s %v %v %v %v", m.Name, m.CPU, m.Mem, m.From.Known(), m.To))
	}
	want := []string{"10 1 0.5 false -9223372036854775808", "11 0.5 NaN true 900", "12 0.25 0.25 false " +
		"-9223372036854775808"}
	if !slices.Equal(got, want) || r.Tally.Used != 7 || r.Tally.Repairs[RepairAway] != 1 {
		t.Errorf("machines %q, want %q, tally %+v", got, want, r.Tally)
	}
	if n := r.Tally.Ignored; n["machine attribute"] != 1 || n["task constraint"] != 1 {
		t.Errorf("ignored %v", n)
	}
}
