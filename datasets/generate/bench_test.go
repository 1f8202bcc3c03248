package generate_test

import (
	"context"
	"io"
	"testing"

	"racecard/datasets/generate"
)

// discard counts the bytes of files.
type discard struct{ n *int64 }

func (d discard) Write(p []byte) (int, error) { *d.n += int64(len(p)); return len(p), nil }

func (discard) Close() error { return nil }

// BenchmarkKinds reports how fast rows of each kind are written, and bytes as they are written: compressed, for some
// kinds.
func BenchmarkKinds(b *testing.B) {
	for _, k := range generate.Kinds() {
		rows := int64(200_000)
		if k.Format == "tr" { // a row is a job with all its tasks
			rows = 4000
		}
		if testing.Short() {
			rows /= 20
		}
		b.Run(k.Name, func(b *testing.B) {
			var bytes, n int64
			for b.Loop() {
				written, err := k.Write(context.Background(), func(string) (io.WriteCloser, error) {
					return discard{&bytes}, nil
				}, rows, 1, nil)
				if err != nil {
					b.Fatal(err)
				}
				n += written
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
		})
	}
}
