package pai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// file is an input for tests: name and content.
type file struct{ name, content string }

// read2020 reads files. Runs come in the order of the input, numbered from 0.
func read2020(t testing.TB, files ...file) *sourcetest.Result {
	t.Helper()
	var inputs []string
	for _, f := range files {
		inputs = append(inputs, f.name, f.content)
	}
	r := sourcetest.Read(t, Format(0), sourcetest.Files(inputs...)...)
	slices.SortFunc(r.Runs, func(a, b *trace.Run) int { return int(a.Seq - b.Seq) })
	for i, run := range r.Runs {
		run.Seq = int64(i)
	}
	return r
}

// The example of the README of cluster-trace-gpu-v2020: a job of 14 cores and one GPU in three instances.
var (
	jobs  = file{"pai_job_table.csv", "job_0,id_0,ann,Terminated,4550870.0,4551420.0\n"}
	tasks = file{"pai_task_table.csv", "job_0,ps,1.0,Terminated,4550879.0,4551416.0,600.0,29.296875,0.0,\n" +
		"job_0,worker,2.0,Terminated,4550880.0,4551415.0,400.0,29.296875,50.0,MISC\n"}
	instances = file{"pai_instance_table.csv", "job_0,ps,i0,ps_0,id_0,Terminated,4550900.0,4551416.0,m1\n" +
		"job_0,worker,i2,w_1b,id_0,Terminated,4550990.0,4551400.0,m3\n" + // a second attempt before the first
		"job_0,worker,i1,w_0,id_0,Terminated,4550905.0,4551415.0,m2\n" +
		"job_0,worker,i2,w_1a,id_0,Failed,4550901.0,4550950.0,m3\n"}
	groups2020 = file{"pai_group_tag_table.csv",
		"id_0,ann,,fbeb14d671c629b6e82bee889fe4bb4c,nmt\nid_1,bob,V100M32,other,\n"}
	machines = file{"pai_machine_spec.csv", "m1,CPU,96,512,0\nm2,V100M32,96,384,8\nm1,CPU,96,512,0\n"}
)

func Test2020(t *testing.T) {
	r := read2020(t, instances, tasks, machines, jobs, groups2020)
	run := r.One(t)
	if run.ID != "job_0" || run.User != "ann" || run.Name != "fbeb14d671c629b6e82bee889fe4bb4c" ||
		run.Submit != 4550870e6 ||
		run.Start != 4550879e6 || run.End != 4551420e6 || run.Status != trace.Succeeded || run.Group != "" ||
		len(run.Edges) != 0 {
		t.Errorf("run %+v", run)
	}
	for i, want := range []struct {
		name          string
		tasks         int64
		start         trace.Instant
		cpu, mem, gpu float64
	}{{"ps", 1, 4550879e6, 6, 30000 << 20, 0}, {"worker", 2, 4550880e6, 4, 30000 << 20, 0.5}} {
		s := run.Stages[i]
		if s.Name != want.name || s.Tasks != want.tasks || s.Start != want.start || s.Demand[trace.CPU] != want.cpu ||
			s.Demand[trace.Mem] != want.mem || s.Demand[trace.GPU] != want.gpu || s.Submit.Known() {
			t.Errorf("stage %+v, want %+v", s, want)
		}
	}
	var got []string
	for _, a := range run.Attempts {
		got = append(got, fmt.Sprint(a.Stage, a.Task, a.Attempt, a.Start/1e6, a.Duration/1e6, " ", a.Machine, " ",
			a.Status))
	}
	want := []string{"0 0 0 4550900 516 m1 succeeded", "1 0 0 4550901 49 m3 failed", "1 0 1 4550990 410 m3 succeeded",
		"1 1 0 4550905 510 m2 succeeded"}
	if !slices.Equal(got, want) {
		t.Errorf("attempts %q, want %q", got, want)
	}
	if m := r.Tally.Machines; len(m) != 2 || m[1].Name != "m2" || m[1].CPU != 96 || m[1].Mem != 384<<30 ||
		m[1].GPU != 8 || m[0].GPU != 0 {
		t.Errorf("machines %+v", m)
	}
	if r.Tally.Used != 9 || r.Tally.Ignored[IgnoredGroupTag] != 2 || r.Tally.Ignored[IgnoredMachine] != 1 ||
		len(r.Tally.Repairs) != 0 || len(r.Tally.Units) != 0 {
		t.Errorf("tally %+v", r.Tally)
	}
}

// Whatever way the files were saved, the run is the same.
func TestVariants2020(t *testing.T) {
	want := fmt.Sprint(read2020(t, jobs, tasks).One(t))
	head := "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n"
	turned := "worker,job_0,note,50,29.296875,400,4551415,4550880,Terminated,2\n"
	for name, tables := range map[string][]file{
		"CRLF":               {jobs, {tasks.name, strings.ReplaceAll(tasks.content, "\n", "\r\n")}},
		"byte-order mark":    {jobs, {tasks.name, "\ufeff" + tasks.content}},
		"blank lines":        {jobs, {tasks.name, "\n\r\n" + tasks.content + "\n\n"}},
		"no last line end":   {jobs, {tasks.name, strings.TrimSuffix(tasks.content, "\n")}},
		"quotes":             {jobs, {tasks.name, strings.ReplaceAll(tasks.content, "worker", `"worker"`)}},
		"compressed name":    {jobs, {"x/pai_task_table.csv.gz", tasks.content}},
		"member":             {jobs, {"pai_task_table.tar.gz:pai_task_table.csv", tasks.content}},
		"synthetic":          {{"synthetic-pai_job_table.csv", jobs.content}, tasks},
		"telling rows alone": {{"a.csv", jobs.content}, {"b.csv", tasks.content}},
		"damaged first row":  {jobs, {"b.csv", "damaged\n" + tasks.content}},
		"header in the file": {jobs, {"b.csv", head + tasks.content}},
		"header file":        {jobs, tasks, {"pai_task_table.header", head}},
		"header file, other order": {jobs,
			{"pai_task_table.csv", "ps,job_0,,0,29.296875,600,4551416,4550879,Terminated,1\n" + turned},
			{"d/pai_task_table.header",
				"task_name,job_name,comment,plan_gpu,plan_mem,plan_cpu,end_time,start_time,status,inst_num"}},
	} {
		r := read2020(t, tables...)
		if got := fmt.Sprint(r.One(t)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if rejects := len(r.Rejects); rejects != 0 && name != "damaged first row" {
			t.Errorf("%s: rejects %v", name, r.Rejects)
		}
	}
}

func TestParts2020(t *testing.T) {
	for _, test := range []struct {
		name               string
		files              []file
		submit, start, end trace.Instant
		status             trace.Status
		repairs            string
	}{
		{"jobs alone", []file{jobs}, 4550870e6, trace.None, 4551420e6, trace.Succeeded, "map[]"},
		{"tasks alone", []file{tasks}, trace.None, 4550879e6, 4551416e6, trace.Succeeded, "map[" + RepairNoJobRow +
			":1]"},
		{"instances alone", []file{instances}, trace.None, 4550900e6, 4551416e6, trace.StatusUnknown,
			"map[" + RepairNoJobRow + ":1 " + RepairNoTaskRow + ":2]"},
		{"running", []file{{jobs.name, "job_0,id,u,Running,5,0\n"},
			{tasks.name, "job_0,ps,1.0,Running,6.0,,100,1,,\n"}}, 5e6, 6e6, trace.None, trace.Running,
			"map[" + RepairZero + ":1]"},
		{"waiting", []file{{tasks.name, "job_0,ps,1.0,Waiting,,,100,1,,\n"}}, trace.None, trace.None, trace.None,
			trace.Running, "map[" + RepairNoJobRow + ":1]"},
		{"one failed", []file{{tasks.name, "job_0,ps,1.0,Running,1,,100,1,,\njob_0,w,1.0,Failed,1,2,100,1,,\n"}},
			trace.None, 1e6, trace.None, trace.Failed,
			"map[" + RepairNoJobRow + ":1]"},
		{"ends before it starts", []file{{jobs.name, "job_0,id,u,Failed,50,40\n"}}, 50e6, trace.None, trace.None,
			trace.Failed, "map[" + RepairEnd + ":1]"},
		{"ends before a task starts", []file{{jobs.name, "job_0,id,u,Failed,50,60\n"},
			{tasks.name, "job_0,ps,1.0,Failed,70,80,100,1,,\n"}}, 50e6, 70e6, trace.None,
			trace.Failed, "map[" + RepairEnd + ":1]"},
	} {
		r := read2020(t, test.files...)
		run := r.One(t)
		if run.Submit != test.submit || run.Start != test.start || run.End != test.end || run.Status != test.status ||
			run.Name != "" {
			t.Errorf("%s: run %+v", test.name, run)
		}
		if got := fmt.Sprint(r.Tally.Repairs); got != test.repairs {
			t.Errorf("%s: repairs %s, want %s", test.name, got, test.repairs)
		}
	}
}

func TestOddInstances(t *testing.T) {
	r := read2020(t, file{instances.name,
		"j,w,i,a,id,Running,7,0,m\nj,w,i,a,id,Failed,5,3,m\nj,w,,,id,Terminated,1,2,\nj,w,,b,id,Terminated,1,2,\n"})
	run := r.One(t)
	if want := (map[string]int64{RepairNoJobRow: 1, RepairNoTaskRow: 1, RepairZero: 1, RepairEnd: 1, RepairWorker: 1,
		RepairNoName: 2}); fmt.Sprint(r.Tally.Repairs) != fmt.Sprint(want) {
		t.Errorf("repairs %v, want %v", r.Tally.Repairs, want)
	}
	if len(run.Attempts) != 4 || run.Attempts[0].Start != 5e6 || run.Attempts[0].End.Known() ||
		run.Attempts[1].Attempt != 1 || run.Attempts[3].Task != 2 || run.Stages[0].End.Known() {
		t.Errorf("run %+v", run)
	}
}

func TestGroupTags(t *testing.T) {
	r := read2020(t, file{groups2020.name, "id_0,ann,,g1,\nid_0,ann,,g2,\nid_0,ann,,g1,\n,ann,,g3,\n"}, jobs)
	if run := r.One(t); run.Name != "g1" || len(r.Tally.Warnings) != 1 || !strings.HasPrefix(r.Tally.Warnings[0],
		WarnGroups) {
		t.Errorf("name %q, warnings %v", run.Name, r.Tally.Warnings)
	}
	// Without a job table, instances know the inst_id.
	if run := read2020(t, instances, groups2020).One(t); run.Name != "fbeb14d671c629b6e82bee889fe4bb4c" {
		t.Errorf("name %q", run.Name)
	}
}

func TestTablesThatAreIgnored(t *testing.T) {
	r := read2020(t, jobs, file{"pai_sensor_table.csv",
		"j,w,x,id,m,/dev/nvidia0,140.1,16.0,1.4,2.3,1.2,2.3,2.1,1.6,2.9,3.4\n"},
		file{"pai_machine_metric.csv", "w,m,6150435,6150689,0.1,3.5,14.9,87.8,18.2,111649584.5,5.0,18.5\nanything\n"},
		file{"pai_sensor_table.header",
			"job_name,task_name,worker_name,inst_id,machine,gpu_name,cpu_usage,gpu_wrk_util,avg_mem,max_mem\n"})
	if len(r.Runs) != 1 || r.Tally.Ignored[IgnoredSensor] != 1 || r.Tally.Ignored[IgnoredMetric] != 2 ||
		r.Tally.Ignored[IgnoredHeader] != 1 {
		t.Errorf("tally %+v", r.Tally)
	}
}

func TestRejects2020(t *testing.T) {
	for _, test := range []struct{ name, file, content, reason, field string }{
		{"few fields", tasks.name, "j,t,1,Terminated,1,2,100,1,50\n", source.ReasonFields, ""},
		{"many fields", jobs.name, "j,i,u,Terminated,1,2,3\n", source.ReasonFields, ""},
		{"no table", "x.csv", "1,2,3,4\n", source.ReasonUnknown, ""},
		{"no header", "pai_job_table.header", "something,else\n", source.ReasonUnknown, ""},
		{"no job", jobs.name, ",i,u,Terminated,1,2\n", source.ReasonNoJob, "job_name"},
		{"no task", tasks.name, "j,,1,Terminated,1,2,100,1,50,T4\n", source.ReasonNoTask, "task_name"},
		{"no tasks", tasks.name, "j,t,0.0,Terminated,1,2,100,1,50,T4\n", source.ReasonBadCount, "inst_num"},
		{"negative tasks", tasks.name, "j,t,-1,Terminated,1,2,100,1,50,T4\n", source.ReasonBadCount, "inst_num"},
		{"bad start", tasks.name, "j,t,1,Terminated,x,2,100,1,50,T4\n", source.ReasonBadNumber, "start_time"},
		{"bad end", jobs.name, "j,i,u,Terminated,1,2013-01-01\n", source.ReasonBadNumber, "end_time"},
		{"bad cpu", tasks.name, "j,t,1,Terminated,1,2,-100,1,50,T4\n", source.ReasonBadNumber, "plan_cpu"},
		{"too much memory", tasks.name, "j,t,1,Terminated,1,2,100,1e308,50,T4\n", source.ReasonBadNumber, "plan_mem"},
		{"bad gpu", tasks.name, "j,t,1,Terminated,1,2,100,1,half,T4\n", source.ReasonBadNumber, "plan_gpu"},
		{"job twice", jobs.name, jobs.content + "job_0,id,u,Failed,1,2\n", ReasonDuplicate, "job_name"},
		{"task twice", tasks.name, tasks.content + "job_0,ps,1,Failed,1,2,1,1,1,\n", ReasonDuplicate, "task_name"},
		{"instance twice", instances.name, instances.content +
			instances.content[:strings.Index(instances.content, "\n")+1], ReasonDuplicate, "inst_name"},
		{"instance of no task", instances.name, "j,,i,w,x,Failed,1,2,m\n", source.ReasonNoTask, "task_name"},
		{"instance with a bad start", instances.name, "j,t,i,w,x,Failed,1s,2,m\n", source.ReasonBadNumber,
			"start_time"},
		{"machine without a name", machines.name, ",CPU,96,512,0\n", ReasonNoName, "machine"},
		{"machine with bad cpu", machines.name, "m,CPU,many,512,0\n", source.ReasonBadNumber, "cap_cpu"},
		{"machine with bad memory", machines.name, "m,CPU,96,-512,0\n", source.ReasonBadNumber, "cap_mem"},
		{"machine with bad gpus", machines.name, "m,CPU,96,512,T4\n", source.ReasonBadNumber, "cap_gpu"},
		{"not UTF-8", jobs.name, "j\xff,i,u,Terminated,1,2\n", source.ReasonNotUTF8, ""},
		{"cut", jobs.name, jobs.content + "job_1,id_1,bo", source.ReasonTruncated, ""},
		{"cut machine", machines.name, "m,CPU,96,51", source.ReasonTruncated, ""},
	} {
		r := read2020(t, file{test.file, test.content})
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1 || r.Rejects[0].File != test.file {
			t.Errorf("%s: got %v, want one of reason %q, field %q", test.name, r.Rejects, test.reason, test.field)
		}
	}
}

func TestTooManyHeaders(t *testing.T) {
	var files []file
	for i := range 300 {
		files = append(files, file{fmt.Sprint(i), "job_name,inst_id,user,status" + strings.Repeat(",x", i) + "\n" +
			fmt.Sprintf("j%d,i,u,Failed", i) + strings.Repeat(",", i) + "\n"})
	}
	// The files left out lose both of their lines.
	if r := read2020(t, files...); len(r.Runs) != 256 || r.Tally.Rejected[source.ReasonHeaders] != 88 {
		t.Errorf("%d runs, rejected %v", len(r.Runs), r.Tally.Rejected)
	}
}
