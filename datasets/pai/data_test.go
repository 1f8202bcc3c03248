package pai

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
)

// A file that ends early keeps what is whole.
func TestTruncatedFiles(t *testing.T) {
	for name, content := range map[string][]byte{"pai_instance_table.csv.gz": generate(5000),
		"openb_pod_list_x.csv.gz": pods(5000)} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r := sourcetest.Read(t, Format(0), source.BytesFile(name, packed.Bytes()[:packed.Len()/2]))
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated || len(r.Runs) == 0 || r.Err != nil {
			t.Errorf("%s: %d runs, rejects %v, error %v", name, len(r.Runs), r.Rejects, r.Err)
		}
	}
}

// Tables come in archives, also all in one.
func TestArchive(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, f := range []file{instances, groups2020,
		{"pai_job_table.header", "job_name,inst_id,user,status,start_time,end_time\n"}, tasks, machines, jobs} {
		if err := w.WriteHeader(&tar.Header{Name: "data/" + f.name, Mode: 0o600, Size: int64(len(f.content)),
			Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := source.FromFS(fstest.MapFS{"pai.tar.gz": {Data: packed.Bytes()}}, "pai.tar.gz", "pai.tar.gz")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	r := sourcetest.Read(t, Format(0), files...)
	want := read2020(t, instances, groups2020, file{"pai_job_table.header",
		"job_name,inst_id,user,status,start_time,end_time\n"}, tasks, machines, jobs)
	if got := fmt.Sprint(r.One(t)); got != fmt.Sprint(want.One(t)) || len(r.Rejects) != 0 ||
		len(r.Tally.Machines) != 2 {
		t.Errorf("got %s, want %s, rejects %v", got, fmt.Sprint(want.One(t)), r.Rejects)
	}
}

// The counts are those of the README beside the traces.
func TestShared2020(t *testing.T) {
	files := []*source.File{sourcetest.SharedFile(t, "alibaba-gpu-2020/pai_machine_spec.tar.gz")}
	for _, name := range []string{"group_tag_table", "instance_table", "job_table", "machine_metric", "machine_spec",
		"sensor_table", "task_table"} {
		files = append(files, sourcetest.SharedFile(t, "alibaba-gpu-2020/pai_"+name+".header"))
	}
	for _, f := range files {
		head, err := f.Head(t.Context())
		if err != nil || !detect(f.Name, head) {
			t.Errorf("%s is not recognised: %v", f.Name, err)
		}
	}
	r := sourcetest.Read(t, Format(0), files...)
	gpus, cores, memory := 0., 0., 0.
	for _, m := range r.Tally.Machines {
		gpus, cores, memory = gpus+m.GPU, cores+m.CPU, memory+m.Mem
	}
	// 798 P100 and 497 T4 with 2 GPUs, 280 MISC, 104 V100 and 135 V100M32 with 8; 798 have 64 cores, the others 96; 180
	// have 384 GiB.
	if len(r.Tally.Machines) != 1897 || r.Tally.Used != 1897 || r.Tally.Ignored[IgnoredHeader] != 7 ||
		len(r.Rejects) != 0 || len(r.Runs) != 0 ||
		gpus != (798+497)*2+(280+104+135)*8 || cores != 798*64+1099*96 || memory != (1717*512+180*384)*gib {
		t.Errorf("%d machines, %v GPUs, %v cores, %v GiB, tally %+v", len(r.Tally.Machines), gpus, cores, memory/gib,
			r.Tally.Rejected)
	}
}

func TestMemoryDoesNotChangeTheResult(t *testing.T) {
	content := generate(1500)
	sourcetest.MemoryDoesNotMatter(t, Format, 100_000, source.BytesFile("pai_instance_table.csv", content))
}

// generate returns rows of the instance table.
func generate(rows int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var content []byte
	for range rows {
		start := rng.IntN(6_000_000)
		job := rng.IntN(rows/7 + 1)
		content = fmt.Appendf(content, "%024x,worker,%060x,%060x,%060x,Terminated,%d.0,%d.0,%024x\n", job, rng.Uint32(),
			rng.Uint64(), job, start,
			start+rng.IntN(30000), rng.IntN(1900))
	}
	return content
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(jobs.content), []byte(tasks.content), []byte(instances.content))
	f.Add([]byte("job_name,inst_id,user,status,start_time\nj,i,u,Failed,5\n"), []byte(podHeader+podRows),
		[]byte("sn,cpu_milli,memory_mib,gpu\nn,1,2,3\n"))
	f.Add([]byte(dlrmHeader+dlrmRows), []byte("j,t,0,Waiting,,,,,,\n"),
		[]byte("j,w,i,a,id,Failed,5,3,m\nj,w,i,a,id,Running,7,0,m\nj,w,,,id,Terminated,1,2,\n"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		sourcetest.Read(t, Format(0), source.BytesFile("a", a), source.BytesFile("b", b),
			source.BytesFile("pai_group_tag_table.csv", a),
			source.BytesFile("pai_instance_table.csv", c), source.BytesFile("pai_task_table.header", b))
		detect("a", a)
	})
}

func BenchmarkRead(b *testing.B) {
	const rows = 100_000
	content := generate(rows)
	b.SetBytes(int64(len(content)))
	n := 0
	for b.Loop() {
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile("pai_instance_table.csv",
			content)}, source.NewTally()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n += rows
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
