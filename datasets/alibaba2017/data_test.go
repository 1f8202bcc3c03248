package alibaba2017

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// A file that ends early keeps what is whole.
func TestTruncatedFile(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(generate(5000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := sourcetest.Read(t, Format(0), source.BytesFile("x.csv.gz", packed.Bytes()[:packed.Len()/2]))
	if len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated || len(r.Runs) == 0 || r.Err != nil {
		t.Errorf("%d runs, rejects %v, error %v", len(r.Runs), r.Rejects, r.Err)
	}
}

// The counts are those of the README beside the traces.
func TestSharedTrace(t *testing.T) {
	r := sourcetest.Read(t, Format(0), sourcetest.SharedFile(t, "alibaba-2017/batch_task.csv.gz"))
	tasks, before, noCPU := 0, 0, 0
	for _, run := range r.Runs {
		tasks += len(run.Stages)
		for _, s := range run.Stages {
			if s.Submit < 0 {
				before++
			}
			if math.IsNaN(s.Demand[trace.CPU]) && math.IsNaN(s.Demand[trace.Mem]) {
				noCPU++
			}
		}
	}
	if len(r.Runs) != 12951 || tasks != 80553 || r.Tally.Used != 80553 || len(r.Rejects) != 0 || noCPU != 9017 ||
		before != 167 {
		t.Errorf("%d jobs, %d tasks, %d before the window, %d without cpu, tally %+v", len(r.Runs), tasks, before,
			noCPU, r.Tally)
	}
	// 209 ends before the creation: 208 of them 0. 8847 waiting and 3567 running rows, 208 of which have an end of 0.
	if want := (map[string]int64{RepairEnd: 1, RepairZero: 208, RepairOpen: 8847 +
		3567 - 208}); fmt.Sprint(r.Tally.Repairs) != fmt.Sprint(want) {
		t.Errorf("repairs %v, want %v", r.Tally.Repairs, want)
	}
}

func TestMemoryDoesNotChangeTheResult(t *testing.T) {
	content := generate(3000)
	sourcetest.MemoryDoesNotMatter(t, Format, 100_000, source.BytesFile("x.csv", content))
}

// generate returns rows of batch_instance.
func generate(rows int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var content []byte
	for range rows {
		start := rng.IntN(80000)
		job := 1 + rng.IntN(rows/20+1)
		content = fmt.Appendf(content, "%d,%d,%d,%d,%d,Terminated,1,1,%.2f,%.2f,%.10f,%.10f\n", start, start+
			rng.IntN(300), job, job*5+rng.IntN(5),
			rng.IntN(1300), rng.Float64()*2, rng.Float64(), rng.Float64()/10, rng.Float64()/20)
	}
	return content
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header+job3), []byte("12,20,3,4,446,Terminated,1,1,1.01,0.12,0.035,0.031\n"))
	f.Add([]byte("-1078,-843,1,1,3,Terminated,50,0.1\n6036,6046,1,2,393,Waiting,,\n100,0,1,3,4,Running,800,0.1\n"),
		[]byte("\ufeffjob_id,task_id,seq_no,start\n1,2,3,4\n"))
	f.Add([]byte("13,0,1,4,929,Failed,1,2,,,,\n16,80,1,4,930,Terminated,2,2,2.5,1.5,0.02,0.01\n"), []byte(",,,,,,,\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		sourcetest.Read(t, Format(0), source.BytesFile("a", a), source.BytesFile("b", b))
		Format(0).Detect("a", a)
	})
}

func BenchmarkRead(b *testing.B) {
	rows := 200_000
	if testing.Short() {
		rows = 20_000
	}
	content := generate(rows)
	b.SetBytes(int64(len(content)))
	n := 0
	for b.Loop() {
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile("x.csv", content)},
			source.NewTally()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n += rows
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
