// Package sampletest reads the embedded sample for tests.
package sampletest

import (
	"strings"
	"sync"
	"testing"

	"racecard/datasets/sample"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/trace"
)

// Jobs are the recurring applications of the sample.
var Jobs = []string{"clicks-by-customer", "customer-360", "page-importance", "sales-rollup"}

var (
	once sync.Once
	jobs map[string][]*trace.Run
)

// ByJob returns the runs of each of [Jobs] in the order in which they ran, the failed one of customer-360 included.
// They are read once and must not be modified.
func ByJob(t testing.TB) map[string][]*trace.Run {
	t.Helper()
	once.Do(func() {
		files, err := source.FromFS(sample.Logs, ".", "sample") // by name
		if err != nil {
			t.Fatal(err)
		}
		byJob := map[string][]*trace.Run{}
		for _, f := range files {
			r := sourcetest.Read(t, spark.Format(), f)
			if len(r.Runs) != 1 || r.Err != nil {
				t.Fatalf("%s: %d runs, %v", f.Base(), len(r.Runs), r.Err)
			}
			job := f.Base()[:strings.LastIndexByte(f.Base(), '-')]
			byJob[job] = append(byJob[job], r.Runs[0])
		}
		jobs = byJob
	})
	if len(jobs) != len(Jobs) {
		t.Fatalf("the sample holds %d jobs, want %d", len(jobs), len(Jobs))
	}
	return jobs
}
