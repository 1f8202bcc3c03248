package wfformat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/source"
)

// generate makes an instance of a root and n tasks that all wait for it.
func generate(n int) string {
	var spec, run, files strings.Builder
	for i := range n {
		parents := `"task_000000"`
		if i == 0 {
			parents = ""
		} else {
			spec.WriteString(",")
			run.WriteString(",")
			files.WriteString(",")
		}
		fmt.Fprintf(&spec, "\n      {\"name\": \"work_%06d\", \"id\": \"task_%06d\", \"children\": [], \"parents\": "+
			"[%s], \"inputFiles\": [\"in_%06d\"], \"outputFiles\": [\"out_%06d\"]}", i, i, parents, i, i)
		fmt.Fprintf(&run, "\n      {\"id\": \"task_%06d\", \"runtimeInSeconds\": %d.5, \"command\": {\"program\": "+
			"\"work\", \"arguments\": [\"-n\", \"%d\"]}, \"avgCPU\": 98.5, \"memoryInBytes\": 94644000, "+
			"\"priority\": 20, \"machines\": [\"worker-%d\"]}", i, i%100, i, i%4)
		fmt.Fprintf(&files, "\n      {\"id\": \"in_%06d\", \"sizeInBytes\": %d}, {\"id\": \"out_%06d\", "+
			"\"sizeInBytes\": %d}", i, i*1000, i, i)
	}
	return `{"name":"bench","schemaVersion":"1.5","workflow":{"specification":{"tasks":[` + spec.String() +
		`],"files":[` + files.String() +
		`]},"execution":{"makespanInSeconds":100,"executedAt":"2020-12-25T20:10:08+00:00","tasks":[` + run.String() +
		`]}}}`
}

func BenchmarkRead(b *testing.B) {
	content := generate(5000)
	file := source.BytesFile("bench.json", []byte(content))
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for run, err := range Read(context.Background(), []*source.File{file}, source.NewTally()) {
			if err != nil {
				b.Fatal(err)
			}
			rows += len(run.Attempts)
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(len(content))*float64(b.N)/seconds/1e6, "MB/s")
	b.ReportMetric(float64(rows)/seconds, "rows/s")
}
