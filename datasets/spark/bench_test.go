package spark

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/source"
)

// benchLog makes a log of stages of 500 tasks whose TaskEnd lines are as long as those of Spark 3.5.
func benchLog(stages int) []byte {
	var metrics, more strings.Builder
	for i, name := range []string{"executorDeserializeTime", "executorDeserializeCpuTime", "executorRunTime",
		"executorCpuTime", "resultSize",
		"jvmGCTime", "resultSerializationTime", "input.bytesRead", "input.recordsRead", "shuffle.write.bytesWritten",
		"shuffle.write.recordsWritten"} {
		fmt.Fprintf(&more, `{"ID":%d,"Name":"internal.metrics.%s","Update":%d,"Value":%d,"Internal":true,"Count Failed Values":true},`, i, name, 1000*i, 7919*i)
	}
	metrics.WriteString(`"Executor CPU Time":243000000,"JVM GC Time":12,"Memory Bytes Spilled":0,"Disk Bytes Spilled":0,` +
		`"Shuffle Read Metrics":{"Remote Blocks Fetched":0,"Local Blocks Fetched":0,"Fetch Wait Time":0,"Remote Bytes Read":0},` +
		`"Shuffle Write Metrics":{"Shuffle Bytes Written":81920,"Shuffle Write Time":12345,"Shuffle Records Written":100},` +
		`"Input Metrics":{"Bytes Read":1048576,"Records Read":4000},"Output Metrics":{"Bytes Written":0,"Records Written":0},"Updated Blocks":[]`)
	accumulables := `"Accumulables":[` + strings.TrimSuffix(more.String(), ",") + `]`
	var b strings.Builder
	b.WriteString(appStart("bench", 1000) + "\n")
	id := 0
	for st := range stages {
		at := 1000 + 1000*st
		b.WriteString(jobBegin(st, at, info(st, 0, "", "")) + "\n" + submit(st, 0, at, "") + "\n")
		for i := range 500 {
			k := tk{id: id, stage: st, index: i, from: at + i, to: at + i + 300, more: fmt.Sprintf(`,"Partition ID":%d`,
				i), metrics: metrics.String()}
			b.WriteString(k.start() + "\n" +
				strings.Replace(k.end(), `"Accumulables":[{"ID":1,"Name":"x","Update":"3"}]`, accumulables, 1) + "\n")
			id++
		}
		b.WriteString(complete(st, 0, at, at+900, "") + "\n" + jobDone(st, at+900, "JobSucceeded") + "\n")
	}
	return []byte(b.String() + appEnd(1000+1000*stages) + "\n")
}

func BenchmarkRead(b *testing.B) {
	content := benchLog(20)
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for run, err := range Read(context.Background(), files("bench.log", content), source.NewTally()) {
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
