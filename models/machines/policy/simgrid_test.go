package policy_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/workload"
)

const benchMachines, benchCores = 100, 20

// tpch draws n jobs of the recorded TPC-H runs, so close that they queue. A few microseconds are added to every task,
// for no two tasks to end at once: SimGrid tells of their ends one after the other, replay of all together, and a
// scheduler may decide otherwise then.
func tpch(t testing.TB, n int) []*jobs.Job {
	t.Helper()
	format, err := formats.Named("jsonl", 0)
	if err != nil {
		t.Fatal(err)
	}
	b := jobs.Builder{Draw: workload.DefaultDraw(1)}
	for _, run := range sourcetest.Read(t, format, sourcetest.SharedFile(t, "tpch-jsonl/tpch-100g.jsonl.gz")).Runs {
		b.Add(run)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	all := make([]*jobs.Job, n)
	at := int64(0)
	for i := range all {
		job := *b.Jobs[rng.IntN(len(b.Jobs))]
		job.ID, job.Seq, job.Arrival = strconv.Itoa(i), int64(i), at
		job.Stages = slices.Clone(job.Stages)
		for s := range job.Stages {
			st := &job.Stages[s]
			st.Demand = trace.Demand{trace.CPU: 1}
			st.Seen = st.Demand
			durations := make([]int64, st.Tasks)
			for k := range durations {
				durations[k] = st.Duration(int32(k)) + rng.Int64N(1000)
			}
			st.Durations = durations
		}
		all[i] = &job
		at += int64(rng.ExpFloat64() * 1.5e6)
	}
	return all
}

// input writes jobs as simgrid/fifo.cpp reads them.
func input(all []*jobs.Job) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, benchMachines, benchCores, len(all))
	for _, j := range all {
		fmt.Fprintln(&b, j.Arrival, len(j.Stages))
		for i := range j.Stages {
			s := &j.Stages[i]
			fmt.Fprint(&b, len(s.Parents))
			for _, p := range s.Parents {
				fmt.Fprint(&b, " ", p.Stage)
			}
			fmt.Fprint(&b, " ", s.Tasks)
			for k := range s.Tasks {
				fmt.Fprint(&b, " ", s.Duration(k))
			}
			fmt.Fprintln(&b)
		}
	}
	return b.Bytes()
}

// underSimGrid compiles and runs simgrid/fifo.cpp: the ends of jobs in microseconds, and the seconds that it took. It
// skips, and says so, where SimGrid is not installed.
func underSimGrid(t testing.TB, all []*jobs.Job) ([]int64, float64) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.Command("c++", "-O2", "-o", bin, "simgrid/fifo.cpp", "-lsimgrid").CombinedOutput(); err != nil {
		t.Skipf("needs a C++ compiler and SimGrid (Debian: libsimgrid-dev): %v: %.200s", err, out)
	}
	cmd := exec.Command(bin)
	cmd.Stdin = bytes.NewReader(input(all))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(all)+1 {
		t.Fatalf("SimGrid tells of %d jobs, want %d", len(lines)-1, len(all))
	}
	ends := make([]int64, len(all))
	for i := range ends {
		if ends[i], err = strconv.ParseInt(lines[i], 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	seconds, err := strconv.ParseFloat(lines[len(all)], 64)
	if err != nil {
		t.Fatal(err)
	}
	return ends, seconds
}

func equalMachines(t testing.TB) *cluster.Machines {
	t.Helper()
	m, err := cluster.New(slices.Repeat([]trace.Demand{{trace.CPU: benchCores}}, benchMachines))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Jobs end at the same microsecond as under SimGrid.
func TestFIFOAgreesWithSimGrid(t *testing.T) {
	all := tpch(t, 60)
	want, _ := underSimGrid(t, all)
	got, err := replay.Run(context.Background(), all, equalMachines(t), policy.FIFO(), nil)
	if err != nil {
		t.Fatal(err)
	}
	waited := 0
	for i, j := range all {
		if d := got.Finished[i] - want[i]; d < -1 || d > 1 {
			t.Errorf("job %d of %d tasks ends at %d µs, under SimGrid at %d µs", i, j.Tasks(), got.Finished[i], want[i])
		}
		if alone, err := replay.Run(context.Background(), []*jobs.Job{j}, equalMachines(t), policy.FIFO(),
			nil); err != nil {
			t.Fatal(err)
		} else if alone.Finished[0] < got.Finished[i] {
			waited++
		}
	}
	if waited < 20 {
		t.Errorf("only %d of %d jobs waited for others: this shows little", waited, len(all))
	}
}

// BenchmarkFIFO reports tasks per second of racecard and of SimGrid, both on one core, on the same 250 TPC-H jobs; 25
// with -short.
func BenchmarkFIFO(b *testing.B) {
	n := 250
	if testing.Short() {
		n = 25
	}
	all := tpch(b, n)
	m := equalMachines(b)
	tasks := int64(0)
	for _, j := range all {
		tasks += j.Tasks()
	}
	for b.Loop() {
		if _, err := replay.Run(context.Background(), all, m, policy.FIFO(), nil); err != nil {
			b.Fatal(err)
		}
	}
	rate := float64(tasks) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "tasks/s")
	_, seconds := underSimGrid(b, all)
	b.ReportMetric(float64(tasks)/seconds, "SimGrid-tasks/s")
	b.ReportMetric(rate*seconds/float64(tasks), "of-SimGrid")
}
