package pai

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

const (
	podHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
	podRows   = "openb-pod-0000,12000,16384,1,1000,,LS,Running,0,12537496,0\n" + // row of the shared file
		"openb-pod-0017,88000,327680,8,1000,G2,Burstable,Succeeded,9437497,10769854,9437497\n" +
		"openb-pod-0022,4000,15258,1,220,V100M16|V100M32,BE,Failed,9679175,9973826,9679180\n" +
		"openb-pod-0061,11908,47104,1,1000,,BE,Pending,10001278,10001403,\n" +
		"cpu,500,1,0,0,,BE,Running,5,,6\n" +
		"back,500,1,0,0,,BE,Failed,5,3,6\n"
	dlrmHeader = "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit," +
		"disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n"
	dlrmRows = "instance_0,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,8,,,\n" + // rows of the shared file
		"instance_7280,CN,app_22,64,64,0,0,1,1,320.0,320.0,544.0,640.0,-1,475.00000000000006,623.0,\n" +
		"instance_7281,CN,app_88,64,64,0,0,1,1,320.0,320.0,255.0,300.0,-1,610.0,683.0,91730.0\n" +
		"instance_1,HN,app_0,12,12,1,1,25,25,120.0,120.0,680.0,800.0,8,,,75.0\n"
)

func TestPods(t *testing.T) {
	r := read2020(t, file{"openb_pod_list_default.csv", podHeader + podRows}, file{"openb_node_list_all_node.csv",
		"sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0228,128000,786432,8,G3\nopenb-node-0000,32000,262144,0,\n"},
		file{"openb_node_list_gpu_node.csv", "sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0228,128000,786432,8,G3\n"})
	const none = trace.None
	for i, want := range []struct {
		id, group          string
		submit, start, end trace.Instant
		status             trace.Status
		cpu, mem, gpu      float64
		attempts           int
	}{
		{"openb-pod-0000", "LS", 0, 0, 12537496e6, trace.Killed, 12, 16 << 30, 1, 1},
		{"openb-pod-0017", "Burstable", 9437497e6, 9437497e6, 10769854e6, trace.Succeeded, 88, 320 << 30, 8, 1},
		{"openb-pod-0022", "BE", 9679175e6, 9679180e6, 9973826e6, trace.Failed, 4, 15258 << 20, 0.22, 1},
		{"openb-pod-0061", "BE", 10001278e6, none, 10001403e6, trace.Killed, 11.908, 46 << 30, 1, 0},
		{"cpu", "BE", 5e6, 6e6, none, trace.Running, 0.5, 1 << 20, 0, 1},
		{"back", "BE", 5e6, 6e6, none, trace.Failed, 0.5, 1 << 20, 0, 1},
	} {
		run := r.Runs[i]
		s := run.Stages[0]
		if run.ID != want.id || run.Group != want.group || run.Submit != want.submit || run.Start != want.start ||
			run.End != want.end ||
			run.Status != want.status || len(run.Attempts) != want.attempts || run.Seq != int64(i) || run.Name != "" ||
			run.User != "" {
			t.Errorf("run %+v, want %+v", run, want)
		}
		if s.Tasks != 1 || s.Submit != want.submit || s.Start != want.start || s.End != want.end ||
			s.Demand[trace.CPU] != want.cpu ||
			s.Demand[trace.Mem] != want.mem || s.Demand[trace.GPU] != want.gpu {
			t.Errorf("stage %+v, want %+v", s, want)
		}
	}
	if a := r.Runs[2].Attempts[0]; a.Queued != 9679175e6 || a.Start != 9679180e6 || a.Duration != 294646e6 ||
		a.Status != trace.Failed || a.Machine != "" {
		t.Errorf("attempt %+v", a)
	}
	if r.Tally.Repairs[RepairEnd] != 1 || r.Tally.Used != 8 || r.Tally.Ignored[IgnoredHeader] != 3 ||
		r.Tally.Ignored[IgnoredMachine] != 1 {
		t.Errorf("tally %+v", r.Tally)
	}
	if m := r.Tally.Machines; len(m) != 2 || m[0].Name != "openb-node-0228" || m[0].CPU != 128 || m[0].Mem != 768<<30 ||
		m[0].GPU != 8 {
		t.Errorf("machines %+v", m)
	}
}

// Pods that were not done at the last deletion were cut by the end of the trace, if there are several.
func TestPodsThatTheEndOfTheTraceCut(t *testing.T) {
	const rows = "a,500,1,0,0,,BE,Running,5,90,6\nb,500,1,0,0,,BE,Pending,7,90,\nc,500,1,0,0,,BE,Succeeded,5,90,6\n" +
		"d,500,1,0,0,,BE,Running,5,80,6\n"
	for _, test := range []struct {
		rows string
		cut  int64
		want string // ids, statuses and whether the end is known
	}{
		{rows, 2, "a running false, b running false, c succeeded true, d killed true"},
		{rows + "e,500,1,0,0,,BE,Running,5,91,6\n", 0,
			"a killed true, b killed true, c succeeded true, d killed true, e killed true"},
	} {
		r := read2020(t, file{"openb_pod_list_default.csv", podHeader + test.rows})
		var got []string
		for _, run := range r.Runs {
			got = append(got, fmt.Sprint(run.ID, " ", run.Status, " ", run.End.Known()))
			if len(run.Attempts) > 0 && (run.Attempts[0].End != run.End || run.Attempts[0].Status != run.Status) {
				t.Errorf("run %s: attempt %+v", run.ID, run.Attempts[0])
			}
		}
		if all := strings.Join(got, ", "); all != test.want || r.Tally.Repairs[RepairCut] != test.cut {
			t.Errorf("%s; %d cut, want %s; %d", all, r.Tally.Repairs[RepairCut], test.want, test.cut)
		}
	}
}

// The lists that mix more GPUs in have no time columns.
func TestPodsWithoutTimes(t *testing.T) {
	r := read2020(t, file{"openb_pod_list_multigpu20.csv",
		"name,cpu_milli,memory_mib,num_gpu,gpu_milli\nopenb-pod-0017,88000,327680,8,1000\nopenb-pod-0020,8000,30517,1,470\n"})
	if len(r.Runs) != 2 || len(r.Rejects) != 0 {
		t.Fatalf("%d runs, rejects %v", len(r.Runs), r.Rejects)
	}
	if run := r.Runs[1]; run.Submit.Known() || run.Start.Known() || run.End.Known() ||
		run.Status != trace.StatusUnknown || len(run.Attempts) != 0 ||
		run.Stages[0].Tasks != 1 || run.Stages[0].Demand[trace.GPU] != 0.47 {
		t.Errorf("run %+v", run)
	}
}

func TestDLRM(t *testing.T) {
	r := read2020(t, file{"disaggregated_DLRM_trace.csv", dlrmHeader + dlrmRows})
	const none = trace.None
	for i, want := range []struct {
		id, name, group    string
		submit, start, end trace.Instant
		status             trace.Status
		cpu, gib, gpu      float64
		attempts           int
	}{
		{"instance_0", "app_0", "HN", none, none, none, trace.Running, 12, 120, 1, 0},
		{"instance_7280", "app_22", "CN", 475e6, 623e6, none, trace.Running, 64, 320, 0, 1},
		{"instance_7281", "app_88", "CN", 610e6, 683e6, 91730e6, trace.StatusUnknown, 64, 320, 0, 1},
		{"instance_1", "app_0", "HN", none, none, 75e6, trace.StatusUnknown, 12, 120, 1, 1},
	} {
		run := r.Runs[i]
		s := run.Stages[0]
		if run.ID != want.id || run.Name != want.name || run.Group != want.group || run.Submit != want.submit ||
			run.Start != want.start ||
			run.End != want.end || run.Status != want.status || len(run.Attempts) != want.attempts {
			t.Errorf("run %+v, want %+v", run, want)
		}
		if s.Name != want.group || s.Tasks != 1 || s.Demand[trace.CPU] != want.cpu ||
			s.Demand[trace.Mem] != want.gib*gib || s.Demand[trace.GPU] != want.gpu {
			t.Errorf("stage %+v, want %+v", s, want)
		}
	}
	if a := r.Runs[3].Attempts[0]; a.Start.Known() || a.End != 75e6 || a.Duration != none {
		t.Errorf("attempt %+v", a)
	}
}

// Whatever way a list was saved, the runs are the same.
func TestPodVariants(t *testing.T) {
	same := func(r *sourcetest.Result) string {
		var text string
		for _, run := range r.Runs {
			text += fmt.Sprintln(run)
		}
		return text
	}
	want := same(read2020(t, file{"p.csv", podHeader + podRows}))
	more := ""
	for i, line := range strings.SplitAfter(podHeader+podRows, "\n") {
		if line != "" {
			more += fmt.Sprintf("%d,%s", i, strings.TrimSuffix(line, "\n")+",\"note\"\n")
		}
	}
	for name, content := range map[string]string{
		"CRLF":            strings.ReplaceAll(podHeader+podRows, "\n", "\r\n"),
		"byte-order mark": "\ufeff" + podHeader + podRows,
		"blank lines":     "\n\n" + podHeader + "\r\n" + podRows + "\n",
		"more columns":    more,
		"nan":             strings.ReplaceAll(podHeader+podRows, ",,", ",nan,"),
		"two headers": podHeader + podRows[:strings.Index(podRows, "\n")+1] + podHeader +
			podRows[strings.Index(podRows, "\n")+1:],
		"capitals": strings.ToUpper(podHeader) + podRows,
	} {
		r := read2020(t, file{"p.csv", content})
		if got := same(r); got != want || len(r.Rejects) != 0 {
			t.Errorf("%s: got %s%v, want %s", name, got, r.Rejects, want)
		}
	}
	// Known by heart, where the name of the file tells the table.
	if got := same(read2020(t, file{"openb_pod_list_default.csv", podRows})); got != want {
		t.Errorf("no header: got %s, want %s", got, want)
	}
}

func TestPodRejects(t *testing.T) {
	for _, test := range []struct{ name, content, reason, field string }{
		{"few fields", podHeader + "p,1,2,3\n", source.ReasonFields, ""},
		{"no name", podHeader + ",500,1,0,0,,BE,Running,5,7,6\n", ReasonNoName, "name"},
		{"bad cpu", podHeader + "p,x,1,0,0,,BE,Running,5,7,6\n", source.ReasonBadNumber, "cpu_milli"},
		{"bad memory", podHeader + "p,1,-1,0,0,,BE,Running,5,7,6\n", source.ReasonBadNumber, "memory_mib"},
		{"half a GPU", podHeader + "p,1,1,0.5,0,,BE,Running,5,7,6\n", source.ReasonBadCount, "num_gpu"},
		{"negative GPUs", podHeader + "p,1,1,-1,0,,BE,Running,5,7,6\n", source.ReasonBadCount, "num_gpu"},
		{"bad share", podHeader + "p,1,1,1,all,,BE,Running,5,7,6\n", source.ReasonBadNumber, "gpu_milli"},
		{"bad creation", podHeader + "p,1,1,1,1,,BE,Running,noon,7,6\n", source.ReasonBadNumber, "creation_time"},
		{"bad scheduling", podHeader + "p,1,1,1,1,,BE,Running,5,7,1e300\n", source.ReasonBadNumber, "scheduled_time"},
		{"bad deletion", podHeader + "p,1,1,1,1,,BE,Running,5,x,6\n", source.ReasonBadNumber, "deletion_time"},
		{"pod twice", podHeader + "p,1,1,1,1,,BE,Running,5,7,6\np,1,1,1,1,,BE,Running,5,7,6\n",
			source.ReasonDuplicateID, "id"},
		{"cut", podHeader + "p,1,1,1,1,,BE,Running,5,7,6\nq,1,1,1,1,", source.ReasonTruncated, ""},
		{"node without a name", "sn,cpu_milli,memory_mib,gpu\n,1,2,3\n", ReasonNoName, "sn"},
		{"instance without a name", dlrmHeader + strings.Replace(dlrmRows[:strings.Index(dlrmRows, "\n")+1],
			"instance_0", "", 1), ReasonNoName, "instance_sn"},
		{"bad request", dlrmHeader + strings.Replace(dlrmRows[:strings.Index(dlrmRows, "\n")+1], ",120.0,", ",lots,",
			1), source.ReasonBadNumber, "memory_request"},
	} {
		r := read2020(t, file{"x.csv", test.content})
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1 {
			t.Errorf("%s: got %v, want one of reason %q, field %q", test.name, r.Rejects, test.reason, test.field)
		}
	}
}

// The counts are those of the README beside the traces.
func TestShared2023(t *testing.T) {
	r := sourcetest.Read(t, Format(0), sourcetest.SharedFile(t, "alibaba-gpu-2023/openb_pod_list_default.csv"),
		sourcetest.SharedFile(t, "alibaba-gpu-2023/openb_node_list_all_node.csv"))
	attempts, gpus, last := 0, 0., trace.Instant(0)
	statuses := map[trace.Status]int{}
	for _, run := range r.Runs {
		attempts += len(run.Attempts)
		gpus += run.Stages[0].Demand[trace.GPU]
		statuses[run.Status]++
		last = max(last, run.End)
	}
	// 897 pods are pending; 5193 were running, 34 of them until the end at 12902960 s; GPUs by awk over the file.
	if len(r.Runs) != 8152 || attempts != 8152-897 || statuses[trace.Killed] != 897+5193-34 ||
		statuses[trace.Running] != 34 || statuses[trace.Failed] != 1870 || statuses[trace.Succeeded] != 192 ||
		last != 12901792e6 || math.Abs(gpus-sharedGPUs) > 1e-6 || len(r.Rejects) != 0 || len(r.Tally.Repairs) != 1 ||
		r.Tally.Repairs[RepairCut] != 34 || r.Tally.Used != 8152+1523 {
		t.Errorf("%d pods, %d attempts, %v, last %d, %v GPUs, tally %+v", len(r.Runs), attempts, statuses, last, gpus,
			r.Tally.Repairs)
	}
	total := 0.
	for _, m := range r.Tally.Machines {
		total += m.GPU
	}
	if len(r.Tally.Machines) != 1523 || total != 549*8+387*2+131*2+39*8+28*4+21*8+19+17*4+9*4+8*8+3+2 {
		t.Errorf("%d nodes, %v GPUs", len(r.Tally.Machines), total)
	}
}

// sharedGPUs is the sum of num_gpu * gpu_milli / 1000 over the default list.
const sharedGPUs = 6086.80

// The counts are those of the README beside the traces, and of a script over the file.
func TestShared2025(t *testing.T) {
	r := sourcetest.Read(t, Format(0), sourcetest.SharedFile(t, "alibaba-gpu-2025/disaggregated_DLRM_trace.csv.gz"))
	attempts, cn, hn, gpus := 0, 0, 0, 0.
	apps, statuses := map[string]bool{}, map[trace.Status]int{}
	for _, run := range r.Runs {
		attempts += len(run.Attempts)
		apps[run.Name] = true
		statuses[run.Status]++
		gpus += run.Stages[0].Demand[trace.GPU]
		switch run.Group {
		case "CN":
			cn++
		case "HN":
			hn++
		}
	}
	if len(r.Runs) != 23871 || cn != 16485 || hn != 7386 || len(apps) != 156 || attempts != 12390+4201+2603 ||
		gpus != 7386 ||
		statuses[trace.Running] != 8878 || statuses[trace.StatusUnknown] != 23871-8878 || len(r.Rejects) != 0 ||
		len(r.Tally.Repairs) != 0 {
		t.Errorf("%d instances, %d CN, %d HN, %d apps, %d attempts, %v GPUs, %v, %v", len(r.Runs), cn, hn, len(apps),
			attempts, gpus, statuses, r.Rejects)
	}
}

// pods returns a pod list.
func pods(rows int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	content := []byte(podHeader)
	for i := range rows {
		start := rng.IntN(12_000_000)
		content = fmt.Appendf(content, "openb-pod-%d,%d,%d,1,%d,,BE,Failed,%d,%d,%d\n", i, 1000*rng.IntN(64),
			rng.IntN(1<<18), rng.IntN(1000), start, start+rng.IntN(3000), start)
	}
	return content
}

func BenchmarkPods(b *testing.B) {
	const rows = 100_000
	content := pods(rows)
	b.SetBytes(int64(len(content)))
	n := 0
	for b.Loop() {
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile("p.csv", content)},
			source.NewTally()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n += rows
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
