package rumen

import (
	"context"
	"errors"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// collect counts runs and keeps rejects.
func collect(runs *int, rejects *[]*source.Reject) func(*trace.Run, error) bool {
	return func(_ *trace.Run, err error) bool {
		var rej *source.Reject
		if errors.As(err, &rej) {
			*rejects = append(*rejects, rej)
		} else if err == nil {
			*runs++
		}
		return true
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		sample, jobs(2, ""), "[" + jobs(2, ",") + "]", "", "{}", "{\n{\"jobID\":\"job_1_2\"}", "\"\\\n{",
		`{"name":"<root>","children":[{"name":"a"}]}`,
		`{"jobID":"j","totalMaps":2147483647,"mapTasks":[{"attempts":[{"startTime":9223372036854775807,"finishTime":-9223372036854775808}]}]}`,
		`{"jobID":"j","mapTasks":[{"taskID":"task_1_1_m_9","attempts":[{"attemptID":"attempt_1_1_m_9_1"},{"attemptID":"attempt_1_1_m_9_1"}]}]}`,
		"\xef\xbb\xbf{\"jobID\":\"\xff\"}", "x{\"jobID\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		Format().Detect("fuzz", content)
		sourcetest.Read(t, Format(), source.BytesFile("fuzz", content))
	})
}

func BenchmarkRead(b *testing.B) {
	content := []byte{}
	for range 200 {
		content = append(content, sample...)
	}
	file := source.BytesFile("bench.json", content)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Read(context.Background(), []*source.File{file}, source.NewTally()) {
			var rej *source.Reject
			if err != nil && !errors.As(err, &rej) { // all but the first are duplicates, and read all the same
				b.Fatal(err)
			}
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(len(content))*float64(b.N)/seconds/1e6, "MB/s")
	b.ReportMetric(200*3*float64(b.N)/seconds, "rows/s") // of three attempts each
}
