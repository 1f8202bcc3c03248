package swf_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/swf"
)

// generate makes a log of jobs that hold all fields.
func generate(jobs int) string {
	var b strings.Builder
	b.WriteString("; Version: 2.2\n; MaxProcs: 128\n")
	for i := range jobs {
		fmt.Fprintf(&b, "%6d %8d %6d %6d %4d %8.2f %6d %4d %6d %6d %2d %4d %3d %4d %2d %2d -1 -1\n",
			i+1, 37*i, i%900, 1+i*7919%36000, 1<<(i%8), 0.9*float64(i%36000), i%100000, 1<<(i%8), 36000, -1, i%2, i%97,
			i%7, i%311, i%4, -1)
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	content := generate(50_000)
	file := source.BytesFile("bench.swf", []byte(content))
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for _, err := range swf.Read(context.Background(), []*source.File{file}, source.NewTally()) {
			if err != nil {
				b.Fatal(err)
			}
			rows++
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(len(content))*float64(b.N)/seconds/1e6, "MB/s")
	b.ReportMetric(float64(rows)/seconds, "rows/s")
}
