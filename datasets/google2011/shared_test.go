package google2011

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

func parts(t testing.TB) []*source.File {
	var files []*source.File
	for i := range 16 {
		f := sourcetest.SharedFile(t, fmt.Sprintf("google-2011/job_events/part-%05d-of-00500.csv.gz", i))
		f.Name = "google-2011/job_events/" + f.Name // as in a folder
		files = append(files, f)
	}
	return files
}

// The counts are those of the README beside the trace; those of events were counted with a script that shares nothing
// with this reader.
func TestSharedJobEvents(t *testing.T) {
	files := parts(t)
	r := sourcetest.Read(t, Format(0), files...)
	byStatus := map[trace.Status]int{}
	for _, run := range r.Runs {
		byStatus[run.Status]++
	}
	if r.Err != nil || len(r.Runs) != 22393 || r.Tally.Used != 63083 || len(r.Rejects) != 0 ||
		len(r.Tally.Ignored) != 0 {
		t.Errorf("%v, %d runs, tally %+v", r.Err, len(r.Runs), r.Tally)
	}
	want := map[trace.Status]int{trace.Succeeded: 11434, trace.Killed: 6597, trace.Failed: 264, trace.Evicted: 1,
		trace.Running: 4097}
	if fmt.Sprint(byStatus) != fmt.Sprint(want) {
		t.Errorf("runs by status %v, want %v", byStatus, want)
	}
	if n := r.Tally.Repairs; n[RepairBefore] != 3986+3984 || n[RepairCensored] != 4097 || len(n) != 2 ||
		len(r.Tally.Warnings) != 1 {
		t.Errorf("repairs %v, warnings %v", n, r.Tally.Warnings)
	}
	for _, f := range files {
		if head, err := f.Head(t.Context()); err != nil || !Format(0).Detect(f.Name, head) ||
			!Format(0).Detect("x.csv", head) {
			t.Errorf("%s is not recognised", f.Name)
		}
	}
	// One part alone: the jobs that end later are censored, those that began earlier have an end alone.
	r = sourcetest.Read(t, Format(0), files[15])
	if r.Err != nil || len(r.Rejects) != 0 || r.Tally.Used != r.Tally.Read || len(r.Runs) == 0 {
		t.Errorf("%v, %d runs, tally %+v", r.Err, len(r.Runs), r.Tally)
	}
}

// The samples are small enough to count by eye: 4 jobs, 10 tasks; task 2 of job 2 fails, task 0 of it is evicted once;
// task 2.1 and all others finish.
func TestSharedSamples(t *testing.T) {
	dir := "google-2011/cloudsimplus-samples/"
	events, usage, machines := sourcetest.SharedFile(t, dir+"task-events-sample-1.csv"), sourcetest.SharedFile(t, dir+
		"task-usage-sample-1.csv"), sourcetest.SharedFile(t, dir+"machine-events-sample-1.csv")
	r := sourcetest.Read(t, Format(0), events, usage, machines)
	if r.Err != nil || len(r.Runs) != 4 || r.Tally.Read != 54 || r.Tally.Used != 51 || r.Tally.Ignored["header"] != 3 ||
		len(r.Rejects) != 0 {
		t.Fatalf("%v, %d runs, tally %+v", r.Err, len(r.Runs), r.Tally)
	}
	tasks, attempts := 0, 0
	var second *trace.Run
	for _, run := range r.Runs {
		tasks, attempts = tasks+int(run.Stages[0].Tasks), attempts+len(run.Attempts)
		if run.ID == "2" {
			second = run
		}
	}
	if tasks != 10 || attempts != 11 || len(r.Tally.Machines) != 6 || r.Tally.Repairs[RepairAway] != 1 {
		t.Errorf("%d tasks, %d attempts, %d machines, repairs %v", tasks, attempts, len(r.Tally.Machines),
			r.Tally.Repairs)
	}
	want := "0.0 - 12000000 30000000 evicted \n0.1 - 42000000 60000000 succeeded 1\n1.0 - 14000000 65000000 " +
		"succeeded 2\n2.0 - 16000000 21000000 failed "
	if got := sourcetest.Attempts(second); got != want || second.Status != trace.Failed ||
		second.Attempts[1].Demand[trace.CPU] != 0.3 || second.Attempts[1].Demand[trace.Mem] != 0.5 {
		t.Errorf("job 2: %v\n%s", second.Status, got)
	}
	for _, f := range []*source.File{events, usage, machines} {
		if head, err := f.Head(t.Context()); err != nil || !Format(0).Detect(f.Name, head) ||
			!Format(0).Detect("x.csv", head) {
			t.Errorf("%s is not recognised", f.Name)
		}
	}
}

// generated writes n rows of task_events, scattered over jobs, and rows of task_usage for half of them.
func generated(n int) (events, usage []byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		job, task, at := 6_000_000_000+rng.IntN(n/40+1), rng.IntN(12), 600*second+i*1000
		events = fmt.Appendf(events,
			"%d,,%d,%d,%d,%d,AL1ptJgzhEaoLf97k5xU6Uc2VO0yUaPQd/feJ5LMWhA=,2,9,0.0625,%.5f,0.0003862,0\n",
			at, job, task, 300_000_000+rng.IntN(12000), rng.IntN(9), rng.Float64())
		if i%2 == 0 {
			usage = fmt.Appendf(usage,
				"%d,%d,%d,%d,%d,%.6f,%.5f,0.09,0.0006,0.001,0.08,0.0019,0.0002,0.0051,0.0004,2.94,0.0094,0,1,0\n",
				at, at+300*second, job, task, 300_000_000+rng.IntN(12000), rng.Float64(), rng.Float64())
		}
	}
	return events, usage
}

func TestMemoryDoesNotChangeTheResult(t *testing.T) {
	events, usage := generated(20_000)
	sourcetest.MemoryDoesNotMatter(t, Format, 50_000, source.BytesFile("task_events/p.csv", events),
		source.BytesFile("task_usage/p.csv", usage))
}

// Whatever the order of the files, the runs are the same.
func TestOrderOfPartsDoesNotMatter(t *testing.T) {
	var files []string
	for i, row := range strings.SplitAfter(taskRow(700, 0, "", 0)+taskRow(800, 0, "m", 1)+taskRow(900, 0, "m", 2)+
		taskRow(901, 0, "", 0)+taskRow(950, 0, "n", 1)+jobRow(690, 0)+jobRow(990, 4), "\n") {
		if row != "" {
			files = append(files, fmt.Sprintf("%s/part-%d.csv", []string{"task_events", "job_events"}[i/5], i), row)
		}
	}
	want := ""
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var shuffled []string
		for _, k := range rng.Perm(len(files) / 2) {
			shuffled = append(shuffled, files[2*k], files[2*k+1])
		}
		run := readFiles(t, shuffled...).One(t)
		run.Seq = 0
		got := fmt.Sprintf("%+v", *run)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%v: %s, want %s", slices.Clone(shuffled), got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(jobRow(0, 0) + jobRow(800, 1) + jobRow(after, 4) + jobRow(900, 3)))
	f.Add([]byte("#h\n" + taskRow(0, 0, "", 0) + taskRow(800, 0, "m", 1) + taskRow(850, 1, "m", 4) +
		taskRow(900, 0, "m", 2) + taskRow(math.MaxInt64, 0, "", 8)))
	f.Add([]byte(usageRow(1, 2, 4, "1", "") + usageRow(5, 3, 0, "", "1e-5")))
	f.Add([]byte("0,10,0,P+=,0.5,0.25\n700,10,1,P=,,\n900,10,0,P=,1,1\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"x.csv", "task_events/x.csv"} {
			sourcetest.Read(t, Format(0), source.BytesFile(name, content))
		}
		half := len(content) / 2
		sourcetest.Read(t, Format(0), source.BytesFile("task_events/a.csv", content[:half]),
			source.BytesFile("task_usage/b.csv", content[half:]))
		sourcetest.Read(t, Format(0), source.BytesFile("machine_events/a.csv", content))
	})
}

func benchmark(b *testing.B, name string, content []byte) {
	b.SetBytes(int64(len(content)))
	rows := 0
	for b.Loop() {
		tally := source.NewTally()
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile(name, content)}, tally) {
			if err != nil {
				b.Fatal(err)
			}
		}
		rows += int(tally.Used)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func benchRows() int {
	if testing.Short() {
		return 25_000
	}
	return 500_000
}

func BenchmarkTaskEvents(b *testing.B) {
	events, _ := generated(benchRows())
	benchmark(b, "task_events/p.csv", events)
}

func BenchmarkTaskUsage(b *testing.B) {
	_, usage := generated(2 * benchRows())
	benchmark(b, "task_usage/p.csv", usage)
}
