package google2019

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	pq "racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
)

// The counts are those of the README beside the slice, and of encoding/csv used otherwise than here.
func TestSharedSlice(t *testing.T) {
	f := sourcetest.SharedFile(t, "google-2019/slice.csv")
	if head, err := f.Head(t.Context()); err != nil || !detect(f.Name, head) {
		t.Error("the slice is not recognised")
	}
	r := sourcetest.Read(t, Format(0), f)
	in, err := os.Open(filepath.Clean(sourcetest.Shared(t, "google-2019/slice.csv")))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil || len(rows) != 100 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	jobs, alloc, ended := map[string]bool{}, 0, 0
	for _, row := range rows[1:] {
		if row[column("collection_type")] == "1" {
			alloc++
			continue
		}
		jobs[row[column("collection_id")]] = true
		if slices.Contains([]string{"4", "5", "6", "7", "8"}, row[column("instance_events_type")]) {
			ended++
		}
	}
	if r.Err != nil || len(r.Runs) != len(jobs) || r.Tally.Used != int64(99-alloc) ||
		r.Tally.Ignored[ignoredAlloc] != int64(alloc) || len(r.Rejects) != 0 {
		t.Errorf("%v, %d runs of %d, %d events of alloc sets, tally %+v", r.Err, len(r.Runs), len(jobs), alloc, r.Tally)
	}
	ends := 0
	for _, run := range r.Runs {
		for _, a := range run.Attempts {
			if a.End.Known() {
				ends++
			}
		}
		if run.Name == "" || run.User == "" || len(run.Stages) != 1 {
			t.Errorf("run %+v", run)
		}
	}
	if ends != ended {
		t.Errorf("%d attempts with an end, want %d", ends, ended)
	}
	t.Logf("%d runs, tally %+v", len(r.Runs), r.Tally)
}

// generated writes n instance events of n/40 collections, scattered.
func generated(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for i := range n {
		b = fmt.Appendf(b, `{"time":"%d","type":"%d","collection_id":"%d","scheduling_class":"2","collection_type":"0","priority":"200","alloc_collection_id":"0","instance_index":"%d","machine_id":"%d","alloc_instance_index":"-1","resource_request":{"cpus":%.12f,"memory":%.12f},"constraint":[]}`+"\n",
			600_000_000+i*1000, rng.IntN(11), 300_000_000_000+rng.IntN(n/40+1), rng.IntN(12), 100_000_000+
				rng.IntN(12000), rng.Float64(), rng.Float64())
	}
	return b
}

func TestMemoryDoesNotChangeTheResult(t *testing.T) {
	content := generated(20_000)
	sourcetest.MemoryDoesNotMatter(t, Format, 50_000, source.BytesFile("x", content))
}

func FuzzRead(f *testing.F) {
	names, rows := table()
	f.Add([]byte(lines(job()...)))
	f.Add([]byte(csvOf(names, rows, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})))
	f.Add([]byte("collection_id,time,type,start_after_collection_ids\n5,0,0,\"[4\n " +
		"2]\"\n4,9223372036854775807,6,[]\n2,1,\"\n"))
	f.Add(pq.File(f, pq.Options{}, pq.Column{Name: "time", Rows: []any{0, 700}},
		pq.Column{Name: "type", Rows: []any{0, 3}}, pq.Column{Name: "collection_id", Rows: []any{1, 1}},
		pq.Column{Name: "instance_index", Rows: []any{nil, 3}}, pq.Column{Name: "start_after_collection_ids",
			List: "item", Rows: []any{[]any{2}, nil}}))
	f.Add([]byte(`{"time":1,"type":"LOST","collection_id":"1","user":"\ud800","x":[{"a":null},-1e5,true]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		detect("x", content)
		sourcetest.Read(t, Format(0), source.BytesFile("fuzz", content))
	})
}

func benchmark(b *testing.B, content []byte) {
	b.SetBytes(int64(len(content)))
	rows := 0
	for b.Loop() {
		tally := source.NewTally()
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile("x", content)}, tally) {
			if err != nil {
				b.Fatal(err)
			}
		}
		rows += int(tally.Used)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkJSON(b *testing.B) { benchmark(b, generated(300_000)) }

func BenchmarkCSV(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	content := []byte(",time,type,collection_id,instance_index,machine_id,resource_request,constraint\n")
	const n = 200_000
	for i := range n {
		content = fmt.Appendf(content, "%d,%d,%d,%d,%d,%d,\"{'cpus': %.12f, 'memory': %.12f}\",\"[0.1 0.2\n 0.3]\"\n",
			i, 600_000_000+i*1000, rng.IntN(11), 300_000_000_000+rng.IntN(n/40), rng.IntN(12), 100_000_000+
				rng.IntN(12000), rng.Float64(), rng.Float64())
	}
	benchmark(b, content)
}
