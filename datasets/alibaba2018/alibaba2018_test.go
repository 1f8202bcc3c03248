package alibaba2018

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

func read(t testing.TB, contents ...string) *sourcetest.Result {
	t.Helper()
	return sourcetest.Read(t, Format(0), sourcetest.Numbered(".csv", contents...)...)
}

// edges writes the edges of a run by names of stages.
func edges(run *trace.Run) []string {
	var out []string
	for _, e := range run.Edges {
		out = append(out, run.Stages[e.Parent].Name+">"+run.Stages[e.Child].Name)
	}
	slices.Sort(out)
	return out
}

func TestParents(t *testing.T) {
	for _, test := range []struct {
		name string
		own  int64
		of   []int64
		ok   bool
	}{
		{"M1", 1, nil, true}, {"R2_1", 2, []int64{1}, true}, {"J3_1_2", 3, []int64{1, 2}, true},
		{"R1_12", 1, []int64{12}, true},
		{"R4_2_Stg9", 4, []int64{2}, true}, {"M1_Stg8", 1, nil, true}, {"J30_4_5_", 30, []int64{4, 5}, true},
		{"MM7_3", 7, []int64{3}, true},
		{"task_MTg4MDcx", 0, nil, false}, {"MergeTask", 0, nil, false}, {"", 0, nil, false}, {"12_3", 0, nil, false},
		{"M+1", 0, nil, false},
	} {
		own, of, ok := parents(test.name, nil)
		if own != test.own || !slices.Equal(of, test.of) || ok != test.ok {
			t.Errorf("%q: %d, %v, %v", test.name, own, of, ok)
		}
	}
}

func TestTasks(t *testing.T) {
	run := read(t, "R4_2_Stg9,3.0,j_1,,Terminated,20,30,50.0,0.39\nM1,1.0,j_1,12,Terminated,5,9,100.0,0.2\n"+
		"J3_1_2,2.0,j_1,,Terminated,8,25,100,\nM2,,j_1,,Terminated,6,6,,\nMergeTask,1,j_1,,Terminated,7,8,100,0.1\n").One(t)
	if want := []string{"J3_1_2<", "M1>J3_1_2", "M2>J3_1_2", "M2>R4_2_Stg9"}; !slices.Equal(edges(run), want[1:]) {
		t.Errorf("edges %v", edges(run))
	}
	if run.ID != "j_1" || run.Start != 5e6 || run.End != 30e6 || run.Status != trace.Succeeded || run.Submit.Known() ||
		run.Name != "" {
		t.Errorf("run %+v", run)
	}
	i := slices.IndexFunc(run.Stages, func(s trace.Stage) bool { return s.Name == "R4_2_Stg9" })
	if s := run.Stages[i]; s.Tasks != 3 || s.Demand[trace.CPU] != 0.5 || s.Demand[trace.Mem] != 0.39 ||
		s.Start != 20e6 {
		t.Errorf("stage %+v", s)
	}
}

// Files that were saved again may have quotes around texts, around all fields, or around names alone.
func TestQuotes(t *testing.T) {
	lines := []string{"R2_1,3.0,j_1,12,Terminated,20,30,50.0,0.39", "M1,1.0,j_1,12,Terminated,5,9,100.0,0.2",
		"ins_1,M1,j_1,12,Terminated,5,9,m_7,1,1,2,3,4,5"}
	want := read(t, strings.Join(lines, "\n")).One(t)
	if len(want.Edges) != 1 || want.Attempts[0].Machine != "m_7" {
		t.Fatalf("%+v", want)
	}
	for _, which := range []string{"0 1 2 4 7", "0 2", "0 1 2 3 4 5 6 7 8 9 10 11 12 13"} {
		var quoted []string
		for _, line := range lines {
			f := strings.Split(line, ",")
			for _, k := range strings.Fields(which) {
				if i, _ := strconv.Atoi(k); i < len(f) {
					f[i] = `"` + f[i] + `"`
				}
			}
			quoted = append(quoted, strings.Join(f, ","))
		}
		content := strings.Join(quoted, "\n")
		if !detect("", []byte(content)) {
			t.Errorf("not known: %s", content)
		}
		if got := read(t, content).One(t); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s\ngives %+v, want %+v", content, got, want)
		}
	}
}

func TestUnfinishedRowsAreRepaired(t *testing.T) {
	r := read(t, "M1,1,j,,Terminated,5,9,100,0.2\nR2_1,,j,,Waiting,0,0,,\nR3_1,4,j,,Running,7,0,100,0.5\nR4_9,1,j,,Terminated,9,3,100,1\n")
	run := r.One(t)
	if run.Status != trace.Running || run.End.Known() || run.Start != 5e6 {
		t.Errorf("run %+v", run)
	}
	if s := run.Stages[1]; s.Tasks != trace.None || s.Start.Known() || s.End.Known() {
		t.Errorf("waiting stage %+v", s)
	}
	if r.Tally.Repairs[RepairUnfinished] != 2 || r.Tally.Repairs[RepairEnd] != 1 ||
		r.Tally.Repairs[RepairUnknownParent] != 1 {
		t.Errorf("repairs %v", r.Tally.Repairs)
	}
}

func TestCyclesAndAmbiguousNumbers(t *testing.T) {
	r := read(t, "M1_2,1,j,,Terminated,1,2,1,1\nM2_1,1,j,,Terminated,1,2,1,1\nR3_3,1,j,,Terminated,1,2,1,1\nR2_1,1,j,,Terminated,1,2,1,1\n")
	run := r.One(t)
	if r.Tally.Repairs[RepairCycle] != 2 || r.Tally.Repairs[RepairAmbiguous] != 1 || len(run.Edges) != 2 {
		t.Errorf("repairs %v, edges %v", r.Tally.Repairs, edges(run))
	}
}

func TestScatteredRowsAndInstances(t *testing.T) {
	r := read(t,
		"M1,2,a,,Terminated,1,9,100,1\nM1,1,b,,Failed,1,2,100,1\nR2_1,1,a,,Terminated,5,9,100,1\n",
		"i1,M1,a,1,Terminated,1,4,m_7,1,1,50,60,0.1,0.2\ni2,M1,a,1,Failed,1,3,m_8,1,2,,,,\ni2,M1,a,1,Terminated,3,9,m_9,2,2,100,,0.3,\ni3,M9,b,1,Running,2,0,m_1,1,1,,,,\n")
	if len(r.Runs) != 2 || r.Tally.Used != 7 || r.Tally.Repairs[RepairNoTaskRow] != 1 {
		t.Fatalf("%d runs, tally %+v", len(r.Runs), r.Tally)
	}
	slices.SortFunc(r.Runs, func(x, y *trace.Run) int { return int(x.Seq - y.Seq) })
	a := r.Runs[0]
	if len(a.Attempts) != 3 || a.Attempts[2].Attempt != 1 || a.Attempts[1].Status != trace.Failed ||
		a.Attempts[2].Duration != 6e6 ||
		a.Attempts[0].Machine != "m_7" || a.Attempts[0].Demand[trace.CPU] != 0.5 ||
		a.Attempts[2].Demand[trace.Mem] != 0.3 {
		t.Errorf("attempts %+v", a.Attempts)
	}
	if b := r.Runs[1]; b.Status != trace.Failed || len(b.Stages) != 2 || b.Attempts[0].End.Known() {
		t.Errorf("second run %+v", b)
	}
}

// Without batch_task, stages and runs have the times and the statuses of their instances: the last attempt of each.
func TestInstancesAlone(t *testing.T) {
	run := read(t, "i1,M1,a,1,Terminated,1,4,m,1,1,,,,\ni2,M1,a,1,Failed,2,9,m,1,2,,,,\n"+
		"i2,M1,a,1,Terminated,3,6,m,2,2,,,,\ni1,R2_1,a,1,Terminated,6,8,m,1,1,,,,\n").One(t)
	if a, b := run.Stages[0], run.Stages[1]; a.Start != 1e6 || a.End != 6e6 || b.Start != 6e6 || b.End != 8e6 ||
		run.Start != 1e6 || run.End != 8e6 || run.Status != trace.Succeeded {
		t.Errorf("%+v", run)
	}
	run = read(t, "i1,M1,a,1,Failed,1,4,m,1,1,,,,\ni2,M1,a,1,Running,2,0,m,1,2,,,,\n").One(t)
	if s := run.Stages[0]; s.Start != 1e6 || s.End.Known() || run.End.Known() || run.Status != trace.Running {
		t.Errorf("%+v", run)
	}
}

func TestHeader(t *testing.T) {
	const row = "M1,1.0,j_1,1,Terminated,10,20,100.0,0.5\n"
	const header = "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n"
	for _, content := range []string{header + row, "\n" + row, "\ufeff\r\n" + row} {
		if !Format(0).Detect("x.csv", []byte(content)) {
			t.Errorf("%q is not recognised", content)
		}
	}
	r := sourcetest.Read(t, Format(0), source.BytesFile("x.csv", []byte(header+row+header)))
	if len(r.Runs) != 1 || len(r.Rejects) > 0 || r.Tally.Ignored["header"] != 2 {
		t.Errorf("%d runs, rejects %v, ignored %v", len(r.Runs), r.Rejects, r.Tally.Ignored)
	}
}

func TestRejects(t *testing.T) {
	for _, test := range []struct{ row, reason, field string }{
		{"M1,1,j,,Terminated,1,2,3\n", source.ReasonFields, ""},
		{"M1,1,,,Terminated,1,2,3,4\n", source.ReasonNoJob, "job_name"},
		{",1,j,,Terminated,1,2,3,4\n", source.ReasonNoTask, "task_name"},
		{"M1,0,j,,Terminated,1,2,3,4\n", source.ReasonBadCount, "instance_num"},
		{"M1,-2,j,,Terminated,1,2,3,4\n", source.ReasonBadCount, "instance_num"},
		{"M1,1.5,j,,Terminated,1,2,3,4\n", source.ReasonBadCount, "instance_num"},
		{"M1,1,j,,Terminated,x,2,3,4\n", source.ReasonBadNumber, "start_time"},
		{"M1,1,j,,Terminated,1,-2,3,4\n", source.ReasonBadNumber, "end_time"},
		{"M1,1,j,,Terminated,1,2,NaN,4\n", source.ReasonBadNumber, "plan_cpu"},
		{"M1,1,j,,Terminated,1,2,3,1e999\n", source.ReasonBadNumber, "plan_mem"},
		{"M1,1,j,,Terminated,1,2,3,4\nM1,1,j,,Terminated,1,2,3,4\n", source.ReasonDuplicateTask, "task_name"},
		{"i,M1,j,1,Terminated,1,2,m,x,1,1,1,1,1\n", source.ReasonBadNumber, "seq_no"},
		{"i,,j,1,Terminated,1,2,m,1,1,1,1,1,1\n", source.ReasonNoTask, "task_name"},
		{"i,M1,j,1,Terminated,1,2,m,1,1,1,1,1,1\ni,M1,j,1,Terminated,1,2,m,1,1,1,1,1,1\n", ReasonSeqNo, "seq_no"},
		{"M1,1,j\xff,,Terminated,1,2,3,4\n", source.ReasonNotUTF8, ""},
		{"M1,1,j,,Terminated,1,2,3,4\nM2,1,j,,Ter", source.ReasonTruncated, ""},
		{"\"M1,1,j,,Terminated,1,2,3,4\n\n", "", ""}, // a quote is a character like any other
	} {
		r := read(t, test.row)
		switch {
		case test.reason == "" && len(r.Rejects) == 0:
		case len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1:
			t.Errorf("%q: got %v, want one of reason %q, field %q", test.row, r.Rejects, test.reason, test.field)
		}
	}
}

// The counts are those of the README beside the traces.
func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name                        string
		jobs, tasks, unknown, waits int
	}{
		{"alibaba_set_0_6600_dags.batch_task.csv.gz", 6600, 25196, 0, -1},
		{"alibaba_straight_chain_10K_dags_set1.batch_task.csv.gz", 10000, 26920, 7, -1},
		{"alibaba_random_50_dags.batch_task.csv", 50, 197, 0, -1},
	} {
		r := sourcetest.Read(t, Format(0), sourcetest.SharedFile(t, "alibaba-2018/"+test.name))
		tasks := 0
		for _, run := range r.Runs {
			tasks += len(run.Stages)
		}
		if len(r.Runs) != test.jobs || tasks != test.tasks || len(r.Rejects) != 0 ||
			r.Tally.Repairs[RepairUnknownParent] != int64(test.unknown) || r.Tally.Repairs[RepairCycle] != 0 {
			t.Errorf("%s: %d jobs, %d tasks, %d rejects, repairs %v", test.name, len(r.Runs), tasks, len(r.Rejects),
				r.Tally.Repairs)
		}
		t.Logf("%s: %d edges, repairs %v", test.name, countEdges(r.Runs), r.Tally.Repairs)
	}
}

func countEdges(runs []*trace.Run) int {
	n := 0
	for _, r := range runs {
		n += len(r.Edges)
	}
	return n
}

func TestMemoryDoesNotChangeTheResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var content []byte
	for i := range 20_000 {
		content = fmt.Appendf(content, "M%d,1,j_%d,,Terminated,%d,%d,100,0.5\n", i, rng.IntN(500), i, i+rng.IntN(9))
	}
	sourcetest.MemoryDoesNotMatter(t, Format, 50_000, source.BytesFile("x.csv", content))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("R4_2_Stg9,3.0,j_1,,Terminated,20,30,50.0,0.39\nM1,1.0,j_1,12,Terminated,5,9,100.0,0.2\nM2_1_4,,j_1,,Waiting,0,0,,\n"))
	f.Add([]byte("i1,M1,a,1,Terminated,1,4,m_7,1,1,50,60,0.1,0.2\ni1,M1,a,1,Failed,1,3,m_8,2,2,,,,\n"))
	f.Add([]byte("M1_2,1,j,,Terminated,1,2,1,1\nM2_1,1,j,,Terminated,1,2,1,1\n"))
	f.Add([]byte(",,,,,,,,\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		sourcetest.Read(t, Format(0), source.BytesFile("fuzz", content))
	})
}

// A header is ignored, unless it says that columns stand elsewhere.
func TestHeaderOfAnotherOrder(t *testing.T) {
	const row = "M1,1,j_1,1,Terminated,1,2,100,0.5\n"
	for header, refused := range map[string]bool{
		"task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem":                                               false,
		"\ufefftask_name,inst_num,job_name,task_type,status,start_time,end_time,cpu,mem\r":                                                     false,
		"task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_mem,plan_cpu":                                               true,
		"task_name,instance_num,job_name,task_type,status,end_time,start_time,plan_cpu,plan_mem":                                               true,
		`"Task_Name","instance_num","task_type","job_name","status","start_time","end_time","x","y"`:                                           true,
		"task_name,instance_name,job_name,task_type,status,start_time,end_time,machine_id,seq_no,total_seq_no,cpu_avg,cpu_max,mem_avg,mem_max": true,
	} {
		r := sourcetest.Read(t, Format(0), source.BytesFile("x.csv", []byte(header+"\n"+row)))
		switch {
		case refused && (r.Err == nil || !strings.Contains(r.Err.Error(), "x.csv: the header has") || len(r.Runs) > 0):
			t.Errorf("%q: %d runs, %v", header, len(r.Runs), r.Err)
		case !refused && (r.Err != nil || len(r.Runs) != 1 || len(r.Rejects) > 0 || r.Tally.Ignored["header"] != 1):
			t.Errorf("%q: %d runs, %v, %v", header, len(r.Runs), r.Rejects, r.Err)
		}
	}
}
