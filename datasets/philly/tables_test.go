package philly

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

const (
	reducedHeader = "timestamp,duration,num_gpus,gpu_time,cluster\n"
	// rows of the shared file.
	reducedRows = "2017-10-07 01:11:39,193256.0,8,1546048.0,ee9e8c\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
)

func TestReduced(t *testing.T) {
	r := readFiles(t, file{"philly.csv", reducedHeader + reducedRows + "\n"})
	if len(r.Runs) != 2 || r.Tally.Ignored["blank line"] != 1 || len(r.Tally.Warnings) != 1 ||
		!strings.HasPrefix(r.Tally.Warnings[0], WarnZone) {
		t.Fatalf("%d runs, tally %+v", len(r.Runs), r.Tally)
	}
	// The first row is the job of the example: its submission, and 74 s and 193182 s of its attempts.
	run := r.Runs[0]
	if run.ID != "1" || run.Submit != exampleSubmit || run.Start.Known() || run.End.Known() || run.Guaranteed != 8 ||
		run.Group != "ee9e8c" ||
		run.Status != trace.StatusUnknown || run.Stages[0].Tasks != 1 || run.Stages[0].Demand[trace.GPU] != 8 ||
		run.Stages[0].Start.Known() {
		t.Errorf("run %+v", run)
	}
	if a := run.Attempts[0]; len(run.Attempts) != 1 || a.Duration != (74+193182)*1e6 || a.Start.Known() ||
		a.End.Known() || a.Demand[trace.GPU] != 8 {
		t.Errorf("attempts %+v", run.Attempts)
	}
	if run := r.Runs[1]; run.ID != "2" || run.Seq != 1 {
		t.Errorf("run %+v", run)
	}
}

func TestRuntimes(t *testing.T) {
	r := readFiles(t, file{"philly_runtime.csv", "runtime\n0.0\n1.0\n17.5\n"})
	if len(r.Runs) != 3 || len(r.Tally.Warnings) != 1 || !strings.HasPrefix(r.Tally.Warnings[0], WarnSorted) {
		t.Fatalf("%d runs, tally %+v", len(r.Runs), r.Tally)
	}
	if run := r.Runs[2]; run.ID != "3" || run.Submit.Known() || run.Guaranteed != trace.None ||
		run.Attempts[0].Duration != 17.5e6 || run.Stages[0].Tasks != 1 {
		t.Errorf("run %+v", run)
	}
}

// Whatever way a file was saved, the runs are the same.
func TestReducedVariants(t *testing.T) {
	text := func(r *sourcetest.Result) string {
		var s string
		for _, run := range r.Runs {
			s += fmt.Sprintln(run)
		}
		return s
	}
	want := text(readFiles(t, file{"p", reducedHeader + reducedRows}))
	for name, content := range map[string]string{
		"CRLF":            strings.ReplaceAll(reducedHeader+reducedRows, "\n", "\r\n"),
		"byte-order mark": "\ufeff" + reducedHeader + reducedRows,
		"blank lines":     "\n" + reducedHeader + "\n" + strings.Replace(reducedRows, "\n", "\n\n", 1) + "\r\n",
		"two headers":     reducedHeader + strings.Replace(reducedRows, "\n", "\n"+reducedHeader, 1),
		"quotes": "\"timestamp\",\"duration\",\"num_gpus\",\"gpu_time\",\"cluster\"\n" +
			strings.ReplaceAll(reducedRows, "2017-10-07 01:11:39", "\"2017-10-07 01:11:39\""),
		"other order": ",cluster,num_gpus,duration,timestamp,x\n0,ee9e8c,8.0,193256,2017-10-07 " +
			"01:11:39,a\n1,11cb48,1,66, 2017-10-09 07:01:55 ,\n",
		"no last end": reducedHeader + strings.TrimSuffix(reducedRows, "\n"),
	} {
		r := readFiles(t, file{"p", content})
		if got := text(r); got != want || len(r.Rejects) != 0 {
			t.Errorf("%s: got %s%v, want %s", name, got, r.Rejects, want)
		}
	}
	r := readFiles(t, file{"d/p.csv.gz", reducedHeader + reducedRows}, file{"q.csv", reducedHeader + reducedRows})
	if r.Runs[0].ID != "p.csv:1" || r.Runs[3].ID != "q.csv:2" {
		t.Errorf("ids %s, %s", r.Runs[0].ID, r.Runs[3].ID)
	}
}

func TestTableRejects(t *testing.T) {
	for _, test := range []struct{ name, content, reason, field string }{
		{"few fields", reducedHeader + "2017-10-09 07:01:55,66.0,1,66.0\n", source.ReasonFields, ""},
		{"many fields", reducedHeader + "2017-10-09 07:01:55,66.0,1,66.0,a,b\n", source.ReasonFields, ""},
		{"bad time", reducedHeader + "2017-10-09,66.0,1,66.0,a\n", source.ReasonBadTime, "timestamp"},
		{"bad duration", reducedHeader + "2017-10-09 07:01:55,x,1,66.0,a\n", source.ReasonBadNumber, "duration"},
		{"negative duration", reducedHeader + "2017-10-09 07:01:55,-1,1,66.0,a\n", source.ReasonBadNumber, "duration"},
		{"endless", reducedHeader + "2017-10-09 07:01:55,1e300,1,66.0,a\n", source.ReasonBadNumber, "duration"},
		{"no GPUs", reducedHeader + "2017-10-09 07:01:55,66,0,0,a\n", source.ReasonBadCount, "num_gpus"},
		{"negative GPUs", reducedHeader + "2017-10-09 07:01:55,66,-1,0,a\n", source.ReasonBadCount, "num_gpus"},
		{"half a GPU", reducedHeader + "2017-10-09 07:01:55,66,0.5,0,a\n", source.ReasonBadCount, "num_gpus"},
		{"bad GPU time", reducedHeader + "2017-10-09 07:01:55,66,1,x,a\n", source.ReasonBadNumber, "gpu_time"},
		{"no header", "2017-10-09 07:01:55,66.0,1,66.0,a\n", source.ReasonUnknown, ""},
		{"machine without a name", "machineId, number of GPUs, single GPU mem\n,8,24GB\n", source.ReasonNoID,
			"machineid"},
		{"machine with bad GPUs", "machineId, number of GPUs, single GPU mem\nm1,all,24GB\n", source.ReasonBadCount,
			"number_of_gpus"},
		{"bad runtime", "runtime\nx\n", source.ReasonBadNumber, "runtime"},
		{"not UTF-8", reducedHeader + "\xff\xfe\n", source.ReasonNotUTF8, ""},
		{"cut", reducedHeader + reducedRows + "2017-10-09 07:0", source.ReasonTruncated, ""},
	} {
		r := readFiles(t, file{"x", test.content})
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line < 1 {
			t.Errorf("%s: got %v, want one of reason %q, field %q", test.name, r.Rejects, test.reason, test.field)
		}
	}
}

func TestNullsAndOtherTables(t *testing.T) {
	r := readFiles(t, file{"p", reducedHeader + ",,,,\n2017-10-09 07:01:55,66,2,66,a\n"},
		file{"cluster_gpu_util", "time,machineId\n2017-10-03 00:08:00 PDT,m29\n"},
		file{"cluster_machine_list", "m1,8,24GB\n"})
	if run := r.Runs[0]; run.Submit.Known() || run.Guaranteed != trace.None || len(run.Attempts) != 0 ||
		run.Group != "" {
		t.Errorf("run %+v", run)
	}
	if r.Tally.Ignored[IgnoredUtilisation] != 2 || len(r.Tally.Machines) != 1 || len(r.Tally.Warnings) != 2 ||
		!strings.HasPrefix(r.Tally.Warnings[1], WarnGPUTime) {
		t.Errorf("tally %+v", r.Tally)
	}
}

// The counts are those of the README beside the traces, and of a script over the file.
func TestSharedTrace(t *testing.T) {
	r := sourcetest.Read(t, Format(0), sourcetest.SharedFile(t, "philly-derived/philly.csv.gz"))
	first, last := trace.Instant(1<<62), trace.Instant(0)
	gpus := map[int64]int{}
	clusters := map[string]bool{}
	longest := trace.Duration(0)
	for _, run := range r.Runs {
		first, last = min(first, run.Submit), max(last, run.Submit)
		gpus[run.Guaranteed]++
		clusters[run.Group] = true
		longest = max(longest, run.Attempts[0].Duration)
	}
	at := func(text string) trace.Instant {
		when, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return trace.Instant(when.UnixMicro())
	}
	if len(r.Runs) != 82247 || r.Tally.Used != 82247 || len(r.Rejects) != 0 || len(r.Tally.Repairs) != 0 ||
		first != at("2017-09-04 10:30:41") ||
		last != at("2017-12-22 08:02:11") || gpus[1] != 76627 || gpus[128] != 3 || len(clusters) != 15 ||
		longest != 4628226e6 || len(r.Tally.Warnings) != 1 {
		t.Errorf("%d jobs, tally %+v, from %d to %d, GPUs %v, %d clusters, longest %d", len(r.Runs), r.Tally, first,
			last, gpus, len(clusters), longest)
	}
}

// reduced returns a reduced log.
func reduced(rows int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	content := []byte(reducedHeader)
	for range rows {
		d, gpus := rng.IntN(100_000), 1<<rng.IntN(4)
		content = fmt.Appendf(content, "2017-10-%02d 07:%02d:55,%d.0,%d,%d.0,11cb48\n", 1+rng.IntN(31), rng.IntN(60), d,
			gpus, d*gpus)
	}
	return content
}

// generate returns a log on one line.
func generate(jobs int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	content := []byte("[")
	for i := range jobs {
		day, machine := 1+rng.IntN(28), rng.IntN(500)
		content = fmt.Appendf(content,
			`{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1506638472019_%d", "attempts": [{"start_time": "2017-10-%02d 01:12:09", `+
				`"end_time": "2017-11-%02d 01:13:23", "detail": [{"ip": "m%d", "gpus": ["gpu0", "gpu1", "gpu2", "gpu3"]}]}, {"start_time": "2017-11-%02d 01:14:00", `+
				`"end_time": "2017-12-01 12:00:00", "detail": [{"ip": "m%d", "gpus": ["gpu4"]}]}], "submitted_time": "2017-10-%02d 01:11:39", "user": "ce2f4c"}, `,
			i, day, day, machine, day, machine+1, day)
	}
	return append(content[:len(content)-2], ']')
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("["+example+"]"), []byte(reducedHeader+reducedRows))
	f.Add([]byte("["+job("j", "Failed", "2017-10-07T00:00:00", "2017-10-07T00:00:10 null m1:gg m2:g")+
		job("j", "Pass", "null")+", x ]"), []byte("runtime\n0.0\n17.5\n"))
	f.Add([]byte(`{"jobid": "j", "attempts": [,{"status": "Pass", "jobid":"k"}]`),
		[]byte("machineId, number of GPUs, single GPU mem\nm47,8, 24GB\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		sourcetest.Read(t, Format(0), source.BytesFile("a", a), source.BytesFile("b", b),
			source.BytesFile("cluster_machine_list", b))
		detect("a", a)
	})
}

func BenchmarkLog(b *testing.B) { benchmark(b, generate(20_000), 20_000) }

func BenchmarkReduced(b *testing.B) { benchmark(b, reduced(100_000), 100_000) }

func benchmark(b *testing.B, content []byte, rows int) {
	b.SetBytes(int64(len(content)))
	n := 0
	for b.Loop() {
		for _, err := range Format(0).Read(b.Context(), []*source.File{source.BytesFile("x", content)},
			source.NewTally()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n += rows
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
