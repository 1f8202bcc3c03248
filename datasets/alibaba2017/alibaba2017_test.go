package alibaba2017

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// header is the first line of the re-saved file, blanks included.
const header = "task_create_time, task_end_time, job_id, task_id,number_of_instances, status, " +
	"number_of_cpus_requested_per_instance_in_the_task,normalized_memory_requested_per_instance_in_the_task\r\n"

func read(t testing.TB, contents ...string) *sourcetest.Result {
	t.Helper()
	return sourcetest.Read(t, Format(0), sourcetest.Numbered(".csv", contents...)...)
}

// job3 is a job of the shared file.
const job3 = "6459,6524,3,4,15740,Terminated,50,0.007956928\r\n6457,6533,3,5,1,Terminated,100,0.004395206\r\n"

func TestTasksWithHeader(t *testing.T) {
	r := read(t, header+job3)
	run := r.One(t)
	if run.ID != "3" || run.Submit != 6457e6 || run.Start.Known() || run.End != 6533e6 ||
		run.Status != trace.Succeeded ||
		run.Name != "" || run.User != "" || run.Guaranteed != trace.None || len(run.Edges) != 0 ||
		len(run.Attempts) != 0 {
		t.Errorf("run %+v", run)
	}
	s := run.Stages[0]
	if s.Name != "4" || s.Tasks != 15740 || s.Submit != 6459e6 || s.Start.Known() || s.End != 6524e6 ||
		s.Demand[trace.CPU] != 0.5 || s.Demand[trace.Mem] != 0.007956928 || !math.IsNaN(s.Demand[trace.GPU]) {
		t.Errorf("stage %+v", s)
	}
	if len(r.Tally.Warnings) != 1 || !strings.HasPrefix(r.Tally.Warnings[0], WarnCPU) || r.Tally.Units["mem"] == "" {
		t.Errorf("warnings %v, units %v", r.Tally.Warnings, r.Tally.Units)
	}
	if r.Tally.Used != 2 || r.Tally.Ignored["header"] != 1 {
		t.Errorf("tally %+v", r.Tally)
	}
}

// Whatever way a file was saved, the runs are the same.
func TestVariants(t *testing.T) {
	same := func(run *trace.Run) string {
		run.Seq = 0 // the number of the line
		return fmt.Sprint(run)
	}
	want := same(read(t, header+job3).One(t))
	for name, content := range map[string]string{
		"LF":             strings.ReplaceAll(header+job3, "\r", ""),
		"mixed line end": header + strings.Replace(job3, "\r", "", 1),
		"byte-order":     "\ufeff" + header + job3,
		"blank lines":    "\r\n\r\n" + header + "\r\n" + job3 + "\r\n\r\n",
		"no last end":    strings.TrimSuffix(header+job3, "\r\n"),
		"no header":      job3,
		"two headers":    header + job3[:strings.Index(job3, "\n")+1] + header + job3[strings.Index(job3, "\n")+1:],
		"documents": "create_timestamp,modify_timestamp,job_id,task_id,instance_num,status,plan_cpu,plan_mem\n" +
			strings.ReplaceAll(job3, "\r", ""),
		"capitals": "Task Create Time,Task End Time,Job ID,Task ID,Number of Instances,Status,CPU,Mem\n" + job3,
		"quotes": "\"create_time\",\"end_time\",\"job_id\",\"task_id\",\"instances\",\"status\",\"cpu\",\"mem\"\n" +
			strings.ReplaceAll(job3, "Terminated", "\"Terminated\""),
		"blanks": strings.ReplaceAll(header+job3, ",", " , "),
		"more, left": ",row,status,mem,cpu,instances,task_id,job_id,task_end_time,task_create_time,note\n" +
			"0,a,Terminated,0.007956928,50.0,15740.0,4,3,6524.0,6459.0,x\n1,b,Terminated,0.004395206,100,1,5,3,6533,6457,\n",
	} {
		r := read(t, content)
		if got := same(r.One(t)); got != want || len(r.Rejects) != 0 {
			t.Errorf("%s: got %s, %v, want %s", name, got, r.Rejects, want)
		}
	}
}

func TestUnfinishedRowsAreRepaired(t *testing.T) {
	r := read(t, header+"-1078,-843,1,1,3,Terminated,50,0.1\n6036,6046,1,2,393,Waiting,,\n100,0,1,3,4,Running,800,0.1\n"+
		"100,90,1,4,4,Terminated,50,0.1\n0,50,1,5,4,Terminated,50,0.1\n7,8,1,6,,Failed,NaN,\n")
	run := r.One(t)
	if run.Submit != -1078e6 || run.End.Known() || run.Status != trace.Failed {
		t.Errorf("run %+v", run)
	}
	for i, want := range []struct {
		submit, end trace.Instant
		tasks       int64
		cpu         float64
	}{
		{-1078e6, -843e6, 3, 0.5}, {6036e6, trace.None, 393, math.NaN()}, {100e6, trace.None, 4, 8},
		{100e6, trace.None, 4, 0.5},
		{trace.None, 50e6, 4, 0.5}, {7e6, 8e6, trace.None, math.NaN()},
	} {
		s := run.Stages[i]
		if s.Submit != want.submit || s.End != want.end || s.Tasks != want.tasks || s.Demand[trace.CPU] != want.cpu &&
			!(math.IsNaN(want.cpu) && math.IsNaN(s.Demand[trace.CPU])) {
			t.Errorf("stage %s: %+v, want %+v", s.Name, s, want)
		}
	}
	want := map[string]int64{RepairZero: 2, RepairOpen: 1, RepairEnd: 1}
	if fmt.Sprint(r.Tally.Repairs) != fmt.Sprint(want) {
		t.Errorf("repairs %v, want %v", r.Tally.Repairs, want)
	}
}

func TestStatusOfTheRun(t *testing.T) {
	for _, test := range []struct {
		statuses string
		want     trace.Status
	}{
		{"Terminated Terminated", trace.Succeeded}, {"Terminated Waiting", trace.Running}, {"Ready", trace.Running},
		{"Running Failed Terminated", trace.Failed}, {"Cancelled Running", trace.Killed},
		{"Terminated Strange", trace.StatusUnknown},
	} {
		content := header
		for i, s := range strings.Fields(test.statuses) {
			content += fmt.Sprintf("1,2,7,%d,1,%s,50,0.1\n", i, s)
		}
		if got := read(t, content).One(t).Status; got != test.want {
			t.Errorf("%s: got %v, want %v", test.statuses, got, test.want)
		}
	}
}

func TestInstances(t *testing.T) {
	tasks := "10,90,1,4,3,Terminated,50,0.1\n10,50,2,9,1,Terminated,100,0.1\n"
	instances := "12,20,1,4,446,Terminated,1,1,1.01,0.12,0.035,0.031\n" + // an instance that needed one attempt
		"11,15,1,4,928,Failed,1,2,0.87,,0.02,\n" + // two that needed two
		"13,0,1,4,929,Failed,1,2,,,,\n" +
		"16,80,1,4,930,Terminated,2,2,2.5,1.5,0.02,0.01\n" +
		"17,30,1,4,931,Interrupted,2,2,,,,\n" +
		"5,6,2,77,1,Terminated,1,1,,0.25,,\n" + // no row of batch_task
		"65351,65517,,,269,Running,1,1,,,,\n" // as in 1.3 % of the published rows
	r := read(t, instances, tasks)
	if len(r.Runs) != 2 || len(r.Rejects) != 1 || r.Rejects[0].Reason != ReasonNoJob ||
		r.Rejects[0].Field != "job_id" || r.Rejects[0].Line != 7 {
		t.Fatalf("%d runs, rejects %v", len(r.Runs), r.Rejects)
	}
	if want := (map[string]int64{RepairZero: 1, RepairRetry: 2,
		RepairNoTaskRow: 1}); fmt.Sprint(r.Tally.Repairs) != fmt.Sprint(want) {
		t.Errorf("repairs %v, want %v", r.Tally.Repairs, want)
	}
	slices.SortFunc(r.Runs, func(x, y *trace.Run) int { return strings.Compare(x.ID, y.ID) })
	first, second := r.Runs[0], r.Runs[1]
	if first.Start != 11e6 || first.Submit != 10e6 || first.End != 90e6 || first.Stages[0].Start != 11e6 ||
		first.Seq != 0 {
		t.Errorf("run %+v", first)
	}
	var got []string
	for _, a := range first.Attempts {
		got = append(got, fmt.Sprint(a.Task, a.Attempt, a.Start/1e6, " ", a.Machine, " ", a.Status,
			a.Demand[trace.CPU]))
	}
	want := []string{"0 0 12 446 succeeded 0.12", "1 0 11 928 failed NaN", "1 1 16 930 succeeded 1.5",
		"2 0 13 929 failed NaN", "2 1 17 931 killed NaN"}
	if !slices.Equal(got, want) {
		t.Errorf("attempts %q, want %q", got, want)
	}
	if a := first.Attempts[3]; a.End.Known() || a.Duration != trace.None {
		t.Errorf("attempt without an end: %+v", a)
	}
	if s := second.Stages[1]; s.Name != "77" || s.Tasks != trace.None || s.Start != 5e6 || s.End != 6e6 ||
		second.Status != trace.StatusUnknown {
		t.Errorf("stage from instances %+v of %+v", s, second)
	}
}

func TestRejects(t *testing.T) {
	for _, test := range []struct{ name, content, reason, field string }{
		{"few fields", header + "1,2,3,4,5,Terminated,50\n", source.ReasonFields, ""},
		{"many fields", header + "1,2,3,4,5,Terminated,50,0.1,7\n", source.ReasonFields, ""},
		{"unknown table", "1,2,3,4,5\n", source.ReasonUnknown, ""},
		{"instance cut at its start", "1,Terminated,1,1,0.1,0.2,0.3,0.4\n", source.ReasonUnknown, ""},
		{"no job", header + "1,2,,4,5,Terminated,50,0.1\n", ReasonNoJob, "job_id"},
		{"no task", header + "1,2,3,,5,Terminated,50,0.1\n", ReasonNoTask, "task_id"},
		{"no tasks", header + "1,2,3,4,0,Terminated,50,0.1\n", source.ReasonBadCount, "number_of_instances"},
		{"negative tasks", header + "1,2,3,4,-5,Terminated,50,0.1\n", source.ReasonBadCount, "number_of_instances"},
		{"half a task", header + "1,2,3,4,1.5,Terminated,50,0.1\n", source.ReasonBadCount, "number_of_instances"},
		{"bad creation", header + "x,2,3,4,5,Terminated,50,0.1\n", source.ReasonBadNumber, "task_create_time"},
		{"bad end", header + "1,1e300,3,4,5,Terminated,50,0.1\n", source.ReasonBadNumber, "task_end_time"},
		{"bad cpu", header + "1,2,3,4,5,Terminated,0x10,0.1\n", source.ReasonBadNumber, "plan_cpu"},
		{"negative cpu", header + "1,2,3,4,5,Terminated,-50,0.1\n", source.ReasonBadNumber, "plan_cpu"},
		{"infinite memory", header + "1,2,3,4,5,Terminated,50,inf\n", source.ReasonBadNumber, "plan_mem"},
		{"task twice", header + job3 + "1,2,3,5,5,Terminated,50,0.1\n", source.ReasonDuplicateTask, "task_id"},
		{"quote without end", header + "1,2,3,4,\"5,Terminated,50,0.1\n", source.ReasonBadCount, "number_of_instances"},
		{"instance without task", "1,2,3,,5,Terminated,1,1,1,1,1,1\n", ReasonNoTask, "task_id"},
		{"bad sequence", "1,2,3,4,5,Terminated,x,1,1,1,1,1\n", source.ReasonBadCount, "seq_no"},
		{"bad total", "1,2,3,4,5,Terminated,1,-1,1,1,1,1\n", source.ReasonBadCount, "total_seq_no"},
		{"bad measured cpu", "1,2,3,4,5,Terminated,1,1,1,x,1,1\n", source.ReasonBadNumber, "real_cpu_avg"},
		{"bad measured memory", "1,2,3,4,5,Terminated,1,1,1,1,1,x\n", source.ReasonBadNumber, "real_mem_avg"},
		{"bad start", "a,2,3,4,5,Terminated,1,1,1,1,1,1\n", source.ReasonBadNumber, "start_timestamp"},
		{"not UTF-8", header + "1,2,3\xff,4,5,Terminated,50,0.1\n", source.ReasonNotUTF8, ""},
		{"cut", header + job3 + "1,2,4,5,5,Termi", source.ReasonTruncated, ""},
		{"UTF-16", "1\x00,\x002\x00\xff\xfe\n", source.ReasonNotUTF8, ""},
	} {
		r := read(t, test.content)
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1 {
			t.Errorf("%s: got %v, want one of reason %q, field %q", test.name, r.Rejects, test.reason, test.field)
		}
	}
}

func TestSmallCPUIsDoubted(t *testing.T) {
	r := read(t, header+"1,2,3,4,5,Terminated,0.5,0.1\n")
	if len(r.Tally.Warnings) != 2 || !strings.HasPrefix(r.Tally.Warnings[1], WarnSmallCPU) {
		t.Errorf("warnings %v", r.Tally.Warnings)
	}
}

func TestTooManyHeaders(t *testing.T) {
	var contents []string
	for i := range 300 {
		contents = append(contents, "task_create_time,job_id,task_id"+strings.Repeat(",x", i)+"\n"+
			fmt.Sprintf("1,%d,1", i)+strings.Repeat(",", i)+"\n")
	}
	if r := read(t, contents...); len(r.Runs) != 256 || r.Tally.Rejected[source.ReasonHeaders] != 44 {
		t.Errorf("%d runs, rejected %v", len(r.Runs), r.Tally.Rejected)
	}
}

func TestOtherTablesAreIgnored(t *testing.T) {
	r := sourcetest.Read(t, Format(0), source.BytesFile("batch_task.csv", []byte(job3)),
		source.BytesFile("d/server_usage.csv", []byte("39600,1,2,3,4,5,6,7\n")), source.BytesFile("schema.csv.gz",
			[]byte("a,b\nc,d\n")))
	if len(r.Runs) != 1 || r.Tally.Ignored["server_usage"] != 1 || r.Tally.Ignored["schema"] != 2 {
		t.Errorf("tally %+v", r.Tally)
	}
}
