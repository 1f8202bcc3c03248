package jhist_test

import (
	"context"
	"fmt"
	"testing"

	"racecard/datasets/jhist"
	"racecard/datasets/source"
)

func BenchmarkRead(b *testing.B) {
	counts := "FILE_BYTES_READ=0,FILE_BYTES_WRITTEN=117831,FILE_READ_OPS=0,FILE_LARGE_READ_OPS=0,FILE_WRITE_OPS=0,HDFS_BYTES_READ=268,HDFS_BYTES_WRITTEN=0,HDFS_READ_OPS=4," +
		"MAP_INPUT_RECORDS=1,MAP_OUTPUT_RECORDS=2,MAP_OUTPUT_BYTES=18,SPLIT_RAW_BYTES=150,SPILLED_RECORDS=2,GC_TIME_MILLIS=120,CPU_MILLISECONDS=900,PHYSICAL_MEMORY_BYTES=300000000"
	const maps = 1000
	events := []string{submitted(""), inited(maps, 0)}
	for i := range maps {
		id := fmt.Sprintf("m_%06d", i)
		events = append(events, taskStarted(id, 2500), started(id+"_0", 3000+i, ""), finished(id+"_0", 5000+i, counts))
	}
	content := []byte(log(append(events, jobFinished(9_000_000))...))
	file := source.BytesFile("bench.jhist", content)
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for run, err := range jhist.Read(context.Background(), []*source.File{file}, source.NewTally()) {
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
